"""A recorded log on the time grid of a filter; faults of the log are named and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.suggestions import nearest_or_first
from symbody.system.system import Array

MOST_STEPS = 20_000_000  # five hours at 1 kHz; one wrong time must not fill the memory
GAP = 3.0  # a gap is longer than this many usual intervals between rows
RARE = 1e-9  # a sensor is stuck if its run of equal values is less probable than this
FEWEST_EQUAL = 5  # this many equal values in a row are always allowed


@dataclass(frozen=True)
class LogFaults:
    """Faults of a log: rows left out, gaps, and values of each sensor that were not used."""

    not_a_time: int
    reversed: int
    repeated: int
    gaps: int
    longest_gap: float  # s; between the original rows
    missing: dict[str, int]  # NaN or infinite, by sensor
    stuck: dict[str, int]  # equal for longer than its noise allows, by sensor


@dataclass(frozen=True)
class SensorLog:
    """Measurements and inputs at t = start + k·dt, one row each; NaN without a measurement."""

    start: float
    dt: float
    z: Array
    u: dict[str, Array]
    faults: LogFaults

    @property
    def t(self) -> Array:
        """Times of the rows (s)."""
        return np.asarray(self.start + self.dt * np.arange(len(self.z)))


def sensor_log(
    t: Array, columns: Mapping[str, Array], noise: Mapping[str, float], inputs: list[str], dt: float
) -> SensorLog:
    """The log on a grid of dt (s); each row goes to the nearest step. noise: σ of each sensor by its column.

    Rows are left out if their time is not a number, decreases or repeats. Sensor values are left out if they are not
    finite, or equal for longer than the noise allows. Columns of inputs are held until their next value.
    """
    for name in noise:
        if name not in columns:
            near = " or ".join(nearest_or_first(name, columns))
            raise ModelError("the log has no such column", element=name, cure=f"did you mean {near}?" if near else "")
    t = np.asarray(t, dtype=float)
    numbers = np.isfinite(t)
    # A time that decreases or repeats is not above the maximum of the times before it.
    latest = np.maximum.accumulate(np.where(numbers, t, -np.inf))
    before = np.concatenate([[-np.inf], latest[:-1]])
    forward = numbers & (t > before)
    kept = t[forward]
    if not len(kept):
        raise ModelError("no row has a time", element="log", cure="give times in seconds in the column t")
    place = np.rint((kept - kept[0]) / dt)
    if place[-1] >= MOST_STEPS:
        cure = f"check its times for a jump, or use a dt longer than {dt:g} s"
        raise ModelError(f"{kept[-1] - kept[0]:g} s are more than {MOST_STEPS} steps", element="log", cure=cure)
    rows, steps = place.astype(int), int(place[-1]) + 1
    z = np.full((steps, len(noise)), np.nan)
    missing, stuck = {}, {}
    for k, (name, sigma) in enumerate(noise.items()):
        values = np.asarray(columns[name], dtype=float)[forward]
        finite, held = np.isfinite(values), stuck_values(values, sigma)
        missing[name], stuck[name] = int(np.sum(~finite)), int(np.sum(held))
        good = finite & ~held
        z[rows[good], k] = values[good]
    apart = np.diff(kept)
    usual = float(np.median(apart)) if len(apart) else 0.0
    faults = LogFaults(
        not_a_time=int(np.sum(~numbers)),
        reversed=int(np.sum(numbers & (t < before))),
        repeated=int(np.sum(numbers & (t == before))),
        gaps=int(np.sum(apart > GAP * usual)),
        longest_gap=float(apart.max()) if len(apart) else 0.0,
        missing=missing,
        stuck=stuck,
    )
    u = {name: held_on(rows, np.asarray(columns[name])[forward], steps) for name in inputs if name in columns}
    return SensorLog(float(kept[0]), dt, z, u, faults)


def stuck_values(values: Array, sigma: float) -> Array:
    """Which values belong to an improbably long run of equal ones; two are equal with probability q/(2√π σ).

    q, the smallest difference, is the sensor's resolution. If it is coarser than the noise, no value counts as stuck.
    """
    differences = np.abs(np.diff(values[np.isfinite(values)]))
    resolution = float(differences[differences > 0].min()) if np.any(differences > 0) else 0.0
    chance = resolution / (2.0 * np.sqrt(np.pi) * sigma)
    stuck = np.zeros(len(values), dtype=bool)
    if chance >= 0.5:
        return stuck
    most = FEWEST_EQUAL if chance == 0.0 else max(FEWEST_EQUAL, int(np.ceil(np.log(RARE) / np.log(chance))))
    begins = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    for a, b in zip(begins, [*begins[1:], len(values)], strict=True):
        if b - a > most:  # the first value of the run may be a measurement
            stuck[a + 1 : b] = True
    return stuck


def held_on(rows: Array, values: Array, steps: int) -> Array:
    """Values at some steps, held until the next finite one; the first one also holds before it."""
    good = np.isfinite(values)
    if not good.any():
        return np.full(steps, np.nan)
    last = np.searchsorted(rows[good], np.arange(steps), side="right") - 1
    return np.asarray(values[good][np.maximum(last, 0)])


def changes_only(column: Array) -> Array:
    """A column that repeats its last value between measurements, with NaN instead of the repetitions."""
    return np.where(np.concatenate([[True], column[1:] != column[:-1]]), column, np.nan)
