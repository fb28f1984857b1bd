"""Links, joints and frames of an SDF document, with all poses in the world frame."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.file_tree import inverse
from symbody.files.read_budget import check_level
from symbody.files.sdf_document import (
    SdfDocument,
    included_model,
    is_true,
    list_unused,
    pose_of,
    text_of,
    triple,
    value_of,
)
from symbody.files.sdf_shapes import link_shapes
from symbody.model.file_shape import FileShape
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.placement import AT_HOME, Placement, compose
from symbody.model.rotation import Matrix
from symbody.suggestions import nearest

MAX_ATTACHED = 20  # frames on frames between a joint and its link
ENDLESS = 1e15  # rad, m; SDF writes 1e16 for no limit
WORLD = "world"
MODEL = "__model__"
OLD = 1.5  # older versions give axes in the frame of the model
AXES = {"revolute": 1, "continuous": 1, "prismatic": 1, "universal": 2, "revolute2": 2}  # number of axes


@dataclass
class SdfLink:
    """A link: its pose in the world, mass (kg), frame of its centre of mass in the link, inertia there (kg m²)."""

    pose: Placement
    static: bool
    mass: float
    centre: Placement
    inertia: Matrix
    weightless: bool = False  # without gravity
    shapes: list[FileShape] = field(default_factory=list)  # in the link's frame


@dataclass(frozen=True)
class SdfAxis:
    """An axis of a joint with its frame, limits, damping, friction and spring."""

    xyz: tuple[float, float, float]
    expressed_in: str
    limits: JointLimits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(eq=False)
class SdfJoint:
    """A joint between two links, given by their full names; its pose in the world."""

    name: str
    type: str
    parent: str
    child: str
    pose: Placement
    axes: list[SdfAxis]
    scope: str


@dataclass
class _Framed:
    """A pose as written in the file: relative to a frame by name, not resolved yet."""

    pose: Placement
    relative_to: str


@dataclass
class Frames:
    """All links and joints of a document, by names such as model::link; poses in the world."""

    links: dict[str, SdfLink] = field(default_factory=dict)
    joints: list[SdfJoint] = field(default_factory=list)
    poses: dict[str, Placement] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)  # the link that a frame is fixed to
    world: str = WORLD

    def pose_of_link(self, name: str) -> Placement:
        return AT_HOME if name == self.world else self.links[name].pose

    def axis_in_world(self, joint: SdfJoint, axis: SdfAxis) -> Matrix:
        """The direction of an axis, in the world."""
        frame = joint.pose if not axis.expressed_in else self.poses[axis.expressed_in]
        return np.asarray(frame[0] @ np.array(axis.xyz))


def read_frames(document: SdfDocument) -> Frames:
    """Links and joints of all models. With several models, each name starts with the model's name."""
    frames, known = Frames(), dict[str, Placement]()
    frames.poses[WORLD] = AT_HOME
    of_world = {(part.get("name") or "").strip(): _framed(part, "frame") for part in document.frames}
    for title in of_world:
        frames.poses[title] = _resolved(document, frames, of_world, title, "", AT_HOME, title, known)
    plain = len(document.models) == 1 and not of_world
    for model in document.models:
        inner, folder = (
            included_model(document, model, document.home) if model.tag == "include" else (model, document.home)
        )
        title = _title(inner)
        if title in frames.poses:
            raise ModelError(
                "another model or frame already has this name", element=title[:80], cure="rename one of them"
            )
        pose, to = pose_of(inner)
        outer = compose(_resolved(document, frames, of_world, to, "", AT_HOME, title, known), pose)
        home = _read_model(document, frames, inner, "" if plain else f"{title}::", outer, False, folder, 0)
        frames.poses.setdefault(title, home)
    return frames


def _title(model: ET.Element) -> str:
    return (model.get("name") or "").strip() or "model"


