"""The runs of a sweep in worker processes, on all cores; if one worker dies, the other samples are still run."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing import get_all_start_methods, get_context
from threading import RLock
from typing import Any

from tqdm import tqdm

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError, SymbodyError
from symbody.results.run import Run
from symbody.stepping.inputs import Signal
from symbody.system.sensitivity_formula import measured
from symbody.system.sensitivity_start import started
from symbody.system.system import Array, InitialState, System

CHUNKS = 8  # per worker: a compromise between overhead and a smooth progress bar
LARGEST_CHUNK = 64
DIED = "the worker process died"
Row = list[float] | str  # measures, or the reason of a failure
Measure = Callable[[Run], float] | str
Chunk = list[tuple[int, Array]]  # samples with their numbers
_job: SweepJob | None = None  # the job of this process


@dataclass(frozen=True)
class SweepJob:
    """One kind of run; `names` are the parameters and inputs that vary between samples."""

    system: System | None
    names: list[str]
    until: float
    dt: float | None
    measures: dict[str, Measure]
    inputs: dict[str, Signal] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    packed: bytes = b""  # the pickled description of the system, if it cannot be inherited by fork
    start: InitialState | None = None  # of batches; None: computed from the system


def row_of(job: SweepJob, sample: Array) -> Row:
    """The measures of one sample, or the reason of its failure."""
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
    except (ArithmeticError, LookupError, TypeError, ValueError) as failure:  # raised by a user's own measure
        return f"{type(failure).__name__}: {failure}"


def all_rows(job: SweepJob, samples: Array, workers: int, processes: str | None, progress: bool) -> dict[int, Row]:
    """The rows of all samples by number; fewer if the sweep was interrupted."""
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


def _serial(job: SweepJob, work: Chunk) -> Iterator[list[tuple[int, Row]]]:
    for i, sample in work:
        yield [(i, row_of(job, sample))]


def _parallel(
    job: SweepJob, chunks: list[Chunk], workers: int, processes: str | None
) -> Iterator[list[tuple[int, Row]]]:
    """Results of chunks in order of completion; if a worker dies, the rest is run by `_isolated`."""
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
        yield from _isolated(job, chunk, processes)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers now, without waiting for running samples."""
    for process in list((pool._processes or {}).values()):
        process.terminate()
    pool.shutdown(cancel_futures=True)


def _isolated(job: SweepJob, chunk: Chunk, processes: str | None) -> Iterator[list[tuple[int, Row]]]:
    """Run a chunk in its own process; if it dies, halve the chunk until the fatal sample is alone."""
    with _pool(job, 1, processes) as pool:
        try:
            rows = pool.submit(_rows, chunk).result()
        except BrokenProcessPool:
            rows = [(chunk[0][0], DIED)] if len(chunk) == 1 else []
    if rows:
        yield rows
        return
    for half in (chunk[: len(chunk) // 2], chunk[len(chunk) // 2 :]):
        yield from _isolated(job, half, processes)


def _pool(job: SweepJob, workers: int, processes: str | None) -> ProcessPoolExecutor:
    """Worker processes that hold the job: by fork, or by making the system again from the cache."""
    how = processes or ("fork" if "fork" in get_all_start_methods() else "spawn")
    arguments = (job,) if how == "fork" else (replace(job, system=None, packed=packed(job)),)
    return ProcessPoolExecutor(workers, get_context(how), _prepare, arguments)


def packed(job: SweepJob) -> bytes:
    """The pickled description of a system, for another process."""
    s = job.system
    assert s is not None
    try:
        return pickle.dumps(s)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        cure = "write laws as formulas or as functions in a module, or use workers=1"
        raise ModelError(
            f"the model cannot be sent to other processes: {error}", element=s.model.name, cure=cure
        ) from error


def _prepare(job: SweepJob) -> None:
    """Prepare a worker before its first sample; it ignores Ctrl-C, which the parent handles.

    Progress bars get a lock of this process. The lock shared by forks would stay locked if its owner died.
    """
    global _job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tqdm.set_lock(RLock())
    if job.system is None:
        job = replace(job, system=pickle.loads(job.packed))
    _job = job


def _rows(chunk: Chunk) -> list[tuple[int, Row]]:
    assert _job is not None
    return [(i, row_of(_job, sample)) for i, sample in chunk]
