"""The model of a command and how its file is read: the one place that adds these options, and reads them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.model.files import INERTIA
from symbody.model.mimic import MIMIC
from symbody.model.model import Model

if TYPE_CHECKING:
    from symbody.equations.functions import GenerationOptions

HELP = "a .yaml, .mbs or .urdf file, or the name of a machine"
READING = ("floating", "mimic", "hold_driven", "inertia", "snap")  # options of `load`


def model_argument(parser: argparse.ArgumentParser, name: str = "model", **how: Any) -> None:
    """Add a model, and how it is read."""
    parser.add_argument(name, **{"help": HELP, **how})
    reading_options(parser)


def reading_options(parser: argparse.ArgumentParser) -> None:
    """Add how model files are read."""
    reading = parser.add_argument_group("reading a model file")
    reading.add_argument("--floating", action="store_true", help="URDF: the root moves freely")
    reading.add_argument("--mimic", choices=MIMIC, help="URDF: how joints that follow others are read (constraint)")
    reading.add_argument("--hold-driven", action="store_true", help="driven joints without a trajectory stay at q0")
    reading.add_argument("--inertia", choices=INERTIA, help="whether moments that no body can have are refused")
    reading.add_argument("--snap", type=float, metavar="RAD", help="take angles so near to a multiple of 45° for it")


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `load` that were given."""
    return {name: value for name in READING if (value := getattr(arguments, name))}


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
