"""Many runs of one system with varied parameters or inputs: grids and random samples on all cores.

The system is compiled once. Many runs with fixed steps and measures as texts are one batch (`sb.batch`). Other runs,
and runs that a batch froze, are simulated one by one in worker processes. Workers inherit the system by fork, or load
it from the cache if there is no fork. A failed run is recorded with its reason; the others continue.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.simulate import simulate
from symbody.analysis.sweep_batch import batch_rows
from symbody.analysis.sweep_workers import Measure, SweepJob, all_rows
from symbody.errors import ChannelError, ModelError
from symbody.html_text import object_html
from symbody.model.model import Model
from symbody.output_file import replacing
from symbody.stepping.method import Method
from symbody.stepping.registry import suited
from symbody.stepping.step_options import step_options
from symbody.suggestions import did_you_mean
from symbody.system.named_values import by_name, listed, require_known, state_vector
from symbody.system.sensitivity_formula import measured, outputs_in, reduced
from symbody.system.sensitivity_start import start
from symbody.system.system import Array, System

EXAMPLE = '{"k": [1e4, 2e4, 3e4]}'
SIMULATED = [name for name in signature(simulate).parameters if name not in ("what", "inputs", "outputs", "options")]
NOT_RUN = "not run: interrupted"
QUANTILES = (0.05, 0.5, 0.95)
Distribution = Any  # ("normal", mean, deviation) …, a frozen distribution of SciPy, or a function (rng, n)


@dataclass(frozen=True)
class Sweep:
    """Samples (one row each) and the measures of their runs; a failed run has NaN, and a reason in `failures`."""

    names: list[str]
    samples: Array
    measures: list[str]
    values: Array
    failures: dict[int, str]
    shape: tuple[int, ...]  # of the grid: `sweep["max(heave.q)"].reshape(sweep.shape)`

    def __getitem__(self, name: str) -> Array:
        """A measure or a parameter for all samples."""
        if name in self.measures:
            return self.values[:, self.measures.index(name)]
        if name in self.names:
            return self.samples[:, self.names.index(name)]
        raise ChannelError(
            f"no column {name!r} in this sweep ({did_you_mean(name, [*self.measures, *self.names], 'columns')})"
        )

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def finished(self) -> bool:
        """Whether every sample was run."""
        return NOT_RUN not in self.failures.values()

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per measure: statistics over the runs that did not fail."""
        return [{"measure": name, **_statistics(self[name])} for name in self.measures]

    def save(self, path: Path) -> Path:
        """Write samples and measures as CSV; an existing file is replaced atomically."""
        header = ",".join([*self.names, *self.measures])
        rows = np.column_stack([self.samples, self.values])
        with replacing(path) as partial:
            np.savetxt(partial, rows, delimiter=",", header=header, comments="", fmt="%.17g")
        return path

    def plot(self, measure: str | None = None) -> Any:
        """Plot a measure over one parameter, over a grid of two, or else as a histogram; return the axes."""
        from matplotlib import pyplot as plt

        name = measure or self.measures[0]
        _, axes = plt.subplots(layout="constrained")
        if len(self.names) == 1:
            order = np.argsort(self.samples[:, 0])
            axes.plot(self.samples[order, 0], self[name][order], ".-", lw=1.0)
            axes.set(xlabel=self.names[0], ylabel=name)
        elif len(self.names) == 2 and len(self.shape) == 2:
            x, y, z = (self[n].reshape(self.shape) for n in (*self.names, name))
            axes.figure.colorbar(axes.contourf(x, y, z, 20), label=name)
            axes.set(xlabel=self.names[0], ylabel=self.names[1])
        else:
            values = self[name]
            axes.hist(values[np.isfinite(values)], bins="auto")
            axes.set(xlabel=name, ylabel="runs")
        return axes

    def __iter__(self) -> Iterator[str]:
        return iter([*self.names, *self.measures])

    def __contains__(self, name: object) -> bool:
        return name in self.names or name in self.measures

    def keys(self) -> list[str]:
        """Names of the parameters and of the measures."""
        return list(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _repr_html_(self) -> str:
        rows = {"over": self.names, "runs": len(self), "failed": len(self.failures)}
        return object_html("Sweep", rows, self.table)

    def __repr__(self) -> str:
        return f"<Sweep of {', '.join(self.names)}: {len(self)} runs, {len(self.failures)} failed>"


def _statistics(values: Array) -> dict[str, float]:
    sound = values[np.isfinite(values)]
    if not len(sound):
        return {"runs": 0}
    quantiles = {f"{100 * q:g}%": float(x) for q, x in zip(QUANTILES, np.quantile(sound, QUANTILES), strict=True)}
    spread = float(sound.std(ddof=1)) if len(sound) > 1 else 0.0
    return {
        "runs": len(sound), "mean": float(sound.mean()), "deviation": spread, "least": float(sound.min()),
        **quantiles, "largest": float(sound.max()),
    }  # fmt: skip


def sweep(
    what: System | Model,
    over: Mapping[str, Sequence[float] | Array],
    until: float,
    dt: float | None,
    measures: Sequence[str] | Mapping[str, Measure],
    *,
    grid: bool = True,
    inputs: Inputs | None = None,
    workers: int | None = None,
    processes: str | None = None,
    progress: bool = False,
    **options: Any,
) -> Sweep:
    """Run a system for all combinations of values of parameters or inputs, in parallel.

    Parameters
    ----------
    what : System or Model
        The system; a model is compiled with its options.
    over : mapping name → values
        Values of parameters or inputs, such as {"k": [1e4, 2e4, 3e4]}.
    until, dt : float
        End and fixed step of each run (s); dt None for variable steps.
    measures : sequence of str, or mapping name → str or function
        Texts such as "max(heave.q)" with max, min, mean, rms, peak, spread, integral, first or final; or functions of a
        run, by name.
    grid : bool
        True (default): all combinations. False: the k-th value of each name belongs to run k.
    inputs : mapping, optional
        As in `simulate`.
    workers : int, optional
        Number of processes (default: one per core).
    processes : str, optional
        "fork" or "spawn" (default: fork if available). If given, no run is computed in a batch.
    progress : bool
        Show a progress bar (default False).
    **options
        Options of `simulate`: every, method, x0 … Each run starts at the initial state of its own parameters, with
        loops closed again. Runs in a batch have no check of the energy.

    Returns
    -------
    Sweep
        Samples, measures and failures.

    Raises
    ------
    ModelError
        If a name or a measure is unknown.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> found = sb.sweep(m, {"length": [0.5, 1.0]}, 0.5, 1e-2, ["max(bob.q)"], workers=1)
    """
    named = by_name(over, "over", EXAMPLE)
    columns = {str(name): np.atleast_1d(np.asarray(values, dtype=float)) for name, values in named.items()}
    if not columns or any(c.ndim != 1 or not len(c) for c in columns.values()):
        raise ModelError("nothing to sweep", cure=f"give values by name: {EXAMPLE}")
    lengths = {len(c) for c in columns.values()}
    if not grid and len(lengths) > 1:
        raise ModelError(
            f"the names have different numbers of values: {sorted(lengths)}", cure="give as many of each, or grid=True"
        )
    samples = np.array(list(product(*columns.values()) if grid else zip(*columns.values(), strict=True)))
    shape = tuple(len(c) for c in columns.values()) if grid else (len(samples),)
    asked: dict[str, Measure] = (
        dict(measures) if isinstance(measures, Mapping) else {text: text for text in listed(measures) or ()}
    )
    recorded = _recorded(what, asked) if isinstance(what, Model) else None
    s, given = given_system(what, inputs, recorded)
    require_known(options, SIMULATED, "option")
    state_vector(s, options.get("x0"))  # raises on unknown names; the rest of a state depends on the parameters
    _check(s, list(columns), asked, suited(s, step_options(options.get("method"), dt, None).method, dt))
    job = SweepJob(s, list(columns), until, dt, asked, given, options)
    count = workers or os.cpu_count() or 1
    rows = {} if processes else batch_rows(job, samples, count)
    left = [i for i in range(len(samples)) if i not in rows]
    if left:
        found = all_rows(job, samples[left], count, processes, progress)
        rows |= {left[k]: row for k, row in found.items()}
    values = np.full((len(samples), len(asked)), np.nan)
    failures = {i: NOT_RUN for i in range(len(samples)) if i not in rows}
    for i, row in rows.items():
        if isinstance(row, str):
            failures[i] = row
        else:
            values[i] = row
    return Sweep(list(columns), samples, list(asked), values, dict(sorted(failures.items())), shape)


def monte_carlo(
    what: System | Model,
    distributions: Mapping[str, Distribution],
    n: int,
    until: float,
    dt: float | None,
    measures: Sequence[str] | Mapping[str, Measure],
    *,
    seed: int = 0,
    **options: Any,
) -> Sweep:
    """Run a system for n random samples of parameters or inputs, in parallel.

    Parameters
    ----------
    what, until, dt, measures
        As in `sweep`.
    distributions : mapping name → distribution
        ("normal", mean, deviation), ("uniform", low, high), a frozen distribution of SciPy, or a function (rng, n).
    n : int
        Number of samples.
    seed : int
        Seed of the samples (default 0). The same seed gives the same samples, for any number of workers and any other
        sampled names.
    **options
        Options of `sweep` and `simulate`.

    Returns
    -------
    Sweep
        Samples, measures and failures.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> found = sb.monte_carlo(m, {"length": ("normal", 1.0, 0.05)}, 4, 0.5, 1e-2, ["max(bob.q)"], workers=1)
    """
    return sweep(what, drawn(distributions, n, seed), until, dt, measures, grid=False, **options)


def drawn(distributions: Mapping[str, Distribution], n: int, seed: int) -> dict[str, Array]:
    """n samples of each name; every name has its own random stream."""
    return {
        name: _drawn(name, how, np.random.default_rng([seed, zlib.crc32(name.encode())]), n)
        for name, how in distributions.items()
    }


def _drawn(name: str, how: Distribution, rng: np.random.Generator, n: int) -> Array:
    if hasattr(how, "rvs"):
        return np.asarray(how.rvs(size=n, random_state=rng), dtype=float)
    if callable(how):
        return np.asarray(how(rng, n), dtype=float)
    match how:
        case ("normal" | "uniform" | "lognormal") as kind, a, b:
            return np.asarray(getattr(rng, kind)(a, b, n), dtype=float)
    cure = 'use ("normal", mean, deviation), ("uniform", low, high), a distribution of SciPy, or a function (rng, n)'
    raise ModelError(f"unknown distribution {how!r}", element=name, cure=cure)


def _recorded(model: Model, measures: Mapping[str, Measure]) -> list[str] | None:
    """The signals that the measures need; for functions of a run the default outputs."""
    texts = [m for m in measures.values() if isinstance(m, str)]
    if len(texts) < len(measures):
        return None
    formulas = [reduced(text)[1] for text in texts]
    return list(dict.fromkeys(name for f in formulas for name in outputs_in(f, [*model.states, *model.signals], False)))


def _check(s: System, names: Sequence[str], measures: Mapping[str, Measure], method: Method) -> None:
    """Check before any run: names are known, measures can be evaluated, and the workers' code is compiled."""
    require_known(names, [*s.parameters, *s.inputs], "parameter or input")
    for measure in measures.values():
        if isinstance(measure, str):
            measured(measure, np.arange(2.0), dict.fromkeys(s.outputs, np.ones(2)), s.parameters)
    if s.rates_function.backend == "c":
        method.load()
    start(s)
