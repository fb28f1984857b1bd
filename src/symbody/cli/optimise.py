"""`symbody optimise`: parameters within bounds that minimise an objective of a run."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.objective import asked_objective, objective_options
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import bounds_of, bounds_option, open_system, start_of
from symbody.errors import ModelError

SUMMARY = "Find parameters of a model that minimise an objective, with exact gradients."
EXAMPLE = 'quarter-car --integral "heave.qdd**2" --between c_strut=500:4000'


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    objective_options(parser)
    bounds_option(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Objective before and after, the parameters, and the reason why the search stopped."""
    from symbody.analysis.optimise import optimise

    objective = asked_objective(arguments)
    if not arguments.between:
        raise ModelError("nothing to optimise", element="--between", cure="give --between c_strut=500:4000")
    model, bounds = open_model(arguments.model, arguments), bounds_of(arguments)
    s, inputs = open_system(arguments, model)
    how: dict[str, Any] = {"inputs": inputs, "x0": start_of(arguments), "progress": shows_progress(arguments)}
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
