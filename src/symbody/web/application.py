"""An application of the web server: a page, the verbs that the page may send, and a conversation on each socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from symbody.web.gate import Gate
    from symbody.web.page import WebPage
    from symbody.web.sockets import ServerConnection


class WebApplication(Protocol):
    """An application such as the studio of one machine; a server may hold several, each at its own path.

    One that takes binary messages has an attribute `longest_binary`: their largest size in bytes. One with pictures has
    `files`: a mapping of names, which contain a hash (`page.hashed_name`), to `WebContent`; browsers find them in the
    folder of scripts.
    """

    page: WebPage
    gate: Gate[Any]  # with the verbs of the application; the server also counts refused sockets there

    def start(self) -> object:
        """Called before the first browser can connect; an application that has started goes on."""

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Talk to one browser until it leaves; touch: it has given the token, so it may do more than watch."""

    def close(self) -> None:
        """Stop everything that the application has started; called after its sockets are closed."""