def _read_model(
    document: SdfDocument,
    frames: Frames,
    element: ET.Element,
    scope: str,
    home: Placement,
    static: bool,
    folder: Path,
    depth: int,
    merged: str = "",
) -> Placement:
    """Read a model in a scope ("" or "name::") whose <pose> puts it, or its placement frame, at `home`.

    Returns the model's pose. merged: the name of a model that is included as if it were written there.
    """
    check_level(depth)
    name, itself = _title(element), f"{scope}{merged}{MODEL}"
    static = static or any(is_true(part.text) for part in element.iterfind("static"))
    local: dict[str, _Framed] = {}
    for tag in ("link", "frame", "joint"):
        for part in element.iterfind(tag):
            title = (part.get("name") or "").strip()
            if title == WORLD:
                raise ModelError(
                    f"a <{tag}> has the name {WORLD}, which is reserved for the ground", element=name, cure="rename it"
                )
            if not title or title in local or scope + title in frames.poses:
                raise ModelError(f"a <{tag}> has no unique name", element=title[:80] or name, cure="rename it")
            local[title] = _framed(part, tag)
    if placed_by := (element.get("placement_frame") or "").strip():
        home = compose(home, inverse(_resolved(document, frames, local, placed_by, scope, AT_HOME, name, {})))
    frames.poses[itself] = home
    known: dict[str, Placement] = {}
    for part in element:
        if part.tag not in ("model", "include"):
            continue
        inner, there = included_model(document, part, folder) if part.tag == "include" else (part, folder)
        title = _title(inner)
        pose, to = pose_of(inner)
        outer = compose(_resolved(document, frames, local, to, scope, home, title, known), pose)
        if is_true(part.get("merge")):
            _read_model(document, frames, inner, scope, outer, static, there, depth + 1, f"_merged__{title}__")
            continue
        inside = f"{scope}{title}::"
        frames.poses[f"{scope}{title}"] = _read_model(document, frames, inner, inside, outer, static, there, depth + 1)
    list_unused(document, element, name)
    for part in element.iterfind("frame"):
        if part.get("attached_to"):
            frames.attached[scope + (part.get("name") or "").strip()] = scope + (part.get("attached_to") or "").strip()
    for title in local:
        frames.poses[scope + title] = _resolved(document, frames, local, title, scope, home, title, known)
    for part in element.iterfind("link"):
        title = scope + (part.get("name") or "").strip()
        frames.links[title] = _link(part, frames.poses[title], static, title)
        frames.links[title].weightless = text_of(part, "gravity").lower() in ("false", "0")
        frames.links[title].shapes = link_shapes(document, part, folder, title)
    for part in element.iterfind("joint"):
        frames.joints.append(_joint(part, frames, scope, itself, document.version))
    return home


def _framed(part: ET.Element, tag: str) -> _Framed:
    pose, to = pose_of(part)
    if not to and tag == "joint":  # by default a joint's pose is relative to its child
        to = text_of(part, "child")
    elif not to and tag == "frame":
        to = (part.get("attached_to") or "").strip()
    return _Framed(pose, to)


def _resolved(
    document: SdfDocument,
    frames: Frames,
    local: dict[str, _Framed],
    name: str,
    scope: str,
    home: Placement,
    where: str,
    known: dict[str, Placement],
) -> Placement:
    """The pose of a frame in the world, resolved from frame to frame. Resolved frames are added to `known`."""
    chain: dict[str, None] = {}
    while True:
        if name in known:
            base = known[name]
            break
        if name in ("", MODEL):
            base = home
            break
        if name == WORLD:
            base = AT_HOME
            break
        if name not in local:
            full = scope + name
            if full not in frames.poses:
                near = " or ".join(nearest(name, local, 3))
                cure = f"did you mean {near}?" if near else "correct the name"
                raise ModelError(f"unknown frame '{name[:80]}'", element=where[:80], cure=cure)
            base = frames.poses[full]
            break
        if name in chain:
            raise ModelError(
                "poses are relative to each other in a circle", element=where[:80], cure="break the circle"
            )
        document.budget.spend("steps")
        chain[name] = None
        name = local[name].relative_to
    for link in reversed(chain):
        base = known[link] = compose(base, local[link].pose)
    return base


