"""Twin experiments: a true machine, a wrong model of it, and a filter on the model that sees the truth by sensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.error_state import estimate
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.results.run import Run
from symbody.system.system import Array, System

WITHIN = 1.959963984540054  # σ that hold 95 % of a normal distribution


@dataclass(frozen=True)
class TwinRun:
    """What a filter made of a truth, state by state: rows over time."""

    t: Array
    states: list[str]
    truth: Array
    mean: Array
    sigma: Array
    measured: dict[str, Array]

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
    z = measured(truth, sensors, seed)
    dt = float(truth.t[1] - truth.t[0])
    noise = {one.channel: one.spread for one in sensors}
    found = estimate(model, list(noise), noise, model_error, dt=dt, **options)
    u = np.array([inputs(t) for t in truth.t[:-1]]) if callable(inputs) else np.asarray(inputs, dtype=float)
    mean, sigma = found.follow(u.reshape(len(z), len(model.inputs)), z)
    states = [name for name in model.states if name in truth.names]
    places = [model.states.index(name) for name in states]
    values = np.column_stack([truth[name][1:] for name in states])
    told = {one.channel: z[:, k] for k, one in enumerate(sensors)}
    return TwinRun(truth.t[1:], states, values, mean[:, places], sigma[:, places], told)
