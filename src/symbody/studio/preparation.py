"""How far a source is that browsers wait for: a thread prepares it, the event loop of the server tells them."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from symbody.errors import SymbodyError, printable
from symbody.stages import COMPILING, STAGES, TRACING
from symbody.studio.preview import MakePreview, preview_message

LONGEST_REASON = 2000  # characters of a failure
FAULT = "a fault of symbody: the terminal says more"  # what strangers read of errors that were not foreseen
FAREWELL = 0.4  # s in which those who wait are told
LOOK = 1.0  # s between two looks whether a browser that waits has left


class Preparation:
    """What browsers are told until the source is there, or until it is known why it will not be."""

    def __init__(self, ready: bool = False):
        self.ready, self._failed = ready, False
        self._message, self._share = "", 0.0
        self._offer: MakePreview | None = None
        self._preview = ""  # message with a first picture
        self._told = threading.Event()  # whether somebody was told of a failure
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()

    def reach(self, stage: str) -> None:
        """A stage begins; how much is done never becomes less, though some stages come several times."""
        if stage in (TRACING, COMPILING):  # what takes long, unless it was done before
            self._draw_preview()
        self._share = max(self._share, STAGES.index(stage) / len(STAGES))
        self._tell(json.dumps({"preparing": {"stage": stage, "share": self._share}}))

    def offer(self, make: MakePreview) -> None:
        """There is something to draw already, if what follows takes long."""
        self._offer = None if self._preview else make

    def _draw_preview(self) -> None:
        make, self._offer = self._offer, None  # drawing may compile, too
        if make is not None:
            self._preview = preview_message(make())

    def recall(self, preview: str) -> None:
        """Show a message with a first picture that was kept."""
        self._preview = preview
        self._tell(self._message)

    def finish(self) -> None:
        """The source is there."""
        self._tell("", ready=True)

    def fail(self, error: Exception, patience: float = 0.0) -> None:
        """There will be no source; those who wait are told, and one who comes within so many seconds."""
        reason = printable(str(error)) if isinstance(error, SymbodyError) else FAULT
        self._tell(json.dumps({"failed": reason[:LONGEST_REASON]}), failed=True)
        self._told.wait(max(patience, FAREWELL if self._waiting else 0.0))

    def _tell(self, message: str, *, ready: bool = False, failed: bool = False) -> None:
        with self._lock:
            self._message, self.ready, self._failed = message, ready, failed
            waiting = list(self._waiting.items())
        for event, loop in waiting:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(event.set)

    async def follow(self, connection: ServerConnection) -> None:
        """Tell a browser what there is to tell, until the source is there, has failed, or the browser is gone."""
        news, told = asyncio.Event(), ["", ""]
        with self._lock:
            self._waiting[news] = asyncio.get_running_loop()
        try:
            while not self.ready and connection.close_code is None:
                news.clear()
                messages, failed = [self._preview, self._message], self._failed
                for message, before in zip(messages, told, strict=True):
                    if message not in ("", before):
                        await connection.send(message)
                told = messages
                if failed:
                    self._told.set()
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LOOK)
        except ConnectionClosed:
            return
        finally:
            with self._lock:
                del self._waiting[news]
