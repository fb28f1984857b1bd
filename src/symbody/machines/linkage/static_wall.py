"""A linkage pushed against a wall through a local model (thesis 6.18–6.19): where the hand feels the wall.

0.5 N toward the floor, K = 4000 N/m, B = 30 N s/m, e = 0. At the floor the centre of the distal link is at 116 mm. The
thesis found 116 mm (lm5), 87 mm (ir) and 80 mm (lm0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.haptics.metrics import Log, bounces, growth
from symbody.haptics.thesis_scenes.two_rate_testbed import (
    BOTTOM,
    LINE,
    LINK,
    METHODS,
    WORLD_RATE,
    TwoRateMethod,
    felt_through,
    floor_and_ceiling,
    height,
    link_corners,
    linkage,
    springs,
)

PUSH = -0.5  # N
SECONDS = 1.5
THESIS = {"ir": 87.0, "lm0": 80.0, "lm5": 116.0}  # mm


@dataclass(frozen=True)
class StaticWall:
    """Deepest position (mm), position at rest (mm), and the approach."""

    log: Log
    gap: np.ndarray  # mm, from the wall to the nearest corner, over time
    felt: float
    rest: float
    speed: float  # m/s, of the nearest corner at the true wall
    late: float  # s, from the true wall to the first rendered contact
    peak: float  # N
    bounces: int
    growth: float  # J, of impacts

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "felt_mm": self.felt, "rest_mm": self.rest, "speed_m_s": self.speed, "late_s": self.late,
            "peak_N": self.peak, "bounces": self.bounces,
        }  # fmt: skip


def pushed_down(
    method: str | TwoRateMethod, seed: int = 0, *, world_rate: float = WORLD_RATE, seconds: float = SECONDS
) -> StaticWall:
    """Run it; a seed varies the push by a tenth, and so the time of contact within a period of the world."""
    chosen = METHODS[method] if isinstance(method, str) else method
    both = felt_through(
        chosen, linkage(), floor_and_ceiling(), "arm.link3", rendering=springs(), line=LINE, world_rate=world_rate
    )
    share = 1.0 + 0.1 * float(np.random.default_rng(seed).uniform(-1.0, 1.0)) if seed else 1.0
    return measured(both.run(seconds, (0.0, share * PUSH, 0.0)))


def measured(log: Log) -> StaticWall:
    """Measures of a run toward the floor."""
    gap = np.min(link_corners(log)[:, :, 1], axis=1) - (height(BOTTOM) - LINK[1] / 2)
    there = int(np.argmax(gap <= 0.0)) if np.any(gap <= 0.0) else len(gap) - 1
    touched = np.flatnonzero(log["contacts"] > 0)
    late = float(log["t"][touched[0]] - log["t"][there]) if len(touched) else float("nan")
    return StaticWall(
        log,
        1e3 * gap,
        BOTTOM + 1e3 * float(np.min(gap)),
        BOTTOM + 1e3 * float(np.mean(gap[-len(gap) // 8 :])),
        float((gap[max(there - 1, 0)] - gap[there]) / (log["t"][1] - log["t"][0])),
        late,
        float(np.max(np.abs(log["felt"][:, 1]))),
        bounces(log["contacts"]),
        growth(log),
    )


def wall_mm(seed: int = 0) -> dict[str, float]:
    """Position (mm) of the rendered wall by each method; the true wall is at 116."""
    return {name: pushed_down(name, seed).felt for name in METHODS}
