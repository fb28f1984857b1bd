"""`symbody edit`: the topology editor in the browser."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.model_argument import model_argument, reading
from symbody.cli.shutdown import ending_on_signals
from symbody.cli.studio import announced, chosen_token, serving_options, wait_for_interrupt
from symbody.errors import ModelError, SymbodyError

if TYPE_CHECKING:
    from symbody.editor.document import ModelDocument
    from symbody.model.model import Model
    from symbody.studio.application import StudioApplication
    from symbody.studio.source import StudioSource
    from symbody.web.server import WebServer

SUMMARY = "Draw and edit a model in the browser: diagram, 3-D view, properties, checks and analyses."
EXAMPLE = "machine.yaml"


def options(parser: argparse.ArgumentParser) -> None:
    about = "a file (.yaml, .mbs, URDF, MJCF, SDF), a new .yaml file, or a machine's name (default: a new model)"
    model_argument(parser, nargs="?", help=about)
    serving_options(parser, pictures=False)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the editor until interrupted."""
    from symbody.editor.application import EditorApplication
    from symbody.web.server import WebServer

    document = _document(arguments.model, reading(arguments))
    token, known = chosen_token(arguments)
    mounted: list[WebServer] = []
    application = EditorApplication(document, lambda model: _live(mounted[0], model))
    server = WebServer({"/": application}, arguments.host, arguments.port, token, arguments.names)
    mounted.append(server)
    opening = not arguments.no_open
    with ending_on_signals(), server, announced(server, opening=opening, known=known, title="editor"):
        wait_for_interrupt()
    return {"address": server.place, "saved": document.is_saved, "refused": dict(application.gate.refused)}


def _document(what: str | None, read: Mapping[str, Any] = MappingProxyType({})) -> ModelDocument:
    """The document of a file or machine; with options for reading, of a model as read, to be saved as a new file."""
    from symbody.editor.document import NEW, ModelDocument, model_document, open_document

    if what is None:
        return ModelDocument(NEW)
    if read or machines.find(what) is not None:
        return model_document(machines.open(what, **read))
    path = Path(what)
    if path.suffix.lower() in (".yaml", ".yml") and not path.exists():
        if not path.parent.is_dir():
            raise ModelError("the folder does not exist", cure="check the name, or create the folder", file=path)
        return ModelDocument(NEW, path)
    return open_document(path)


def _live(server: WebServer, model: Model) -> str:
    """Run a model on a page of the studio, on the same server; its address."""
    from symbody.studio.application import StudioApplication
    from symbody.studio.live import Live

    if server.application_at("/live/") is not None:
        server.unmount("/live/")
    studio = StudioApplication()
    server.mount("/live/", studio)
    threading.Thread(target=_prepared, args=(studio, lambda: Live(model)), name="live", daemon=True).start()
    return "live/"


def _prepared(studio: StudioApplication, make: Callable[[], StudioSource]) -> None:
    """Prepare a model for its page."""
    with suppress(SymbodyError):  # the page shows why
        studio.prepare(make)
