"""`symbody studio`: a model or a recorded run in the browser; and serving, for every command that ends there."""

from __future__ import annotations

import argparse
import errno
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from symbody import machines
from symbody.cli.before import output_folder, require_extra
from symbody.cli.ending import ending_on_signals
from symbody.cli.given import assigned
from symbody.cli.model_argument import model_argument, open_model, reading
from symbody.cli.parsing import LateChoices
from symbody.errors import ModelError
from symbody.machines.register import RATE
from symbody.visual.browser import open_page, private_page

if TYPE_CHECKING:
    from symbody.results.run import Run
    from symbody.studio.server import Studio
    from symbody.studio.source import StudioSource

SUMMARY = "Watch, steer and pull a running model in the browser, or scrub a recorded run."


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser, nargs="?", help="a file, or the name of a machine (default: list them)")
    parser.add_argument("--run", metavar="FILE", dest="recorded", help="a .parquet or .csv of a run to be scrubbed")
    parser.add_argument("--rate", type=float, help=f"steps in a second of a model (default {RATE:g})")
    methods = LateChoices("stepping.registry", "FIXED")
    how = "of a model: %(choices)s (default: as of simulate)"
    parser.add_argument("--method", choices=methods, metavar="METHOD", help=how)
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter or an input of a model"
    )
    serving_options(parser)


def serving_options(parser: argparse.ArgumentParser) -> None:
    """Where the page is served, to whom, and whether it is photographed instead: what `serve` reads."""
    parser.add_argument("--host", default="127.0.0.1", help="where to serve (default: this machine only)")
    parser.add_argument("--port", type=int, default=8765, help="0: any free one (default 8765)")
    parser.add_argument("--name", action="append", default=[], help="by which others know it, as through a proxy")
    token = "file with the token that those give who touch, not only watch (default: $SYMBODY_TOKEN, or a random one)"
    parser.add_argument("--token-file", metavar="FILE", help=token)
    parser.add_argument("--token", help=argparse.SUPPRESS)
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--headless-screenshot", metavar="FILE", help="save a picture of the page (.png), and end")
    parser.add_argument("--after", type=float, default=3.0, help="s before that picture is taken (default 3)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Serve until interrupted; without a model, list those that come along."""
    if not arguments.model and not arguments.recorded:
        return {"models": [{"model": one.name, "kind": one.kind, "about": one.line} for one in machines.entries()]}
    machine = machines.find(arguments.model) if arguments.model else None
    own = machine is not None and _as_it_comes(arguments)
    return serve(arguments, _maker(arguments), machine.name if machine and own else "")


def _as_it_comes(arguments: argparse.Namespace) -> bool:
    """Whether a machine is shown by its own page, with nothing set."""
    return not (arguments.recorded or arguments.set or arguments.rate or arguments.method or reading(arguments))


def _maker(arguments: argparse.Namespace) -> Callable[[], StudioSource]:
    """How to prepare what is shown; a wrong name or file is told here, before anything is served."""
    if arguments.recorded:
        from symbody.results.run import Run

        recorded = Run.load(arguments.recorded, open_model(arguments.model, arguments) if arguments.model else None)
        return lambda: _player(recorded)
    machine = machines.find(arguments.model)
    if machine and _as_it_comes(arguments):
        return lambda: _live(machine.page())
    if machine and machine.has_page:
        _say(f"this is the bare model; with its own page, controls and sounds: symbody demo {machine.name}")
    values = dict(map(assigned, arguments.set))
    if machine and not reading(arguments):
        return lambda: _live(machine.bare_page(machine.moving_model(), arguments.rate, arguments.method, values))
    model, method = open_model(arguments.model, arguments), machines.steps(arguments.model)["method"]
    return lambda: _live(model, arguments.rate or RATE, arguments.method or method, values)


def _live(*what: Any) -> StudioSource:
    from symbody.studio.live import Live

    return Live(*what)


def _player(run: Run) -> StudioSource:
    from symbody.studio.player import Player

    return Player(run)


# -- serving -----------------------------------------------------------------------------------------------------------


def serve(arguments: argparse.Namespace, prepare: Callable[[], StudioSource], name: str = "") -> dict[str, Any]:
    """Serve what `prepare` gives until interrupted, or photograph it.

    What stands in the way is told first: preparing compiles. The page is served meanwhile, and says how far it is.
    name: of a machine that always looks the same at its start.
    """
    from symbody.studio.server import Studio

    if arguments.headless_screenshot:
        require_extra("a photograph")
        output_folder(Path(arguments.headless_screenshot).parent)
    token = _given_token(arguments)
    _check_place(arguments.host, arguments.port)
    with ending_on_signals(), Studio(None, arguments.host, arguments.port, token, arguments.name) as studio:
        if arguments.headless_screenshot:
            tell_compiling()
            return _photographed(studio.prepare(prepare), Path(arguments.headless_screenshot), arguments.after)
        return _served(studio, prepare, name, opening=not arguments.no_open, known=token is not None)


def _given_token(arguments: argparse.Namespace) -> str | None:
    """The token of a file or of the environment; None where there is neither, and a random one is made."""
    from symbody.realtime.transports import TOKEN, shared_token
    from symbody.studio.rights import studio_token

    if arguments.token is not None:
        cure = f"put it into a file and give --token-file FILE, or into the variable {TOKEN}"
        raise ModelError("a command line is seen by all who work on this machine", element="--token", cure=cure)
    given = shared_token(arguments.token_file).decode(errors="replace")
    return studio_token(given) if given or arguments.token_file else None


def _served(
    studio: Studio, prepare: Callable[[], StudioSource], name: str, *, opening: bool, known: bool
) -> dict[str, Any]:
    """Print where, open it, prepare it, and wait; known: the person has the token already, and it is not shown."""
    from symbody.studio.rights import outward_address
    from symbody.studio.server import COMING

    _say(f"studio: {studio.place if known else studio.address}   (Ctrl+C ends it)")
    if other := outward_address(studio.host, studio.port):
        _say(f"  from other machines: {other}   (they watch; to touch, the page asks for the token)")
    with private_page(studio.address) as page, suppress(KeyboardInterrupt):
        opened = opening and open_page(page.as_uri())
        if opening and not opened:
            _say("no browser was found that can show it: open the address yourself")
        tell_compiling()
        studio.prepare(prepare, COMING if opened else 0.0, name)
        _say(*(f"  {line}" for line in studio.source.about().get("help", ())))
        _wait()
    return {"address": studio.place, "refused": dict(studio.gate.refused)}


def _wait() -> NoReturn:
    while True:
        time.sleep(3600.0)


def _photographed(studio: Studio, path: Path, after: float) -> dict[str, Any]:
    from symbody.studio.photograph import photograph

    photograph(studio.address, path, after)
    return {"picture": str(path), "bytes": path.stat().st_size}


def _check_place(host: str, port: int) -> None:
    """Refuse a place where nothing can be served."""
    if not 0 <= port <= 65535:
        raise ModelError(f"there is no port {port}", element="--port", cure="give 0 … 65535")
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(place[:2], family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            cure = "choose another with --port, or any free one with --port 0"
            raise ModelError(f"port {port} is in use", element=host, cure=cure) from error
        cure = "give another --host or --port"
        raise ModelError(f"nothing can be served at port {port}: {error}", element=host, cure=cure) from error


def tell_compiling() -> None:
    """A word for whoever waits at a terminal."""
    if sys.stderr.isatty():
        _say("preparing the equations: seconds the first time, at once later …")


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
