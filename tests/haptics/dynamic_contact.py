"""A linkage that is pushed up until its distal link strikes the ceiling, or a slab that flies away (thesis 6.23–6.24).

0.1 N on link 3; static constraints (SC) and kinematic ones (KC), which go on moving between packets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.haptics.metrics import Log, bounces
from symbody.haptics.objects import HapticBody
from symbody.haptics.shapes import rectangle
from symbody.haptics.thesis_scenes.two_rate_testbed import (
    LINK,
    METHODS,
    TOP,
    TwoRateMethod,
    felt_through,
    floor_and_ceiling,
    height,
    link_corners,
    linkage,
    springs,
)
from symbody.haptics.two_rates.scene_world import EPSILON

PUSH = 0.1  # N
SECONDS = 5.0
SLAB = 0.3, 0.05  # m
SLAB_MASS, SLAB_INERTIA = 3.0, 0.02  # kg, kg m²
FELT: Mapping[str, TwoRateMethod] = {
    "ir": METHODS["ir"],
    "sc": METHODS["lm5"],
    "kc": TwoRateMethod(EPSILON, kinematic=True),
}


@dataclass(frozen=True)
class DynamicContact:
    """What follows the first touch: bounces, how far the tool comes back (mm), how far it goes beyond the wall (mm)."""

    log: Log
    bounces: int
    rebound: float
    beyond: float
    peak: float  # N

    def record(self) -> dict[str, float | int]:
        """As a row of figures."""
        return {
            "bounces": self.bounces, "rebound_mm": self.rebound, "beyond_mm": self.beyond, "peak_N": self.peak,
        }  # fmt: skip


def pushed_up(method: str, seed: int = 0, *, slab: bool = False, seconds: float = SECONDS) -> DynamicContact:
    """The run; slab: a body in place of the ceiling. A seed changes the push by a tenth."""
    walls, others = floor_and_ceiling(), []
    top = height(TOP) + LINK[1] / 2
    if slab:
        del walls["ceiling"]
        others = [HapticBody("slab", rectangle(*SLAB), SLAB_MASS, SLAB_INERTIA, (0.0, top + SLAB[1] / 2, 0.0))]
    both = felt_through(FELT[method], linkage(), walls, "arm.link3", others=others, rendering=springs())
    share = 1.0 + 0.1 * float(np.random.default_rng(seed).uniform(-1.0, 1.0)) if seed else 1.0
    return measured(both.run(seconds, (0.0, share * PUSH, 0.0)), top)


def measured(log: Log, top: float) -> DynamicContact:
    """Measures of a run toward a height (m)."""
    gap = 1e3 * (top - np.max(link_corners(log)[:, :, 1], axis=1))
    touched = np.flatnonzero(log["contacts"] > 0)
    after = gap[touched[0] :] if len(touched) else gap[-1:]
    lowest = np.maximum.accumulate(-after)  # the deepest so far; coming back is measured from there
    return DynamicContact(
        log,
        bounces(log["contacts"]),
        float(np.max(after + lowest)),
        float(np.max(-gap)),
        float(np.max(np.abs(log["felt"][:, 1]))),
    )
