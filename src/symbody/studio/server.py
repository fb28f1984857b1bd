"""The server of the studio: one page, a socket for each browser, in a thread that the loop never waits for."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Coroutine, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from symbody.errors import ModelError
from symbody.realtime.rejected import Rejected
from symbody.studio.gate import Gate
from symbody.studio.messages import LONGEST, Message, Watch
from symbody.studio.page import packed_page, page, policy
from symbody.studio.rights import may_touch, same_site, studio_token
from symbody.studio.source import StudioSource
from symbody.studio.visitor import (
    Visitor,
    hello_message,
    motion_messages,
    plot_messages,
    scene_message,
    scene_settled,
    status_messages,
    surface_messages,
)

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.datastructures import Headers
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response
except ImportError as error:
    raise ModelError("the studio needs websockets", cure="pip install 'symbody[studio]'") from error

FRAMES = 60.0  # poses in a second, at most
PLOT_EVERY, SURFACES_EVERY, STATUS_EVERY = 2, 6, 12  # of them: plots, clouds and height fields, status
MOST_VISITORS = 16
REST = 0.01  # s after a refused message: what floods waits in the network, not here
TOO_BIG = 1009  # how a socket says that a message was longer than it takes
OPENING, CLOSING = 30.0, 1.0  # s


class Studio:
    """A source served to browsers; `with Studio(Live(model)) as studio: studio.address`.

    host: loopback unless given; elsewhere a `token` is needed to touch, random unless given. port 0: any free one.
    """

    def __init__(self, source: StudioSource, host: str = "127.0.0.1", port: int = 0, token: str | None = None):
        self.source, self.host, self.port = source, host, port
        self.token = studio_token(host, token)
        self.gate = Gate()
        self.session = secrets.token_hex(8)  # a page that was opened before asks for all of it again
        self.visitors: list[Visitor] = []
        self._welcomed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._order = threading.Lock()  # one message is obeyed at a time
        self._thread = threading.Thread(target=self._run, name="studio", daemon=True)
        self._ready = threading.Event()
        self._failed: OSError | None = None

    @property
    def address(self) -> str:
        """What a browser that may touch opens."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def start(self) -> Studio:
        """Serve in a thread until `stop()`."""
        self._thread.start()
        self._ready.wait(OPENING)
        if self._failed is not None:
            self.source.close()
            cure = "give another --host or --port"
            raise ModelError(f"nothing can be served there: {self._failed}", element=self.address, cure=cure)
        return self

    def stop(self) -> None:
        """Close all sockets, and the source."""
        if self._loop and self._end and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join()
        self.source.close()

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
        async with serve(
            self._visited,
            self.host,
            self.port,
            process_request=self._asked,
            max_size=2 * LONGEST,
            max_queue=16,
            close_timeout=CLOSING,
        ) as server:
            self.port = _port(server)
            self._ready.set()
            await self._end.wait()

    # -- what browsers ask -------------------------------------------------------------------------------------------

    def _asked(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page, or None for a socket that may open."""
        path = urlsplit(request.path).path
        if path == "/":
            return _page(request.headers.get("Accept-Encoding", ""))
        if path != "/socket":
            return _answer(HTTPStatus.NOT_FOUND, "There is nothing here.\n")
        if not same_site(request.headers, self.host, socket.gethostname()):
            self.gate.count("another site")
            return _answer(HTTPStatus.FORBIDDEN, "This socket is for the page of the studio.\n")
        if len(self.visitors) >= MOST_VISITORS:
            self.gate.count("too many visitors")
            return _answer(HTTPStatus.SERVICE_UNAVAILABLE, "Too many browsers watch.\n")
        return None

    async def _visited(self, connection: ServerConnection) -> None:
        """Tell and listen until the browser leaves."""
        request = connection.request
        touch = may_touch(connection.remote_address[0], request.path if request else "", self.token)
        visitor = Visitor(touch, self.source.version)
        self.visitors.append(visitor)
        if not self._welcomed:
            self._welcomed = True
            await asyncio.to_thread(self.source.welcome)
        try:
            await connection.send(await asyncio.to_thread(hello_message, self.source, visitor, self.session))
            await _first(self._listen(connection, visitor), self._tell(connection, visitor))
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == TOO_BIG:
                self.gate.count("too long")
        finally:
            self.visitors.remove(visitor)
            for message in visitor.let_go():  # nobody is left who could
                self._obey(message)

    async def _listen(self, connection: ServerConnection, visitor: Visitor) -> None:
        while True:
            message = self.gate.admit(await connection.recv(), visitor.touch, visitor.rate_limit)
            if message is None:
                await asyncio.sleep(REST)
            elif isinstance(message, Watch):
                self._choose(visitor, message.channels)
            else:
                visitor.note_hold(message)
                await asyncio.to_thread(self._obey, message)

    def _choose(self, visitor: Visitor, channels: tuple[str, ...]) -> None:
        if not set(channels) <= set(self.source.units):
            self.gate.count("no such channel")
            return
        visitor.watch(channels)

    def _obey(self, message: Message) -> None:
        try:
            with self._order:
                self.source.obey(message)
        except Rejected as refusal:
            self.gate.count(refusal.reason)
        except ModelError:  # the model cannot take it; what runs goes on
            self.gate.count("not possible")

    # -- what they are told ------------------------------------------------------------------------------------------

    async def _tell(self, connection: ServerConnection, visitor: Visitor) -> None:
        """Poses, plots and status, each only where there is news; a slow browser makes only itself wait."""
        clock = asyncio.get_running_loop().time
        tick, due = 0, clock()
        while True:
            for news in self._news(visitor, tick):
                await connection.send(news)
            if tick % STATUS_EVERY == 0 and scene_settled(self.source, visitor):
                await connection.send(await asyncio.to_thread(scene_message, self.source, visitor))
            tick, due = tick + 1, max(due + 1.0 / FRAMES, clock())
            await asyncio.sleep(due - clock())

    def _news(self, visitor: Visitor, tick: int) -> list[str | bytes]:
        news = motion_messages(self.source, visitor)
        if tick % PLOT_EVERY == 0:
            news += plot_messages(self.source, visitor)
        if tick % SURFACES_EVERY == 0:
            news += surface_messages(self.source, visitor)
        if tick % STATUS_EVERY == 0:
            known = {"watchers": len(self.visitors), "refused": sum(self.gate.refused.values())}
            news += status_messages(self.source, visitor, known)
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


def _page(accepted: str) -> Response:
    kind = "text/html; charset=utf-8"
    if "gzip" in accepted:
        return _answer(HTTPStatus.OK, packed_page(), kind, {"Content-Encoding": "gzip"})
    return _answer(HTTPStatus.OK, page().encode(), kind)


def _answer(
    status: HTTPStatus,
    body: str | bytes,
    kind: str = "text/plain; charset=utf-8",
    more: Mapping[str, str] | None = None,
) -> Response:
    body = body.encode() if isinstance(body, str) else body
    headers = Headers(
        {
            **(more or {}),
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
