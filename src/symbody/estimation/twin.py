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
from symbody.estimation.state_filter import Followed, StateFilter, joined
from symbody.results.compare import WITHIN
from symbody.results.run import Run
from symbody.system.system import Array, System


@dataclass(frozen=True)
class TwinRun:
    """What a filter made of a truth, by name: rows over time."""

    t: Array
    names: list[str]  # states that the truth tells, inputs and parameters that are estimated, outputs that are watched
    truth: Array
    mean: Array
    sigma: Array
    measured: dict[str, Array]
    nees: Array  # eᵀ P⁻¹ e of all states; NaN where the truth does not tell all of them
    shares: Array  # y²/S of each sensor
    freedom: int  # states

    def error(self, name: str) -> Array:
        """Estimate less truth."""
        k = self.place(name)
        return np.asarray(self.mean[:, k] - self.truth[:, k])

    def rmse(self, name: str) -> float:
        """Root of the mean square error, in its unit."""
        return float(np.sqrt(np.mean(self.error(name) ** 2)))

    def rmse_percent(self, name: str) -> float:
        """100 · rms error / largest truth."""
        largest = float(np.abs(self.truth[:, self.place(name)]).max())
        if largest == 0.0:
            raise ModelError("a share of a truth that is zero", element=name, cure="let it move, or use `rmse`")
        return 100.0 * self.rmse(name) / largest

    def coverage(self, name: str) -> float:
        """Share of instants at which the truth lies within the band of 95 %."""
        return float(np.mean(np.abs(self.error(name)) <= WITHIN * self.sigma[:, self.place(name)]))

    def place(self, name: str) -> int:
        """The column of a name."""
        if name not in self.names:
            raise ModelError("nothing that was followed", element=name, cure=f"they are {', '.join(self.names)}")
        return self.names.index(name)


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
    watched: Sequence[str] = (),
    unknown: Mapping[str, float | Array] | None = None,
    **options: Any,
) -> list[TwinRun]:
    """One for each seed; what runs in C runs on all cores, a filter a thread.

    watched: outputs of the model whose estimates are kept, too. unknown: true values, after each step or for all of
    them, of inputs and parameters that are estimated.
    """
    dt = float(truth.t[1] - truth.t[0])
    noise = {one.channel: one.spread for one in sensors}
    u = np.array([inputs(t) for t in truth.t[:-1]]) if callable(inputs) else np.asarray(inputs, dtype=float)
    u = u.reshape(len(truth) - 1, len(model.inputs))
    states = [name for name in model.states if name in truth.names]
    places = [model.states.index(name) for name in states]
    values = np.column_stack([truth[name][1:] for name in [*states, *watched]])
    whole = values[:, : len(states)] if states == model.states else None
    seen = [measured(truth, sensors, seed) for seed in seeds]
    twins = [estimate(model, list(noise), noise, model_error, dt=dt, **options) for _ in seeds]
    begun = [twin.follow_in_c(u[:0], z[:0]) for twin, z in zip(twins, seen, strict=True)]
    if not watched:
        with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
            begun = list(pool.map(lambda twin, z: twin.follow_in_c(u, z, whole), twins, seen))
    found = []
    for twin, z, first in zip(twins, seen, begun, strict=True):  # Python's share, one after the other
        done, estimated = len(first.mean), [one.name for one in twin.doubt.estimated]
        left = u[done:], z[done:], None if whole is None else whole[done:]
        rest, outputs = _watching(twin, *left, watched) if watched else (twin.follow(*left), np.empty((len(z), 2, 0)))
        both = joined(first, rest)
        chosen = [*places, *range(len(model.states), len(model.states) + len(estimated))]
        true = np.column_stack(
            [np.broadcast_to((unknown or {}).get(n, np.nan), len(z)) for n in estimated] or [z[:, :0]]
        )
        errors = [*places, *range(both.sigma.shape[1] - len(estimated), both.sigma.shape[1])]
        found.append(
            TwinRun(
                truth.t[1:], [*states, *estimated, *watched],
                np.hstack([values[:, : len(states)], true, values[:, len(states) :]]),
                np.hstack([both.mean[:, chosen], outputs[:, 0]]), np.hstack([both.sigma[:, errors], outputs[:, 1]]),
                {one.channel: z[:, k] for k, one in enumerate(sensors)}, both.nees, both.shares, len(model.states),
            )
        )  # fmt: skip
    return found


def _watching(
    twin: StateFilter, u: Array, z: Array, truth: Array | None, watched: Sequence[str]
) -> tuple[Followed, Array]:
    """Steps one by one, and after each what some outputs are thought to be, with their σ: (steps, 2, outputs)."""
    rows, outputs = [], np.empty((len(z), 2, len(watched)))
    for k in range(len(z)):
        rows.append(twin.follow(u[k : k + 1], z[k : k + 1], None if truth is None else truth[k : k + 1]))
        mean, sigma = twin.mean, twin.sigma
        outputs[k] = [mean[name] for name in watched], [sigma[name] for name in watched]
    return Followed(*(np.concatenate(parts) for parts in zip(*rows, strict=True))), outputs
