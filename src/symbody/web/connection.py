"""A connection that counts towards the limit, the subprotocols that it offers, and answers other than a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from symbody.web.connection_limit import ConnectionLimit
from symbody.web.page import WebPage, content_policy
from symbody.web.sockets import Headers, Request, Response, ServerConnection


class LimitedConnection(ServerConnection):
    """A connection that the limit counts from its first moment to its last."""

    def __init__(self, limit: ConnectionLimit, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._limit = limit

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._limit.opened(self, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.closed(self)
        super().connection_lost(exc)


def offers(request: Request) -> list[str]:
    """The subprotocols that a browser offers."""
    return [offer.strip() for line in request.headers.get_all("Sec-WebSocket-Protocol") for offer in line.split(",")]


def page_answer(request: Request, page: WebPage, frames: tuple[str, ...] = ()) -> Response:
    """The page, compressed if the browser accepts that; frames: origins of pages that may show it in a frame."""
    kind, policy = "text/html; charset=utf-8", content_policy(page.script_sources, frames)
    if any("gzip" in line for line in request.headers.get_all("Accept-Encoding")):
        return answer(HTTPStatus.OK, page.packed, kind, {"Content-Encoding": "gzip"}, policy)
    return answer(HTTPStatus.OK, page.text, kind, policy=policy)


def answer(
    status: HTTPStatus,
    content: str | bytes,
    kind: str = "text/plain; charset=utf-8",
    more: Mapping[str, str] | None = None,
    policy: str | None = None,
) -> Response:
    """An answer other than a socket; more: further headers. policy: of the content; None: no script is run."""
    body = content.encode() if isinstance(content, str) else content
    headers = Headers(
        {
            **(more or {}),
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy or content_policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
