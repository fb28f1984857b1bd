"""The motion of joints that are not free: locked joints stay, driven joints follow a law of time or an input."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.equations.law_values import values_of
from symbody.equations.tree import Numbers
from symbody.errors import ModelError
from symbody.expr.derive import total_derivative
from symbody.expr.graph import evaluate
from symbody.expr.node import ONE, ZERO, Expr, variable
from symbody.expr.node_table import fresh_graph, section
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.model.tree import own_coordinates, without_trajectory
from symbody.system.displacement import PRESCRIBED
from symbody.system.options import MEASURED, SystemOptions, elementary_only, input_names

Array = np.ndarray
MOST_LISTED = 50  # joints in one message
Prescribed = tuple[Expr, Expr, Expr]  # coordinate, velocity, acceleration


def check_prescribed(model: Model, options: SystemOptions) -> None:
    """Check that every driven joint has a trajectory, and no other joint."""
    for joint in model.joints():
        if joint.nature in PRESCRIBED:
            elementary_only(model, joint.name)
    driven = {joint.name for joint in model.joints() if joint.nature == "driven"}
    lost = [name for name in without_trajectory(model) if not options.measured(name)]
    if lost:
        problem = "the driven joint has no trajectory"
        if len(lost) > 1:
            problem = f"{len(lost)} driven joints have no trajectory: {', '.join(lost[:MOST_LISTED])}"
            problem += ", …" if len(lost) > MOST_LISTED else ""
        cure = f'add one with @m.trajectory("{lost[0]}"), or inputs=["{lost[0]}.q"], or load with hold_driven=True '
        cure += "(--hold-driven) to keep it at q0"
        raise ModelError(problem, element=lost[0], cure=cure, file=model.file)
    for name in model.trajectories:
        if name not in driven:
            cure = f'make it driven: Joint("{name}", …, nature="driven")'
            raise ModelError("the joint has a trajectory but is not driven", element=name, cure=cure, file=model.file)


def prescribed_motion(
    model: Model, numbers: Numbers, options: SystemOptions, t: Expr, inputs: Mapping[str, Expr]
) -> dict[int, Prescribed]:
    """The motion of driven and locked joints, by degree of freedom."""
    found: dict[int, Prescribed] = {}
    start = 0
    for joint in model.joints():
        if joint.nature == "locked":
            found[start] = numbers(joint.q0[0], f"{joint.name}.q0"), ZERO, ZERO
        elif joint.nature == "driven":
            found[start] = _driven(model, numbers, joint, options, t, inputs)
        start += joint.nv
    return found


def _driven(
    model: Model, numbers: Numbers, joint: Joint, options: SystemOptions, t: Expr, inputs: Mapping[str, Expr]
) -> Prescribed:
    if options.measured(joint.name):
        q, v, a = (inputs[f"{joint.name}.{x}"] for x in MEASURED)
        return q, v, a
    section(f"trajectory of {joint.name}")
    where = f"trajectories.{joint.name}"
    names = {**numbers.names, "t": t}
    try:
        (position,) = values_of(model.trajectories[joint.name], where, (1,), (t,), names, (t,))
        (velocity,) = total_derivative([position], {t: ONE})
        (acceleration,) = total_derivative([velocity], {t: ONE})
    except ValueError as error:
        cure = "use traceable functions only"
        raise ModelError(f"its trajectory cannot be differentiated twice: {error}", element=where, cure=cure) from error
    return position, velocity, acceleration


def prescribed_values(
    model: Model, options: SystemOptions, t: float, u: Array
) -> list[tuple[int, int, tuple[float, float, float]]]:
    """Degree of freedom, index in q, and numeric motion of driven and locked joints at a time."""
    if not any(joint.nature in PRESCRIBED for joint in model.joints()):
        return []
    own = own_coordinates(model)
    with fresh_graph():
        given = {name: variable(f"u[{i}]") for i, name in enumerate(input_names(model, options))}
        values = {**model.values, "t[0]": t, **{f"u[{i}]": x for i, x in enumerate(u)}}
        found = []
        for i, motion in prescribed_motion(model, Numbers(model, "named"), options, variable("t[0]"), given).items():
            position, velocity, acceleration = evaluate(motion, values)
            found.append((i, own[i], (position, velocity, acceleration)))
        return found
