"""Twin experiments: a true machine, a wrong model of it, and a filter on the model that sees the truth by sensors."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.estimate import estimate
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.state_filter import joined
from symbody.results.run import Run
from symbody.system.system import Array, System
from symbody.visual.bands import WITHIN


@dataclass(frozen=True)
class TwinRun:
    """What a filter made of a truth, state by state: rows over time."""

    t: Array
    states: list[str]
    truth: Array
    mean: Array
    sigma: Array
    measured: dict[str, Array]
    nees: Array  # eᵀ P⁻¹ e of all states; NaN where the truth does not tell all of them
    shares: Array  # y²/S of each sensor

    def error(self, name: str) -> Array:
        """Estimate less truth."""
        k = self._place(name)
        return np.asarray(self.mean[:, k] - self.truth[:, k])

    def rmse_percent(self, name: str) -> float:
        """100 · rms error / largest truth."""
        largest = np.abs(self.truth[:, self._place(name)]).max()
        return float(100.0 * np.sqrt(np.mean(self.error(name) ** 2)) / largest)

    def coverage(self, name: str) -> float:
        """Share of instants at which the truth lies within the band of 95 %."""
        return float(np.mean(np.abs(self.error(name)) <= WITHIN * self.sigma[:, self._place(name)]))

    def _place(self, name: str) -> int:
        if name not in self.states:
            raise ModelError("no such state", element=name, cure=f"they are {', '.join(self.states)}")
        return self.states.index(name)


def measured(truth: Run, sensors: Sequence[NoisySensor], seed: int) -> Array:
    """Rows of measurements of a run after its start, a column for each sensor."""
    rng = np.random.default_rng(seed)
    return np.column_stack([one.measured(truth.t, truth[one.channel], rng)[1:] for one in sensors])


def twin_run(
    truth: Run,
    model: System,
    sensors: Sequence[NoisySensor],
    inputs: Callable[[float], Array] | Array,
    seed: int = 0,
    *,
    model_error: Mapping[str, float] | float | None = None,
    **options: Any,
) -> TwinRun:
    """A filter on a model follows a truth that it sees by sensors with noise of a seed; options: as of `estimate`."""
    return twin_runs(truth, model, sensors, inputs, [seed], model_error=model_error, **options)[0]


def twin_runs(
    truth: Run,
    model: System,
    sensors: Sequence[NoisySensor],
    inputs: Callable[[float], Array] | Array,
    seeds: Sequence[int],
    *,
    model_error: Mapping[str, float] | float | None = None,
    workers: int | None = None,
    **options: Any,
) -> list[TwinRun]:
    """One for each seed; what runs in C runs on all cores, a filter a thread."""
    dt = float(truth.t[1] - truth.t[0])
    noise = {one.channel: one.spread for one in sensors}
    u = np.array([inputs(t) for t in truth.t[:-1]]) if callable(inputs) else np.asarray(inputs, dtype=float)
    u = u.reshape(len(truth) - 1, len(model.inputs))
    states = [name for name in model.states if name in truth.names]
    places = [model.states.index(name) for name in states]
    values = np.column_stack([truth[name][1:] for name in states])
    whole = values if states == model.states else None
    seen = [measured(truth, sensors, seed) for seed in seeds]
    twins = [estimate(model, list(noise), noise, model_error, dt=dt, **options) for _ in seeds]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        begun = list(pool.map(lambda twin, z: twin.follow_in_c(u, z, whole), twins, seen))
    found = []
    for twin, z, first in zip(twins, seen, begun, strict=True):  # Python's share, one after the other
        done = len(first.mean)
        rest = twin.follow(u[done:], z[done:], None if whole is None else whole[done:])
        all_of_it = joined(first, rest)
        told = {one.channel: z[:, k] for k, one in enumerate(sensors)}
        rows = all_of_it.mean[:, places], all_of_it.sigma[:, places]
        found.append(TwinRun(truth.t[1:], states, values, *rows, told, all_of_it.nees, all_of_it.shares))
    return found
