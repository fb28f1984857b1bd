"""`symbody export`: a system as an FMU, as C code, or as scripts for Octave and MATLAB."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.run_options import assigned, set_option

if TYPE_CHECKING:
    from symbody.system.system import System

SUMMARY = "Write a system as an FMU, as C for a microcontroller, or as scripts for Octave and MATLAB."
EXAMPLE = "four-bar --fmu 3 -o out"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument("--fmu", type=int, choices=(2, 3), help="an FMU for this version of FMI: DIR/NAME.fmu")
    kinds.add_argument("--c", action="store_true", help="a folder of C99 with an example and a Makefile")
    kinds.add_argument("--octave", action="store_true", help="functions and a script for Octave and MATLAB")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="output folder")
    parser.add_argument("--overwrite", action="store_true", help="allow a folder that is not empty")
    parser.add_argument("--record", action="append", help='outputs, such as "*.q" or "loop.force.*" (may be repeated)')
    parser.add_argument(
        "--input", action="append", default=[], help="an additional input: JOINT.Q, JOINT.q or SITE.force"
    )
    set_option(parser)
    parser.add_argument(
        "--parameters", choices=("all", "named", "none"), default="named", help="parameters that stay adjustable"
    )
    closures = ("partitioning", "penalty")
    parser.add_argument(
        "--closure", choices=closures, default="partitioning", help="how loops are closed (default: partitioning)"
    )
    parser.add_argument(
        "--step", type=float, default=1e-3, help="longest step inside a communication step, s (default 0.001)"
    )
    parser.add_argument(
        "--derivatives", action=argparse.BooleanOptionalAction, help="include the exact Jacobian in the FMU"
    )
    parser.add_argument("--no-binary", action="store_true", help="only sources in the FMU")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Build the system, export it and return a summary."""
    from symbody.system.named_values import parameters_and_inputs
    from symbody.system.system import system

    model = open_model(arguments.model, arguments)
    s = system(
        model, inputs=arguments.input, outputs=arguments.record, closure=arguments.closure, live=arguments.parameters
    )
    values, constant = parameters_and_inputs(s, dict(map(assigned, arguments.set)))
    s.parameters.update(values)
    for name, value in constant.items():
        s.u0[s.inputs.index(name)] = value
    start = perf_counter()
    files = _exported(s, arguments)
    return {
        "model": model.name,
        "states": len(s.states),
        "inputs": list(s.inputs),
        "parameters": list(s.parameters),
        "outputs": len(s.outputs),
        "files": [str(file) for file in files],
        "bytes": sum(file.stat().st_size for file in files),
        "seconds": round(perf_counter() - start, 2),
    }


def _exported(s: System, arguments: argparse.Namespace) -> list[Path]:
    from symbody.export import export_c, export_fmu, export_octave

    folder = Path(arguments.output)
    if arguments.fmu:
        path = folder / f"{s.rates_function.signature.model}.fmu"
        how = {"step": arguments.step, "derivatives": arguments.derivatives, "binary": not arguments.no_binary}
        return [export_fmu(s, path, arguments.fmu, **how)]
    return (export_c if arguments.c else export_octave)(s, folder, overwrite=arguments.overwrite)
