"""Checks of one body, joint or cut: made when it is added to a model, and again before the model is used."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from symbody.errors import ModelError
from symbody.model.body import FAR, JOINT_TYPES, NATURES, QUATERNION, Body, Joint
from symbody.model.components import CUT_KINDS, Cut
from symbody.model.formula import Number
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.number_check import DOTTED, finite_problems, name_problems, numbers_of

FAR_FOR_ITS_SIZE = 10.0, 100.0  # m, and radii of gyration: a centre of mass beyond both is probably in mm
GYRATION = 50.0  # m: a body with a larger radius of gyration probably has its inertia in kg mm²
TURNED = 10.0  # rad: a larger initial angle is probably in degrees
UNIT_QUATERNION = 1e-6  # largest deviation of an initial quaternion's length from 1


def body_problems(body: Body, where: str, values: Mapping[str, float] | None) -> Iterator[ModelError]:
    """Problems of the numbers and joints of one body. values: of the parameters; None: not all are known yet."""
    yield from finite_problems((body.mass,), 1, f"{where}.mass", values)
    yield from finite_problems(body.com, 3, f"{where}.com", values)
    yield from finite_problems(body.inertia, 6, f"{where}.inertia", values)
    for joint in body.joints:
        yield from joint_problems(joint, f"{where}.joints.{joint.name}", values)


def joint_problems(joint: Joint, where: str, values: Mapping[str, float] | None) -> Iterator[ModelError]:
    """Problems of one joint. values: of the parameters; None: not all of them are known yet."""
    yield from name_problems(joint.name, joint.name, where, DOTTED)
    if joint.type not in JOINT_TYPES:
        yield ModelError(f"unknown joint type '{joint.type}'", element=where, cure=f"use {', '.join(JOINT_TYPES)}")
        return
    if joint.nature not in NATURES:
        yield ModelError(f"unknown nature '{joint.nature}'", element=where, cure=f"use {', '.join(NATURES)}")
    yield from finite_problems(joint.q0, joint.nq, f"{where}.q0", values)
    yield from finite_problems(joint.v0, joint.nv, f"{where}.v0", values)
    yield from _drive(joint, where, values)
    if joint.type in QUATERNION and len(joint.q0) == joint.nq:
        quaternion = numbers_of(joint.q0[-4:], values)
        if quaternion and abs(math.hypot(*quaternion) - 1) > UNIT_QUATERNION:
            problem = f"the quaternion has length {math.hypot(*quaternion):.6g}"
            yield ModelError(problem, element=f"{where}.q0", cure="divide (w, x, y, z) by its length")


def _drive(joint: Joint, where: str, values: Mapping[str, float] | None) -> Iterator[ModelError]:
    yield from finite_problems((joint.armature,), 1, f"{where}.armature", values)
    armature = numbers_of((joint.armature,), values)
    if armature and armature[0] < 0:
        yield ModelError(f"the armature is {armature[0]:.6g}", element=f"{where}.armature", cure="use 0 or more")
    limits = joint.limits
    if limits == UNLIMITED:
        return
    if not isinstance(limits, JointLimits):
        cure = "limits are read from files; for an end stop use BumpStop of symbody.elements, or m.limit"
        yield ModelError(f"the limits are a {type(limits).__name__}", element=f"{where}.limits", cure=cure)
        return
    if joint.type in QUATERNION:
        problem = f"a joint of type {joint.type} cannot have limits"
        yield ModelError(problem, element=f"{where}.limits", cure="use elementary joints: R1 R2 R3 T1 T2 T3")
    if any(math.isnan(value) for value in vars(limits).values()) or limits.lower > limits.upper:
        yield ModelError("the lower limit is above the upper", element=f"{where}.limits", cure="exchange them")
    if limits.velocity <= 0 or limits.effort <= 0:
        cure = "use a limit above 0, or remove it"
        yield ModelError("a velocity or effort limit is not above 0", element=f"{where}.limits", cure=cure)


def cut_problems(cut: Cut, where: str, values: Mapping[str, float] | None) -> Iterator[ModelError]:
    """Problems of a cut's kind, axis and length. values: of the parameters; None: not all are known yet."""
    if cut.kind not in CUT_KINDS:
        yield ModelError(f"unknown kind of cut '{cut.kind}'", element=where, cure=f"use {', '.join(CUT_KINDS)}")
    yield from axis_problems(cut.axis, where)
    yield from _rod(cut.kind, cut.length, f"{where}.length", values)


def axis_problems(axis: Any, where: str) -> Iterator[ModelError]:
    """An axis is 1, 2 or 3."""
    if axis not in (1, 2, 3) or isinstance(axis, bool):
        yield ModelError(f"unknown axis {axis}", element=f"{where}.axis", cure="use 1, 2 or 3")


def _rod(kind: str, length: Number | None, where: str, values: Mapping[str, float] | None) -> Iterator[ModelError]:
    if kind != "rod":
        if length is not None:
            yield ModelError(f"a {kind} cut has no length", element=where, cure="remove it, or make the cut a rod")
    elif length is None:
        yield ModelError("the rod has no length", element=where, cure="use a length above 0")
    else:
        yield from finite_problems((length,), 1, where, values)
        value = numbers_of((length,), values)
        if value and value[0] <= 0:
            yield ModelError(f"the rod's length is {value[0]:.6g}", element=where, cure="use a length above 0")


def odd_sizes(body: Body, values: Mapping[str, float] | None) -> Iterator[str]:
    """Lengths and inertias that are probably in millimetres, and angles that are probably in degrees."""
    where = f"bodies.{body.name}"
    places = {"com": body.com, **{f"points.{point.name}": point.position for point in body.points.values()}}
    for what, place in places.items():
        far = max(map(abs, numbers_of(place, values) or [0.0]))
        if far > FAR:
            yield f"{where}.{what}: {far:g} m from the body's origin (is this length in mm?)"
    mass, *moments = numbers_of((body.mass, *body.inertia[:3]), values) or [0.0]
    if mass > 0 and max(moments) > 0:
        gyration = math.sqrt(max(moments) / mass)
        far, (long, radii) = max(map(abs, numbers_of(body.com, values) or [0.0])), FAR_FOR_ITS_SIZE
        if gyration > GYRATION:
            yield f"{where}.inertia: a radius of gyration of {gyration:.3g} m (is this inertia in kg mm²?)"
        elif far <= FAR and far > max(long, radii * gyration):
            yield f"{where}.com: {far:g} m away, with a radius of gyration of {gyration:.3g} m (is this length in mm?)"
    for joint in body.joints:
        turn = max(map(abs, numbers_of(joint.q0, values) or [0.0])) if joint.type.startswith("R") else 0.0
        if turn > TURNED:
            yield f"{where}.joints.{joint.name}: starts at {turn:g} rad (is this angle in degrees?)"
