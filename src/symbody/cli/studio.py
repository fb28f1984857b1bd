"""`symbody studio`: a model or a recorded run in the browser. `serve` is shared with other commands."""

from __future__ import annotations

import argparse
import errno
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from symbody import machines
from symbody.cli.model_argument import model_argument, open_model, reading
from symbody.cli.parsing import LazyChoices
from symbody.cli.preconditions import output_folder, require_extra
from symbody.cli.run_options import assigned
from symbody.cli.shutdown import ending_on_signals
from symbody.errors import ModelError
from symbody.machines.register import RATE, MachineEntry
from symbody.visual.browser import open_page, private_page

if TYPE_CHECKING:
    from symbody.results.run import Run
    from symbody.studio.server import Studio
    from symbody.studio.source import StudioSource
    from symbody.web.server import WebServer

SUMMARY = "Watch, control and pull a running model in the browser, or scrub through a recorded run."
EXAMPLE = "quarter-car"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser, nargs="?", help="a file, or the name of a machine (default: all machines, to choose from)")
    parser.add_argument(
        "--run", metavar="FILE", dest="recorded", help="a recorded run to scrub through (.parquet, .csv)"
    )
    parser.add_argument("--rate", type=float, help=f"steps of a model per second (default {RATE:g})")
    methods = LazyChoices("stepping.registry", "FIXED")
    how = "integration method of a model: %(choices)s (default: as in simulate)"
    parser.add_argument("--method", choices=methods, metavar="METHOD", help=how)
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter or an input of a model"
    )
    parser.add_argument(
        "--energy",
        choices=("warn", "ignore"),
        default="warn",
        help="reaction of the page to unaccounted energy; ignore switches the check off (default: warn)",
    )
    serving_options(parser)


