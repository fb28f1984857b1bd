"""A connection that counts towards the limit, the subprotocols that it offers, and answers other than a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from symbody.web.connection_limit import ConnectionLimit
from symbody.web.encodings import WebContent, accepted_encodings
from symbody.web.page import WebPage, content_policy
from symbody.web.sockets import Headers, Request, Response, ServerConnection

NEVER, FOREVER = "no-store", "public, max-age=31536000, immutable"  # values of Cache-Control
PICTURES = {"webp": "image/webp", "png": "image/png"}  # by the ends of their names


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


def page_answer(request: Request, page: WebPage, frames: tuple[str, ...] = (), depth: int = 0) -> Response:
    """The page, compressed if the browser accepts that; frames: origins of pages that may show it in a frame.

    depth: folders from the root of the server to the page.
    """
    policy = content_policy(page.script_sources, frames, files=bool(page.assets))
    return _encoded(request, page.shell("../" * depth), "text/html; charset=utf-8", policy)


def asset_answer(request: Request, name: str, asset: WebContent) -> Response:
    """A script or a picture whose name contains its hash: browsers keep it for a year and never ask again."""
    kind = PICTURES.get(name.rpartition(".")[2])
    if kind:  # compressed already
        return answer(HTTPStatus.OK, asset.content, kind, cache=FOREVER)
    return _encoded(request, asset, "text/javascript; charset=utf-8", cache=FOREVER)


def _encoded(request: Request, made: WebContent, kind: str, policy: str | None = None, cache: str = NEVER) -> Response:
    body, encoding = made.encoded(accepted_encodings(request.headers.get_all("Accept-Encoding")))
    more = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": encoding} if encoding else {})
    return answer(HTTPStatus.OK, body, kind, more, policy, cache)


def answer(
    status: HTTPStatus,
    content: str | bytes,
    kind: str = "text/plain; charset=utf-8",
    more: Mapping[str, str] | None = None,
    policy: str | None = None,
    cache: str = NEVER,
) -> Response:
    """An answer other than a socket; more: further headers. policy: of the content; None: no script is run.

    cache: how long browsers keep it.
    """
    body = content.encode() if isinstance(content, str) else content
    headers = Headers(
        {
            **(more or {}),
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy or content_policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": cache,
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
