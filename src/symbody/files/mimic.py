"""Mimic joints, q = k q_leader + c, as constraints of a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from symbody.errors import ModelError
from symbody.model.body import Joint
from symbody.model.components import Constraint
from symbody.model.formula import evaluate
from symbody.model.law import FormulaLaw
from symbody.model.model import Model
from symbody.suggestions import nearest

MIMIC = ("constraint", "ignore")  # how mimic joints are read: as constraints, or as ordinary joints


@dataclass(frozen=True)
class Mimic:
    """q = multiplier · q_leader + offset (rad or m)."""

    joint: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


def add_mimics(model: Model, mimics: Iterable[Mimic], fixed: Collection[str] = ()) -> None:
    """Make joints dependent on their leaders, with one constraint each. `fixed`: names of joints that never move."""
    follows = {one.joint: one for one in mimics if one.joint not in fixed}
    joints = {joint.name: joint for joint in model.joints()}
    starts = _starts(follows, joints, fixed)
    for one in follows.values():
        joint = _elementary(joints, one.joint, one.joint)
        joint.q0 = (starts[one.joint],)
        if one.leader in fixed:
            joint.nature = "locked"
            model.notes.append(f"the joint '{one.joint}' mimics the fixed joint '{one.leader}': it is locked")
            continue
        joint.nature = "dependent"
        formula = f'q("{one.joint}") - ({one.multiplier!r}*q("{one.leader}") + {one.offset!r})'
        name = f"{one.joint}.mimic"
        model.constraints[name] = Constraint(name, law=FormulaLaw((formula,)))


def _starts(follows: dict[str, Mimic], joints: dict[str, Joint], fixed: Collection[str]) -> dict[str, float]:
    """Initial coordinates of joints, each computed after its leader."""
    q: dict[str, float] = dict.fromkeys(fixed, 0.0)
    for first in follows:
        chain: dict[str, None] = {}  # in order, and fast to search
        name = first
        while name in follows and name not in q:
            if name in chain:
                raise ModelError(
                    "joints mimic each other in a circle", element=name, cure="remove one of the <mimic> elements"
                )
            chain[name] = None
            name = follows[name].leader
        if name not in q:
            q[name] = float(evaluate(_elementary(joints, name, list(chain)[-1]).q0[0], {}))
        for follower in reversed(chain):
            one = follows[follower]
            q[follower] = one.multiplier * q[one.leader] + one.offset
    return q


def _elementary(joints: dict[str, Joint], name: str, where: str) -> Joint:
    joint = joints.get(name)
    if joint is None:
        near = " or ".join(nearest(name, joints, 3))
        cure = f'{f"did you mean {near}? " if near else ""}correct the file, or load with mimic="ignore"'
        raise ModelError(f"it mimics '{name[:80]}', which is not a joint with one coordinate", element=where, cure=cure)
    if joint.nq > 1:
        cure = 'load with mimic="ignore" to make it an ordinary joint'
        raise ModelError(f"'{name}' of type {joint.type} cannot be in a mimic", element=where, cure=cure)
    return joint
