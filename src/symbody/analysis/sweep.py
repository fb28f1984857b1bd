"""Many runs of one system with other parameters or inputs: grids and random samples, on all cores.

Nothing is compiled twice: workers are forks that hold the compiled system already or, where there is no fork, load it
from the cache. A run that fails is recorded with its reason and stops no other.
"""

from __future__ import annotations

import os
import pickle
import signal
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import product
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.given import Inputs, given_system
from symbody.analysis.simulate import simulate
from symbody.errors import ChannelError, ModelError, SymbodyError
from symbody.html_text import object_html
from symbody.model.model import Model
from symbody.nearest import did_you_mean
from symbody.results.run import Run
from symbody.stepping.inputs import Signal
from symbody.stepping.method import Method
from symbody.stepping.registry import suited
from symbody.system.by_name import by_name, listed, require_known, state_vector
from symbody.system.sensitivity_formula import measured, outputs_in, reduced
from symbody.system.sensitivity_start import start, started
from symbody.system.system import Array, System

EXAMPLE = '{"k": [1e4, 2e4, 3e4]}'
SIMULATED = [name for name in signature(simulate).parameters if name not in ("what", "inputs", "outputs", "options")]
CHUNKS = 8  # per worker: few enough to be cheap, many enough for a bar that moves
LARGEST_CHUNK = 64
NOT_RUN = "not run: interrupted"
DIED = "the worker process died"
QUANTILES = (0.05, 0.5, 0.95)
Distribution = Any  # ("normal", mean, deviation) …, a frozen distribution of SciPy, or a function (rng, n)
Row = list[float] | str  # measures, or why there are none
Measure = Callable[[Run], float] | str
Chunk = list[tuple[int, Array]]  # samples with their numbers
_job: Job | None = None  # what this process works on


@dataclass(frozen=True)
class Job:
    """One kind of run: `names` are the parameters and inputs that differ from sample to sample."""

    system: System | None
    names: list[str]
    until: float
    dt: float | None
    measures: dict[str, Measure]
    inputs: dict[str, Signal] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    packed: bytes = b""  # what the system is made from, where it cannot be inherited


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
        path.parent.mkdir(parents=True, exist_ok=True)
        partial, header = path.with_name(f".{path.name}.part"), ",".join([*self.names, *self.measures])
        rows = np.column_stack([self.samples, self.values])
        np.savetxt(partial, rows, delimiter=",", header=header, comments="", fmt="%.17g")
        partial.replace(path)
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
    job = Job(s, list(columns), until, dt, asked, given, options)
    rows = _all_rows(job, samples, workers or os.cpu_count() or 1, processes, progress)
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


# -- running ---------------------------------------------------------------------------------------------------------


def _row(job: Job, sample: Array) -> Row:
    """The measures of one sample, or why there are none."""
    assert job.system is not None
    given = dict(zip(job.names, map(float, sample), strict=True))
    own = {name: x for name, x in given.items() if name in job.system.parameters}
    inputs = {**job.inputs, **{name: x for name, x in given.items() if name not in own}}
    try:
        with started(job.system, own) as s:
            run = simulate(s, job.until, job.dt, inputs=inputs, **job.options)
            channels, names = dict(zip(run.names, run.values.T, strict=True)), dict(s.parameters)
            taken = job.measures.values()
            return [measured(m, run.t, channels, names) if isinstance(m, str) else float(m(run)) for m in taken]
    except SymbodyError as failure:
        return str(failure)
    except (ArithmeticError, LookupError, TypeError, ValueError) as failure:  # of a measure of the user's own
        return f"{type(failure).__name__}: {failure}"


def _all_rows(job: Job, samples: Array, workers: int, processes: str | None, progress: bool) -> dict[int, Row]:
    """The rows of all samples by their numbers; fewer where the work was interrupted."""
    rows: dict[int, Row] = {}
    work = list(enumerate(samples))
    size = max(1, min(LARGEST_CHUNK, len(work) // (CHUNKS * workers)))
    chunks = [work[k : k + size] for k in range(0, len(work), size)]
    bar = tqdm(total=len(work), unit="run", disable=not progress, desc="sweeping")
    try:
        for part in _serial(job, work) if workers == 1 else _parallel(job, chunks, workers, processes):
            rows.update(part)
            bar.update(len(part))
    except KeyboardInterrupt:
        if not rows:
            raise
    finally:
        bar.close()
    return rows


def _serial(job: Job, work: Chunk) -> Iterator[list[tuple[int, Row]]]:
    for i, sample in work:
        yield [(i, _row(job, sample))]


def _parallel(job: Job, chunks: list[Chunk], workers: int, processes: str | None) -> Iterator[list[tuple[int, Row]]]:
    """Chunks as they come back; where a worker dies, what is left is gone through with care."""
    left = dict(enumerate(chunks))
    with _pool(job, min(workers, len(chunks)), processes) as pool:
        try:
            waiting = {pool.submit(_rows, chunk): k for k, chunk in left.items()}
            for done in as_completed(waiting):
                rows = done.result()
                del left[waiting[done]]
                yield rows
        except BrokenProcessPool:
            pass
        except BaseException:
            _end(pool)
            raise
    for chunk in left.values():
        yield from _careful(job, chunk, processes)


def _end(pool: ProcessPoolExecutor) -> None:
    """Now, and not when the samples under way are done."""
    for process in list((pool._processes or {}).values()):
        process.terminate()
    pool.shutdown(cancel_futures=True)


def _careful(job: Job, chunk: Chunk, processes: str | None) -> Iterator[list[tuple[int, Row]]]:
    """A chunk in a process of its own; one that dies is halved until the sample that kills it is alone."""
    with _pool(job, 1, processes) as pool:
        try:
            rows = pool.submit(_rows, chunk).result()
        except BrokenProcessPool:
            rows = [(chunk[0][0], DIED)] if len(chunk) == 1 else []
    if rows:
        yield rows
        return
    for half in (chunk[: len(chunk) // 2], chunk[len(chunk) // 2 :]):
        yield from _careful(job, half, processes)


def _pool(job: Job, workers: int, processes: str | None) -> ProcessPoolExecutor:
    """Worker processes that hold the job: forks have it, others make its system anew from the cache."""
    how = processes or ("fork" if "fork" in get_all_start_methods() else "spawn")
    arguments = (job,) if how == "fork" else (replace(job, system=None, packed=_packed(job)),)
    return ProcessPoolExecutor(workers, get_context(how), _prepare, arguments)


def _packed(job: Job) -> bytes:
    """What a system is made from, for another process."""
    s = job.system
    assert s is not None
    try:
        return pickle.dumps(s)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        cure = "write laws as formulas or as functions of a module, or use workers=1"
        raise ModelError(f"it cannot be sent to other processes: {error}", element=s.model.name, cure=cure) from error


def _prepare(job: Job) -> None:
    """In a worker, before its first sample; Ctrl-C is for the parent.

    Bars get a lock of this process: the one that forks share stays locked for ever when a worker dies that holds it.
    """
    global _job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tqdm.set_lock(RLock())
    if job.system is None:
        job = replace(job, system=pickle.loads(job.packed))
    _job = job


def _rows(chunk: Chunk) -> list[tuple[int, Row]]:
    assert _job is not None
    return [(i, _row(_job, sample)) for i, sample in chunk]
