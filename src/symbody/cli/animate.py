"""`symbody animate`: a motion to look at, from a model that is simulated or from a result that was saved."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.cli.before import output_folder, require_extra
from symbody.cli.failure import computed
from symbody.cli.given import given_options, open_system, set_option, start_of
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.printing import shows_progress
from symbody.cli.simulate import fill_steps
from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.safe_name import file_name

if TYPE_CHECKING:
    from symbody.results.run import Run

SUMMARY = "Show a motion: a page that needs nothing else (.html), .gif or .mp4."
RESULTS = (".parquet", ".csv")
EXAMPLE = "four-bar --until 2 -o four-bar.html"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser, "what", metavar="MODEL|RESULT", help="a model to simulate, or a .parquet or .csv of a run")
    parser.add_argument("-o", "--output", help="a file .html, .gif or .mp4 (default: out/NAME.html)")
    parser.add_argument("--fps", type=float, default=30.0, help="frames a second (default 30)")
    parser.add_argument("--speed", type=float, default=1.0, help="seconds of motion shown in a second (default 1)")
    parser.add_argument("--size", default="720x540", help="pixels of .gif and .mp4 (default 720x540)")
    parser.add_argument(
        "--mesh",
        action="append",
        default=[],
        metavar="BODY=FILE",
        help="a mesh for a body, in m: .stl, .obj, .glb, .dae",
    )
    parser.add_argument("--until", type=float, help="end of a simulation, s (default 3, or as the machine has it)")
    parser.add_argument("--dt", type=float, help="its fixed step, s (default 0.001, or as the machine has it)")
    set_option(parser)
    given_options(parser)
    parser.add_argument("--model", help="the model of a result that does not carry its own")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Simulate or read, draw, and sum up; a run that broke off is shown as far as it came."""
    size = _size(arguments.size)
    meshes = dict(_mesh(text) for text in arguments.mesh)
    _require(Path(arguments.output or "out/NAME.html"))
    recorded, stopped = _recorded(arguments)
    path = Path(arguments.output or f"out/{file_name(recorded.name)}.html")
    how: dict[str, Any] = {"meshes": meshes, "size": size, "progress": shows_progress(arguments)}
    try:
        recorded.animate(path, arguments.fps, arguments.speed, **how)
    except Exception as error:
        if Path(arguments.what).suffix.lower() in RESULTS:  # nothing was computed
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
    """Refuse a kind of file that is unknown or cannot be written here, before anything is simulated."""
    from symbody.visual.animate import KINDS

    kind = path.suffix.lower()
    if kind not in KINDS:
        cure = f"use {', '.join(KINDS)}"
        raise ModelError(f"unknown kind of animation '{kind[:20]}'", element="-o", cure=cure)
    for part in {".html": (), ".gif": (".gif",), ".mp4": (".gif", ".mp4")}[kind]:  # frames of films need Pillow, too
        require_extra(part, "write .html")
    output_folder(path.parent)


def _recorded(arguments: argparse.Namespace) -> tuple[Run, str]:
    """The run to be shown, and why it broke off if it did."""
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
