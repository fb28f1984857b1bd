"""`symbody equilibrium`: where a model stands still, or moves steadily."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.simulate import assigned

if TYPE_CHECKING:
    from symbody.system.system import System

SUMMARY = "Find a position at rest, or a steady motion, in which nothing accelerates, and say whether it is stable."
MOST = 10  # eigenvalues that are shown


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    search_options(parser)
    parser.add_argument("--record", action="append", help='outputs, such as "*.force.*" (may be repeated)')


def search_options(parser: argparse.ArgumentParser) -> None:
    """What an equilibrium is looked for with."""
    given: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--steady", **given, metavar="STATE=VALUE", help="a given state, such as a speed")
    parser.add_argument("--free", **given, metavar="INPUT", help="an input to be found")
    parser.add_argument("--hold", **given, metavar="PATTERN", help="states that keep their initial values")
    parser.add_argument("--drifting", **given, metavar="STATE", help="a velocity to be found, of a rolling wheel")
    parser.add_argument("--settle", action="store_true", help="fall first, so that a stable position is found")
    parser.add_argument("--set", **given, metavar="NAME=VALUE", help="a parameter or an input")


def search_arguments(arguments: argparse.Namespace, s: System) -> dict[str, Any]:
    """Keywords of `equilibrium`; parameters of the system are set."""
    inputs = {}
    for name, value in map(assigned, arguments.set):
        if name in s.inputs:
            inputs[name] = value
        else:
            s.parameters[name] = value
    return {
        "u": inputs,
        "steady": dict(map(assigned, arguments.steady)),
        "free_inputs": arguments.free,
        "hold": arguments.hold,
        "drifting": arguments.drifting,
        "settle": arguments.settle,
    }


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """States, inputs and outputs of the equilibrium, and its least stable eigenvalues."""
    from symbody.analysis.equilibrium import equilibrium
    from symbody.system.system import system

    s = system(open_model(arguments.model, arguments), outputs=arguments.record)
    found = equilibrium(s, **search_arguments(arguments, s))
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