def serving_options(parser: argparse.ArgumentParser, pictures: bool = True) -> None:
    """Add the options of `serve`: host, port, token, browser; with `pictures` also machine and screenshot."""
    parser.add_argument("--host", default="127.0.0.1", help="address of the page (default: this computer only)")
    parser.add_argument("--port", type=int, default=8765, help="port (default 8765; 0: any free one)")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        dest="names",  # a machine is the argument `name` of `symbody demo`
        help="an additional host name of this server, such as a proxy's",
    )
    token = "file with the token for control, not needed to watch (default: $SYMBODY_TOKEN, or a random one)"
    parser.add_argument("--token-file", metavar="FILE", help=token)
    new = "make a new random token (default: the last one of this address, for at most 12 hours)"
    parser.add_argument("--new-token", action="store_true", help=new)
    parser.add_argument("--token", help=argparse.SUPPRESS)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    if not pictures:
        return
    parser.add_argument("--start", metavar="NAME", help="without a model: a machine that runs when the page opens")
    parser.add_argument("--headless-screenshot", metavar="FILE", help="save a picture of the page (.png), and end")
    parser.add_argument("--after", type=float, default=3.0, help="time before that picture is taken, s (default 3)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Show the page until interrupted; without a model, the machines as cards, or without a terminal as a list."""
    if not arguments.model and not arguments.recorded:
        if sys.stdout.isatty() and not arguments.json and not arguments.no_open:
            return serve_gallery(arguments)
        return {"models": [{"model": one.name, "kind": one.kind, "about": one.line} for one in machines.entries()]}
    machine = machines.find(arguments.model) if arguments.model else None
    own = machine is not None and _as_it_comes(arguments)
    return serve(arguments, _maker(arguments), machine.name if machine and own else "")


def _as_it_comes(arguments: argparse.Namespace) -> bool:
    """Whether a machine is shown with its own page, because no option changes it."""
    return not (arguments.recorded or arguments.set or arguments.rate or arguments.method or reading(arguments))


def _maker(arguments: argparse.Namespace) -> Callable[[], StudioSource]:
    """A function that prepares the source of the page. A wrong name or file raises here, before serving."""
    if arguments.recorded:
        from symbody.results.run import Run

        recorded = Run.load(arguments.recorded, open_model(arguments.model, arguments) if arguments.model else None)
        return lambda: _player(recorded)
    machine = machines.find(arguments.model)
    check = {"energy": arguments.energy}
    if machine and _as_it_comes(arguments) and (machine.has_page or arguments.energy != "ignore"):
        return lambda: _live(machine.page(), **check)
    if machine and machine.has_page:
        _say(f"this page shows the model only; controls and sounds are in: symbody demo {machine.name}")
    values = dict(map(assigned, arguments.set))
    if machine and not reading(arguments):
        given = arguments.rate, arguments.method, values
        return lambda: _live(machine.bare_page(machine.moving_model(), *given, **check), **check)
    model, method = open_model(arguments.model, arguments), machines.steps(arguments.model)["method"]
    return lambda: _live(model, arguments.rate or RATE, arguments.method or method, values, **check)


def _live(*what: Any, **options: Any) -> StudioSource:
    from symbody.studio.live import Live

    return Live(*what, **options)


def _player(run: Run) -> StudioSource:
    from symbody.studio.player import Player

    return Player(run)


# -- serving -----------------------------------------------------------------------------------------------------------


def serve(arguments: argparse.Namespace, prepare: Callable[[], StudioSource], name: str = "") -> dict[str, Any]:
    """Show the source that `prepare` returns in a page until interrupted, or save a screenshot of it.

    Options are checked first, because `prepare` compiles. The page is served meanwhile and shows the progress.
    name: of a built-in machine without changes; its start page is cached.
    """
    from symbody.studio.server import Studio

    if arguments.headless_screenshot:
        require_extra("a photograph")
        output_folder(Path(arguments.headless_screenshot).parent, "--headless-screenshot")
    token, known = chosen_token(arguments)
    with ending_on_signals(), Studio(None, arguments.host, arguments.port, token, arguments.names) as studio:
        if arguments.headless_screenshot:
            announce_compiling()
            return _photographed(studio.prepare(prepare), Path(arguments.headless_screenshot), arguments.after)
        return _served(studio, prepare, name, opening=not arguments.no_open, known=known)


def serve_gallery(arguments: argparse.Namespace) -> dict[str, Any]:
    """Show the machines as cards until interrupted; a click starts one, on the same server."""
    from symbody.studio.gallery import Gallery, GalleryCard, StartMachine, gallery_server

    started = machines.entry(arguments.start).name if arguments.start else None

    token, known = chosen_token(arguments)
    cards = [
        GalleryCard(one.name, one.line, one.picture, partial(_shown, one), one.motion) for one in machines.entries()
    ]
    with ending_on_signals(), gallery_server(cards, arguments.host, arguments.port, token, arguments.names) as server:
        if started:
            gallery = server.application_at("/")
            assert isinstance(gallery, Gallery)
            gallery.obey(StartMachine(started))
        with announced(server, opening=not arguments.no_open, known=known):
            wait_for_interrupt()
        return {"address": server.place}


def _shown(machine: MachineEntry) -> StudioSource:
    return _live(machine.page())


def chosen_token(arguments: argparse.Namespace) -> tuple[str, bool]:
    """The token of a server, and whether the user gave it; raises if its host and port cannot be served."""
    from symbody.web.kept_token import kept_token

    given = given_token(arguments)
    check_place(arguments.host, arguments.port)
    if given and arguments.new_token:
        raise ModelError("a token is given", element="--new-token", cure="leave one of them away")
    return given or kept_token(arguments.host, arguments.port, renew=arguments.new_token), given is not None


def given_token(arguments: argparse.Namespace) -> str | None:
    """The token of the file or the environment; None if neither is given."""
    from symbody.links.transports import TOKEN, shared_token
    from symbody.web.rights import server_token

    if arguments.token is not None:
        cure = f"put it into a file and give --token-file FILE, or into the variable {TOKEN}"
        raise ModelError("all users of this computer can read a command line", element="--token", cure=cure)
    given = shared_token(arguments.token_file).decode(errors="replace")
    return server_token(given) if given or arguments.token_file else None


def _served(
    studio: Studio, prepare: Callable[[], StudioSource], name: str, *, opening: bool, known: bool
) -> dict[str, Any]:
    """Print the address, open it, prepare the source and wait. known: the user has the token, so it is not printed."""
    from symbody.studio.server import COMING

    with announced(studio, opening=opening, known=known) as opened:
        announce_compiling()
        studio.prepare(prepare, COMING if opened else 0.0, name)
        _say(*(f"  {line['text']}" for line in studio.source.about().get("help", ())))
        wait_for_interrupt()
    return {"address": studio.place, "refused": dict(studio.gate.refused)}


@contextmanager
def announced(server: WebServer, *, opening: bool, known: bool, title: str = "studio") -> Iterator[bool]:
    """Print the address and open it; whether a browser was opened. Ctrl+C ends the block."""
    from symbody.web.rights import outward_address

    _say(f"{title}: {server.place if known else server.address}   (Ctrl+C ends it)")
    if other := outward_address(server.host, server.port):
        _say(f"  from other computers: {other}   (to watch; for control the page asks for the token)")
    with private_page(server.address) as page, suppress(KeyboardInterrupt):
        opened = opening and open_page(page.as_uri())
        if opening and not opened:
            _say("no suitable browser was found: open the address yourself")
        yield bool(opened)


def wait_for_interrupt() -> NoReturn:
    while True:
        time.sleep(3600.0)


def _photographed(studio: Studio, path: Path, after: float) -> dict[str, Any]:
    from symbody.studio.photograph import photograph

    photograph(studio.address, path, after)
    return {"picture": str(path), "bytes": path.stat().st_size}


def check_place(host: str, port: int) -> None:
    """Raise if the host and port cannot be served."""
    if not 0 <= port <= 65535:
        raise ModelError(f"{port} is not a port number", element="--port", cure="give 0 … 65535")
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(place[:2], family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            cure = "choose another with --port, or any free one with --port 0"
            raise ModelError(f"port {port} is in use", element=host, cure=cure) from error
        cure = "give another --host or --port"
        raise ModelError(f"port {port} cannot be opened: {error}", element=host, cure=cure) from error


def announce_compiling() -> None:
    """Say on a terminal that compiling takes a moment."""
    if sys.stderr.isatty():
        _say("compiling the equations: some seconds the first time, cached later …")


def _say(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
