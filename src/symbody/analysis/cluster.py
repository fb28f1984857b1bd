"""Work on a cluster by dask.distributed: on this computer, or wherever a scheduler runs.

All workers receive one shared object and the compiled code that it needs; the scheduler gives both to workers that join
later. Parts of the work are sent in order, a few ahead of the oldest unfinished one, and results return in the same
order. Therefore results do not depend on the number of workers, and the memory of the sender is bounded. The scheduler
sends the parts of a dead worker to another one. A part that ends several workers is halved until the fatal item is
alone.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from symbody.codegen.shipping import pack
from symbody.errors import ModelError
from symbody.lazy_imports import required

EXTRA = "cluster"
RETRIES = 2  # of a part that raised an error
AHEAD = 3  # parts for each worker that are sent before the oldest one has returned
TIMEOUT = 30  # s until a scheduler must answer
# Settings of a cluster on this computer: a part that ends two workers is halved; no pages over HTTP. A busy computer
# takes longer than the usual 15 s to start a dead worker again: then it is given up, and without workers a sweep hangs.
LOCAL = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.deploy.lost-worker-timeout": "600s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
Cluster = Any  # True or a number of workers on this computer, the address of a scheduler, or a client of dask
Part = Any  # an array or a sequence of items
Result = TypeVar("Result")


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """A client of dask. A local cluster has one process per core; it accepts its own certificate only (TLS)."""
    distributed = required("distributed", EXTRA)
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    if isinstance(cluster, str):
        try:
            client = distributed.Client(cluster, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            cure = "start one with `dask scheduler`, or use cluster=True for this computer"
            raise ModelError(f"no scheduler answers: {error}", element=cluster, cure=cure) from error
        with client:
            yield client
        return
    workers = (os.cpu_count() or 1) if cluster is True else cluster
    if not isinstance(workers, int) or workers < 1:
        cure = "use True, a number of workers, the address of a scheduler, or a dask.distributed.Client"
        raise ModelError(f"cluster={cluster!r}", element="cluster", cure=cure)
    required("cryptography", EXTRA)
    with (
        required("dask", EXTRA).config.set(LOCAL),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, security=True,
            silence_logs=logging.CRITICAL,
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):  # fmt: skip
        yield client


@contextmanager
def sharing(client: Any, what: Any, entries: Iterable[str] = ()) -> Iterator[str]:
    """Give an object and entries of the cache to all workers, also later ones; yield the key for `shared`."""
    from symbody.analysis.cluster_worker import SharedWork

    work = SharedWork(what, pack(entries))
    try:
        client.register_plugin(work)
    except ImportError as error:
        cure = "install the same symbody on all workers"
        raise ModelError(f"a worker cannot load symbody: {error}", element=EXTRA, cure=cure) from error
    try:
        yield work.name
    finally:
        if client.status == "running":
            client.unregister_worker_plugin(work.name)


def mapped(
    client: Any, compute: Callable[[Part], Sequence[Result]], parts: Iterable[Part], died: Result
) -> Iterator[Sequence[Result]]:
    """Results of all parts in their order, each from some worker. died: the result of an item that ends workers."""
    send = partial(client.submit, compute, pure=False, retries=RETRIES)
    waiting: deque[tuple[Part, Any]] = deque()
    left = iter(parts)
    try:
        while True:
            for part in left:
                waiting.append((part, send(part)))
                if len(waiting) >= AHEAD * max(1, len(client.nthreads())):
                    break
            if not waiting:
                return
            part, future = waiting.popleft()
            yield _result(send, part, future, [other for _, other in waiting], died)
    finally:
        client.cancel([future for _, future in waiting])


def _result(send: Callable[..., Any], part: Part, future: Any, others: list[Any], died: Result) -> Sequence[Result]:
    """The result of a part. If its workers died, it is computed again when no other part can be the reason."""
    from distributed import KilledWorker

    try:
        found: Sequence[Result] = future.result()
        return found
    except KilledWorker:
        for other in others:  # the scheduler suspects all parts of a dead worker, also parts that only waited there
            other.exception()  # returns when it has ended
        return _alone(send, part, died)


def _alone(send: Callable[..., Any], part: Part, died: Result) -> Sequence[Result]:
    """The result of a part while nothing else runs; a part that ends its workers is halved until one item is left."""
    from distributed import KilledWorker

    try:
        found: Sequence[Result] = send(part).result()
        return found
    except KilledWorker:
        if len(part) == 1:
            return [died]
    middle = len(part) // 2
    return [one for half in (part[:middle], part[middle:]) for one in _alone(send, half, died)]
