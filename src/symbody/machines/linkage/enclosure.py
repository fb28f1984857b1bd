"""The distal link of the linkage moved between four walls (thesis 6.14–6.17): kinetic energy in impacts.

Walls of 15000 N/m and 100 N s/m; the hand pushes in changing directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log
from symbody.haptics.objects import Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.three_link import link_shape, three_link

STIFFNESS, DAMPING = 15000.0, 100.0  # N/m, N s/m
HALF = 0.07  # m, from the base to a wall
THICK = 0.04  # m, of walls
FOLDED = (0.0, pi / 2, pi / 2)  # rad, inside
FORCE, TORQUE = 8.0, 0.1  # N, N m
SECONDS = 6.0
STILL = 1e-9  # share of the energy; smaller values are rounding


def walls(half: tuple[float, float] = (HALF, HALF)) -> dict[str, Polygon]:
    """Four walls about the origin, at distances in x and y (m)."""
    x, y = half
    return {
        "left": rectangle(THICK, 2 * (y + THICK), (-x - THICK / 2, 0.0)),
        "right": rectangle(THICK, 2 * (y + THICK), (x + THICK / 2, 0.0)),
        "floor": rectangle(2 * x, THICK, (0.0, -y - THICK / 2)),
        "ceiling": rectangle(2 * x, THICK, (0.0, y + THICK / 2)),
    }


def enclosed(restitution: float, q: tuple[float, ...] = FOLDED, friction: float = 0.0) -> HapticScene:
    """The linkage held at link 3, which alone has contact; friction: of impacts."""
    contact = ContactModel("impulse", STIFFNESS, DAMPING, restitution)
    return HapticScene(
        [Linkage("arm", three_link(), {"link3": link_shape(3)}, q=q)],
        walls(),
        tool="arm.link3",
        rendering=Rendering(contact, ContactFriction(impact=friction)),
        device=HapticDevice(damping=(2.0, 2.0, 1e-3)),
    )


@dataclass(frozen=True)
class Collisions:
    """Impacts of a run: relative change of kinetic energy, simultaneous contacts, wrenches (N)."""

    log: Log
    change: np.ndarray
    struck: np.ndarray
    ratio: float  # of the largest wrench of an impact to the median of resting contact; NaN without any

    def record(self) -> dict[str, float]:
        """A row of figures."""
        return {
            "impacts": len(self.change), "at_once": float(np.max(self.struck)), "most": float(np.max(self.change)),
            "least": float(np.min(self.change)), "mean": float(np.mean(self.change)), "wrench_ratio": self.ratio,
        }  # fmt: skip


def measured(log: Log) -> Collisions:
    """Energies and wrenches of a run."""
    hit = log["impacts"] > 0
    wrench = np.linalg.norm(log["wrench"][:, :2], axis=1)
    rests = (log["state"] == 1.0) & (wrench > 0.0)
    before, after = log["before"][hit], log["after"][hit]
    ratio = float(np.max(wrench[hit]) / np.median(wrench[rests])) if rests.any() else float("nan")
    return Collisions(log, (after - before) / before, log["impacts"][hit], ratio)


def shaken(restitution: float, seed: int = 0, friction: float = 0.0, seconds: float = SECONDS) -> Collisions:
    """Run with a changing push; the seed varies the start and the push."""
    random = np.random.default_rng(seed)
    turned = tuple(float(a + b) for a, b in zip(FOLDED, random.uniform(-0.1, 0.1, 3), strict=True))
    size, pace = random.uniform(0.7, 1.3, 2)
    scene = enclosed(restitution, turned, friction)

    def push(t: float) -> tuple[float, float, float]:
        a = 2 * pi * pace * t
        return size * FORCE * cos(0.6 * a), size * FORCE * sin(a), size * TORQUE * sin(1.7 * a)

    return measured(scene.run(seconds, push))
