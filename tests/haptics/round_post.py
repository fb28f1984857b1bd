"""A round tool that is led around a round post through a local model: planes against constraints with curvature.

The tool's middle should stay at the distance of both radii, less its penetration; what is off is an error of the
surface that the hand feels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.metrics import Log
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Rendering
from symbody.haptics.shapes import Polygon
from symbody.haptics.structures import STATES
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.round_shapes import Round
from symbody.haptics.two_rates.scene_world import EPSILON, SceneWorld

TOOL, POST = 0.015, 0.02  # m: radii
MASS, INERTIA = 0.5, 1e-4  # kg, kg m²
CORNERS = 32  # of the polygons that the world collides
PRESSED = 2e-3  # m, by which the hand wants to be inside
APART = 1e-3  # m, at first
SPEED = 0.1  # m/s along the post
HAND = HapticHand(stiffness=(300.0, 300.0, 0.5), damping=(8.0, 8.0, 0.01))
LINE = Impairment(delay=0.005)
SETTLED = 0.5  # s, after which it is measured
CONTACT = ContactModel("impulse")
RESTING = float(STATES.index("resting"))


def disc(radius: float, corners: int = CORNERS) -> Polygon:
    """A regular polygon around a circle."""
    angles = 2 * pi * (np.arange(corners) + 0.5) / corners
    return Polygon(radius / cos(pi / corners) * np.column_stack([np.cos(angles), np.sin(angles)]))


@dataclass(frozen=True)
class AroundPost:
    """Error of the felt surface (mm) and jumps of the felt force from a tick to the next (N): at most, and r.m.s."""

    log: Log
    error: float
    error_rms: float
    jump: float
    jump_rms: float

    def record(self) -> dict[str, float]:
        """As a row of figures."""
        return {
            "error_mm": self.error, "error_rms_mm": self.error_rms, "jump_N": self.jump, "jump_rms_N": self.jump_rms,
        }  # fmt: skip


def surface(log: Log) -> np.ndarray:
    """How far from the post's middle the tool's would be without its penetration f_n/K (mm): the surface as felt."""
    away = np.linalg.norm(log["tool"][:, :2], axis=1)
    load = np.sum(log["wrench"][:, :2] * log["tool"][:, :2], axis=1) / away
    return np.asarray(1e3 * (away + load / CONTACT.stiffness))


def led_around(curved: bool, *, world_rate: float = 30.0, speed: float = SPEED, seconds: float = 2.5) -> AroundPost:
    """The run; curved: constraints are cylinders, else planes."""
    reach = TOOL + POST
    tool = HapticBody("tool", disc(TOOL), MASS, INERTIA, (reach + APART, 0.0, 0.0))
    rendering = Rendering(CONTACT)
    scene = HapticScene([tool], {"post": disc(POST)}, rate=1000.0, rendering=rendering)
    axis = (0.0, 0.0, 1.0)
    rounds = {
        "tool": Round((0.0, 0.0, 0.0), TOOL, axis, curved),
        "post": Round((0.0, 0.0, 0.0), POST, axis, curved),
    }
    world = SceneWorld(scene, "tool", epsilon=EPSILON, rounds=rounds)
    local = LocalModel(tool, rate=1000.0, rendering=rendering, device=HapticDevice(), hand=HAND)
    both = TwoRates(world, local, world_rate, LINE)

    def target(t: float) -> tuple[float, float, float]:
        angle = speed * max(0.0, t - SETTLED / 2) / reach
        return (reach - PRESSED) * cos(angle), (reach - PRESSED) * sin(angle), 0.0

    log = both.run(seconds, pose=target)
    late = log["t"] > SETTLED
    off = surface(log[late & (log["state"] == RESTING)]) - 1e3 * reach
    jumps = np.linalg.norm(np.diff(log["felt"][late, :2], axis=0), axis=1)
    return AroundPost(
        log,
        float(np.max(np.abs(off))),
        float(np.sqrt(np.mean(off**2))),
        float(np.max(jumps)),
        float(np.sqrt(np.mean(jumps**2))),
    )
