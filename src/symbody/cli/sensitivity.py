"""`symbody sensitivity`: how an objective of a run depends on the parameters."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.given import given_options, open_system, set_option, start_of
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.printing import shows_progress
from symbody.errors import ModelError

SUMMARY = "Simulate a model and give the exact derivatives of an objective by its parameters."
EXAMPLE = 'quarter-car --integral "heave.qdd**2" --parameter c_strut'


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument("--integral", metavar="FORMULA", help='to be integrated over time, such as "heave.qdd**2"')
    parser.add_argument("--final", metavar="FORMULA", help='to be added at the end, such as "heave.q"')
    parser.add_argument("--parameter", action="append", help="a parameter (may be repeated; default: all)")
    set_option(parser)
    given_options(parser)
    parser.add_argument("--until", type=float, default=1.0, help="end of the run, s (default 1)")
    parser.add_argument("--dt", type=float, default=1e-3, help="fixed step, s (default 0.001)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The objective, and by parameter its derivative, also per cent by per cent."""
    from symbody.analysis.sensitivity import sensitivity, sensitivity_system
    from symbody.system.sensitivity import Objective

    if arguments.integral is None and arguments.final is None:
        raise ModelError("no objective", element="--integral", cure='give --integral "heave.qdd**2", or --final')
    model = open_model(arguments.model, arguments)
    base, inputs = open_system(arguments, model)
    s = sensitivity_system(base, Objective(arguments.integral, arguments.final), arguments.parameter, [])
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
