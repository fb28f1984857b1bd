"""SDF files, read only: links, joints, frames and nested models, with poses relative to any of them.

A root link is free unless its model is static or a joint fixes it to the world. A link that two joints carry closes a
loop with a cut. Source: the SDFormat specification, "Pose frame semantics" (1.7) and the elements' pages.
"""

from __future__ import annotations

import os
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.file_tree import (
    Seat,
    add_jointed_body,
    add_mass,
    free_name,
    ground_seat,
    mark,
    matrix_quaternion,
    new_body,
    relative,
    vector,
    weld,
)
from symbody.files.joint_laws import act_on_limits, add_passive, lift
from symbody.files.safe_file import FilePath, naming
from symbody.files.sdf_document import read_sdf_document
from symbody.files.sdf_frames import AXES, Frames, SdfJoint, read_frames
from symbody.files.urdf_file import clean_name
from symbody.model.body import Joint
from symbody.model.components import Cut
from symbody.model.dropped import Dropped
from symbody.model.file_shape import moved
from symbody.model.model import Model
from symbody.model.placement import AT_HOME
from symbody.model.rotation import align

_TYPES = (*AXES, "ball", "fixed")
_TIES = ("gearbox",)  # they couple joints and carry no link
_CUTS = {"fixed": "solid", "ball": "ball", "revolute": "revolute", "continuous": "revolute"}


def read_sdf(
    path: FilePath,
    floating: bool | None = None,
    limits: str = "ignore",
    packages: Mapping[str, FilePath] | None = None,
) -> Model:
    """Read an SDF file. floating: whether roots are free (default: as the file says)."""
    with naming(path):
        document = read_sdf_document(path, packages or {})
        model = Model(document.name, gravity=document.gravity)
        frames = read_frames(document)
        _build(model, frames, floating)
        model.dropped += document.dropped
        act_on_limits(model, limits)
    model.file = os.fspath(path)
    return model


def _build(model: Model, frames: Frames, floating: bool | None) -> None:
    """Create the bodies from the roots outwards. Joints to a link that is already carried close loops."""
    if not frames.links:
        raise ModelError("the model has no links", element=model.name, cure="add a <link> to the <model>")
    carrying: dict[str, SdfJoint] = {}
    closing: list[SdfJoint] = []
    for joint in frames.joints:
        if joint.type in _TIES:
            model.dropped.append(Dropped(f"joint {joint.type}", joint.name, "not supported: use a constraint instead"))
            continue
        if frames.links[joint.child].static:
            model.dropped.append(Dropped("joint", joint.name, "its model is static", matters=False))
            continue
        if joint.type not in _TYPES:
            cure = f"use {', '.join(_TYPES)}, or remove it"
            raise ModelError(f"unknown joint type '{joint.type[:40]}'", element=joint.name, cure=cure)
        closing.append(joint) if joint.child in carrying else carrying.setdefault(joint.child, joint)
    seats: dict[str, Seat] = {frames.world: ground_seat(model)}
    below: dict[str, list[str]] = {}
    for name in frames.links:
        if name in carrying:
            below.setdefault(carrying[name].parent, []).append(name)
    waiting = [name for name in reversed(frames.links) if name not in carrying or carrying[name].parent == frames.world]
    while waiting:  # depth first, in the order of the file
        name = waiting.pop()
        carried_by = carrying.get(name)
        if carried_by is None:
            seats[name] = _root(model, frames, name, seats[frames.world], floating)
        else:
            seats[name] = _jointed(model, frames, carried_by, seats[carried_by.parent])
        mark(seats[name])
        _give_mass(frames, name, seats[name])
        _give_looks(model, frames, name, seats[name])
        waiting += reversed(below.get(name, []))
    lost = [name for name in frames.links if name not in seats]
    if lost:
        raise ModelError("the joints form a circle", element=lost[0], cure="connect one of the links to the world")
    for name, seat in seats.items():
        if name != frames.world and frames.links[name].weightless:
            lift(model, seat.body, 1.0)
    for joint in closing:
        _close(model, frames, joint, seats)
    for joint in carrying.values():
        _add_dynamics(model, joint)


