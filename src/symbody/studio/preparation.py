"""Progress of a source that browsers wait for: a thread prepares it, the server's event loop sends the progress."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress

from symbody.errors import SymbodyError, printable
from symbody.stages import COMPILING, STAGES, TRACING
from symbody.studio.preview import MakePreview, preview_message
from symbody.web.sockets import ConnectionClosed, ServerConnection

LONGEST_REASON = 2000  # characters of a failure
FAULT = "a fault of symbody: see the terminal"  # for errors other than SymbodyError, whose text may be private
FAREWELL = 0.4  # s in which waiting browsers get the failure
LOOK = 1.0  # s between two checks whether a waiting browser has left


class Preparation:
    """The messages to browsers until the source is ready or has failed."""

    def __init__(self, ready: bool = False):
        self.ready, self._failed = ready, False
        self._message, self._share = "", 0.0
        self._offer: MakePreview | None = None
        self._preview = ""  # message with a first picture
        self._failure_sent = threading.Event()
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()

    def reach(self, stage: str) -> None:
        """A stage begins; the share that is done never decreases, although some stages come several times."""
        if stage in (TRACING, COMPILING):  # these take long, unless they are cached
            self._draw_preview()
        self._share = max(self._share, STAGES.index(stage) / len(STAGES))
        self._publish(json.dumps({"preparing": {"stage": stage, "share": self._share}}))

    def offer(self, make: MakePreview) -> None:
        """Take a first picture, which is drawn if the next stages take long."""
        self._offer = None if self._preview else make

    def _draw_preview(self) -> None:
        make, self._offer = self._offer, None  # drawing may compile, and so reach a stage
        if make is not None:
            self._preview = preview_message(make())

    def recall(self, preview: str) -> None:
        """Send a first picture that was kept."""
        self._preview = preview
        self._publish(self._message)

    def finish(self) -> None:
        """The source is ready."""
        self._publish("", ready=True)

    def fail(self, error: Exception, patience: float = 0.0) -> None:
        """The source has failed; send the reason to waiting browsers, and wait `patience` seconds for another."""
        reason = printable(str(error)) if isinstance(error, SymbodyError) else FAULT
        self._publish(json.dumps({"failed": reason[:LONGEST_REASON]}), failed=True)
        self._failure_sent.wait(max(patience, FAREWELL if self._waiting else 0.0))

    def _publish(self, message: str, *, ready: bool = False, failed: bool = False) -> None:
        with self._lock:
            self._message, self.ready, self._failed = message, ready, failed
            waiting = list(self._waiting.items())
        for event, loop in waiting:
            with suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(event.set)

    async def follow(self, connection: ServerConnection) -> None:
        """Send the progress to a browser until the source is ready or has failed, or the browser has left."""
        news, sent = asyncio.Event(), ["", ""]
        with self._lock:
            self._waiting[news] = asyncio.get_running_loop()
        try:
            while not self.ready and connection.close_code is None:
                news.clear()
                messages, failed = [self._preview, self._message], self._failed
                for message, before in zip(messages, sent, strict=True):
                    if message not in ("", before):
                        await connection.send(message)
                sent = messages
                if failed:
                    self._failure_sent.set()
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LOOK)
        except ConnectionClosed:
            return
        finally:
            with self._lock:
                del self._waiting[news]
