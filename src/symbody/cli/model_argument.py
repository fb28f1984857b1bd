"""The model of a command and how its file is read: the one place that adds these options, and reads them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.parsing import LateChoices

if TYPE_CHECKING:
    from symbody.equations.functions import GenerationOptions
    from symbody.model.model import Model

HELP = "a .yaml, .mbs, .urdf, .xacro, .sdf or MJCF (.xml) file, or the name of a machine"
READING = ("floating", "mimic", "limits", "packages", "arguments", "keyframe", "hold_driven", "inertia", "snap")


def model_argument(parser: argparse.ArgumentParser, name: str = "model", **how: Any) -> None:
    """Add a model, and how it is read."""
    parser.add_argument(name, **{"help": HELP, **how})
    reading_options(parser)


def reading_options(parser: argparse.ArgumentParser) -> None:
    """Add how model files are read."""
    reading = parser.add_argument_group("reading a model file")
    free = argparse.BooleanOptionalAction
    reading.add_argument("--floating", action=free, help="URDF, xacro, SDF: whether the root moves freely")
    mimic, limits = LateChoices("model.mimic", "MIMIC"), LateChoices("model.joint_laws", "LIMITS")
    inertia = LateChoices("model.files", "INERTIA")
    follow = "URDF, xacro: joints that follow others, %(choices)s (constraint)"
    reading.add_argument("--mimic", choices=mimic, metavar="HOW", help=follow)
    ends = "robots: what position limits of joints do, %(choices)s (ignore)"
    reading.add_argument("--limits", choices=limits, metavar="HOW", help=ends)
    for option, what in (
        ("package", "xacro, SDF, MJCF: the folder of a package"),
        ("argument", "xacro: a value of $(arg …)"),
    ):
        form = "NAME=FOLDER" if option == "package" else "NAME=VALUE"
        reading.add_argument(f"--{option}", action="append", type=_pair, dest=f"{option}s", metavar=form, help=what)
    reading.add_argument("--keyframe", metavar="NAME", help="MJCF: the pose to start from")
    reading.add_argument("--hold-driven", action="store_true", help="driven joints without a trajectory stay at q0")
    moments = "whether moments that no body can have are refused: %(choices)s"
    reading.add_argument("--inertia", choices=inertia, metavar="HOW", help=moments)
    reading.add_argument("--snap", type=float, metavar="RAD", help="take angles so near to a multiple of 45° for it")


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `load` that were given."""
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
    """The model of a file or a machine, read as the options say; `instead`: other values of them."""
    return machines.open(what, **reading(arguments) | instead)


def snap_savings(
    arguments: argparse.Namespace, model: Model, functions: Sequence[str], options: GenerationOptions | None = None
) -> dict[str, Any]:
    """Operations of some functions with angles as the file has them, and snapped; nothing without --snap."""
    if not arguments.snap:
        return {}
    from symbody.codegen import scheduled
    from symbody.equations.functions import GenerationOptions, make_program

    def operations(read: Model, name: str) -> int:
        return scheduled(make_program(read, name, options or GenerationOptions())).operations.total

    written = open_model(arguments.model, arguments, snap=0.0)
    counted = [(name, operations(written, name), operations(model, name)) for name in functions]
    return {"snap_operations": [{"function": n, "as_written": a, "snapped": b} for n, a, b in counted]}
