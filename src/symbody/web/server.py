"""A web server in a thread of its own: pages, and a socket for each browser, for one application or several."""

from __future__ import annotations

import asyncio
import html
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from math import inf
from types import TracebackType
from typing import Self

from symbody.errors import ModelError
from symbody.web.application import WebApplication
from symbody.web.connection import LimitedConnection, answer, asset_answer, offers, page_answer
from symbody.web.connection_limit import ConnectionLimit
from symbody.web.encodings import WebContent
from symbody.web.page import ASSETS
from symbody.web.rate_limited_log import rate_limited_logger
from symbody.web.rights import PROTOCOL, may_touch, page_address, proof, same_site, server_token
from symbody.web.sockets import Request, Response, Server, ServerConnection, Subprotocol, TextDeflate, serve
from symbody.web.verbs import LONGEST

STARTING = 30.0  # s until it listens
SWITCH = 0.001  # s after which a thread of Python gives way: with 5 ms, a message waits for that long several times
ASKING = 10.0  # s in which a new connection must send a request
LOOK = 0.2  # s between two checks of `wait`, so that Ctrl+C works on every system
FRAME = "width:100%;height:600px;border:1px solid #8884;border-radius:8px"
CLOSING, ENDING = 0.4, 0.8  # s for the sockets, and for the server as a whole
SOCKET, PROOF = "socket", "proof"  # names in the folder of a page: its socket, and the proof that this is the server


