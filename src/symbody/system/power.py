"""The power that changes the mechanical energy E = T + V of a system: dE/dt = P along every motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symbody.equations.laws import MotionView
from symbody.equations.nonholonomic import nonholonomic
from symbody.equations.tree import Tree, with_motion
from symbody.expr.node import ZERO, Expr
from symbody.expr.vector import Vec, zeros
from symbody.model.model import Model

WORK = "energy.work"  # E(0) + ∫P dt (J) as a state
UNACCOUNTED = "energy.unaccounted"  # E(t) − E(0) − ∫P dt (J)


def forces_and_rates(
    tree: Tree, view: MotionView, Q: Vec, efforts: Mapping[int, Expr], multipliers: Vec
) -> tuple[Vec, Vec]:
    """F and w with P = F·w = (Q + effort)·q̇ − λ·b: laws and inputs, driven joints, moving constraints A q̇ + b = 0.

    Loops do no work. Gravity is not a part of Q, because E contains its potential energy.
    """
    v = Vec(view.qd.values())
    forces = Vec([force + efforts.get(i, ZERO) for i, force in enumerate(Q)])
    own, b = _moving(tree, view, multipliers)
    pairs = zip([*forces, *-own], [*v, *b], strict=True)
    acting = [(force, rate) for force, rate in pairs if force is not ZERO and rate is not ZERO]
    return Vec([force for force, _ in acting]), Vec([rate for _, rate in acting])


def _moving(tree: Tree, view: MotionView, multipliers: Vec) -> tuple[Vec, Vec]:
    """λ and b of the user's velocity constraints."""
    count = sum(constraint.count for constraint in tree.model.nonholonomic_constraints.values())
    if not count:
        return Vec(), Vec()
    at_rest = with_motion(tree, Vec(view.q.values()), zeros(tree.nv), zeros(tree.nv))
    return Vec(multipliers[-count:]), Vec([e.h for e in nonholonomic(at_rest)[-count:]])


def exchanges_energy(model: Model, inputs: Sequence[str]) -> bool:
    """Whether a part of the model may add or remove mechanical energy; without one, P = 0."""
    driven = any(joint.nature == "driven" for joint in model.joints())
    acting = (model.links, model.force_sites, model.interactions, model.couplings)
    laws = any(member.law is not None for family in acting for member in family.values())
    return bool(inputs or driven or laws or model.joint_laws or model.nonholonomic_constraints)
