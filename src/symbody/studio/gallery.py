"""The gallery: a page of cards that starts machines on its own server, each at an address of its own."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.studio.application import StudioApplication
from symbody.studio.dropped_files import BeginFile, DroppedFiles, FilePart, Upload, keep_recent, recent_files, slug
from symbody.visual.built_page import built_brotli, built_page
from symbody.web.application import WebApplication
from symbody.web.checks import text
from symbody.web.encodings import WebContent
from symbody.web.gate import Gate, RateLimit
from symbody.web.page import ASSETS, WebPage, hashed_name
from symbody.web.server import WebServer
from symbody.web.sockets import ConnectionClosed
from symbody.web.verbs import Verb, Verbs, checked
from symbody.web.worker import Worker

if TYPE_CHECKING:
    from symbody.studio.source import StudioSource
    from symbody.web.sockets import ServerConnection

MOST_RUNNING = 4  # machines at a time: each has a loop of its own
LOOK = 0.2  # s between two looks at what has changed
BEAT = 0.5  # s after which an unchanged state is sent again
OBEYING = 10.0  # s that starting or ending may take; a machine is prepared afterwards
FAULT = "an internal error; the terminal shows it"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GalleryCard:
    """A machine that can be started.

    Parameters
    ----------
    name : str
        Also its path.
    line : str
        About it.
    picture : path or None
        A .png file.
    make : function
        Returns its source; called at the first visit.
    motion : path, optional
        A short film of the machine (.webp), which is shown instead of the picture.
    """

    name: str
    line: str
    picture: Path | None
    make: Callable[[], StudioSource]
    motion: Path | None = None


@dataclass(frozen=True)
class StartMachine:
    """Start a machine; one that runs goes on."""

    name: str = checked(text())


@dataclass(frozen=True)
class EndMachine:
    """End a machine."""

    name: str = checked(text())


Order = StartMachine | EndMachine | BeginFile | FilePart
VERBS: Verbs[Order] = {
    "start": Verb(StartMachine),
    "end": Verb(EndMachine),
    "file": Verb(BeginFile),
    "part": Verb(FilePart),
}


class Gallery(WebApplication):
    """Cards of machines on the main page; `Gallery(cards).on(server)` starts machines there, at /NAME/."""

    page = WebPage(partial(built_page, "gallery"), built_brotli)

    def __init__(self, cards: Sequence[GalleryCard]):
        self.gate: Gate[Order] = Gate(VERBS)
        self.states: dict[str, str] = {}  # of started machines: "preparing", "running", or why it failed
        self._cards = {card.name: card for card in cards}
        self._server: WebServer | None = None
        self._closed = False
        self._orders = Worker("gallery")
        self._files = DroppedFiles()
        self._recent: dict[str, GalleryCard] = {}  # the newest first
        self.files: dict[str, WebContent] = {}  # pictures and films of the cards, by names that contain a hash
        self._addresses: dict[Path, str] = {}  # of these files

    def on(self, server: WebServer) -> Gallery:
        """The server on which machines are started."""
        self._server = server
        return self

    def start(self) -> None:
        """Show the files that were dropped earlier; machines are started on demand."""
        self._orders.submit(self._recall)

    def close(self) -> None:
        """Start nothing any more; the server closes the machines."""
        self._closed = True
        self._orders.close()
        self._files.close()

    # -- browsers ----------------------------------------------------------------------------------------------------

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Send the cards, then the states whenever they change; carry out what the browser asks."""
        telling = asyncio.create_task(self._tell(connection, touch))
        limit, upload = RateLimit(), None
        try:
            while True:
                raw = await connection.recv()
                try:
                    message = self.gate.admit(raw, touch, limit)
                    if isinstance(message, BeginFile):
                        upload = None  # also if the next line refuses it
                        upload = Upload(message.name, message.size)
                    elif isinstance(message, FilePart):
                        upload = await self._receive(connection, upload, message.part)
                    else:
                        await self._orders.done(partial(self.obey, message), OBEYING)
                except SymbodyError as error:
                    refusal = error if isinstance(error, Rejected) else Rejected("not possible", str(error))
                    refused = {"reason": refusal.reason, "detail": refusal.detail}
                    await connection.send(json.dumps({"refused": refused}))
        except ConnectionClosed:
            return
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    async def _receive(self, connection: ServerConnection, upload: Upload | None, part: str) -> Upload | None:
        """The upload with its next part; None after its last one, when the file is a card."""
        if upload is None:  # it was refused, and further parts were on their way
            return None
        content = upload.add(part)
        if content is None:
            return upload
        name = await self._orders.done(partial(self.add_file, upload.name, content), OBEYING)
        await connection.send(json.dumps({"opened": name}))
        return None

    async def _tell(self, connection: ServerConnection, touch: bool) -> None:
        sent, since, shown = "", 0.0, None
        while True:
            if shown is not self._recent:
                shown = self._recent
                cards = [self._row(card) for card in self._all.values()]
                await connection.send(json.dumps({"cards": cards, "touch": touch, "files": list(shown)}))
            news, since = json.dumps({"states": self.states}), since + LOOK
            if news != sent or since > BEAT:
                await connection.send(news)
                sent, since = news, 0.0
            await asyncio.sleep(LOOK)

    def _row(self, card: GalleryCard) -> dict[str, str]:
        """The card as the page shows it, with the address of its film, or of its picture if it has none."""
        shown = {"picture": "" if card.motion else self._address(card.picture), "motion": self._address(card.motion)}
        return {"name": card.name, "line": card.line, **shown}

    def _address(self, path: Path | None) -> str:
        """The address of a picture, from the page of the gallery; empty: there is none."""
        if path is None:
            return ""
        if path not in self._addresses:
            content = path.read_bytes()
            name = hashed_name(content, path.suffix.lstrip("."))
            self.files[name], self._addresses[path] = WebContent(content), f"{ASSETS}/{name}"
        return self._addresses[path]

    # -- machines ----------------------------------------------------------------------------------------------------

    @property
    def _all(self) -> dict[str, GalleryCard]:
        return self._recent | self._cards

    def add_file(self, name: str, content: str) -> str:
        """A card for a model file, which is checked before; its name."""
        self._files.model(name, content)
        card = self._file_card(name, content)
        self._end(card.name)  # an older file of this name
        self._recent = {card.name: card} | {other: one for other, one in self._recent.items() if other != card.name}
        keep_recent(name, content)
        return card.name

    def _file_card(self, name: str, content: str) -> GalleryCard:
        path = slug(name) if slug(name) not in self._cards else f"file-{slug(name)}"
        return GalleryCard(path, f"{name}, a file", None, partial(_shown_file, self._files, name, content))

    def _recall(self) -> None:
        found = [self._file_card(name, content) for name, content in recent_files()]
        if found:
            self._recent = {card.name: card for card in found} | self._recent

    def obey(self, message: StartMachine | EndMachine) -> None:
        """Start or end a machine; not in the thread of the server, which closes its sockets meanwhile."""
        if message.name not in self._all:
            raise Rejected("no such machine", message.name)
        if isinstance(message, EndMachine):
            self._end(message.name)
        elif self.states.get(message.name) not in ("preparing", "running"):
            self._end(message.name)  # one that failed
            self._start(self._all[message.name])

    def _start(self, card: GalleryCard) -> None:
        if len(self.states) >= MOST_RUNNING:
            raise Rejected("too many machines run", f"end one of {', '.join(self.states)}")
        assert self._server is not None
        application = StudioApplication()
        self._server.mount(f"/{card.name}/", application)
        self._set(card.name, "preparing")
        threading.Thread(target=self._prepare, args=(card, application), name=card.name, daemon=True).start()

    def _prepare(self, card: GalleryCard, application: StudioApplication) -> None:
        state = "running"
        try:
            application.prepare(card.make, name=card.name)
        except Exception as error:  # the page of the machine shows it, too
            state = str(error) if isinstance(error, SymbodyError) else FAULT
            if state == FAULT:
                log.exception("%s could not be started", card.name)
        if self._closed or not self._serves(card.name, application):
            application.close()  # ended while it was prepared
        else:
            self._set(card.name, state)

    def _serves(self, name: str, application: StudioApplication) -> bool:
        assert self._server is not None
        return self._server.application_at(f"/{name}/") is application

    def _end(self, name: str) -> None:
        if name not in self.states:
            return
        self.states = {other: state for other, state in self.states.items() if other != name}
        assert self._server is not None
        self._server.unmount(f"/{name}/")

    def _set(self, name: str, state: str) -> None:
        self.states = self.states | {name: state}


def _shown_file(files: DroppedFiles, name: str, content: str) -> StudioSource:
    from symbody.studio.live import Live  # imports NumPy: the page is served before

    return Live(files.model(name, content))


def gallery_server(cards: Sequence[GalleryCard], *place: Any, **options: Any) -> WebServer:
    """A server with a gallery at its main page.

    Parameters
    ----------
    cards : sequence of GalleryCard
        In their order.
    *place, **options
        Of `symbody.web.WebServer`.

    Returns
    -------
    WebServer
        Not started yet.
    """
    gallery = Gallery(cards)
    server = WebServer({"/": gallery}, *place, **options)
    gallery.on(server)
    return server
