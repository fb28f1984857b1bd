"""A source on the page of the studio: prepared while the page is open already, then shown to each browser."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from symbody.errors import ModelError
from symbody.stages import DRAWING, READING, reach_stage, stages_heard
from symbody.studio.messages import VERBS, Message
from symbody.studio.preparation import Preparation
from symbody.studio.preview import keep_preview, kept_preview, previews_heard
from symbody.visual.built_page import built_brotli, built_page
from symbody.web.application import WebApplication
from symbody.web.gate import Gate
from symbody.web.page import WebPage
from symbody.web.verb_registry import VerbRegistry

if TYPE_CHECKING:
    from symbody.studio.session import StudioSession
    from symbody.studio.source import StudioSource
    from symbody.studio.visitor import Visitor
    from symbody.web.sockets import ServerConnection

PAGE = WebPage(partial(built_page, "studio"), built_brotli, worklet=True)
COMING = 3.0  # s in which a browser that was just opened asks for the page
DRAWN = 2.0  # s in which a browser draws its first pictures


class StudioApplication(WebApplication):
    """One source, live or recorded, for any number of browsers; a server may hold several.

    Parameters
    ----------
    source : StudioSource, optional
        Started by `start()` and closed by `close()`.
    """

    page = PAGE

    def __init__(self, source: StudioSource | None = None):
        self.verbs: VerbRegistry[Message] = VerbRegistry(VERBS)
        self.gate: Gate[Message] = Gate(self.verbs)
        self.identity = secrets.token_hex(8)  # of this start: a page of an earlier one reloads itself
        self._preparation = Preparation(ready=source is not None)
        self._source = source
        self._session: StudioSession | None = None

    @property
    def source(self) -> StudioSource:
        """The source that is shown; an error until there is one."""
        if self._source is None:
            raise ModelError("nothing is shown yet", element="studio", cure="give it a source, or call `prepare`")
        return self._source

    @property
    def visitors(self) -> Sequence[Visitor]:
        """Browsers that are connected."""
        return self._session.visitors if self._session else ()

    def start(self) -> None:
        if self._source is not None and self._session is None:
            self._session = self._shown(self._source)

    def _shown(self, source: StudioSource) -> StudioSession:
        from symbody.studio.session import StudioSession  # imports NumPy: the page is served before

        source.start()
        for name, own in source.verbs.items():
            self.verbs.register(name, own.verb)
        return StudioSession(source, self.gate, self.identity)

    def prepare(self, make: Callable[[], StudioSource], patience: float = 0.0, name: str = "") -> None:
        """Make a source, start it and show it; see `Studio.prepare`."""
        from symbody.codegen.background import hold_builds  # imports NumPy: the page is served before

        release = hold_builds()
        try:
            with stages_heard(self._preparation.reach), previews_heard(self._preparation.offer):
                reach_stage(READING)
                kept = kept_preview(name) if name else None
                if kept is not None:
                    self._preparation.recall(kept)
                source = make()
                self._session, self._source = self._shown(source), source
                reach_stage(DRAWING)
                _, scene = self._session.drawn()
        except Exception as error:
            release()
            self._preparation.fail(error, patience)
            raise
        self._preparation.finish()
        if name and kept is None:
            about = source.about()
            seen = {"views": about.get("views", []), "arrangement": about.get("arrangement", "inset")}
            keep_preview(name, {"title": source.title, **seen, "scene": json.loads(scene)})
        later = threading.Timer(DRAWN, release)  # a browser without a graphics card needs all processors until then
        later.daemon = True
        later.start()

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Send the progress until there is a source, then show it until the browser leaves."""
        await self._preparation.follow(connection)
        if self._preparation.ready and self._session is not None:
            await self._session.visit(connection, touch)

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
        elif self._source is not None:
            self._source.close()
