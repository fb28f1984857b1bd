"""The model argument of commands and the options for reading model files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.parsing import LazyChoices

if TYPE_CHECKING:
    from symbody.equations.functions import GenerationOptions
    from symbody.model.model import Model

HELP = "a .yaml, .mbs, .urdf, .xacro, .sdf or MJCF (.xml) file, or the name of a machine"
READING = ("floating", "mimic", "limits", "packages", "arguments", "keyframe", "hold_driven", "inertia", "snap")


def model_argument(parser: argparse.ArgumentParser, name: str = "model", **how: Any) -> None:
    """Add the model argument and the options for reading its file."""
    parser.add_argument(name, **{"help": HELP, **how})
    reading_options(parser)


def reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading model files."""
    reading = parser.add_argument_group("reading a model file")
    free = argparse.BooleanOptionalAction
    reading.add_argument("--floating", action=free, help="URDF, xacro, SDF: the root body moves freely")
    mimic, limits = LazyChoices("files.mimic", "MIMIC"), LazyChoices("files.joint_laws", "LIMITS")
    inertia = LazyChoices("files.formats", "INERTIA")
    follow = "URDF, xacro: how mimic joints are modelled: %(choices)s (default constraint)"
    reading.add_argument("--mimic", choices=mimic, metavar="HOW", help=follow)
    ends = "robots: how joint position limits act: %(choices)s (default ignore)"
    reading.add_argument("--limits", choices=limits, metavar="HOW", help=ends)
    for option, what in (
        ("package", "xacro, SDF, MJCF: the folder of a package"),
        ("argument", "xacro: a value of $(arg …)"),
    ):
        form = "NAME=FOLDER" if option == "package" else "NAME=VALUE"
        reading.add_argument(f"--{option}", action="append", type=_pair, dest=f"{option}s", metavar=form, help=what)
    reading.add_argument("--keyframe", metavar="NAME", help="MJCF: the initial pose")
    reading.add_argument("--hold-driven", action="store_true", help="driven joints without a trajectory stay at q0")
    moments = "moments of inertia must be physically possible, or are used as given: %(choices)s"
    reading.add_argument("--inertia", choices=inertia, metavar="HOW", help=moments)
    reading.add_argument("--snap", type=float, metavar="RAD", help="round angles this close to a multiple of 45° to it")


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `load` given on the command line."""
    given = {name: getattr(arguments, name) for name in READING}
    for name in ("packages", "arguments"):
        given[name] = dict(given[name]) if given[name] else None
    return {name: value for name, value in given.items() if value or (name == "floating" and value is False)}


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def open_model(what: str, arguments: argparse.Namespace, **instead: Any) -> Model:
    """The model of a file or a built-in machine, read with the given options; `instead` overrides options."""
    return machines.open(what, **reading(arguments) | instead)


def snap_savings(
    arguments: argparse.Namespace, model: Model, functions: Sequence[str], options: GenerationOptions | None = None
) -> dict[str, Any]:
    """Operation counts of some functions, with the file's angles and with snapped angles; empty without --snap."""
    if not arguments.snap:
        return {}
    from symbody.codegen import scheduled
    from symbody.equations.functions import GenerationOptions, make_program

    def operations(read: Model, name: str) -> int:
        return scheduled(make_program(read, name, options or GenerationOptions())).operations.total

    written = open_model(arguments.model, arguments, snap=0.0)
    counted = [(name, operations(written, name), operations(model, name)) for name in functions]
    return {"snap_operations": [{"function": n, "as_written": a, "snapped": b} for n, a, b in counted]}
