"""`symbody studio`: a model or a recorded run in the browser."""

from __future__ import annotations

import argparse
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.cli.simulate import FIXED, assigned
from symbody.errors import ModelError
from symbody.gallery.shipped import open_model

if TYPE_CHECKING:
    from symbody.studio.server import Studio
    from symbody.studio.source import Source

SUMMARY = "Watch, steer and pull a running model in the browser, or scrub a recorded run."


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", help="a file, or the name of a model that comes along (default: list them)")
    parser.add_argument("--run", metavar="FILE", dest="recorded", help="a .parquet or .csv of a run to be scrubbed")
    parser.add_argument("--rate", type=float, default=1000.0, help="steps in a second (default 1000)")
    parser.add_argument("--method", choices=FIXED, help="default: as of simulate")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter or an input")
    parser.add_argument("--host", default="127.0.0.1", help="where to serve (default: this machine only)")
    parser.add_argument("--port", type=int, default=8765, help="0: any free one (default 8765)")
    parser.add_argument("--token", help="for others who touch, not only watch (default: random, printed)")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--headless-screenshot", metavar="FILE", help="save a picture of the page (.png), and end")
    parser.add_argument("--after", type=float, default=3.0, help="s before that picture is taken (default 3)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Serve until interrupted; without a model, list those that come along."""
    if not arguments.model and not arguments.recorded:
        from symbody.gallery import MODELS, about

        return {"models": [{"model": name, "about": about(name)} for name in MODELS]}
    try:
        from symbody.studio.server import Studio
    except ImportError as error:
        raise ModelError("the studio needs websockets", cure="pip install symbody[studio]") from error

    if not 0 <= arguments.port <= 65535:
        raise ModelError(f"there is no port {arguments.port}", element="--port", cure="give 0 … 65535")
    with Studio(_source(arguments), arguments.host, arguments.port, arguments.token) as studio:
        if arguments.headless_screenshot:
            return _photographed(studio, Path(arguments.headless_screenshot), arguments.after)
        return _served(studio, arguments)


def _source(arguments: argparse.Namespace) -> Source:
    from symbody.studio import Live, Player

    model = open_model(arguments.model) if arguments.model else None
    if arguments.recorded:
        from symbody.analysis.run import Run

        return Player(Run.load(arguments.recorded, model))
    assert model is not None
    return Live(model, arguments.rate, arguments.method, dict(map(assigned, arguments.set)))


def _served(studio: Studio, arguments: argparse.Namespace) -> dict[str, Any]:
    print(f"studio: {studio.address}   (Ctrl+C ends it)", file=sys.stderr, flush=True)
    if not arguments.no_open:
        webbrowser.open(studio.address)
    try:
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        return {"address": studio.address, "refused": dict(studio.gate.refused)}


def _photographed(studio: Studio, path: Path, after: float) -> dict[str, Any]:
    from symbody.studio.photograph import photograph

    photograph(studio.address, path, after)
    return {"picture": str(path), "bytes": path.stat().st_size}