class WebServer:
    """Applications served to browsers, until `stop()`; `with WebServer({"/": application}) as server: server.address`.

    Parameters
    ----------
    applications : mapping of str to WebApplication
        By path; "/" is the main page, others are such as "/piano/". More can be mounted later.
    host : str
        Default: loopback.
    port : int
        0 for any free one. Default 0.
    token : str, optional
        With it a browser may touch, without it only watch. Default: random.
    names : sequence of str, optional
        Other host names of this machine, such as those of a proxy.
    frames : sequence of str, optional
        Origins of pages that may show ours in a frame, as notebooks do.
    """

    name = "symbody"  # in logs, threads and titles of frames

    def __init__(
        self,
        applications: Mapping[str, WebApplication],
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        names: Sequence[str] = (),
        frames: Sequence[str] = (),
    ):
        self.host, self.port = host, port
        self.names, self.frames = tuple(names), tuple(frames)
        self.token, self._shows_token = server_token(token), token is None  # a given token is never shown
        self.connections = ConnectionLimit()
        self.closing = ExitStack()  # closed together with the server
        self._applications = {_checked_path(path): application for path, application in applications.items()}
        self._visits: dict[ServerConnection, WebApplication] = {}
        self._serving: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None  # the loop, and what ends it
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._ready, self._ended = threading.Event(), threading.Event()
        self._failed: OSError | None = None

    @property
    def place(self) -> str:
        """The address of the main page for a browser on this machine, which then may watch."""
        return page_address(self.host, self.port)

    @property
    def address(self) -> str:
        """The same with the token, so that the browser may touch: keep it secret."""
        return page_address(self.host, self.port, self.token)

    @property
    def url(self) -> str:
        """The same as `address`."""
        return self.address

    def _repr_html_(self) -> str:
        """The main page in a frame, as the cell of a notebook shows it."""
        address = html.escape(self.address if self._shows_token else self.place)
        title = html.escape(f"symbody {self.name}" if self.name != "symbody" else self.name)
        return f'<iframe src="{address}" title="{title}" style="{FRAME}" allow="fullscreen; gamepad"></iframe>'

    # -- applications ------------------------------------------------------------------------------------------------

    def mount(self, path: str, application: WebApplication) -> None:
        """Start an application at a path such as "/piano/", also while the server runs."""
        if _checked_path(path) in self._applications:
            raise ModelError("something is served there already", element=path, cure="unmount it, or give another path")
        application.start()
        self._applications[path] = application

    def application_at(self, path: str) -> WebApplication | None:
        """The application at a path, if there is one."""
        return self._applications.get(path)

    def unmount(self, path: str) -> None:
        """Close the sockets of the application at a path, then the application; its page is gone."""
        if path not in self._applications:
            known = ", ".join(self._applications) or "nothing"
            raise ModelError("nothing is served there", element=path, cure=f"served: {known}")
        application = self._applications.pop(path)
        if serving := self._alive():
            with suppress(TimeoutError, RuntimeError):  # a socket that does not close is left behind
                asyncio.run_coroutine_threadsafe(self._dismiss(application), serving[0]).result(ENDING)
        application.close()

    # -- start and stop ----------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Start the applications, and answer browsers in a thread until `stop()`; a server that runs goes on."""
        if self._thread.ident is not None:
            return self
        try:
            for application in self._applications.values():
                application.start()
        except BaseException:
            self._close()
            raise
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH))
        self._thread.start()
        self._ready.wait(STARTING)
        if self._failed is not None:
            self._close()
            cure = "give another --host or --port"
            raise ModelError(f"cannot listen there: {self._failed}", element=self.place, cure=cure)
        return self

    def wait(self, seconds: float | None = None) -> None:
        """Return after Ctrl+C, when the server is closed, or after some seconds; also without a terminal."""
        until = inf if seconds is None else time.monotonic() + seconds
        with suppress(KeyboardInterrupt):
            while not self._ended.wait(min(LOOK, max(until - time.monotonic(), 0.0))) and time.monotonic() < until:
                pass

    def close(self) -> None:
        """The same as `stop`."""
        self.stop()

    def stop(self) -> None:
        """Close all sockets, then the applications; a thread that does not end in time is left behind."""
        if serving := self._alive():
            loop, end = serving
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(end.set)
            self._thread.join(ENDING)
        self._close()

    def _alive(self) -> tuple[asyncio.AbstractEventLoop, asyncio.Event] | None:
        return self._serving if self._thread.is_alive() else None

    def _close(self) -> None:
        for application in self._applications.values():
            application.close()
        self.closing.close()
        self._ended.set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- in the thread -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        loop, end = self._serving = asyncio.get_running_loop(), asyncio.Event()
        logger = rate_limited_logger(self.name)
        loop.set_exception_handler(
            lambda _, context: logger.error("%s", context.get("message"), exc_info=context.get("exception"))
        )
        server = await serve(
            self._visited,
            self.host,
            self.port,
            process_request=self._answered,
            select_subprotocol=lambda _, offers: Subprotocol(PROTOCOL) if PROTOCOL in offers else None,
            create_connection=partial(LimitedConnection, self.connections),  # type: ignore[arg-type]
            max_size=max([2 * LONGEST, *(getattr(one, "longest_binary", 0) for one in self._applications.values())]),
            max_queue=16,
            extensions=[TextDeflate()],
            open_timeout=ASKING,
            close_timeout=CLOSING,
            logger=logger,
        )
        try:
            self.port = _port(server)
            self._ready.set()
            await end.wait()
        finally:
            server.close()
            with suppress(TimeoutError):  # connections without a request are not waited for
                await asyncio.wait_for(asyncio.shield(server.wait_closed()), CLOSING)

    def _answered(self, connection: ServerConnection, request: Request) -> Response | None:
        """A page, a refusal, or None for a socket that may open."""
        folder, name = _split_path(request.path)
        if folder == f"/{ASSETS}/" and (asset := self._asset(name)):
            return asset_answer(request, name, asset)
        application = self._applications.get(folder)
        if application is None or name not in ("", SOCKET, PROOF):
            return answer(HTTPStatus.NOT_FOUND, "There is no such page.\n")
        if name == PROOF:
            shown = proof(self.token, request.path.partition("?")[2])
            return answer(HTTPStatus.OK, shown) if shown else answer(HTTPStatus.NOT_FOUND, "There is no proof.\n")
        if name == "":
            return page_answer(request, application.page, self.frames, depth=folder.count("/") - 1)
        if not same_site(request.headers, self.host, socket.gethostname(), *self.names):
            application.gate.count("another site")
            return answer(HTTPStatus.FORBIDDEN, "Only the page of this server may open its socket.\n")
        address, trusted = connection.remote_address[0], may_touch(offers(request), self.token)
        if refusal := self.connections.refusal(address, trusted):
            application.gate.count(refusal)
            return answer(HTTPStatus.SERVICE_UNAVAILABLE, "Too many browsers are connected.\n")
        self.connections.admit(connection, address, trusted)
        return None

    def _asset(self, name: str) -> WebContent | None:
        """A script of one of the pages, or another file of an application."""
        applications = list(self._applications.values())
        of_each = (files for one in applications for files in (one.page.assets, getattr(one, "files", {})))
        return next((files[name] for files in of_each if name in files), None)

    async def _visited(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        application = self._applications.get(_split_path(connection.request.path)[0])
        if application is None:  # unmounted meanwhile
            return
        self._visits[connection] = application
        try:
            await application.visit(connection, may_touch(offers(connection.request), self.token))
        finally:
            del self._visits[connection]

    async def _dismiss(self, application: WebApplication) -> None:
        """Close the sockets of an application."""
        await asyncio.gather(*(one.close() for one, visited in self._visits.items() if visited is application))


def _checked_path(path: str) -> str:
    if not (path.startswith("/") and path.endswith("/")) or "//" in path or not path.isprintable() or "?" in path:
        raise ModelError("not the path of a page", element=path, cure='give "/", or a path such as "/piano/"')
    if path == f"/{ASSETS}/":
        raise ModelError("this path is reserved for scripts", element=path, cure="give another path")
    return path


def _split_path(target: str) -> tuple[str, str]:
    """Folder and name of a request's path, without the query: "/piano/socket?x" is ("/piano/", "socket")."""
    folder, slash, name = target.partition("?")[0].rpartition("/")
    return folder + slash, name


def _port(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])
