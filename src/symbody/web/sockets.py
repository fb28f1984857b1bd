"""The names that are used of the package websockets; without it, an error that says what to install."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symbody.errors import ModelError

try:
    from websockets.asyncio.server import Server, ServerConnection, serve
    from websockets.datastructures import Headers
    from websockets.exceptions import ConnectionClosed
    from websockets.extensions.base import Extension
    from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
    from websockets.frames import Frame, Opcode
    from websockets.http11 import Request, Response
    from websockets.typing import ExtensionParameter, Subprotocol
except ImportError as error:
    raise ModelError("pages in the browser need websockets", cure="pip install 'symbody[studio]'") from error

__all__ = [
    "ConnectionClosed", "Headers", "Request", "Response", "Server", "ServerConnection", "Subprotocol", "TextDeflate",
    "serve",
]  # fmt: skip


class TextDeflate(ServerPerMessageDeflateFactory):
    """Compresses texts only: numbers hardly get smaller, and compressing long plots holds up the event loop."""

    def __init__(self) -> None:
        super().__init__(server_max_window_bits=12, client_max_window_bits=12, compress_settings={"memLevel": 5})

    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], Any]:
        """The parameters for the answer, and the extension of a connection."""
        answer, deflate = super().process_request_params(params, accepted_extensions)
        encode = deflate.encode

        def texts_only(frame: Frame) -> Frame:
            return frame if frame.opcode == Opcode.BINARY else encode(frame)

        deflate.encode = texts_only  # type: ignore[method-assign]
        return answer, deflate
