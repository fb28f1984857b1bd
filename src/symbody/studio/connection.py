"""A connection as the server sees it: known to the door, with what it offers, and answers that are no socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from symbody.studio.door import Door
from symbody.studio.page import packed_page, page, policy


class StudioConnection(ServerConnection):
    """A connection that the door knows from its first moment to its last."""

    def __init__(self, door: Door, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._door = door

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._door.knock(self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.leave(self)
        super().connection_lost(exc)


def offers(request: Request) -> list[str]:
    """The subprotocols that a browser offers."""
    return [offer.strip() for line in request.headers.get_all("Sec-WebSocket-Protocol") for offer in line.split(",")]


def page_answer(request: Request, frames: tuple[str, ...] = ()) -> Response:
    """The page, packed for browsers that unpack it; frames: places of pages that may show it in a frame."""
    kind = "text/html; charset=utf-8"
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return answer(HTTPStatus.OK, packed_page(), kind, {"Content-Encoding": "gzip"}, frames)
    return answer(HTTPStatus.OK, page(), kind, frames=frames)


def answer(
    status: HTTPStatus,
    content: str | bytes,
    kind: str = "text/plain; charset=utf-8",
    more: Mapping[str, str] | None = None,
    frames: tuple[str, ...] = (),
) -> Response:
    """An answer to whoever asks for something else than a socket; more: further headers."""
    body = content.encode() if isinstance(content, str) else content
    headers = Headers(
        {
            **(more or {}),
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy(frames),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
