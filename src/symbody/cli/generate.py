"""`symbody generate`: the equations of a model as code, with operation counts."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from symbody.cli.model_argument import model_argument, open_model, snap_savings
from symbody.cli.preconditions import output_folder
from symbody.errors import ModelError
from symbody.model import Model

if TYPE_CHECKING:
    from symbody.codegen.program import Program

SUMMARY = "Write the equations of a model as code and count their operations."
DEFAULT_FUNCTIONS = ("inverse", "dynamics", "direct")
EXAMPLE = "four-bar --lang python -o out/code"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument("--function", action="append", help="inverse, dynamics, direct, … (may be repeated)")
    parser.add_argument("--lang", choices=("c", "python", "matlab", "javascript"), default="c")
    parser.add_argument("-o", "--output", help="folder for the source files (default: write none)")
    parser.add_argument(
        "--parameters",
        choices=("all", "named", "none"),
        default="all",
        help="parameters that stay symbolic (default: all)",
    )
    parser.add_argument("--no-loads", action="store_true", help="omit external forces and torques on bodies")
    parser.add_argument("--point", default="", help="BODY.POINT, for functions of a point")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.equations.functions import GenerationOptions, make_program

    if arguments.output:
        output_folder(arguments.output)
    model = open_model(arguments.model, arguments)
    options = GenerationOptions(live=arguments.parameters, loads=not arguments.no_loads, point=arguments.point)
    rows, skipped = [], []
    for name in arguments.function or DEFAULT_FUNCTIONS:
        start = perf_counter()
        try:
            program = make_program(model, name, options)
        except ModelError as error:
            if arguments.function:
                raise
            skipped.append({"name": name, "reason": str(error)})
            continue
        rows.append(_row(model, program, perf_counter() - start, arguments))
    saved = snap_savings(arguments, model, [row["name"] for row in rows], options)
    return {"model": model.name, "notes": model.notes, "functions": rows, "skipped": skipped, **saved}


def _row(model: Model, program: Program, equations_s: float, arguments: argparse.Namespace) -> dict[str, Any]:
    """One row of the table of generated functions. C code is also compiled."""
    from symbody.codegen import build, scheduled, write_sources

    start = perf_counter()
    plan = scheduled(program, loops=arguments.lang == "c")
    generate_s = equations_s + perf_counter() - start
    written = write_sources(program, arguments.lang, Path(arguments.output)) if arguments.output else []
    operations = plan.operations
    counted = {"total": operations.total, "add": operations.add, "mul": operations.mul, "div": operations.div}
    return {
        "name": program.name,
        "joints": sum(1 for _ in model.joints()),
        "statements": plan.statements,
        "operations": counted | {"neg": operations.neg},
        "trig": operations.trig,
        "other": operations.other,
        "hoisted": operations.hoisted,
        "generate_s": round(generate_s, 4),
        "compile_s": round(build(program).compile_s, 4) if arguments.lang == "c" else None,
        "notes": list(program.notes),
        "files": [str(path) for path in written],
    }
