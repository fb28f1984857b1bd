"""Many runs of one system with varied parameters or inputs: grids and random samples on all cores.

The system is compiled once. Many runs with fixed steps and measures as texts are one batch (`sb.batch`). Other runs,
and runs that a batch froze, are simulated one by one in worker processes. Workers inherit the system by fork, or load
it from the cache if there is no fork. A failed run is recorded with its reason; the others continue.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.cluster import Cluster, connected
from symbody.analysis.simulate import simulate
from symbody.analysis.sweep_batch import batch_rows
from symbody.analysis.sweep_cluster import cluster_rows
from symbody.analysis.sweep_result import FAILURE, NOT_RUN, Sweep, SweepFile
from symbody.analysis.sweep_samples import Samples
from symbody.analysis.sweep_workers import Measure, Row, SweepJob, all_rows
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.output_file import replacing
from symbody.results.parquet_stream import ParquetStream
from symbody.stepping.method import Method
from symbody.stepping.registry import suited
from symbody.stepping.step_options import step_options
from symbody.system.named_values import by_name, listed, require_known, state_vector
from symbody.system.sensitivity_formula import measured, outputs_in, reduced
from symbody.system.sensitivity_start import start
from symbody.system.system import Array, System

EXAMPLE = '{"k": [1e4, 2e4, 3e4]}'
SIMULATED = [name for name in signature(simulate).parameters if name not in ("what", "inputs", "outputs", "options")]
BLOCK = 1 << 16  # samples that are computed before they are written to a file
Distribution = Any  # ("normal", mean, deviation) …, a frozen distribution of SciPy, or a function (rng, n)


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
    cluster: Cluster = None,
    to: str | Path | None = None,
    **options: Any,
) -> Sweep | SweepFile:
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
    cluster : bool, int, str or dask.distributed.Client, optional
        Run on a cluster: True or a number of workers for this computer, the address of a scheduler
        ("tcp://10.0.0.1:8786"), or a client. Results do not depend on the number of workers.
    to : str or path, optional
        A Parquet file. Results are written in blocks, so that the memory does not grow with the measures.
    **options
        Options of `simulate`: every, method, x0 … Each run starts at the initial state of its own parameters, with
        loops closed again. Runs in a batch have no check of the energy.

    Returns
    -------
    Sweep or SweepFile
        Samples, measures and failures; with `to` they are in the file.

    Raises
    ------
    ModelError
        If a name or a measure is unknown, or no scheduler answers.

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
    samples = Samples(columns, grid)
    asked: dict[str, Measure] = (
        dict(measures) if isinstance(measures, Mapping) else {text: text for text in listed(measures) or ()}
    )
    recorded = _recorded(what, asked) if isinstance(what, Model) else None
    s, given = given_system(what, inputs, recorded)
    require_known(options, SIMULATED, "option")
    state_vector(s, options.get("x0"))  # raises on unknown names; the rest of a state depends on the parameters
    _check(s, list(columns), asked, suited(s, step_options(options.get("method"), dt, None).method, dt))
    job = SweepJob(s, list(columns), until, dt, asked, given, options)
    if cluster:
        blocks = _on_cluster(job, samples, cluster)
    else:
        size = BLOCK if to else len(samples)
        blocks = _here(job, samples, workers or os.cpu_count() or 1, processes, progress and not to, size)
    with tqdm(total=len(samples), unit="run", disable=not progress or not (cluster or to), desc="sweeping") as bar:
        followed = _interruptible(blocks, samples, bar)
        return _written(Path(to), samples, list(asked), followed) if to else _gathered(samples, list(asked), followed)


Blocks = Iterator[Sequence[Row]]  # rows of the samples, in order


def _here(
    job: SweepJob, samples: Samples, workers: int, processes: str | None, progress: bool, size: int
) -> Blocks:  # fmt: skip
    """Blocks computed on this computer: in batches, and in worker processes."""
    for first in range(0, len(samples), size):
        part = samples.rows(first, first + size)
        rows = {} if processes else batch_rows(job, part, workers)
        left = [i for i in range(len(part)) if i not in rows]
        if left:
            found = all_rows(job, part[left], workers, processes, progress)
            rows |= {left[k]: row for k, row in found.items()}
        yield [rows.get(i, NOT_RUN) for i in range(len(part))]
        if len(rows) < len(part):
            return


def _on_cluster(job: SweepJob, samples: Samples, cluster: Cluster) -> Blocks:
    with connected(cluster) as client:
        yield from cluster_rows(client, job, samples)


def _interruptible(blocks: Blocks, samples: Samples, bar: Any) -> Blocks:
    """The blocks; Ctrl-C ends them after the first one, and the other samples are not run."""
    done = 0
    try:
        for block in blocks:
            done += len(block)
            bar.update(len(block))
            yield block
    except KeyboardInterrupt:
        if not done:
            raise
    while done < len(samples):
        rest = min(BLOCK, len(samples) - done)
        done += rest
        yield [NOT_RUN] * rest


def _table(block: Sequence[Row], width: int) -> Array:
    """Measures of a block; NaN in failed runs."""
    lost = [np.nan] * width
    return np.array([lost if isinstance(row, str) else row for row in block], dtype=float).reshape(len(block), width)


def _gathered(samples: Samples, measures: list[str], blocks: Blocks) -> Sweep:
    values, done = np.empty((len(samples), len(measures))), 0
    failures: dict[int, str] = {}
    for block in blocks:
        values[done : done + len(block)] = _table(block, len(measures))
        failures |= {done + i: row for i, row in enumerate(block) if isinstance(row, str)}
        done += len(block)
    return Sweep(samples.names, samples.rows(0, done), measures, values, failures, samples.shape)


def _written(path: Path, samples: Samples, measures: list[str], blocks: Blocks) -> SweepFile:
    names, done, failed = samples.names, 0, 0
    columns = [*names, *measures, FAILURE]
    twice = {name for name in columns if columns.count(name) > 1}
    if twice:
        raise ModelError("two columns of the file have this name", element=min(twice), cure="rename the measure")
    with replacing(path) as partial, ParquetStream(partial, columns[:-1], [FAILURE]) as file:
        for block in blocks:
            rows = np.column_stack([samples.rows(done, done + len(block)), _table(block, len(measures))])
            reasons = [row if isinstance(row, str) else None for row in block]
            file.append({**dict(zip(columns, rows.T, strict=False)), FAILURE: reasons})
            done += len(block)
            failed += sum(reason is not None for reason in reasons)
    return SweepFile(path, names, measures, done, failed, samples.shape)


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
) -> Sweep | SweepFile:
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
        Options of `sweep` and `simulate`, such as `cluster` and `to`.

    Returns
    -------
    Sweep or SweepFile
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
