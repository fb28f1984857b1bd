"""The server of the studio: one page, a socket for each browser, in a thread that the loop never waits for."""

from __future__ import annotations

import asyncio
import html
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING

from symbody.errors import ModelError
from symbody.stages import DRAWING, READING, reach_stage, stages_heard
from symbody.studio.door import Door
from symbody.studio.gate import Gate
from symbody.studio.messages import LONGEST
from symbody.studio.preview import keep_preview, kept_preview, previews_heard
from symbody.studio.rights import PROTOCOL, may_touch, page_address, same_site, studio_token
from symbody.studio.seldom_log import seldom_logger

if TYPE_CHECKING:
    from symbody.studio.showing import Showing
    from symbody.studio.source import StudioSource
    from symbody.studio.visitor import Visitor

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.http11 import Request, Response
    from websockets.typing import Subprotocol

    from symbody.studio.connection import StudioConnection, answer, offers, page_answer
    from symbody.studio.preparation import Preparation
except ImportError as error:
    raise ModelError("the studio needs websockets", cure="pip install 'symbody[studio]'") from error

STARTING = 30.0  # s until it serves
COMING = 3.0  # s that a browser which was opened has to ask for the page
DRAWN = 2.0  # s after which a browser has drawn what it was told
ASKING = 10.0  # s that a browser has to ask for something
LOOK = 0.2  # s between two looks of one who waits: Ctrl+C comes through everywhere
FRAME = "width:100%;height:600px;border:1px solid #8884;border-radius:8px"
CLOSING, ENDING = 0.4, 0.8  # s for sockets, and for the server as a whole


class Studio:
    """A source served to browsers; `with Studio(Live(model)) as studio: studio.address`.

    source: none, where it is prepared while the page is served already: `studio.prepare(lambda: Live(model))`. host:
    loopback unless given. port 0: any free one. token: who bears it may touch, others watch; random unless given.
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
        self._preparation = Preparation(ready=source is not None)
        self._showing = None if source is None else self._shown(source)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="studio", daemon=True)
        self._ready, self._ended = threading.Event(), threading.Event()
        self.closing = ExitStack()  # what ends with it
        self._failed: OSError | None = None

    def _shown(self, source: StudioSource) -> Showing:
        from symbody.studio.showing import Showing  # the page is served before this is imported

        return Showing(source, self.gate, self.identity)

    @property
    def source(self) -> StudioSource:
        """What it shows; refused until that is prepared."""
        if self._showing is None:
            raise ModelError("nothing is shown yet", element="studio", cure="give it a source, or call `prepare`")
        return self._showing.source

    @property
    def visitors(self) -> Sequence[Visitor]:
        """Browsers that watch what is shown."""
        return self._showing.visitors if self._showing else ()

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
        self._ready.wait(STARTING)
        if self._failed is not None:
            self._close()
            cure = "give another --host or --port"
            raise ModelError(f"nothing can be served there: {self._failed}", element=self.place, cure=cure)
        return self

    def prepare(self, make: Callable[[], StudioSource], patience: float = 0.0, name: str = "") -> Studio:
        """Show what `make` gives; pages that are open meanwhile are told how far it is, or why it failed.

        patience: s that a browser which was just opened has to come and be told of a failure. name: of a machine that
        always looks the same at its start: what it looked like last time is shown until it is prepared.
        """
        from symbody.codegen.background import hold_builds  # here: the page is served before this is imported

        release = hold_builds()
        try:
            with stages_heard(self._preparation.reach), previews_heard(self._preparation.offer):
                reach_stage(READING)
                kept = kept_preview(name) if name else None
                if kept is not None:
                    self._preparation.recall(kept)
                self._showing = self._shown(make())
                reach_stage(DRAWING)
                self._showing.drawn()
        except Exception as error:
            release()
            self._preparation.fail(error, patience)
            raise
        self._preparation.finish()
        if name and kept is None:
            self._keep(name)
        later = threading.Timer(DRAWN, release)  # a browser without a graphics card needs all processors until then
        later.daemon = True
        later.start()
        return self

    def _keep(self, name: str) -> None:
        """Keep what the source looks like at its start, for the next time."""
        assert self._showing is not None
        source, scene = self.source, json.loads(self._showing.drawn()[1])
        keep_preview(name, {"title": source.title, "seated": bool(source.about().get("seated")), "scene": scene})

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
        if self._showing is not None:
            self._showing.close()
        self.closing.close()
        self._ended.set()

    def __enter__(self) -> Studio:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- in a thread -------------------------------------------------------------------------------------------------

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
        """Tell how far it is until there is something to show, and then show it, until the browser leaves."""
        assert connection.request is not None
        await self._preparation.follow(connection)
        if self._preparation.ready and self._showing is not None:
            await self._showing.visit(connection, may_touch(offers(connection.request), self.token))


def _port(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])
