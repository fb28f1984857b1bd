"""The rectangular tool pushed against a wall through a local model (thesis 6.18–6.19): where the hand feels the wall.

0.5 N toward the bottom wall, K = 4000 N/m, B = 30 N s/m, e = 0. At the wall the centre of the tool is at 116 mm. The
thesis felt it at 116 mm (lm5), 87 mm (ir) and 80 mm (lm0), and explains the drift by the smoothing at updates. It
prints neither where the tool starts nor how long the smoothing takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log, bounces, growth
from symbody.haptics.thesis_scenes.corner import MASS
from symbody.haptics.thesis_scenes.two_rate_testbed import (
    BOTTOM,
    DEVICE,
    METHODS,
    WORLD_RATE,
    WORLD_RATES,
    TwoRateMethod,
    enclosure,
    felt_through,
    height,
    level_tool,
    springs,
    varied,
)

PUSH = 0.5  # N
BESIDE = 0.04  # m, from the hole
DISTANCE = 0.05  # m, from the wall at the start
AFTER = 0.8  # s, after the wall would be reached
RETURN = 1.0  # mm: the first approach ends when the device has come back by this distance
THESIS = {"ir": 87.0, "lm0": 80.0, "lm5": 116.0}  # mm
DISTANCES = (0.035, 0.05, 0.065)  # m
SMOOTHINGS = (0.0, 0.1, 0.2, 0.3, 0.4)  # s


@dataclass(frozen=True)
class StaticWall:
    """Drift of the wall: how far (mm) the device goes beyond its true place; and the approach."""

    log: Log
    y: np.ndarray  # mm, of the device's centre in the frame of the thesis
    drift: float
    rebound: float  # mm, from the deepest position
    speed: float  # m/s, at the true wall
    late: float  # s, from the true wall to the first rendered contact
    peak: float  # N
    bounces: int
    growth: float  # J, of impacts

    @property
    def felt(self) -> float:
        """Where the wall is felt (mm)."""
        return BOTTOM - self.drift

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "felt_mm": self.felt, "drift_mm": self.drift, "rebound_mm": self.rebound, "speed_m_s": self.speed,
            "late_s": self.late, "peak_N": self.peak, "bounces": self.bounces,
        }  # fmt: skip


def pushed_down(
    method: str | TwoRateMethod,
    seed: int = 0,
    *,
    distance: float = DISTANCE,
    world_rate: float = WORLD_RATE,
    smoothing: float | None = None,
    device: HapticDevice = DEVICE,
) -> StaticWall:
    """Run it from a distance (m) of the wall; a seed varies it by 3 %, and so the phase of the world at contact.

    smoothing: time (s) of the interpolation or deformation at updates.
    """
    chosen = METHODS[method] if isinstance(method, str) else method
    if smoothing is not None:
        chosen = replace(chosen, smoothing=smoothing)
    way = distance * (1.0 + varied(seed, 0.03)[0])
    tool = level_tool(BESIDE, height(BOTTOM) + way)
    both = felt_through(chosen, tool, enclosure(), rendering=springs(), device=device, world_rate=world_rate)
    return measured(both.run(sqrt(2.0 * way * MASS / PUSH) + AFTER, (0.0, -PUSH, 0.0)))


def measured(log: Log) -> StaticWall:
    """Measures of a run toward the bottom wall."""
    y = BOTTOM + 1e3 * (log["x"][:, 1] - height(BOTTOM))
    back = np.flatnonzero(y - np.minimum.accumulate(y) > RETURN)
    deepest = int(np.argmin(y[: back[0] + 1] if len(back) else y))
    there = int(np.argmax(y <= BOTTOM)) if np.any(y <= BOTTOM) else len(y) - 1
    touched = np.flatnonzero(log["contacts"] > 0)
    return StaticWall(
        log,
        y,
        float(BOTTOM - y[deepest]),
        float(np.max(y[deepest:]) - y[deepest]),
        float(-log["xd"][there, 1]),
        float(log["t"][touched[0]] - log["t"][there]) if len(touched) else float("nan"),
        float(np.max(np.abs(log["felt"][:, 1]))),
        bounces(log["contacts"]),
        growth(log),
    )


def wall_mm(seed: int = 0, world_rate: float = WORLD_RATE, smoothing: float | None = None) -> dict[str, float]:
    """Position (mm) of the felt wall by each method; the true wall is at 116."""
    runs = {name: pushed_down(name, seed, world_rate=world_rate, smoothing=smoothing) for name in METHODS}
    return {name: run.felt for name, run in runs.items()}


@dataclass(frozen=True)
class WallDrift:
    """A point of the map: smallest and largest drift (mm) over seeds, by method."""

    world_rate: float  # Hz
    distance: float  # m, of the start
    smoothing: float  # s
    drift: dict[str, tuple[float, float]]

    def record(self) -> dict[str, float]:
        """A row of figures."""
        found = {
            f"{name}_{end}_mm": value
            for name, both in self.drift.items()
            for end, value in zip(("least", "most"), both, strict=True)
        }
        return {"world_Hz": self.world_rate, "start_mm": 1e3 * self.distance, "smoothing_s": self.smoothing, **found}


def drift_map(
    seeds: Iterable[int] = range(1, 4),
    rates: Sequence[float] = WORLD_RATES,
    distances: Sequence[float] = DISTANCES,
    smoothings: Sequence[float] = SMOOTHINGS,
) -> list[WallDrift]:
    """Drift of the wall against world rate, start distance and time of the smoothing."""
    made = []
    chosen = list(seeds)
    for rate in rates:
        for distance in distances:
            for time in smoothings:
                drift = {}
                for name in METHODS:
                    runs = [pushed_down(name, k, distance=distance, world_rate=rate, smoothing=time) for k in chosen]
                    drift[name] = min(run.drift for run in runs), max(run.drift for run in runs)
                made.append(WallDrift(rate, distance, time, drift))
    return made


def as_in_thesis(found: Iterable[WallDrift], within: float = 3.0, none: float = 1.5) -> list[WallDrift]:
    """Points with the thesis' 36 mm for lm0 (within, mm) and no drift for lm5 (below `none`, mm)."""
    wanted = BOTTOM - THESIS["lm0"]
    return [
        one
        for one in found
        if one.drift["lm0"][0] - within <= wanted <= one.drift["lm0"][1] + within and one.drift["lm5"][1] < none
    ]
