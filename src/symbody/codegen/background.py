"""Optimised builds on another core while the quick ones already run: one at a time, at low priority.

Nothing waits for a build but who asks to, and none outlives this process: see `guard`. Two processes that want the same
library build it once.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import WeakMethod

from symbody.codegen import guard
from symbody.codegen.compiler import Step, run
from symbody.codegen.owned import open_owned, own_folder
from symbody.errors import CompileError

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")


class Build(Generic[T]):
    """A build under way; whoever follows it is told its result, as long as he lives."""

    def __init__(self, name: Path, make: Callable[[], T]):
        self.name, self._make, self._process = name, make, os.getpid()
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
        if self._process == os.getpid():  # a forked child would wait for ever
            _free.set()
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
_builds: dict[Path, Build[Any]] = {}
_queue: SimpleQueue[Build[Any]] = SimpleQueue()
_pipe: tuple[int, int] | None = None  # never written to: guards see its end with the end of this process
_unfinished: set[Path] = set()  # folders
_free = threading.Event()  # whether builds may begin
_free.set()


def begin(name: Path, make: Callable[[], T]) -> Build[T]:
    """Build what will lie there, in its turn; of equal names, the first one serves all."""
    global _pipe
    with _lock:
        if name not in _builds:
            _builds[name] = Build(name, make)
            _queue.put(_builds[name])
        if _pipe is None:
            _pipe = os.pipe()
            threading.Thread(target=_work, args=(_queue,), name="symbody builds", daemon=True).start()
        return _builds[name]


def hold_builds() -> Callable[[], None]:
    """Let no build begin until the function that is given back is called, or somebody waits for one.

    For whoever wants a first result with all processors: meanwhile also what is built quickly comes later.
    """
    _free.clear()
    return _free.set


def builds_held() -> bool:
    """Whether no build may begin now."""
    return not _free.is_set()


def _work(queue: SimpleQueue[Build[Any]]) -> None:
    while True:
        build = queue.get()
        _free.wait()
        build.work()


def wait_optimised(timeout: float | None = None) -> None:
    """Wait until all builds that were begun are done, each for so many seconds at most."""
    for build in list(_builds.values()):
        with suppress(CompileError):
            build.wait(timeout)


def make_behind(folder: Path, steps: Sequence[Step]) -> None:
    """Make steps of a build, leaving a processor to others; they end with this process, and the folder goes then."""
    assert _pipe is not None
    _unfinished.add(folder)
    guarded = [sys.executable, "-I", "-S", guard.__file__, str(folder)] if sys.executable else []
    how: dict[str, Any] = {"stdin": _pipe[0], "start_new_session": True} if guarded else {}
    waiting, problems = SimpleQueue[Step](), list[Exception]()
    for step in steps:
        waiting.put(step)

    def work() -> None:
        while not problems:
            try:
                command, path = waiting.get_nowait()
                unfinished = path.with_name(f"unfinished-{path.name}")  # only whole units stay for the next process
                run([*guarded, *command, "-o", str(unfinished)], **how)
                os.replace(unfinished, path)
            except Empty:
                return
            except (CompileError, OSError) as problem:
                if _ended:
                    threading.Event().wait()  # for the end of this process: what failed was ended
                problems.append(problem)

    # no pool: that would be waited for at the end of the process
    threads = [threading.Thread(target=work, daemon=True) for _ in range(max(1, (os.cpu_count() or 1) - 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _unfinished.discard(folder)
    if problems:
        raise problems[0]


_ended = False


@atexit.register
def _end() -> None:
    """Before the guards notice themselves: nothing new is begun."""
    global _ended
    _ended = True
    if _pipe is not None:
        os.close(_pipe[1])
    for folder in list(_unfinished):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone(name: Path) -> Iterator[None]:
    """One process at a time builds it; where there are no such locks, two may do the same work."""
    lock, file = name.parent / "locks" / name.name, None
    with suppress(OSError):
        own_folder(lock.parent)
        file = open_owned(lock, os.O_RDWR | os.O_CREAT)
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if file is not None:
            os.close(file)
            with suppress(OSError):
                lock.unlink()


def _forget() -> None:
    """A forked child has neither the thread nor its builds; those of its parent end with the parent."""
    global _lock, _builds, _queue, _pipe
    for end in _pipe or ():
        with suppress(OSError):
            os.close(end)
    _unfinished.clear()
    _free.set()
    _lock, _builds, _queue, _pipe = threading.Lock(), {}, SimpleQueue(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
