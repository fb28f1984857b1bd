"""How far a source is that browsers wait for: a thread prepares it, the event loop of the server tells them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from symbody.errors import SymbodyError, printable
from symbody.stages import STAGES

LONGEST_REASON = 2000  # characters of a failure
FAULT = "a fault of symbody: the terminal says more"  # what strangers read of errors that were not foreseen


class Preparation:
    """What browsers are told until the source is there, or until it is known why it will not be."""

    def __init__(self, ready: bool = False):
        self.ready, self.failed = ready, False
        self.told = threading.Event()  # whether somebody was told of a failure
        self._message, self._share = _message("", 0.0), 0.0
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()

    def reach(self, stage: str) -> None:
        """A stage begins; how much is done never becomes less, though some stages come several times."""
        self._share = max(self._share, STAGES.index(stage) / len(STAGES))
        self._tell(_message(stage, self._share))

    def finish(self) -> None:
        """The source is there."""
        self._tell("", ready=True)

    def fail(self, error: Exception) -> None:
        """There will be no source."""
        reason = printable(str(error)) if isinstance(error, SymbodyError) else FAULT
        self._tell(json.dumps({"failed": reason[:LONGEST_REASON]}), failed=True)

    def _tell(self, message: str, *, ready: bool = False, failed: bool = False) -> None:
        with self._lock:
            self._message, self.ready, self.failed = message, ready, failed
            waiting = dict(self._waiting)
        for event, loop in waiting.items():
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(event.set)

    async def follow(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Tell a browser what there is to tell, until the source is there or has failed."""
        news, told = asyncio.Event(), ""
        with self._lock:
            self._waiting[news] = asyncio.get_running_loop()
        try:
            while not self.ready:
                news.clear()
                message, failed = self._message, self.failed
                if message not in ("", told):
                    await send(message)
                    told = message
                if failed:
                    self.told.set()
                    return
                await news.wait()
        finally:
            with self._lock:
                del self._waiting[news]


def _message(stage: str, share: float) -> str:
    return json.dumps({"preparing": {"stage": stage, "share": share}})
