"""Many runs of one system with other parameters or inputs: grids and random samples, on all cores.

Nothing is compiled twice: workers are forks that hold the compiled system already or, where there is no fork, load it
from the cache. A run that fails is recorded with its reason and stops no other.
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

from symbody.analysis.given import Inputs, given_system
from symbody.analysis.simulate import simulate
from symbody.analysis.sweep_workers import Measure, SweepJob, all_rows
from symbody.errors import ChannelError, ModelError
from symbody.html_text import object_html
from symbody.model.model import Model
from symbody.model.safe_file import replacing
from symbody.nearest import did_you_mean
from symbody.stepping.method import Method
from symbody.stepping.registry import suited
from symbody.system.by_name import by_name, listed, require_known, state_vector
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
    """Samples (a row each) and what was measured in their runs; NaN and a reason in `failures` where one failed."""

    names: list[str]
    samples: Array
    measures: list[str]
    values: Array
    failures: dict[int, str]
    shape: tuple[int, ...]  # of the grid: `sweep["max(heave.q)"].reshape(sweep.shape)`

    def __getitem__(self, name: str) -> Array:
        """A measure, or a parameter, of all samples."""
        if name in self.measures:
            return self.values[:, self.measures.index(name)]
        if name in self.names:
            return self.samples[:, self.names.index(name)]
        raise ChannelError(
            f"no {name!r} in this sweep ({did_you_mean(name, [*self.measures, *self.names], 'columns')})"
        )

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def finished(self) -> bool:
        """Whether every sample was run."""
        return NOT_RUN not in self.failures.values()

    @property
    def table(self) -> list[dict[str, Any]]:
        """Per measure, statistics over the runs that did not fail."""
        return [{"measure": name, **_statistics(self[name])} for name in self.measures]

    def save(self, path: Path) -> Path:
        """Write samples and measures as CSV, replacing the file in one step."""
        header = ",".join([*self.names, *self.measures])
        rows = np.column_stack([self.samples, self.values])
        with replacing(path) as partial:
            np.savetxt(partial, rows, delimiter=",", header=header, comments="", fmt="%.17g")
        return path

    def plot(self, measure: str | None = None) -> Any:
        """A measure over the parameter, or over the first two of a grid, else as a histogram; returns the axes."""
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
    """Run a system for every combination of values of parameters or inputs, {name: values}, in parallel.

    grid=False: values are taken together, one of each name for each run. until, dt: s.
    measures: texts such as "max(heave.q)", reducers max, min, mean, rms, peak, spread, integral, first, final; or
    functions of a run, by name. workers: processes, default one for each core. processes: "fork" or "spawn".
    inputs: as of `simulate`. options: of `simulate`: every, method, x0 … Each run starts where its parameters have it,
    loops closed anew.
    """
    named = by_name(over, "over", EXAMPLE)
    columns = {str(name): np.atleast_1d(np.asarray(values, dtype=float)) for name, values in named.items()}
    if not columns or any(c.ndim != 1 or not len(c) for c in columns.values()):
        raise ModelError("nothing to sweep", cure=f"give values by name: {EXAMPLE}")
    lengths = {len(c) for c in columns.values()}
    if not grid and len(lengths) > 1:
        raise ModelError(f"values of {sorted(lengths)} samples", cure="give as many of each, or grid=True")
    samples = np.array(list(product(*columns.values()) if grid else zip(*columns.values(), strict=True)))
    shape = tuple(len(c) for c in columns.values()) if grid else (len(samples),)
    asked: dict[str, Measure] = (
        dict(measures) if isinstance(measures, Mapping) else {text: text for text in listed(measures) or ()}
    )
    recorded = _recorded(what, asked) if isinstance(what, Model) else None
    s, given = given_system(what, inputs, recorded)
    require_known(options, SIMULATED, "option")
    state_vector(s, options.get("x0"))  # refuses unknown names; the rest of a state depends on the parameters
    _check(s, list(columns), asked, suited(s, options.get("method"), dt))
    job = SweepJob(s, list(columns), until, dt, asked, given, options)
    rows = all_rows(job, samples, workers or os.cpu_count() or 1, processes, progress)
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

    distributions, by name: ("normal", mean, deviation), ("uniform", low, high), or a frozen distribution of SciPy.
    until, dt: s. The same seed gives the same samples, however many workers there are and whatever else is sampled.
    """
    return sweep(what, drawn(distributions, n, seed), until, dt, measures, grid=False, **options)


def drawn(distributions: Mapping[str, Distribution], n: int, seed: int) -> dict[str, Array]:
    """n samples of each; every name has a stream of its own."""
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
    raise ModelError(f"no distribution {how!r}", element=name, cure=cure)


def _recorded(model: Model, measures: Mapping[str, Measure]) -> list[str] | None:
    """What must be recorded for measures; for functions of a run all that is usual."""
    texts = [m for m in measures.values() if isinstance(m, str)]
    if len(texts) < len(measures):
        return None
    formulas = [reduced(text)[1] for text in texts]
    return list(dict.fromkeys(name for f in formulas for name in outputs_in(f, [*model.states, *model.signals], False)))


def _check(s: System, names: Sequence[str], measures: Mapping[str, Measure], method: Method) -> None:
    """Before anything runs: names are there, measures can be taken, what workers need is compiled."""
    require_known(names, [*s.parameters, *s.inputs], "parameter or input")
    for measure in measures.values():
        if isinstance(measure, str):
            measured(measure, np.arange(2.0), dict.fromkeys(s.outputs, np.ones(2)), s.parameters)
    if s.rates_function.backend == "c":
        method.load()
    start(s)
