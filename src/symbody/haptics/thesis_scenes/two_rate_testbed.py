"""The testbed of two rates (thesis, chapter 6): a tool between walls, rendered through a local model or a baseline.

Methods by name: "ir", the intermediate representation (planes of contacts, springs, direct coupling); "lm0" and "lm5",
local models with ε = 0 and 5 mm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.three_link import LENGTHS, WIDTH, link_shape, three_link
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.scene_world import EPSILON, SceneWorld

LINK = LENGTHS[2], WIDTH  # m: the distal link
FOLDED = (-pi / 3, 2 * pi / 3, -pi / 3)  # rad: the distal link level with the base
BOTTOM, TOP = 116.0, 181.0  # mm, y of its centre of mass at contact
LEVEL = 131.0  # mm, y of the base
THICK = 0.1  # m, of walls
WORLD_RATE = 30.0  # Hz
LINE = Impairment(delay=0.002)  # s, each way


@dataclass(frozen=True)
class TwoRateMethod:
    """How a world is rendered: a local model with ε (m), or the intermediate representation."""

    epsilon: float = 0.0
    intermediate: bool = False
    kinematic: bool = False
    exact: bool = False
    reported: bool = False


METHODS: Mapping[str, TwoRateMethod] = {
    "ir": TwoRateMethod(intermediate=True),
    "lm0": TwoRateMethod(),
    "lm5": TwoRateMethod(EPSILON),
}


def linkage(q: Sequence[float] = FOLDED) -> Linkage:
    """Three links; only the distal one has contact."""
    return Linkage("arm", three_link(), {"link3": link_shape(3)}, q=q)


def height(y_mm: float) -> float:
    """A height (mm) in the frame of the thesis as y of the scene (m)."""
    return 1e-3 * (y_mm - LEVEL)


def floor_and_ceiling() -> dict[str, Polygon]:
    """A floor and a ceiling that touch the level distal link when its centre is at 116 and 181 mm."""
    floor, ceiling = height(BOTTOM) - LINK[1] / 2, height(TOP) + LINK[1] / 2
    return {
        "floor": rectangle(1.0, THICK, (0.0, floor - THICK / 2)),
        "ceiling": rectangle(1.0, THICK, (0.0, ceiling + THICK / 2)),
    }


def felt_through(
    method: TwoRateMethod,
    tool: HapticBody | Linkage,
    walls: Mapping[str, Polygon],
    hold: str | None = None,
    *,
    others: Sequence[HapticBody] = (),
    rendering: Rendering | None = None,
    device: HapticDevice | None = None,
    line: Impairment = LINE,
    world_rate: float = WORLD_RATE,
    rate: float = 512.0,
    computing: float = 0.0,
) -> TwoRates:
    """World and local model of a tool between walls; the ticks of both have the same length."""
    rendering = rendering or Rendering()
    contact = replace(rendering.contact, model="impulse")
    scene = HapticScene([tool, *others], walls, rate=rate, rendering=Rendering(contact))
    local = LocalModel(
        tool, hold, rate=rate, rendering=rendering, device=device, intermediate=method.intermediate,
        kinematic=method.kinematic, exact=method.exact, reported=method.reported,
    )  # fmt: skip
    world = SceneWorld(scene, tool.name, epsilon=method.epsilon)
    return TwoRates(world, local, world_rate, line, computing=computing, contact=rendering.contact)


def corners_of(log: Log, corners: np.ndarray, who: str = "tool") -> np.ndarray:
    """Positions of a tool's corners over time (n, corners, 2); corners: relative to the held point."""
    x, angle = log[who][:, :2], log[who][:, 2]
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = np.stack([c * corners[:, 0] - s * corners[:, 1], s * corners[:, 0] + c * corners[:, 1]], axis=2)
    return np.asarray(x[:, None, :] + turned)


def link_corners(log: Log, who: str = "tool") -> np.ndarray:
    """Corners of the distal link, held at its centre."""
    return corners_of(log, rectangle(*LINK).points[:, :2], who)


def springs(stiffness: float = 4000.0, damping: float = 30.0, model: str = "impulse") -> Rendering:
    """The walls of the thesis."""
    return Rendering(ContactModel(model, stiffness, damping))
