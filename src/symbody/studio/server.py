"""The studio as a server of its own: one source on the main page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from symbody.studio.application import COMING, StudioApplication
from symbody.web.server import WebServer

if TYPE_CHECKING:
    from symbody.studio.messages import Message
    from symbody.studio.source import StudioSource
    from symbody.studio.visitor import Visitor
    from symbody.web.gate import Gate

__all__ = ["COMING", "Studio"]


class Studio(WebServer):
    """A source served to browsers; `with Studio(Live(model)) as studio: studio.address`.

    Parameters
    ----------
    source : StudioSource, optional
        Started with the server and closed with it. Leave it out to serve the page at once and prepare the source
        afterwards: `studio.prepare(lambda: Live(model))`.
    host, port, token, names, frames
        As in `symbody.web.WebServer`.
    """

    name = "studio"

    def __init__(
        self,
        source: StudioSource | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        names: Sequence[str] = (),
        frames: Sequence[str] = (),
    ):
        self.application = StudioApplication(source)
        super().__init__({"/": self.application}, host, port, token, names, frames)

    @property
    def source(self) -> StudioSource:
        """The source that is shown; an error until there is one."""
        return self.application.source

    @property
    def visitors(self) -> Sequence[Visitor]:
        """Browsers that are connected."""
        return self.application.visitors

    @property
    def gate(self) -> Gate[Message]:
        """The gate that all messages pass; `gate.refused` counts refusals by reason."""
        return self.application.gate

    def prepare(self, make: Callable[[], StudioSource], patience: float = 0.0, name: str = "") -> Studio:
        """Make a source, start it and show it; open pages show the progress, or why it failed.

        patience: s that a failure waits for a browser which was just opened. name: of a machine that always looks the
        same at its start: its last first picture is shown until the source is ready.
        """
        self.application.prepare(make, patience, name)
        return self
