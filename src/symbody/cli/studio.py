"""`symbody studio`: a model or a recorded run in the browser; and serving, for every command that ends there."""

from __future__ import annotations

import argparse
import errno
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from symbody import machines
from symbody.cli.model_argument import model_argument, open_model, reading
from symbody.cli.simulate import assigned
from symbody.errors import ModelError
from symbody.stepping.registry import FIXED

if TYPE_CHECKING:
    from symbody.studio.server import Studio
    from symbody.studio.source import StudioSource

SUMMARY = "Watch, steer and pull a running model in the browser, or scrub a recorded run."
TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")  # they cannot draw, and take the terminal
RATE = 1000.0  # Hz
ENDINGS = ("SIGTERM", "SIGHUP")  # a kill, a closed terminal


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser, nargs="?", help="a file, or the name of a machine (default: list them)")
    parser.add_argument("--run", metavar="FILE", dest="recorded", help="a .parquet or .csv of a run to be scrubbed")
    parser.add_argument("--rate", type=float, help=f"steps in a second of a model (default {RATE:g})")
    parser.add_argument("--method", choices=FIXED, help="of a model (default: as of simulate)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter or an input of a model"
    )
    serving_options(parser)


def serving_options(parser: argparse.ArgumentParser) -> None:
    """Where the page is served, to whom, and whether it is photographed instead: what `serve` reads."""
    parser.add_argument("--host", default="127.0.0.1", help="where to serve (default: this machine only)")
    parser.add_argument("--port", type=int, default=8765, help="0: any free one (default 8765)")
    parser.add_argument("--token", help="for others who touch, not only watch (default: random, printed)")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--headless-screenshot", metavar="FILE", help="save a picture of the page (.png), and end")
    parser.add_argument("--after", type=float, default=3.0, help="s before that picture is taken (default 3)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Serve until interrupted; without a model, list those that come along."""
    if not arguments.model and not arguments.recorded:
        return {"models": [{"model": one.name, "kind": one.kind, "about": one.line} for one in machines.entries()]}
    return serve(arguments, lambda: _source(arguments))


def _source(arguments: argparse.Namespace) -> StudioSource:
    from symbody.studio import Live, Player

    if arguments.recorded:
        from symbody.results.run import Run

        model = open_model(arguments.model, arguments) if arguments.model else None
        return Player(Run.load(arguments.recorded, model))
    machine = machines.find(arguments.model)
    if machine and not (arguments.set or arguments.rate or arguments.method or reading(arguments)):
        return Live(machine.page())
    method = arguments.method or machines.steps(arguments.model)["method"]
    values = dict(map(assigned, arguments.set))
    return Live(open_model(arguments.model, arguments), arguments.rate or RATE, method, values)


# -- serving -----------------------------------------------------------------------------------------------------------


def serve(arguments: argparse.Namespace, prepare: Callable[[], StudioSource]) -> dict[str, Any]:
    """Serve what `prepare` gives until interrupted, or photograph it.

    What stands in the way is told first: preparing compiles.
    """
    from symbody.studio.rights import studio_token
    from symbody.studio.server import Studio

    token = studio_token(arguments.host, arguments.token)
    _check_place(arguments.host, arguments.port)
    with _closing_on_signals():
        tell_compiling()
        with Studio(prepare(), arguments.host, arguments.port, token) as studio:
            if arguments.headless_screenshot:
                return _photographed(studio, Path(arguments.headless_screenshot), arguments.after)
            return _served(studio, not arguments.no_open)


def _served(studio: Studio, opening: bool) -> dict[str, Any]:
    help = studio.source.about().get("help", ())
    _say(f"studio: {studio.address}   (Ctrl+C ends it)", *(f"  {line}" for line in help))
    if opening and not open_page(studio.address):
        _say("no browser was found that can show it: open the address yourself")
    with suppress(KeyboardInterrupt):
        _wait()
    return {"address": studio.address, "refused": dict(studio.gate.refused)}


def _wait() -> NoReturn:
    while True:
        time.sleep(3600.0)


def _photographed(studio: Studio, path: Path, after: float) -> dict[str, Any]:
    from symbody.studio.photograph import photograph

    photograph(studio.address, path, after)
    return {"picture": str(path), "bytes": path.stat().st_size}


def browser() -> webbrowser.BaseBrowser | None:
    """A browser of this machine that draws."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return None
    return None if Path(found.name).name in TEXT_BROWSERS else found


def open_page(address: str) -> bool:
    """Show an address in the browser; False where there is none."""
    found = browser()
    return found is not None and found.open(address)


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


@contextmanager
def _closing_on_signals() -> Iterator[None]:
    """What ends this process stops what runs in it, too; what is ignored, as by nohup, stays ignored."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    kinds = [kind for name in ENDINGS if (kind := getattr(signal, name, None)) is not None]
    before = {kind: signal.signal(kind, end) for kind in kinds if signal.getsignal(kind) != signal.SIG_IGN}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def tell_compiling() -> None:
    """A word for whoever waits at a terminal."""
    if sys.stderr.isatty():
        _say("preparing the equations: seconds the first time, at once later …")


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)
