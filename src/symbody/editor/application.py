"""The editor on the web server: a page, its verbs, and a conversation with each browser. One browser holds the pen."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from symbody.editor.messages import VERBS, ListAnalyses, Looking, Order, Script, SendFile, TakePen, TryValue
from symbody.editor.uploads import PART, FileUpload
from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.visual.built_page import built_brotli, built_page
from symbody.web.application import WebApplication
from symbody.web.gate import Gate, RateLimit
from symbody.web.page import WebPage
from symbody.web.sockets import ConnectionClosed
from symbody.web.worker import Worker

if TYPE_CHECKING:
    from symbody.editor.desk import Desk
    from symbody.editor.document import ModelDocument
    from symbody.model.model import Model
    from symbody.web.sockets import ServerConnection

BEAT = 0.5  # s after which a browser without news gets a sign
OBEYING = 60.0  # s that an order may take
FAULT = "an internal error; the terminal shows it"

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Looker:
    """One browser: messages that wait for it, and whether it may edit."""

    touch: bool
    upload: FileUpload | None = None  # a file that it sends
    outbox: asyncio.Queue[str] = field(default_factory=asyncio.Queue)


class EditorApplication(WebApplication):
    """A document for any number of browsers. Browsers with the token may edit, one at a time.

    live: runs a model on a page of its own and returns its address; None: not offered.
    """

    longest_binary = PART
    page = WebPage(partial(built_page, "editor"), built_brotli)

    def __init__(self, document: ModelDocument, live: Callable[[Model], str] | None = None, done: bool = False):
        self.gate: Gate[Order] = Gate(VERBS)
        self.lookers: list[Looker] = []
        self.pen: Looker | None = None
        self._document, self._live, self._done = document, live, done
        self._desk: Desk | None = None
        self._worker = Worker("editor")
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def desk(self) -> Desk:
        """The document and what surrounds it; an error before `start`."""
        assert self._desk is not None
        return self._desk

    def start(self) -> None:
        """Open the desk; one that is open stays."""
        from symbody.editor.desk import Desk  # imports NumPy: the page is served before

        if self._desk is None:
            self._desk = Desk(self._document, self._broadcast, self._live)

    def close(self) -> None:
        self._worker.close()
        if self._desk is not None:
            self._desk.close()

    # -- browsers ----------------------------------------------------------------------------------------------------

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Send the document and all news, and carry out what the browser asks, until it leaves."""
        self._loop = asyncio.get_running_loop()
        looker = Looker(touch)
        self.lookers.append(looker)
        if self.pen is None and touch:
            self.pen = looker
        self._put(looker, self._welcome())
        self._put(looker, await self._worker.done(self.desk.state, OBEYING))
        for news in [*self.desk.latest.items()]:
            self._put(looker, dict([news]))
        self._tell_pens()
        sending = asyncio.create_task(self._send(connection, looker))
        limit = RateLimit()
        try:
            while True:
                await self._answer(looker, await connection.recv(), limit)
        except ConnectionClosed:
            return
        finally:
            sending.cancel()
            self.lookers.remove(looker)
            if self.pen is looker:  # the next browser with the token gets it
                self.pen = next((one for one in self.lookers if one.touch), None)
            self._tell_pens()

    async def _answer(self, looker: Looker, raw: str | bytes, limit: RateLimit) -> None:
        try:
            if isinstance(raw, bytes):
                return await self._received(looker, raw, limit)
            order = self.gate.admit(raw, looker.touch, limit)
            if isinstance(order, TakePen):
                self.pen = looker
                return self._tell_pens()
            if isinstance(order, TryValue):
                found = await self._worker.done(partial(self.desk.tried, order.path, order.value), OBEYING)
                return self._put(looker, found)
            if isinstance(order, ListAnalyses):
                return self._put(looker, await self._worker.done(self.desk.analyses, OBEYING))
            if isinstance(order, Script):
                return self._put(looker, await self._worker.done(self.desk.script, OBEYING))
            if self.pen is not looker and not isinstance(order, get_args(Looking)):
                self.gate.count("another browser edits")
                raise Rejected("another browser edits", "take the pen first")
            if isinstance(order, SendFile):
                self.desk.check_upload(order)
                looker.upload = FileUpload(order.name, order.size, order.body)
                return None
            await self._worker.done(partial(self.desk.obey, order), OBEYING)
        except SymbodyError as error:
            refusal = error if isinstance(error, Rejected) else Rejected("not possible", str(error))
            self._put(looker, {"refused": {"reason": refusal.reason, "detail": refusal.detail}})
            if refusal.reason == "outdated":
                self._put(looker, await self._worker.done(self.desk.state, OBEYING))
        except Exception:
            log.exception("an order failed")
            self._put(looker, {"refused": {"reason": FAULT, "detail": ""}})

    async def _received(self, looker: Looker, part: bytes, limit: RateLimit) -> None:
        """A part of a file; the complete file goes to the desk."""
        upload = looker.upload
        if upload is None or self.pen is not looker or not limit.take():
            looker.upload = None
            self.gate.count("no file was announced")
            raise Rejected("no file was announced", "send the file again")
        try:
            complete = upload.received(part)
        except Rejected:
            looker.upload = None
            raise
        if complete:
            looker.upload = None
            taken = partial(self.desk.take_file, upload.name, bytes(upload.content), upload.body)
            self._put(looker, await self._worker.done(taken, OBEYING))

    async def _send(self, connection: ServerConnection, looker: Looker) -> None:
        while True:
            try:
                text = await asyncio.wait_for(looker.outbox.get(), BEAT)
            except TimeoutError:
                text = "{}"
            await connection.send(text)

    def _welcome(self) -> dict[str, Any]:
        from symbody.editor.parts import palette
        from symbody.editor.properties import PROPERTIES, documentation, words_of_laws

        offered = {"live": self._live is not None, "done": self._done, "about": documentation()}
        return {"welcome": {"palette": palette(), "properties": PROPERTIES, "words": words_of_laws(), **offered}}

    def _tell_pens(self) -> None:
        for one in self.lookers:
            others = len(self.lookers) - 1
            self._put(one, {"pen": {"own": one is self.pen, "touch": one.touch, "others": others}})

    @staticmethod
    def _put(looker: Looker, news: dict[str, Any]) -> None:
        looker.outbox.put_nowait(json.dumps(news))

    def _broadcast(self, news: dict[str, Any]) -> None:
        """Send news to all browsers, from any thread."""
        if self._loop is None or self._loop.is_closed():
            return
        text = json.dumps(news)

        def put() -> None:
            for one in self.lookers:
                one.outbox.put_nowait(text)

        try:
            self._loop.call_soon_threadsafe(put)
        except RuntimeError:  # the loop has just ended
            return
