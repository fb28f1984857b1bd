"""The server of the studio: one page, a socket for each browser, in a thread that the loop never waits for."""

from __future__ import annotations

import asyncio
import html
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from math import inf
from types import TracebackType
from typing import Any

from symbody.errors import ModelError
from symbody.realtime.rejected import Rejected
from symbody.stages import DRAWING, READING, reach_stage, stages_heard
from symbody.studio.door import Door
from symbody.studio.gate import Gate
from symbody.studio.lately import Lately
from symbody.studio.messages import LONGEST, Looking, Message
from symbody.studio.preparation import Preparation
from symbody.studio.rights import PROTOCOL, may_touch, page_address, same_site, studio_token
from symbody.studio.seldom_log import seldom_logger
from symbody.studio.source import StudioSource
from symbody.studio.visitor import (
    Visitor,
    hello_message,
    motion_messages,
    plot_messages,
    refusal_message,
    scene_message,
    scene_settled,
    status_messages,
    surface_messages,
    value_messages,
)
from symbody.studio.worker import Worker
from symbody.visual.scene import Scene

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response
    from websockets.typing import Subprotocol

    from symbody.studio.connection import StudioConnection, answer, offers, page_answer
except ImportError as error:
    raise ModelError("the studio needs websockets", cure="pip install 'symbody[studio]'") from error

FRAMES = 60.0  # poses in a second to one browser, at most
ALL_FRAMES = 2000.0  # to all of them: with many, each gets fewer
PLOT_EVERY, VALUES_EVERY, SURFACES_EVERY, STATUS_EVERY = 2, 3, 6, 12  # of them: plots, numbers, surfaces, status
STATUS_LASTS = 0.1  # s
REST = 0.01  # s after a refused message: what floods waits in the network, not here
TOO_BIG = 1009  # how a socket says that a message was longer than it takes
COMING = 3.0  # s that a browser which was opened has to ask for the page
OPENING = 30.0  # s until it serves, and until a scene is ready
ASKING = 10.0  # s that a browser has to ask for something
OBEYING = 1.0  # s that a message may take
LOOK = 0.2  # s between two looks of one who waits: Ctrl+C comes through everywhere
FRAME = "width:100%;height:600px;border:1px solid #8884;border-radius:8px"
CLOSING, ENDING = 0.4, 0.8  # s for sockets, and for the server as a whole


