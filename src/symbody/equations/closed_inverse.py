"""Inverse dynamics of a closed system: efforts of actuators on any joints; redundant ones share the load."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.codegen.program import Program
from symbody.equations.closed import Closed, Partition, closed_program, load_sizes, motion_of_inputs
from symbody.equations.functions import GenerationOptions, vector_output
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.errors import ModelError
from symbody.expr.linear import factorise
from symbody.expr.node import ONE, ZERO, const
from symbody.expr.node_table import fresh_graph, section
from symbody.expr.vector import Mat, Vec, variables
from symbody.model.check import check
from symbody.model.model import Model


def inverse_program(
    model: Model, partition: Partition, actuated: Sequence[int], weights: Sequence[float], options: GenerationOptions
) -> Program:
    """(u, u̇, ü) → efforts of the actuated degrees of freedom: T φ = ψu + Bᵀψv, with the least Σ φ²/w.

    Actuators may be on any joints of the loops; column j of T is the effect of a unit effort along u.
    """
    check(model)
    given = partition.given
    if len(actuated) < len(given):
        cure = f"use at least {len(given)}, or make joints with known motion driven"
        raise ModelError(
            f"{len(actuated)} actuators for {len(given)} degrees of freedom", element=model.name, cure=cure
        )
    with fresh_graph():
        closed = motion_of_inputs(model, partition, options)
        qdd = closed.accelerations(variables("udd", len(given)))
        psi = inverse_dynamics(lumped(closed.moving(qdd)))
        section("efforts of the actuators")
        needed = closed.along_given(psi - variables("Q", model.nv))
        phi = shared_efforts(unit_efforts(closed, actuated), weights, needed)
        made = {"phi": phi, "q": closed.q, "qd": closed.v, "qdd": qdd}
        outputs = {name: vector_output(x) for name, x in made.items()}
        summary = (
            "efforts phi of the actuators that give the closed system its accelerations udd; Q: other joint forces"
        )
        optional = {"Q": model.nv, **load_sizes(model, options)}
        return closed_program("closed_inverse", summary, model, closed, outputs, ("udd", len(given)), optional)


def unit_efforts(closed: Closed, actuated: Sequence[int]) -> Mat:
    """The effect of a unit effort at each actuated degree of freedom along each given one."""
    given, place = closed.partition.given, {d: n for n, d in enumerate(closed.partition.following)}
    return Mat(
        [
            Vec([closed.BT[k][place[j]] if j in place else ONE if j == i else ZERO for j in actuated])
            for k, i in enumerate(given)
        ]
    )


def shared_efforts(T: Mat, weights: Sequence[float], needed: Vec) -> Vec:
    """φ with T φ = needed and the least Σ φ²/w: φ = W Tᵀ (T W Tᵀ)⁻¹ needed."""
    W = [const(w) for w in weights]
    TW = Mat([Vec([x * w for x, w in zip(row, W, strict=True)]) for row in T])
    y = factorise(T @ TW.T).solve(needed)
    return Vec([w * x for w, x in zip(W, T.T @ y, strict=True)])
