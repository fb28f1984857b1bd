"""`symbody sensitivity`: derivatives of an objective with respect to parameters."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.objective import asked_objective, objective_options
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import open_system, start_of

SUMMARY = "Simulate a model and compute the exact derivatives of an objective with respect to its parameters."
EXAMPLE = 'quarter-car --integral "heave.qdd**2" --parameter c_strut'


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    objective_options(parser)
    parser.add_argument("--parameter", action="append", help="a parameter (may be repeated; default: all)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The objective, and its derivative by each parameter, absolute and in percent per percent."""
    from symbody.analysis.sensitivity import sensitivity, sensitivity_system

    objective = asked_objective(arguments)
    model = open_model(arguments.model, arguments)
    base, inputs = open_system(arguments, model)
    s = sensitivity_system(base, objective, arguments.parameter, [])
    found = sensitivity(
        s, until=arguments.until, dt=arguments.dt, inputs=inputs, x0=start_of(arguments), at=[arguments.until],
        progress=shows_progress(arguments),
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