class Studio:
    """A source served to browsers; `with Studio(Live(model)) as studio: studio.address`.

    source: none, where it is prepared while the page is served already: `studio.prepare(lambda: Live(model))`. host: loopback unless given. port 0: any free one. token: who bears it may touch, others watch; random unless given.
    names: other names by which browsers know this machine, as through a proxy. frames: places of pages that may show
    the studio in a frame, as notebooks do; none unless given.
    """

    def __init__(
        self,
        source: StudioSource | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        names: Sequence[str] = (),
        frames: Sequence[str] = (),
    ):
        self.host, self.port = host, port
        self.names, self.frames = tuple(names), tuple(frames)
        self.token, self._told = studio_token(token), token is None  # one that was given is written nowhere
        self.identity = secrets.token_hex(8)  # which start this is: a page of an earlier one is out of date
        self.gate, self.door = Gate(), Door()
        self.visitors: list[Visitor] = []
        self._welcomed = False
        self._scene: tuple[int, Scene, str] | None = None  # version, shapes and text
        self.preparation = Preparation(ready=source is not None)
        self._source: StudioSource | None = None
        if source is not None:
            self._take(source)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._orders, self._scenes = Worker("orders"), Worker("scenes")  # one message is obeyed at a time
        self._thread = threading.Thread(target=self._run, name="studio", daemon=True)
        self._ready, self._ended = threading.Event(), threading.Event()
        self.closing = ExitStack()  # what ends with it
        self._failed: OSError | None = None

    def _take(self, source: StudioSource) -> None:
        self._source = source
        self._poses = Lately(source.poses, 0.5 / FRAMES)
        self._status = Lately(source.status, STATUS_LASTS)

    @property
    def source(self) -> StudioSource:
        """What it shows; refused until that is prepared."""
        if self._source is None:
            raise ModelError("nothing is shown yet", element="studio", cure="give it a source, or call `prepare`")
        return self._source

    @property
    def place(self) -> str:
        """What a browser of this machine opens to watch."""
        return page_address(self.host, self.port)

    @property
    def address(self) -> str:
        """What a browser of this machine opens to touch: a secret, as it holds the token."""
        return page_address(self.host, self.port, self.token)

    @property
    def url(self) -> str:
        """The same as `address`."""
        return self.address

    def _repr_html_(self) -> str:
        """The page in a frame, as the cell of a notebook shows it."""
        address = html.escape(self.address if self._told else self.place)
        return f'<iframe src="{address}" title="symbody studio" style="{FRAME}" allow="fullscreen; gamepad"></iframe>'

    def start(self) -> Studio:
        """Serve in a thread until `stop()`; one that serves goes on."""
        if self._thread.ident is not None:
            return self
        self._thread.start()
        self._ready.wait(OPENING)
        if self._failed is not None:
            self._close()
            cure = "give another --host or --port"
            raise ModelError(f"nothing can be served there: {self._failed}", element=self.place, cure=cure)
        return self

    def prepare(self, make: Callable[[], StudioSource], patience: float = 0.0) -> Studio:
        """Show what `make` gives; pages that are open meanwhile are told how far it is, or why it failed.

        patience: s that a browser which was just opened has to come and be told of a failure.
        """
        try:
            with stages_heard(self.preparation.reach):
                reach_stage(READING)
                self._take(make())
                reach_stage(DRAWING)
                self._drawn()
        except Exception as error:
            self.preparation.fail(error)
            self.preparation.told.wait(max(patience, CLOSING if self.visitors else 0.0))
            raise
        self.preparation.finish()
        return self

    def wait(self, seconds: float | None = None) -> None:
        """Stay until Ctrl+C, until it is closed, or for some seconds; without a person at a terminal all the same."""
        until = inf if seconds is None else time.monotonic() + seconds
        with suppress(KeyboardInterrupt):
            while not self._ended.wait(min(LOOK, max(until - time.monotonic(), 0.0))) and time.monotonic() < until:
                pass

    def close(self) -> None:
        """The same as `stop`."""
        self.stop()

    def stop(self) -> None:
        """Close all sockets, and the source; what does not end is left behind."""
        if self._loop and self._end and self._thread.is_alive():
            with suppress(RuntimeError):  # it has just ended
                self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(ENDING)
        self._close()

    def _close(self) -> None:
        for worker in (self._orders, self._scenes):
            worker.close()
        if self._source is not None:
            self._source.close()
        self.closing.close()
        self._ended.set()

    def __enter__(self) -> Studio:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        logger = seldom_logger()
        self._loop.set_exception_handler(
            lambda _, told: logger.error("%s", told.get("message"), exc_info=told.get("exception"))
        )
        server = await serve(
            self._visited,
            self.host,
            self.port,
            process_request=self._asked,
            select_subprotocol=lambda _, offers: Subprotocol(PROTOCOL) if PROTOCOL in offers else None,
            create_connection=partial(StudioConnection, self.door),  # type: ignore[arg-type]
            max_size=2 * LONGEST,
            max_queue=16,
            open_timeout=ASKING,
            close_timeout=CLOSING,
            logger=logger,
        )
        try:
            self.port = _port(server)
            self._ready.set()
            await self._end.wait()
        finally:
            server.close()
            with suppress(TimeoutError):  # who has not asked for anything yet is not waited for
                await asyncio.wait_for(asyncio.shield(server.wait_closed()), CLOSING)

    # -- what browsers ask -------------------------------------------------------------------------------------------

    def _asked(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page, or None for a socket that may open."""
        path = request.path.partition("?")[0]
        if path == "/":
            return page_answer(request, self.frames)
        if path != "/socket":
            return answer(HTTPStatus.NOT_FOUND, "There is nothing here.\n")
        if not same_site(request.headers, self.host, socket.gethostname(), *self.names):
            self.gate.count("another site")
            return answer(HTTPStatus.FORBIDDEN, "This socket is for the page of the studio.\n")
        address, trusted = connection.remote_address[0], may_touch(offers(request), self.token)
        if refusal := self.door.refusal(address, trusted):
            self.gate.count(refusal)
            return answer(HTTPStatus.SERVICE_UNAVAILABLE, "Too many browsers watch.\n")
        self.door.enter(connection, address, trusted)
        return None

    async def _visited(self, connection: ServerConnection) -> None:
        """Tell and listen until the browser leaves."""
        assert connection.request is not None
        visitor = Visitor(may_touch(offers(connection.request), self.token))
        self.visitors.append(visitor)
        try:
            if not self.preparation.ready:
                await _first(self.preparation.follow(connection.send), connection.wait_closed())
            if not self.preparation.ready:
                return
            visitor.version = self.source.version
            if not self._welcomed:
                self._welcomed = True
                await self._orders.done(self.source.welcome, OPENING)
            visitor.shapes, scene = await self._scenes.done(self._drawn, OPENING)
            await connection.send(hello_message(self.source, visitor, self.identity, scene))
            await _first(self._listen(connection, visitor), self._tell(connection, visitor))
        except Rejected as refusal:
            self.gate.count(refusal.reason)
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == TOO_BIG:
                self.gate.count("too long")
        finally:
            self.visitors.remove(visitor)
            for message in visitor.let_go():  # nobody is left who could
                self._orders.submit(partial(self.source.obey, message))

    def _drawn(self) -> tuple[Scene, str]:
        """The shapes now, and the scene as JSON, made once for all who come."""
        version = self.source.version
        if self._scene is None or self._scene[0] != version:
            shapes = self.source.shapes()
            self._scene = version, shapes, json.dumps(self.source.scene(shapes))
        return self._scene[1:]

    async def _listen(self, connection: ServerConnection, visitor: Visitor) -> None:
        while True:
            raw = await connection.recv()
            try:
                await self._heed(visitor, self.gate.admit(raw, visitor.touch, visitor.rate_limit))
            except Rejected as refusal:
                if refusal.reason != "too many":
                    await connection.send(refusal_message(refusal))
                await asyncio.sleep(REST)

    async def _heed(self, visitor: Visitor, message: Message) -> None:
        """Do what is asked, or `Rejected`, and counted."""
        try:
            if isinstance(message, Looking):
                return visitor.look(self.source, message)
            visitor.note_hold(message)
            await self._orders.done(partial(self.source.obey, message), OBEYING)
        except ModelError as error:  # the model cannot take it; what runs goes on
            self.gate.count("not possible")
            raise Rejected("not possible", str(error)) from error
        except Rejected as refusal:
            self.gate.count(refusal.reason)
            raise

    # -- what they are told ------------------------------------------------------------------------------------------

    async def _tell(self, connection: ServerConnection, visitor: Visitor) -> None:
        """Poses, plots and status, each only where there is news; a slow browser makes only itself wait."""
        clock = asyncio.get_running_loop().time
        tick, due = 0, clock()
        while True:
            for news in self._news(visitor, tick):
                await connection.send(news)
            if tick % STATUS_EVERY == 0 and scene_settled(self.source, visitor):
                shapes, _ = await self._scenes.done(self._drawn, OPENING)
                change = partial(scene_message, self.source, visitor, shapes)
                await connection.send(await self._scenes.done(change, OPENING))
            period = max(1.0 / FRAMES, len(self.visitors) / ALL_FRAMES)
            tick, due = tick + 1, max(due + period, clock())
            await asyncio.sleep(due - clock())

    def _news(self, visitor: Visitor, tick: int) -> list[str | bytes]:
        news = motion_messages(self.source, visitor, self._poses())
        if tick % PLOT_EVERY == 0:
            news += plot_messages(self.source, visitor)
        if tick % VALUES_EVERY == 0:
            news += value_messages(self.source, visitor)
        if tick % SURFACES_EVERY == 0:
            news += surface_messages(self.source, visitor)
        if tick % STATUS_EVERY == 0:
            known = {"watchers": len(self.visitors), "refused": sum(self.gate.refused.values())}
            news += status_messages(visitor, self._status() | known)
        return news


async def _first(*works: Coroutine[Any, Any, None]) -> None:
    """Until one of them ends; its error is ours."""
    tasks = {asyncio.create_task(work) for work in works}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def _port(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])
