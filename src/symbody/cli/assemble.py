"""`symbody assemble`: coordinates that close the loops of a model, and the independent ones among them."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from symbody.cli.model_argument import model_argument, open_model

SUMMARY = "Close the loops of a model near its initial values, and list the independent joints."
EXAMPLE = "four-bar"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Coordinates before and after assembly, the loop gaps, and the partition into independent and dependent."""
    from symbody.equations.compile import compile
    from symbody.system.assembly import assemble, initial_state
    from symbody.system.partition import partition

    model = open_model(arguments.model, arguments)
    start = initial_state(model)[0]
    q = assemble(model, start)
    parts = partition(model, q)
    gaps = [0.0, 0.0]
    equations = 0
    if model.has_loops:
        constraints = compile(model, "constraints", loads=False)
        gaps = [float(np.abs(constraints(x).h).max(initial=0.0)) for x in (start, q)]
        equations = len(constraints(q).h)
    names = model.velocities
    return {
        "model": model.name,
        "loops": len(model.cuts) + len(model.constraints),
        "equations": equations,
        "redundant": equations - len(parts.rows),
        "degrees_of_freedom": len(parts.free),
        "open_before": gaps[0],
        "open_after": gaps[1],
        "independent": [names[i] for i in parts.free],
        "dependent": [names[i] for i in parts.dependent],
        "tied": [names[i] for i in parts.tied],
        "driven": [names[i] for i in parts.driven],
        "coordinates": [
            {"coordinate": name, "given": float(a), "assembled": float(b)}
            for name, a, b in zip(model.coordinates, start, q, strict=True)
        ],
    }
