"""`symbody animate`: an animation of a simulated model or of a saved result."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import output_folder, require_extra
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import given_options, open_system, set_option, start_of
from symbody.cli.simulate import fill_steps
from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.safe_name import file_name

if TYPE_CHECKING:
    from symbody.results.run import Run

SUMMARY = "Animate a motion: a self-contained page (.html), .gif or .mp4."
RESULTS = (".parquet", ".csv")
EXAMPLE = "four-bar --until 2 -o four-bar.html"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser, "what", metavar="MODEL|RESULT", help="a model to simulate, or a saved run (.parquet, .csv)")
    parser.add_argument("-o", "--output", help="output file .html, .gif or .mp4 (default: out/NAME.html)")
    parser.add_argument("--fps", type=float, default=30.0, help="frames per second (default 30)")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds per second shown (default 1)")
    parser.add_argument("--size", default="720x540", help="size of .gif and .mp4 in pixels (default 720x540)")
    parser.add_argument(
        "--mesh",
        action="append",
        default=[],
        metavar="BODY=FILE",
        help="a mesh for a body, in m: .stl, .obj, .glb, .dae",
    )
    parser.add_argument("--until", type=float, help="end of the simulation, s (default 3, or the machine's own value)")
    parser.add_argument("--dt", type=float, help="fixed step, s (default 0.001, or the machine's own value)")
    set_option(parser)
    given_options(parser)
    parser.add_argument("--model", help="the model of a result file that does not contain its model")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Simulate or read a run, draw it, and return a summary. A run that stopped early is drawn up to that time."""
    size = _size(arguments.size)
    meshes = dict(_mesh(text) for text in arguments.mesh)
    _require(Path(arguments.output or "out/NAME.html"))
    recorded, stopped = _recorded(arguments)
    path = Path(arguments.output or f"out/{file_name(recorded.name)}.html")
    how: dict[str, Any] = {"meshes": meshes, "size": size, "progress": shows_progress(arguments)}
    try:
        recorded.animate(path, arguments.fps, arguments.speed, **how)
    except Exception as error:
        if Path(arguments.what).suffix.lower() in RESULTS:  # a saved result: there is no partial run to show
            raise
        with computed({"table": str(recorded.save(path.with_suffix(".csv")))}):
            raise error
    return {
        "model": recorded.name,
        "seconds": float(recorded.t[-1] - recorded.t[0]),
        "channels": len(recorded.names),
        "animation": str(path),
        "bytes": path.stat().st_size,
        **({"stopped": stopped} if stopped else {}),
    }


def _require(path: Path) -> None:
    """Raise before the simulation if the file type is unknown or its package is not installed."""
    from symbody.visual.animate import KINDS

    kind = path.suffix.lower()
    if kind not in KINDS:
        cure = f"use {', '.join(KINDS)}"
        raise ModelError(f"unknown file type '{kind[:20]}' of an animation", element="-o", cure=cure)
    for part in {".html": (), ".gif": (".gif",), ".mp4": (".gif", ".mp4")}[kind]:  # .mp4 frames are drawn with Pillow
        require_extra(part, "write .html")
    output_folder(path.parent)


def _recorded(arguments: argparse.Namespace) -> tuple[Run, str]:
    """The run to show, and the error message if it stopped early (else empty)."""
    from symbody.analysis.simulate import simulate
    from symbody.results.run import Run

    if Path(arguments.what).suffix.lower() in RESULTS:
        return Run.load(arguments.what, open_model(arguments.model, arguments) if arguments.model else None), ""
    fill_steps(arguments, arguments.what)
    s, inputs = open_system(arguments, open_model(arguments.what, arguments), closure=arguments.closure)
    try:
        shared = {"method": arguments.method, "every": arguments.every, "inputs": inputs, "x0": start_of(arguments)}
        return simulate(s, arguments.until, arguments.dt, progress=shows_progress(arguments), **shared), ""
    except (DivergenceError, SingularityError) as error:
        if not isinstance(error.state, Run) or len(error.state) < 2:
            raise
        return error.state, str(error)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise ModelError(f"'{text[:40]}' is not a size", element="--size", cure="write for example 720x540")
    return int(width), int(height)


def _mesh(text: str) -> tuple[str, str]:
    body, _, file = text.partition("=")
    if not file:
        raise ModelError(f"'{text[:80]}' is not BODY=FILE", element="--mesh", cure="write for example arm=arm.stl")
    return body.strip(), file
