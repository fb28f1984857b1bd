"""`symbody equilibrium`: positions at rest and steady motions."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.run_options import assigned_by, given_options, open_system, set_option, start_of

SUMMARY = "Find an equilibrium: a position at rest or a steady motion without acceleration; and check its stability."
MOST = 10  # eigenvalues shown
EXAMPLE = "quarter-car"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    search_options(parser)
    parser.add_argument("--record", action="append", help='outputs, such as "*.force.*" (may be repeated)')


def search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the search for an equilibrium."""
    given: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--steady", **given, metavar="STATE=VALUE", help="a prescribed state, such as a speed")
    parser.add_argument("--free", **given, metavar="INPUT", help="an input to solve for")
    parser.add_argument("--hold", **given, metavar="PATTERN", help="states that keep their initial values")
    parser.add_argument(
        "--drifting", **given, metavar="STATE", help="a velocity to solve for, such as a rolling wheel's"
    )
    parser.add_argument(
        "--settle", action="store_true", help="simulate first, so that the search starts near a stable one"
    )
    set_option(parser)
    given_options(parser)


def search_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keyword arguments of `equilibrium`, without inputs."""
    return {
        "steady": dict(map(assigned_by("--steady", "chassis.vx=10"), arguments.steady)),
        "free_inputs": arguments.free,
        "hold": arguments.hold,
        "drifting": arguments.drifting,
        "settle": arguments.settle,
    }


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """States, inputs and outputs of the equilibrium, and its least stable eigenvalues."""
    from symbody.analysis.equilibrium import equilibrium

    s, inputs = open_system(arguments, open_model(arguments.model, arguments), outputs=arguments.record)
    found = equilibrium(s, start_of(arguments), inputs, **search_arguments(arguments))
    return {
        "model": s.model.name,
        "residual": found.residual,
        "iterations": found.iterations,
        "stable": found.stable,
        "eigenvalue_error": float(found.eigenvalue_errors.max(initial=0.0)),
        "states": [{"state": name, "value": value} for name, value in found.states.items()],
        "inputs": [{"input": name, "value": value} for name, value in found.inputs.items()],
        "outputs": [{"output": name, "value": value} for name, value in found.outputs.items()],
        "eigenvalues": [{"real": float(x.real), "imag": float(x.imag)} for x in found.eigenvalues[:MOST]],
    }
