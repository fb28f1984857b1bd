"""A thread that works off what it is given, one after the other; whoever gives it work waits as long as it likes.

The threads of `asyncio.to_thread` are waited for when a process ends, however long they hang; this one is not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from symbody.realtime.rejected import Rejected

Made = TypeVar("Made")
MOST_WAITING = 64  # works at a time


class Worker:
    """One daemon thread and its queue, until `close()`."""

    def __init__(self, name: str):
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def submit(self, work: Callable[[], Made]) -> Future[Made]:
        """Have it done, sooner or later."""
        future: Future[Made] = Future()
        self._queue.put((future, work))
        return future

    async def done(self, work: Callable[[], Made], timeout: float) -> Made:
        """What the work gives; `Rejected` where it does not end within `timeout` s, or too much waits already."""
        if self._queue.qsize() >= MOST_WAITING:
            raise Rejected("busy")
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def tell(_: object) -> None:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(ended.set)

        future = self.submit(work)
        future.add_done_callback(tell)
        try:
            await asyncio.wait_for(ended.wait(), timeout)
        except TimeoutError:
            raise Rejected("busy") from None
        return future.result()

    def close(self) -> None:
        """Begin nothing after what waits."""
        self._queue.put(None)

    def _work(self) -> None:
        while (waiting := self._queue.get()) is not None:
            future, work = waiting
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)
