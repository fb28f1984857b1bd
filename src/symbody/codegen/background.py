"""Optimised builds on another core while the quick ones already run: one at a time, at low priority.

A build ends with this process (`child_command.py`). If two processes need the same library, one builds it.
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

from symbody.codegen import child_command
from symbody.codegen.cache import marked_folder
from symbody.codegen.compiler import Step, run
from symbody.codegen.ownership import open_owned, own_folder
from symbody.errors import CompileError

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")


class Build(Generic[T]):
    """A running build. Its followers get the result as long as they exist."""

    def __init__(self, name: Path, make: Callable[[], T]):
        self.name, self._make, self._process = name, make, os.getpid()
        self._followers: list[WeakMethod[Callable[[T], None]]] | None = []  # None: all followers have the result
        self._done = threading.Event()
        self._result: T | None = None
        self._problem: CompileError | None = None

    def follow(self, ready: Callable[[T], None]) -> None:
        """Call a method with the result, from the building thread; immediately if it is ready."""
        with _lock:
            if self._followers is not None:
                self._followers.append(WeakMethod(ready))
                return
        if self._result is not None:
            ready(self._result)

    def wait(self, timeout: float | None = None) -> T | None:
        """The result; None if it is not ready after timeout (s). Raises the error of the compiler."""
        if self._process == os.getpid():  # a forked child would wait for ever
            _free.set()
            self._done.wait(timeout)
        if self._problem is not None:
            raise self._problem
        return self._result

    def work(self) -> None:
        """Build, and pass the result to the followers."""
        try:
            with one_at_a_time(self.name):
                self._result = self._make()
        except CompileError as problem:
            self._problem = problem
        except Exception as problem:  # any problem must reach the waiting thread
            self._problem = CompileError("the optimised build failed", repr(problem))
        with _lock:
            followers, self._followers = self._followers or [], None
        for follower in followers:
            ready = follower()
            if ready is not None and self._result is not None:
                ready(self._result)
        self._done.set()
        if self._problem is not None:
            with suppress(Warning):  # if warnings are errors, nothing could catch it here
                warnings.warn(f"the quick build stays in use: {self._problem}", stacklevel=2)


_lock = threading.Lock()
_builds: dict[Path, Build[Any]] = {}
_queue: SimpleQueue[Build[Any]] = SimpleQueue()
_pipe: tuple[int, int] | None = None  # never written to: guards see its end when this process ends
_unfinished: set[Path] = set()  # folders
_free = threading.Event()  # whether builds may begin
_free.set()


def begin(name: Path, make: Callable[[], T]) -> Build[T]:
    """Queue a build of the library at this path. Equal names share the first build."""
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
    """Hold all builds until the returned function is called, or until something waits for a build.

    For callers that want a first result with all processors; quick builds are then delayed, too.
    """
    _free.clear()
    return _free.set


def builds_held() -> bool:
    """Whether builds are held now."""
    return not _free.is_set()


def _work(queue: SimpleQueue[Build[Any]]) -> None:
    while True:
        build = queue.get()
        _free.wait()
        build.work()


def wait_optimised(timeout: float | None = None) -> None:
    """Wait until all queued builds are done, at most timeout (s) for each."""
    for build in list(_builds.values()):
        with suppress(CompileError):
            build.wait(timeout)


def make_behind(folder: Path, steps: Sequence[Step]) -> None:
    """Run steps of a build at low priority. They end with this process, and then the folder is removed."""
    assert _pipe is not None
    _unfinished.add(folder)
    guarded = [sys.executable, "-I", "-S", child_command.__file__, str(folder)] if sys.executable else []
    how: dict[str, Any] = {"stdin": _pipe[0], "start_new_session": True} if guarded else {}
    waiting, problems = SimpleQueue[Step](), list[Exception]()
    for step in steps:
        waiting.put(step)

    def work() -> None:
        while not problems:
            try:
                command, path = waiting.get_nowait()
                unfinished = path.with_name(f"unfinished-{path.name}")  # only complete units stay for the next process
                run([*guarded, *command, "-o", str(unfinished)], **how)
                os.replace(unfinished, path)
            except Empty:
                return
            except (CompileError, OSError) as problem:
                if _ended:
                    threading.Event().wait()  # until this process ends: the failed step was ended
                problems.append(problem)

    # not a pool, which would be joined at the end of the process
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
    """Stop before the guards notice the end: no new build begins."""
    global _ended
    _ended = True
    if _pipe is not None:
        os.close(_pipe[1])
    for folder in list(_unfinished):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def one_at_a_time(name: Path) -> Iterator[None]:
    """Only one process builds it at a time; on systems without such locks, two may do the same work."""
    lock, file = name.parent / "locks" / name.name, None
    with suppress(OSError):
        own_folder(marked_folder(name.parent) / "locks")
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
    """A forked child has no building thread and no builds; those of its parent end with the parent."""
    global _lock, _builds, _queue, _pipe
    for end in _pipe or ():
        with suppress(OSError):
            os.close(end)
    _unfinished.clear()
    _free.set()
    _lock, _builds, _queue, _pipe = threading.Lock(), {}, SimpleQueue(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
