"""The power that changes the mechanical energy E = T + V of a system: dE/dt = P along every motion."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.equations.nonholonomic import nonholonomic
from symbody.equations.tree import with_motion
from symbody.expr.node import ZERO, Expr
from symbody.expr.vector import Vec, dot, zeros
from symbody.model.model import Model
from symbody.system.trace import Traced


def power(traced: Traced) -> Expr:
    """P = F·w (W)."""
    return dot(*forces_and_rates(traced))


def forces_and_rates(traced: Traced) -> tuple[Vec, Vec]:
    """F and w with P = F·w = (Q + effort)·q̇ − λ·b: laws and inputs, driven joints, moving constraints A q̇ + b = 0.

    Loops do no work. Gravity is not a part of Q, because E contains its potential energy.
    """
    v = Vec(traced.view.qd.values())
    forces = Vec([force + traced.efforts.get(i, ZERO) for i, force in enumerate(traced.Q)])
    multipliers, b = _moving(traced)
    pairs = zip([*forces, *-multipliers], [*v, *b], strict=True)
    acting = [(force, rate) for force, rate in pairs if force is not ZERO and rate is not ZERO]
    return Vec([force for force, _ in acting]), Vec([rate for _, rate in acting])


def _moving(traced: Traced) -> tuple[Vec, Vec]:
    """λ and b of the user's velocity constraints."""
    tree = traced.tree
    count = sum(constraint.count for constraint in tree.model.nonholonomic_constraints.values())
    if not count:
        return Vec(), Vec()
    at_rest = with_motion(tree, Vec(traced.view.q.values()), zeros(tree.nv), zeros(tree.nv))
    return Vec(traced.multipliers[-count:]), Vec([e.h for e in nonholonomic(at_rest)[-count:]])


def exchanges_energy(model: Model, inputs: Sequence[str]) -> bool:
    """Whether a part of the model may add or remove mechanical energy; without one, P = 0."""
    driven = any(joint.nature == "driven" for joint in model.joints())
    acting = (model.links, model.force_sites, model.interactions, model.couplings)
    laws = any(member.law is not None for family in acting for member in family.values())
    return bool(inputs or driven or laws or model.joint_laws or model.nonholonomic_constraints)
