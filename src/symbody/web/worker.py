"""A thread that carries out tasks one after the other; the caller decides how long to wait for a result.

At exit Python waits for the threads of `asyncio.to_thread`, however long they hang. It does not wait for this one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from symbody.links.rejected import Rejected

Made = TypeVar("Made")
MOST_WAITING = 64  # tasks at a time


class Worker:
    """One daemon thread and its queue, until `close()`."""

    def __init__(self, name: str):
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def submit(self, task: Callable[[], Made]) -> Future[Made]:
        """Queue a task."""
        future: Future[Made] = Future()
        self._queue.put((future, task))
        return future

    async def done(self, task: Callable[[], Made], timeout: float) -> Made:
        """The result of a task; `Rejected` if it takes longer than `timeout` s, or if too many tasks wait."""
        if self._queue.qsize() >= MOST_WAITING:
            raise Rejected("busy")
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def wake(_: object) -> None:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(ended.set)

        future = self.submit(task)
        future.add_done_callback(wake)
        try:
            await asyncio.wait_for(ended.wait(), timeout)
        except TimeoutError:
            raise Rejected("busy") from None
        return future.result()

    def close(self) -> None:
        """End after the tasks that wait already."""
        self._queue.put(None)

    def _work(self) -> None:
        while (waiting := self._queue.get()) is not None:
            future, task = waiting
            try:
                future.set_result(task())
            except Exception as error:
                future.set_exception(error)
