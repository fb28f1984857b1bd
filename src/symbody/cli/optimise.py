"""`symbody optimise`: parameters between bounds with the smallest objective of a run."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.given import open_system, start_of
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.objective import asked_objective, objective_options
from symbody.errors import ModelError

SUMMARY = "Search for the parameters of a model that make an objective smallest, with exact gradients."


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    objective_options(parser)
    parser.add_argument("--between", action="append", default=[], metavar="NAME=LOW:HIGH", help="may be repeated")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Objective before and after, the parameters, and how the search ended."""
    from symbody.analysis.optimise import optimise

    objective = asked_objective(arguments)
    model, bounds = open_model(arguments.model, arguments), dict(map(between, arguments.between))
    s, inputs = open_system(arguments, model)
    how: dict[str, Any] = {"inputs": inputs, "x0": start_of(arguments), "progress": not arguments.json}
    found = optimise(s, objective, bounds, arguments.until, arguments.dt, **how)
    return {
        "model": model.name,
        "objective": found.value,
        "before": found.history[0].values.get(found.objective),
        "runs": len(found.history),
        "finished": found.finished,
        "message": found.message,
        "interrupted": found.message == "interrupted",
        "parameters": found.table,
    }


def between(text: str) -> tuple[str, tuple[float, float]]:
    """Parse NAME=LOW:HIGH."""
    name, _, limits = text.partition("=")
    low, _, high = limits.partition(":")
    try:
        return name.strip(), (float(low), float(high))
    except ValueError as error:
        raise ModelError(f"'{text}' is not NAME=LOW:HIGH", element="--between", cure="write k=1e4:3e4, say") from error
