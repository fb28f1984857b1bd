"""Joints in series without mass between them. Their coordinates can be singular: three hinges in one point can lock.

A body on such a chain moves with Σ Sⱼ q̇ⱼ. Where the columns S are linearly dependent, some rates cause no motion and
no energy. There the mass matrix is singular and the coordinates cannot follow the motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symbody.model.body import GROUND, QUATERNION, Body, Joint
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import carrier, parents_first

NO_INERTIA = 1e-12  # of the largest principal moment: smaller ones count as zero


@dataclass(frozen=True)
class JointChain:
    """Joints in series that carry one rigid body, starting at the body with mass (or the ground) that carries them."""

    body: str  # the body after the last joint
    joints: tuple[Joint, ...]
    meeting: tuple[Joint, ...]  # the last three hinges, if they meet in a point; otherwise empty

    @property
    def names(self) -> str:
        return ", ".join(joint.name for joint in self.joints)


def joint_chains(model: Model) -> list[JointChain]:
    """All chains of at least two joints, without chains that branch before they reach a mass."""
    root, groups = _rigid_groups(model)
    heavy = {name for name, bodies in groups.items() if name == GROUND or any(_numbers(model, b) for b in bodies)}
    children = [root[carrier(body.on)] for name, body in model.bodies.items() if root[name] == name]
    found = []
    for name in groups:
        if name not in heavy or name == GROUND:
            continue
        bodies = [model.bodies[name]]
        above = root[carrier(bodies[0].on)]
        while above not in heavy and children.count(above) == 1:
            bodies.insert(0, model.bodies[above])
            above = root[carrier(bodies[0].on)]
        joints = tuple(joint for body in bodies for joint in body.joints)
        if above in heavy and len(joints) > 1:
            found.append(JointChain(name, joints, _meeting(model, bodies)))
    return found


def watched_chains(model: Model) -> list[JointChain]:
    """Chains outside of loops that may become singular: three or more joints for a rigid body, two for a point mass."""
    looped = {joint.name for joint in _joints_in_loops(model)}
    return [
        chain
        for chain in (joint_chains(model) if not model.constraints else ())
        if _may_be_singular(model, chain) and not looped & {joint.name for joint in chain.joints}
    ]


def advice(model: Model) -> list[str]:
    """Suggestions for a better model: a ball joint instead of three hinges that meet in a point."""
    return [
        f"bodies.{chain.body}: the hinges {', '.join(j.name for j in chain.meeting)} meet in a point and lock when "
        f"the first and the last axis are parallel; a joint of type ball has no such position"
        for chain in joint_chains(model)
        if chain.meeting
    ]


def inertia_axes(model: Model, name: str) -> tuple[bool, int]:
    """Whether the rigid body at the end of a chain has mass, and about how many axes it has inertia."""
    root, groups = _rigid_groups(model)
    bodies = groups[root[name]]
    if len([body for body in bodies if _numbers(model, body)]) > 1:  # several masses have inertia
        return True, 3
    mass, *six = next(filter(None, (_numbers(model, body) for body in bodies)))
    xx, yy, zz, xy, xz, yz = six
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return mass > 0, int(np.sum(moments > NO_INERTIA * max(moments.max(), np.finfo(float).tiny)))


def _may_be_singular(model: Model, chain: JointChain) -> bool:
    free = [joint for joint in chain.joints if joint.nature in ("independent", "dependent")]
    turning = [joint for joint in free if joint.type[0] == "R" or joint.type in QUATERNION]
    mass, axes = inertia_axes(model, chain.body)
    if mass and axes == 3:
        return len(free) > 2 and len(turning) > 1
    return len(free) > 1 and bool(turning)


def _rigid_groups(model: Model) -> tuple[dict[str, str], dict[str, list[Body]]]:
    """For each body the body whose joints move it, and the reverse. Bodies without joints move with their carrier."""
    root: dict[str, str] = {GROUND: GROUND}
    groups: dict[str, list[Body]] = {GROUND: [model.ground]}
    for name, body in parents_first(model.bodies).items():
        root[name] = name if body.joints else root[carrier(body.on)]
        groups.setdefault(root[name], []).append(body)
    return root, groups


def _numbers(model: Model, body: Body) -> tuple[float, ...] | None:
    """Mass and inertia, or None if there is neither."""
    found = tuple(float(evaluate(x, model.values)) for x in (body.mass, *body.inertia))
    return found if any(found) else None


def _meeting(model: Model, bodies: list[Body]) -> tuple[Joint, ...]:
    """The last three hinges, if their points coincide and no two neighbours have the same axis; otherwise empty."""
    hinges: list[Joint] = []
    for body in reversed(bodies):
        for joint in reversed(body.joints):
            if joint.type[0] != "R" or joint.nature not in ("independent", "dependent"):
                return ()
            if hinges and hinges[-1].type == joint.type:
                return ()
            hinges.append(joint)
            if len(hinges) == 3:
                return tuple(reversed(hinges))
        point = model.point_at(body.on)
        if any(float(evaluate(x, model.values)) for x in (*point.position, *point.rotation)):
            return ()
    return ()


def _joints_in_loops(model: Model) -> Iterator[Joint]:
    """Joints between the two ends of a cut, on both sides."""
    for cut in model.cuts.values():
        one, other = (_above(model, carrier(end)) for end in (cut.a, cut.b))
        for name in set(one) ^ set(other):
            yield from model.bodies[name].joints


def _above(model: Model, name: str) -> list[str]:
    """A body and all bodies that carry it."""
    found = []
    while name in model.bodies:
        found.append(name)
        name = carrier(model.bodies[name].on)
    return found
