"""Bands that widen where the measurements contradict them: σ → σ √λ, with λ = 1 for a consistent filter.

Two running means of each sensor show an error that is larger than its band: the mean of y²/S, which is 1 (Bar-Shalom et
al. 2001, §5.4), and the mean of e = measurement − estimate over N measurements, divided by √(R/N + HPHᵀ): noise and a
constant error of the estimate each contribute 1 to its variance at most. λ is the larger one of the first mean and the
square of the second, or 1 while chance explains both.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.signal import lfilter

from symbody.estimation.twin import TwinRun
from symbody.system.system import Array

MEMORY, LONG = 300, 3000  # measurements in the running means of y²/S and of measurement − estimate
FEW = 100  # measurements before which a mean of y²/S is not judged
CHANCE = 4.0  # standard deviations of a running mean that chance explains


def running_mean(values: Array, memory: float) -> tuple[Array, Array]:
    """m ← m + (value − m)/N with N ≤ memory the number of values so far, and N; kept without a value (NaN)."""
    sofar = np.cumsum(np.isfinite(values), axis=0)
    mean = np.zeros_like(values)
    for column, own, seen in zip(values.T, mean.T, sofar.T, strict=True):
        own[seen > 0] = _mean_of_latest(column[np.isfinite(column)], int(memory))[seen[seen > 0] - 1]
    return mean, np.clip(sofar, 1.0, memory)


def _mean_of_latest(values: Array, memory: int) -> Array:
    """m ← m + (value − m)/N of all values: their mean up to `memory` of them, then a filter of first order."""
    first = np.cumsum(values[:memory]) / np.arange(1, len(values[:memory]) + 1)
    if len(values) <= memory:
        return first
    keep = 1.0 - 1.0 / memory
    later, _ = lfilter([1.0 / memory], [1.0, -keep], values[memory:], zi=[keep * first[-1]])
    return np.concatenate([first, later])


def inflation(run: TwinRun) -> Array:
    """λ ≥ 1 after each step (n,)."""
    squares, count = running_mean(run.shares, MEMORY)
    found = [np.where((count >= FEW) & (squares > 1.0 + CHANCE * np.sqrt(2.0 / count)), squares, 1.0)]
    seen = [name for name in run.measured if name in run.names]
    if seen:
        left = np.column_stack([run.measured[name] - run.mean[:, run.place(name)] for name in seen])
        band = run.sigma[:, [run.place(name) for name in seen]]
        count = np.clip(np.cumsum(np.isfinite(left), axis=0), 1.0, LONG)
        sizes = np.hypot(band, np.array([run.noise[name] for name in seen]) / np.sqrt(count))
        mean = running_mean(left / sizes, LONG)[0]
        found.append(np.where(np.abs(mean) > CHANCE, mean**2, 1.0))
    return np.asarray(np.hstack(found).max(axis=1))


def doubting(run: TwinRun) -> TwinRun:
    """The same run with bands that its own measurements support."""
    return replace(run, sigma=run.sigma * np.sqrt(inflation(run))[:, np.newaxis])


def doubted(run: TwinRun) -> float:
    """Share of the instants at which measurements contradict the bands."""
    return float(np.mean(inflation(run) > 1.0))
