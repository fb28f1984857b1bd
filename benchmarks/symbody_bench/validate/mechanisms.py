"""`symbody validate --mechanisms N`: random closed mechanisms in every way to simulate, and a table of the results."""

from __future__ import annotations

import os
import random
import re
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any

from tqdm import tqdm

from symbody.errors import ModelError
from symbody_bench.validate.mechanism_check import VERDICTS, Verdict, Way, every_way, verdicts
from symbody_bench.validate.random_mechanisms import random_mechanism

LIMIT = 120.0  # s for one mechanism in all ways
RECYCLED = 50  # mechanisms for one process: compiled functions stay loaded until it ends
NUMBERS = re.compile(r"[-+]?\d[\d.e+-]*|random-\d+-\d+|\b(b|loop)\d+(\.\w+)?(, )?")
Record = dict[str, Any]


def examined(seed: int, number: int, ways: int | None = None, limit: float = LIMIT) -> Record:
    """The verdicts of one mechanism; ways: how many ways are drawn for it (default: all)."""
    every = every_way()
    chosen = every if ways is None else random.Random(f"{seed} {number}").sample(every, min(ways, len(every)))
    mechanism = random_mechanism(seed, number)
    found: list[tuple[Way, Verdict]] = []
    try:
        with _time_limit(limit):
            found.extend(verdicts(mechanism, chosen))
    except TimeoutError:
        done = {way for way, _ in found}
        found += [(way, Verdict("refused", f"time limit of {limit:g} s")) for way in chosen if way not in done]
    return {
        "mechanism": number,
        "traits": ", ".join(mechanism.traits),
        **{what: sum(v.what == what for _, v in found) for what in VERDICTS},
        "runs": [{"method": w.method, "closure": _closure(w), "verdict": v.what, "why": v.why} for w, v in found],
    }


def _closure(way: Way) -> str:
    return f"{way.closure}, repartition" if way.repartition else way.closure


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """TimeoutError after some seconds, in the main thread of a POSIX process; no limit elsewhere."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def run_mechanisms(
    count: int,
    seed: int = 0,
    only: Sequence[str] | None = None,
    ways: int | None = None,
    limit: float = LIMIT,
    progress: bool = False,
    jobs: int | None = None,
) -> list[Record]:
    """A record for each of `count` mechanisms of a seed, or for some numbers; in processes with their own cache."""
    numbers, records = _numbers(count, only), {}
    check, workers = partial(examined, seed, ways=ways, limit=limit), min(jobs or _cores(), len(numbers))
    with (
        tempfile.TemporaryDirectory(prefix="symbody-mechanisms-") as cache,
        tqdm(total=len(numbers), disable=not progress, unit="mechanism") as bar,
    ):
        for record in _in_processes(check, numbers, workers, cache):
            records[record["mechanism"]] = record
            bar.update()
    return [records[number] for number in numbers]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _numbers(count: int, only: Sequence[str] | None) -> list[int]:
    if count < 1:
        raise ModelError(f"cannot draw {count} mechanisms", element="--mechanisms", cure="give a positive number")
    if not only:
        return list(range(count))
    if not all(word.isdigit() for word in only):
        raise ModelError("not a number", element="--only", cure="give numbers of mechanisms, such as --only 17")
    return [int(word) for word in only]


def _prepare(cache: str) -> None:
    """Quick builds in a folder that is deleted, and one thread of BLAS for each process."""
    os.environ |= {"SYMBODY_TIER": "quick", "SYMBODY_CACHE": cache, "OMP_NUM_THREADS": "1"}


def _in_processes(check: Any, numbers: Sequence[int], jobs: int, cache: str) -> Iterator[Record]:
    """The records in the order in which they are found; a mechanism that ends its process is wrong."""
    spawn = partial(ProcessPoolExecutor, mp_context=get_context("spawn"), initializer=_prepare, initargs=(cache,))
    again: list[int] = []
    # A pool for each part: with `max_tasks_per_child`, a pool may wait for ever for a process that it does not start.
    for first in range(0, len(numbers), RECYCLED * jobs):
        with spawn(jobs) as pool:
            waiting = {pool.submit(check, number): number for number in numbers[first : first + RECYCLED * jobs]}
            for done in as_completed(waiting):
                try:
                    yield done.result()
                except BrokenProcessPool:
                    again.append(waiting[done])
    for number in again:  # one of these ended the pool: each in a process of its own
        with spawn(1) as pool:
            try:
                yield pool.submit(check, number).result()
            except BrokenProcessPool:
                run = {"method": "", "closure": "", "verdict": "wrong", "why": "the process died"}
                yield {"mechanism": number, "traits": "", **dict.fromkeys(VERDICTS, 0), "wrong": 1, "runs": [run]}


def by_way(records: Sequence[Record], key: str) -> list[Record]:
    """Numbers of runs by verdict for each method, or each closure."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        for run in record["runs"]:
            counts.setdefault(run[key], Counter())[run["verdict"]] += 1
    return [{key: name, "runs": found.total(), **{v: found[v] for v in VERDICTS}} for name, found in counts.items()]


def reasons(records: Sequence[Record]) -> list[Record]:
    """Reasons of refusals, early ends and warnings, without their numbers: how many runs, and one mechanism each."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for record in records:
        for run in record["runs"]:
            if run["verdict"] in ("refused", "ended", "warned"):
                key = run["verdict"], NUMBERS.sub("…", run["why"])[:140]
                counts[key] += 1
                first.setdefault(key, record["mechanism"])
    return [
        {"verdict": verdict, "runs": n, "first": first[verdict, why], "reason": why}
        for (verdict, why), n in counts.most_common()
    ]


def silently_wrong(records: Sequence[Record], seed: int) -> list[str]:
    """Every run that is wrong without a word, with the command that repeats its mechanism."""
    return [
        f"{run['method']}, {run['closure']}: {run['why']} ({record['traits']}); repeat: {repeat(seed, record)}"
        for record in records
        for run in record["runs"]
        if run["verdict"] == "wrong"
    ]


def repeat(seed: int, record: Record) -> str:
    """The command that examines one mechanism again."""
    return f"symbody validate --mechanisms 1 --seed {seed} --only {record['mechanism']}"
