"""Optimised builds on another core while the quick ones already run: one at a time, at low priority.

Nothing waits for a build but who asks to, and none outlives this process: see `guard`. Two processes that want the same
library build it once.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import WeakMethod

from symbody.codegen import guard
from symbody.codegen.compiler import Run, run
from symbody.errors import CompileError

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")


class Job(Generic[T]):
    """A build under way; whoever follows it is told its result, as long as he lives."""

    def __init__(self, name: Path, make: Callable[[], T]):
        self.name, self._make = name, make
        self._followers: list[WeakMethod[Callable[[T], None]]] | None = []  # None: all have been told
        self._done = threading.Event()
        self._result: T | None = None
        self._problem: CompileError | None = None

    def follow(self, ready: Callable[[T], None]) -> None:
        """Have a method called with the result, from the thread that builds; at once where it is there."""
        with _lock:
            if self._followers is not None:
                self._followers.append(WeakMethod(ready))
                return
        if self._result is not None:
            ready(self._result)

    def wait(self, timeout: float | None = None) -> T | None:
        """The result; None where it is not there in time (s). What the compiler complained about is raised."""
        self._done.wait(timeout)
        if self._problem is not None:
            raise self._problem
        return self._result

    def work(self) -> None:
        """Build, and tell the followers."""
        try:
            with _alone(self.name):
                self._result = self._make()
        except CompileError as problem:
            self._problem = problem
        except Exception as problem:  # whatever it is, who waits must hear of it
            self._problem = CompileError("the optimised build failed", repr(problem))
        with _lock:
            followers, self._followers = self._followers or [], None
        for follower in followers:
            ready = follower()
            if ready is not None and self._result is not None:
                ready(self._result)
        self._done.set()
        if self._problem is not None:
            with suppress(Warning):  # where warnings are errors, there is nobody to catch it here
                warnings.warn(f"the quick build stays in use: {self._problem}", stacklevel=2)


_lock = threading.Lock()
_jobs: dict[Path, Job[Any]] = {}
_queue: SimpleQueue[Job[Any]] = SimpleQueue()
_worker: threading.Thread | None = None
_pipe: tuple[int, int] | None = None  # never written to: guards see its end with the end of this process


def begin(name: Path, make: Callable[[], T]) -> Job[T]:
    """Build what will lie there, in its turn; of equal names, the first one serves all."""
    global _worker, _pipe
    with _lock:
        if name not in _jobs:
            _jobs[name] = job = Job(name, make)
            _queue.put(job)
        if _pipe is None:
            _pipe = os.pipe()
        if _worker is None:
            _worker = threading.Thread(target=_work, name="symbody optimised builds", daemon=True)
            _worker.start()
        return _jobs[name]


def _work() -> None:
    while True:
        _queue.get().work()


def wait_optimised(timeout: float | None = None) -> None:
    """Wait until all builds that were begun are done, each for so many seconds at most."""
    for job in list(_jobs.values()):
        with suppress(CompileError):
            job.wait(timeout)


def guarded(folder: Path) -> Run:
    """How a compiler is run that must not outlive this process; the folder that it writes into goes with it."""
    if not sys.executable or _pipe is None:
        return run
    start = [sys.executable, "-I", "-S", str(Path(guard.__file__)), str(folder)]
    pipe = _pipe[0]

    def run_guarded(command: Sequence[str]) -> None:
        partial(run, stdin=pipe, start_new_session=True)([*start, *command])

    return run_guarded


@contextmanager
def _alone(name: Path) -> Iterator[None]:
    """One process at a time builds it; where there are no such locks, two may do the same work."""
    lock, file = name.parent / "locks" / name.name, None
    with suppress(OSError):
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("w")
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if file is not None:
            file.close()
            with suppress(OSError):
                lock.unlink()


def _forget() -> None:
    """A forked child has neither the thread nor its builds; its parent's must end with the parent."""
    global _lock, _jobs, _queue, _worker, _pipe
    if _pipe is not None:
        for end in _pipe:
            with suppress(OSError):
                os.close(end)
    _lock, _jobs, _queue, _worker, _pipe = threading.Lock(), {}, SimpleQueue(), None, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
