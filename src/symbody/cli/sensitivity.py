"""`symbody sensitivity`: how an objective of a run depends on the parameters."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.given import open_system, start_of
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.objective import asked_objective, objective_options

SUMMARY = "Simulate a model and give the exact derivatives of an objective by its parameters."


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    objective_options(parser)
    parser.add_argument("--parameter", action="append", help="a parameter (may be repeated; default: all)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The objective, and by parameter its derivative, also per cent by per cent."""
    from symbody.analysis.sensitivity import sensitivity, sensitivity_system

    objective = asked_objective(arguments)
    model = open_model(arguments.model, arguments)
    base, inputs = open_system(arguments, model)
    s = sensitivity_system(base, objective, arguments.parameter, [])
    found = sensitivity(
        s, until=arguments.until, dt=arguments.dt, inputs=inputs, x0=start_of(arguments), at=[arguments.until],
        progress=not arguments.json,
    )  # fmt: skip
    return {
        "model": model.name,
        "until_s": arguments.until,
        "objective": found.value,
        "operations": s.rates_function.operations.total,
        "notes": list(s.notes),
        "gradient": [
            {
                "parameter": p, "value": s.parameters[p], "unit": model.parameters[p].unit,
                "derivative": slope, "relative": slope * s.parameters[p] / found.value if found.value else None,
            }
            for p, slope in found.gradient.items()
        ],
    }  # fmt: skip
