"""Twin experiments: a true machine, a wrong model of it, and a filter on the model that measures the truth."""

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
    """Result of a filter in a twin experiment, by name: rows over time.

    Parameters
    ----------
    t : array, shape (rows,)
        Times (s).
    names : list of str
        States in the true run, estimated inputs and parameters, watched outputs.
    truth, mean, sigma : array, shape (rows, names)
        True values, estimates, and the filter's standard deviations.
    measured : dict of str to array
        Noisy measurements by sensor.
    nees : array, shape (rows,)
        eᵀ P⁻¹ e of all states; NaN if the true run does not contain all of them.
    shares : array, shape (rows, sensors)
        y²/S of each sensor.
    freedom : int
        Number of states.
    noise : dict of str to float
        Standard deviations that the filter assumes of its sensors.
    """

    t: Array
    names: list[str]
    truth: Array
    mean: Array
    sigma: Array
    measured: dict[str, Array]
    nees: Array
    shares: Array
    freedom: int
    noise: dict[str, float]

    def error(self, name: str) -> Array:
        """Estimate minus truth."""
        k = self.place(name)
        return np.asarray(self.mean[:, k] - self.truth[:, k])

    def rmse(self, name: str) -> float:
        """Root mean square error, in its unit."""
        return float(np.sqrt(np.mean(self.error(name) ** 2)))

    def rmse_percent(self, name: str) -> float:
        """100 · rms error / largest true value."""
        largest = float(np.abs(self.truth[:, self.place(name)]).max())
        if largest == 0.0:
            raise ModelError(
                "the true value is always zero, so no percentage is defined",
                element=name,
                cure="let it move, or use `rmse`",
            )
        return 100.0 * self.rmse(name) / largest

    def coverage(self, name: str) -> float:
        """Share of instants at which the truth is within the 95 % band."""
        return float(np.mean(np.abs(self.error(name)) <= WITHIN * self.sigma[:, self.place(name)]))

    def place(self, name: str) -> int:
        """The column of a name."""
        if name not in self.names:
            raise ModelError("unknown name", element=name, cure=f"use one of {', '.join(self.names)}")
        return self.names.index(name)


def measured(truth: Run, sensors: Sequence[NoisySensor], seed: int) -> Array:
    """Rows of measurements of a run after its start, one column per sensor."""
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
    """A twin experiment: a filter on a model estimates a true run from noisy sensors.

    Parameters
    ----------
    truth : Run
        The run of the true machine, with the sensors' channels.
    model : System
        The filter's model.
    sensors : sequence of NoisySensor
        The measured channels with their noise.
    inputs : function t → array (inputs,), or array (steps, inputs)
        Inputs of the model.
    seed : int
        Seed of the sensors' noise (default 0).
    model_error, **options
        As in `estimate`.

    Returns
    -------
    TwinRun
        Truth, estimates and standard deviations over time.
    """
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
    """One filter per seed; filters in C run in parallel, one per thread.

    Parameters
    ----------
    truth, model, sensors, inputs, model_error
        As in `twin_run`.
    seeds : sequence of int
        One experiment for each seed.
    workers : int, optional
        Number of threads. Default: one a core.
    watched : sequence of str, optional
        Further outputs of the model to estimate.
    unknown : mapping of str to float or array, optional
        True values of the estimated inputs and parameters, one for all steps or one after each step.
    **options
        As in `sb.estimate`.

    Returns
    -------
    list of TwinRun
        One result for each seed.
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
    for twin, z, first in zip(twins, seen, begun, strict=True):  # the part in Python, one after the other
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
                noise,
            )
        )  # fmt: skip
    return found


def _watching(
    twin: StateFilter, u: Array, z: Array, truth: Array | None, watched: Sequence[str]
) -> tuple[Followed, Array]:
    """Steps one by one with estimates and σ of some outputs after each: (steps, 2, outputs)."""
    places = [twin.system.outputs.index(name) for name in watched]
    rows, outputs = [], np.empty((len(z), 2, len(watched)))
    for k in range(len(z)):
        rows.append(twin.follow(u[k : k + 1], z[k : k + 1], None if truth is None else truth[k : k + 1]))
        outputs[k] = twin.estimated_outputs(places)
    return Followed(*(np.concatenate(parts) for parts in zip(*rows, strict=True))), outputs
