"""`symbody check`: contents of a model, and its problems."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.model_argument import model_argument, open_model, snap_savings
from symbody.equations.law_values import law_paths
from symbody.model import warnings
from symbody.model.joint_chains import advice
from symbody.system.mass_condition import mass_warnings

SUMMARY = "Read a model, count its parts and list its problems."
EXAMPLE = "four-bar"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Counts of the model's parts, how its laws are evaluated, warnings and advice."""
    model = open_model(arguments.model, arguments)
    return {
        "model": model.name,
        "bodies": len(model.bodies),
        "joints": sum(1 for _ in model.joints()),
        "coordinates": model.nq,
        "velocities": model.nv,
        "points": sum(len(b.points) for b in model.bodies.values()),
        "links": len(model.links),
        "cuts": len(model.cuts),
        "constraints": len(model.constraints),
        "rolling_contacts": len(model.rolling_contacts),
        "nonholonomic_constraints": len(model.nonholonomic_constraints),
        "interactions": len(model.interactions),
        "couplings": len(model.couplings),
        "circuits": [{"circuit": c.name, "elements": len(c.elements)} for c in model.circuits.values()],
        "states": len(model.states),
        "inputs": [*model.inputs, *(name for c in model.circuits.values() for name in c.commands)],
        "force_sites": len(model.force_sites),
        "sensors": len(model.sensors),
        "parameters": len(model.parameters),
        "laws": [{"law": name, "runs": path} for name, path in law_paths(model).items()],
        "warnings": [*warnings(model), *mass_warnings(model)],
        "advice": advice(model),
        **snap_savings(arguments, model, ["inverse"]),
    }
