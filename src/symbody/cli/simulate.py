"""`symbody simulate`: a motion with loops closed, its channels as a table, and a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.gallery.shipped import open_model

if TYPE_CHECKING:
    from symbody.results.run import Run
    from symbody.system.system import System

SUMMARY = "Simulate a model from its initial state, loops closed, record channels and draw the motion."


FIXED = ("rk4", "semi-implicit", "rodas3", "rodas4", "trapezoidal", "generalised-alpha")
ADAPTIVE = ("dop853", "rk45", "radau", "bdf", "lsoda", "cvode")  # they choose their steps, and record every --dt


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a .yaml, .mbs or .urdf file, or the name of a model that comes along")
    parser.add_argument("--until", type=float, default=3.0, help="s (default 3)")
    parser.add_argument("--dt", type=float, default=1e-3, help="s (default 0.001)")
    parser.add_argument("--method", choices=(*FIXED, *ADAPTIVE), help="default: rk4; augmented: trapezoidal")
    parser.add_argument("--rtol", type=float, default=1e-7, help="of the methods that choose their steps (1e-7)")
    parser.add_argument("--closure", choices=("partitioning", "augmented", "penalty"), default="partitioning")
    parser.add_argument("--formulation", choices=("recursive", "semi-recursive"), default="recursive")
    parser.add_argument("--repartition", action="store_true", help="take other coordinates near singular positions")
    parser.add_argument("--record", action="append", help='channels, such as "*.q" or "loop.force.*" (may be repeated)')
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter or an input")
    parser.add_argument("-o", "--output", default="out", help="folder for the picture and the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Simulate, write `NAME.csv` and `NAME.png`, and sum up."""
    from symbody.results.run import Run
    from symbody.system.system import system
    from symbody.visual.plots import save_picture

    model = open_model(arguments.model)
    wanted = ["*.q", "*.qd", "energy.*", *arguments.record] if arguments.record else None
    s = system(model, closure=arguments.closure, formulation=arguments.formulation, outputs=wanted)
    inputs = {}
    for name, value in map(assigned, arguments.set):
        if name in s.inputs:
            inputs[name] = value
        elif name in s.parameters:
            s.parameters[name] = value
        else:
            known = ", ".join([*s.inputs, *s.parameters]) or "none"
            raise ModelError("no such parameter or input", element=name, cure=f"they are {known}")
    folder = Path(arguments.output)
    try:
        recorded = _run(s, arguments, inputs)
    except (DivergenceError, SingularityError) as error:
        if isinstance(error.state, Run) and len(error.state):
            kept = error.state.save(folder / f"{model.name}.csv")
            print(f"symbody: what was computed is in {kept}", file=sys.stderr)
        raise
    picture = save_picture(recorded, folder / f"{model.name}.png")
    table = recorded.save(folder / f"{model.name}.csv")
    return {
        "model": model.name,
        "coordinates": model.nq,
        "loops": len(model.cuts) + len(model.constraints),
        "states": len(s.states),
        "closure": arguments.closure,
        "operations": s.rates_function.operations.total,
        "laws": [{"law": name, "runs": path} for name, path in s.laws.items()],
        "instants": len(recorded),
        "until_s": float(recorded.t[-1]),
        "interrupted": bool(recorded.meta.get("interrupted")),
        "energy_drift": None if s.laws else recorded.energy_drift,  # laws do work
        "picture": str(picture),
        "table": str(table),
    }


def _run(s: System, arguments: argparse.Namespace, inputs: dict[str, float]) -> Run:
    """With fixed steps in C, or with steps chosen by their error."""
    from symbody.analysis.simulate import simulate
    from symbody.stepping.variable_step import integrate_adaptive

    shared: dict[str, Any] = {
        "method": arguments.method, "inputs": inputs, "repartition": arguments.repartition,
        "progress": not arguments.json,
    }  # fmt: skip
    if arguments.method in ADAPTIVE:
        return integrate_adaptive(s, arguments.until, rtol=arguments.rtol, every=arguments.dt, **shared)
    return simulate(s, arguments.until, arguments.dt, **shared)


def assigned(text: str) -> tuple[str, float]:
    """NAME=VALUE."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise ModelError(
            f"'{text}' is not NAME=VALUE", element="--set", cure="write for example --set k=2e4"
        ) from error