def _link(element: ET.Element, pose: Placement, static: bool, where: str) -> SdfLink:
    inertial = element.find("inertial")
    if inertial is None:
        # SDF's default: 1 kg, and 1 kg m² about each axis
        return SdfLink(pose, static, 1.0, AT_HOME, np.eye(3))
    if is_true(inertial.get("auto")):
        raise ModelError(
            "inertia from collisions (auto) is not supported", element=where, cure="write mass and inertia"
        )
    moments = inertial.find("inertia")
    xx, yy, zz = (value_of(moments, key, where, 1.0) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (value_of(moments, key, where, 0.0) for key in ("ixy", "ixz", "iyz"))
    inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return SdfLink(pose, static, value_of(inertial, "mass", where, 1.0), pose_of(inertial)[0], inertia)


def _joint(element: ET.Element, frames: Frames, scope: str, itself: str, version: float) -> SdfJoint:
    name = scope + (element.get("name") or "").strip()
    ends = []
    for role in ("parent", "child"):
        end = text_of(element, role)
        if not end:
            raise ModelError(f"the joint has no {role}", element=name, cure=f"add <{role}>LINK</{role}>")
        ends.append(_link_named(frames, scope, end, name))
    axes = []
    for tag in ("axis", "axis2"):
        axis = element.find(tag)
        if axis is not None and element.get("type") not in ("fixed", "ball"):
            axes.append(_axis(axis, frames, scope, itself, name, version))
    kind = (element.get("type") or "").strip()
    wanted = AXES.get(kind, 0)
    if len(axes) < wanted:
        raise ModelError("an axis is missing", element=name, cure="add <axis><xyz>0 0 1</xyz></axis>")
    return SdfJoint(name, kind, ends[0], ends[1], frames.poses[name], axes[:wanted], scope)


def _link_named(frames: Frames, scope: str, end: str, where: str) -> str:
    """The link at a joint's end. A frame means the link that it is attached to."""
    if end == WORLD:
        return WORLD
    full, passed = scope + end, 0
    while full in frames.attached and full not in frames.links and passed < MAX_ATTACHED:
        full, passed = frames.attached[full], passed + 1
    if full not in frames.links:
        near = " or ".join(nearest(full, frames.links, 3))
        cure = f"did you mean {near}?" if near else "use the name of a link"
        raise ModelError(f"unknown link '{end[:80]}'", element=where, cure=cure)
    return full


def _axis(element: ET.Element, frames: Frames, scope: str, itself: str, where: str, version: float) -> SdfAxis:
    xyz = element.find("xyz")
    direction = triple((xyz.text if xyz is not None else "") or "0 0 1", where)
    expressed = "" if xyz is None else (xyz.get("expressed_in") or "").strip()
    in_model = element.find("use_parent_model_frame")
    if expressed == MODEL or (not expressed and (version < OLD if in_model is None else is_true(in_model.text))):
        expressed = itself
    elif expressed:
        expressed = _known_frame(frames, scope, expressed, where)
    limit, dynamics = element.find("limit"), element.find("dynamics")
    lower, upper = (value_of(limit, key, where, usual) for key, usual in (("lower", -1e16), ("upper", 1e16)))
    effort, velocity = (value_of(limit, key, where, -1.0) for key in ("effort", "velocity"))
    limits = JointLimits(
        lower if lower > -ENDLESS and lower < upper else -math.inf,
        upper if upper < ENDLESS and lower < upper else math.inf,
        velocity if 0 < velocity < ENDLESS else math.inf,
        effort if 0 < effort < ENDLESS else math.inf,
    )
    damping, friction, stiffness = (
        max(value_of(dynamics, key, where, 0.0), 0.0) for key in ("damping", "friction", "spring_stiffness")
    )
    rest = value_of(dynamics, "spring_reference", where, 0.0)
    return SdfAxis(direction, expressed, limits, damping, friction, stiffness, rest)


def _known_frame(frames: Frames, scope: str, name: str, where: str) -> str:
    full = name if name == WORLD else scope + name
    if full not in frames.poses:
        raise ModelError(f"unknown frame '{name[:80]}'", element=where, cure="correct expressed_in")
    return full
