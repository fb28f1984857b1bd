"""The names that are used of the package websockets; without it, an error that says what to install."""

from __future__ import annotations

from symbody.errors import ModelError

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.datastructures import Headers
    from websockets.exceptions import ConnectionClosed
    from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
    from websockets.http11 import Request, Response
    from websockets.typing import Subprotocol
except ImportError as error:
    raise ModelError("pages in the browser need websockets", cure="pip install 'symbody[studio]'") from error

__all__ = [
    "DEFLATE", "ConnectionClosed", "Headers", "Request", "Response", "Server", "ServerConnection", "Subprotocol",
    "serve",
]  # fmt: skip
# As websockets compresses by itself, but at the first level: higher ones hold up the event loop for long plots.
DEFLATE = ServerPerMessageDeflateFactory(
    server_max_window_bits=12, client_max_window_bits=12, compress_settings={"level": 1, "memLevel": 5}
)
