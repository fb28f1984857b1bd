"""The motion of joints that are not free: locked ones stay, driven ones follow a law of time or an input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symbody.equations.law_values import values_of
from symbody.equations.tree import Tree, build_tree
from symbody.errors import ModelError
from symbody.expr.derive import total_derivative
from symbody.expr.graph import evaluate
from symbody.expr.node import ONE, ZERO, Expr, fresh_graph, section, variable
from symbody.model.model import Joint, Model
from symbody.model.tree import own_coordinates
from symbody.system.assembly import HELD
from symbody.system.recipe import MEASURED, Recipe, elementary_only, input_names

Array = np.ndarray
Held = tuple[Expr, Expr, Expr]  # coordinate, velocity, acceleration


def check_held(model: Model, recipe: Recipe) -> None:
    """Every driven joint has a trajectory, and only driven ones have."""
    for joint in model.joints():
        if joint.nature in HELD:
            elementary_only(model, joint.name)
        if joint.nature == "driven" and joint.name not in model.trajectories and not recipe.measured(joint.name):
            cure = f'give one with @m.trajectory("{joint.name}"), or inputs=["{joint.name}.q"], or lock the joint'
            raise ModelError("a driven joint without a trajectory", element=joint.name, cure=cure, file=model.file)
    driven = {joint.name for joint in model.joints() if joint.nature == "driven"}
    for name in model.trajectories:
        if name not in driven:
            cure = f'make it driven: Joint("{name}", …, nature="driven")'
            raise ModelError("a trajectory for a joint that is not driven", element=name, cure=cure, file=model.file)


def held_motion(tree: Tree, recipe: Recipe, t: Expr, inputs: Mapping[str, Expr]) -> dict[int, Held]:
    """By degree of freedom, the motion of driven and locked joints."""
    found: dict[int, Held] = {}
    start = 0
    for joint in tree.model.joints():
        if joint.nature == "locked":
            found[start] = tree.numbers(joint.q0[0], f"{joint.name}.q0"), ZERO, ZERO
        elif joint.nature == "driven":
            found[start] = _driven(tree, joint, recipe, t, inputs)
        start += joint.nv
    return found


def _driven(tree: Tree, joint: Joint, recipe: Recipe, t: Expr, inputs: Mapping[str, Expr]) -> Held:
    if recipe.measured(joint.name):
        q, v, a = (inputs[f"{joint.name}.{x}"] for x in MEASURED)
        return q, v, a
    section(f"trajectory of {joint.name}")
    where = f"trajectories.{joint.name}"
    names = {**tree.numbers.names, "t": t}
    try:
        (position,) = values_of(tree.model.trajectories[joint.name], where, (1,), (t,), names, (t,))
        (velocity,) = total_derivative([position], {t: ONE})
        (acceleration,) = total_derivative([velocity], {t: ONE})
    except ValueError as error:
        cure = "write it with traceable functions: its derivatives are needed"
        raise ModelError(f"its trajectory cannot be differentiated twice: {error}", element=where, cure=cure) from error
    return position, velocity, acceleration


def held_values(
    model: Model, recipe: Recipe, t: float, u: Array
) -> Iterator[tuple[int, int, tuple[float, float, float]]]:
    """Degree of freedom, place in q, and motion in numbers of driven and locked joints at a time."""
    if not any(joint.nature in HELD for joint in model.joints()):
        return
    own = own_coordinates(model)
    with fresh_graph():
        tree = build_tree(model, loads=False)
        given = {name: variable(f"u[{i}]") for i, name in enumerate(input_names(model, recipe))}
        values = {**model.values, "t[0]": t, **{f"u[{i}]": x for i, x in enumerate(u)}}
        for i, motion in held_motion(tree, recipe, variable("t[0]"), given).items():
            position, velocity, acceleration = evaluate(motion, values)
            yield i, own[i], (position, velocity, acceleration)
