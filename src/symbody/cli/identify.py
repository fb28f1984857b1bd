"""`symbody identify`: inertial parameters from a measured motion."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.errors import ModelError

if TYPE_CHECKING:
    import numpy as np

    from symbody.model import Model
    from symbody.results.run import Run

SUMMARY = "Identify the base inertial parameters of a model from a measured motion, with standard deviations."
EXAMPLE = "arm6 --data measured.csv"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--data", required=True, metavar="FILE",
        help="CSV or Parquet: times in `t`; JOINT.q, or with JOINT.qd and JOINT.qdd; JOINT.Q and/or "
        "ground.reaction.force.x … ground.reaction.torque.z",
    )  # fmt: skip
    parser.add_argument(
        "--friction", action="store_true", help="also identify viscous and Coulomb friction of the joints"
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Identify from the columns of the file."""
    from symbody.analysis.identify import REACTIONS, identify
    from symbody.results.run import Run

    model = open_model(arguments.model, arguments)
    data = Run.load(arguments.data)
    torques = [f"{name}.Q" for name in model.velocities]
    found = identify(
        model, *motion(model, data), friction=arguments.friction,
        torques=columns(data, torques) if any(name in data.names for name in torques) else None,
        reactions=columns(data, REACTIONS) if any(name in data.names for name in REACTIONS) else None,
    )  # fmt: skip
    return {
        "model": model.name,
        "samples": found.samples,
        "condition": found.condition,
        "parameters": found.table,
        "noise": [{"measurement": name, "deviation": sigma} for name, sigma in found.noise.items()],
    }


def columns(data: Run, names: list[str] | tuple[str, ...]) -> np.ndarray:
    """These channels as the columns of one array; raises if one is missing."""
    import numpy as np

    missing = [name for name in names if name not in data.names]
    if missing:
        raise ModelError(f"no column '{missing[0]}'", cure=f"the file needs {', '.join(names)}")
    return np.stack([data[name] for name in names], axis=1)


def motion(model: Model, data: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, q̇, q̈ of all joints. Missing derivatives come from a quintic spline through q."""
    from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names

    q = columns(data, coordinate_names(model))
    rates = [*velocity_names(model), *acceleration_names(model)]
    if any(name in data.names for name in rates):
        return q, columns(data, velocity_names(model)), columns(data, acceleration_names(model))
    if model.nq != model.nv:
        raise ModelError("velocities are missing", element=model.name, cure="add columns for the quaternion joints")
    import scipy.interpolate

    interpolate: Any = scipy.interpolate.make_interp_spline
    spline = interpolate(data.t, q, k=5)
    return q, spline(data.t, 1), spline(data.t, 2)