def _root(model: Model, frames: Frames, name: str, world: Seat, floating: bool | None) -> Seat:
    """A link without a joint to a parent: free, or welded to the ground."""
    pose, body = frames.links[name].pose, new_body(model, name)
    if frames.links[name].static or floating is False:
        return weld(model, world, name, pose)
    joint = Joint(f"{body}.free", "free", q0=(*vector(pose[1]), *matrix_quaternion(pose[0])))
    return add_jointed_body(model, world, body, AT_HOME, joint, (), (0.0, 0.0, 0.0))


def _jointed(model: Model, frames: Frames, joint: SdfJoint, seat: Seat) -> Seat:
    """A link on its joint. A joint with two axes gets a frame in between."""
    parent = frames.pose_of_link(joint.parent)
    pose = relative(parent, frames.links[joint.child].pose)
    body = new_body(model, joint.child)
    if joint.type == "fixed":
        return weld(model, seat, joint.child, pose)
    anchor = relative(frames.links[joint.child].pose, joint.pose)[1]
    name = clean_name(joint.name, dots=True)
    if joint.type == "ball":
        return add_jointed_body(model, seat, body, pose, Joint(name, "ball"), (), anchor.tolist())
    kind = "T" if joint.type == "prismatic" else "R"
    for k, axis in enumerate(joint.axes):
        last = k == len(joint.axes) - 1
        title = name if len(joint.axes) == 1 else f"{name}.{k + 1}"
        direction = frames.links[joint.child].pose[0].T @ frames.axis_in_world(joint, axis)
        own = body if last else free_name(f"{body}_{k + 1}", ChainMap[str, Any](model.bodies, {body: None}))
        made_joint = Joint(title, kind, limits=axis.limits)
        at = pose if k == 0 else AT_HOME
        seat = add_jointed_body(model, seat, own, at, made_joint, direction.tolist(), anchor.tolist(), further=k > 0)
    return seat


def _give_mass(frames: Frames, name: str, seat: Seat) -> None:
    link = frames.links[name]
    rotation, position = link.centre
    add_mass(seat, link.mass, position, rotation @ link.inertia @ rotation.T)


def _give_looks(model: Model, frames: Frames, name: str, seat: Seat) -> None:
    if shapes := frames.links[name].shapes:
        model.shapes[seat.body.name] = [replace(shape, place=moved(seat.at, shape.place)) for shape in shapes]


def _add_dynamics(model: Model, joint: SdfJoint) -> None:
    """Add damping, friction and spring of a joint."""
    for k, axis in enumerate(joint.axes):
        name = clean_name(joint.name, dots=True)
        title = name if len(joint.axes) == 1 else f"{name}.{k + 1}"
        add_passive(model, title, axis.damping, axis.friction, axis.stiffness, axis.rest)


def _close(model: Model, frames: Frames, joint: SdfJoint, seats: dict[str, Seat]) -> None:
    """Close a loop: a joint to a link that another joint carries becomes a cut, whose axis 3 is the joint's axis."""
    name = free_name(joint.name, model.cuts)
    if joint.type not in _CUTS:
        why = f"a {joint.type} joint cannot close a loop"
        model.dropped.append(Dropped("joint", joint.name, why))
        return
    turned = np.eye(3)
    if joint.axes:
        axis = frames.axis_in_world(joint, joint.axes[0])
        k, turned = align(joint.pose[0].T @ axis, joint.name)
        turned = turned[:, [k % 3, (k + 1) % 3, k - 1]]  # axis k becomes axis 3
    there = (joint.pose[0] @ turned, joint.pose[1])
    ends = [
        seats[end].point(name, relative(frames.pose_of_link(end), there)).path for end in (joint.parent, joint.child)
    ]
    model.cuts[name] = Cut(name, _CUTS[joint.type], ends[0], ends[1])
    if any((a.damping, a.friction, a.stiffness) != (0.0, 0.0, 0.0) or a.limits.bounded for a in joint.axes):
        model.dropped.append(Dropped("dynamics, limit", joint.name, "not supported for a joint that closes a loop"))
