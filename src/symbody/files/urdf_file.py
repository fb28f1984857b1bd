"""URDF files, read only. Each link becomes a body. Each joint rotates about one axis of its own frame.

Damping and friction of joints act. Efforts bound the inputs JOINT.Q. Position limits act on request.
"""

from __future__ import annotations

import copy
import math
import os
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np

from symbody.errors import ModelError
from symbody.files.joint_laws import act_on_limits, add_passive
from symbody.files.mimic import MIMIC, Mimic, add_mimics
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_xml import number, read_xml
from symbody.files.snapping import Snapping, note, shift
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Point
from symbody.model.dropped import Dropped
from symbody.model.formula import literal
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.model import Model
from symbody.model.number_check import MAX_NAME
from symbody.model.rotation import Matrix, align, clean, matrix, roll_pitch_yaw

Triple = tuple[float, float, float]

LINK = "link"  # the point of each body that is the URDF's link frame

WORLD = "world"  # a parent of this name need not be a link of the file

_TURNING = ("revolute", "continuous")
_BALL = ("spherical", "ball")  # from extensions: Bullet, Drake
_TYPES = (*_TURNING, "prismatic", "fixed", "floating", "planar", *_BALL)
_READ = ("link", "joint", "inertial")  # the parts of the model; xacro in other parts does no harm
_LIMITS = ("lower", "upper", "velocity", "effort")
_UNUSED = {  # ignored, without effect on the motion
    "collision": "contacts of shapes are not read",
    "transmission": "inputs are joint forces, JOINT.Q",
    "gazebo": "an extension of one simulator",
    "sensor": "add sensors with m.sensor",
    "safety_controller": "for controllers",
    "calibration": "for controllers",
}


def read_urdf(
    path: FilePath, floating: bool = False, mimic: str = "constraint", snap: float = 0.0, limits: str = "ignore"
) -> Model:
    """Read a URDF file. `floating` frees the root link; `mimic="ignore"` reads mimic joints as ordinary joints.

    snap: angles that are closer (rad) to a multiple of 45° are rounded to it. limits: of positions, one of `LIMITS`.
    """
    with naming(path):
        model = urdf_model(read_xml(path).root, floating, mimic, snap, limits)
    model.file = os.fspath(path)
    return model


def urdf_model(root: ET.Element, floating: bool, mimic: str, snap: float, limits: str) -> Model:
    """The model of a <robot> element, which is not changed."""
    if mimic not in MIMIC:
        raise ModelError(
            f"unknown option mimic='{mimic}'", element="options", cure=f"use {' or '.join(map(repr, MIMIC))}"
        )
    if root.tag != "robot":
        raise ModelError(f"the root element is <{root.tag}>", cure="use a URDF file, which starts with <robot>")
    snapping = Snapping(snap)
    model = _model(copy.deepcopy(root) if snap else root, floating, mimic, snapping)
    if snap:
        model.notes.append(note(snapping, shift(_model(root, floating, mimic, Snapping(0.0)), model)))
    act_on_limits(model, limits)
    return model


def _model(root: ET.Element, floating: bool, mimic: str, snapping: Snapping) -> Model:
    model = Model((root.get("name") or "").strip() or "robot")
    model.notes += _leftover_xacro(root)
    links, joints = _by_name(root, "link"), _by_name(root, "joint")
    parents = {name: _link_of(joint, "parent", name) for name, joint in joints.items()}
    on = {name: _link_of(joint, "child", name) for name, joint in joints.items()}
    if WORLD in parents.values() and WORLD not in links:
        links[WORLD] = ET.Element("link", {"name": WORLD})
        model.notes.append(f"the link '{WORLD}' is not in the file: the ground is used")
    for name, joint in joints.items():
        _refuse_unknown(name, joint, links)
        _snap(joint, name, snapping)
    for name, link in links.items():
        inertial = link.find("inertial")
        if inertial is not None:
            _snap(inertial, name, snapping)
    below: dict[str, list[str]] = {name: [] for name in links}
    for name, parent in parents.items():
        below[parent].append(name)
    root_link = _root(links, on)
    free = [Joint(f"{clean_name(root_link)}.free", "free")] if floating else []
    turned = _add_body(model, links[root_link], f"{GROUND}.{ORIGIN}", free, np.eye(3))
    waiting = [(name, turned) for name in reversed(below[root_link])]
    while waiting:  # depth first, in the order of the file
        name, turned = waiting.pop()
        made, along = _joints(joints[name])
        point = _carry(model.bodies[clean_name(parents[name])], joints[name], turned, along)
        turned = _add_body(model, links[on[name]], point.path, made, along)
        waiting += [(child, turned) for child in reversed(below[on[name]])]
    if len(model.bodies) < len(links):
        lost = next(name for name in links if clean_name(name) not in model.bodies)
        raise ModelError(
            "the link is not connected to the root", element=lost, cure="remove the circle of joints that contains it"
        )
    if mimic == "constraint":
        add_mimics(model, [found for name, joint in joints.items() if (found := _mimic(joint, name))], _fixed(joints))
    for name, joint in joints.items():
        _add_dynamics(model, joint, name)
    _list_unused(model, root, links)
    return model


def _add_dynamics(model: Model, joint: ET.Element, where: str) -> None:
    """Add damping and friction of a joint. For joints with several coordinates they are dropped."""
    given = joint.find("dynamics")
    if given is None:
        return
    resisting = {"damping": 0.0, "friction": 0.0}
    for what in resisting:
        value = literal((given.get(what) or "0").strip())
        if value is None or not 0.0 <= value < math.inf:
            model.dropped.append(Dropped(what, where, "it is not a number of 0 or more"))
        else:
            resisting[what] = value
    if joint.get("type") in (*_TURNING, "prismatic"):
        add_passive(model, clean_name(where, dots=True), **resisting)
    elif any(resisting.values()) and joint.get("type") != "fixed":
        model.dropped.append(Dropped("dynamics", where, f"a {joint.get('type')} joint has several velocities"))


def _limits(joint: ET.Element) -> JointLimits:
    """Limits of a joint. Zeros, invalid numbers and an empty range mean that a limit was not set."""
    given = joint.find("limit")
    if given is None:
        return UNLIMITED
    lower, upper, velocity, effort = (literal((given.get(k) or "0").strip()) or 0.0 for k in _LIMITS)
    if joint.get("type") == "continuous" or lower >= upper:
        lower, upper = -math.inf, math.inf
    return JointLimits(lower, upper, abs(velocity) or math.inf, abs(effort) or math.inf)


def _list_unused(model: Model, root: ET.Element, links: dict[str, ET.Element]) -> None:
    """Record what is ignored."""
    for holder in (root, *links.values()):
        for element in holder:
            why = _UNUSED.get(str(element.tag))
            if why:
                where = element.get("name") or holder.get("name") or ""
                model.dropped.append(Dropped(str(element.tag), where[:MAX_NAME], why, matters=False))


def _leftover_xacro(root: ET.Element) -> list[str]:
    """Raise ModelError for unexpanded macros. In looks, which the model does not need, they only give a note."""
    left, waiting = 0, [root]
    while waiting:
        for element in waiting.pop():
            tag = str(element.tag)
            if tag.startswith("xacro:"):
                raise ModelError("the file contains xacro macros", cure="load the .xacro file instead")
            if tag in _READ:
                waiting.append(element)
            else:
                left += sum(str(inner.tag).startswith("xacro:") for inner in element.iter())
    return [f"{left} xacro macros in looks and extensions are left out"] if left else []


def _refuse_unknown(name: str, joint: ET.Element, links: dict[str, ET.Element]) -> None:
    if joint.get("type") not in _TYPES:
        raise ModelError(f"unknown joint type '{joint.get('type')}'", element=name, cure=f"use {', '.join(_TYPES)}")
    for role in ("parent", "child"):
        if _link_of(joint, role, name) not in links:
            problem = f"its {role} link '{_link_of(joint, role, name)}' does not exist"
            raise ModelError(problem, element=name, cure="add the link or correct its name")


def _snap(element: ET.Element, where: str, snapping: Snapping) -> None:
    """Replace the angles of an origin and the direction of an axis that are nearly exact."""
    origin, axis = element.find("origin"), element.find("axis")
    if origin is not None and origin.get("rpy") is not None:
        angles = _triple(origin, "rpy", where, (0.0, 0.0, 0.0))
        origin.set("rpy", " ".join(repr(snapping.angle(angle)) for angle in angles))
    if axis is not None and axis.get("xyz") is not None:
        direction = _triple(axis, "xyz", where, (1.0, 0.0, 0.0))
        axis.set("xyz", " ".join(map(repr, snapping.axis(direction))))


def _fixed(joints: dict[str, ET.Element]) -> set[str]:
    return {clean_name(name, dots=True) for name, joint in joints.items() if joint.get("type") == "fixed"}


def _mimic(joint: ET.Element, where: str) -> Mimic | None:
    """What a joint mimics, or None."""
    found = joint.find("mimic")
    if found is None:
        return None
    leader = clean_name((found.get("joint") or "").strip(), dots=True)
    multiplier, offset = (
        _finite(found.get(key) or usual, where) for key, usual in (("multiplier", "1"), ("offset", "0"))
    )
    return Mimic(clean_name(where, dots=True), leader, multiplier, offset)


def _root(links: dict[str, ET.Element], on: dict[str, str]) -> str:
    twice = [link for link, count in Counter(on.values()).items() if count > 1]
    if twice:
        raise ModelError(
            "the link is the child of two joints", element=twice[0], cure="remove one of the joints: a URDF is a tree"
        )
    if not links:
        cure = "add a <link>; if this is a file of macros, load the .xacro file that uses it"
        raise ModelError("the robot has no links", element="robot", cure=cure)
    children = set(on.values())
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        listed = ", ".join(roots[:5]) or "none"
        raise ModelError(
            f"the robot has {len(roots)} root links ({listed}) instead of one",
            element="robot",
            cure="connect the links with joints",
        )
    return roots[0]


def _add_body(model: Model, link: ET.Element, on: str, made: list[Joint], turned: Matrix) -> Matrix:
    """Add a link's body on its joints, and return `turned`, which rotates its body frame into the URDF's link frame."""
    name = clean_name(link.get("name", ""))
    if name in model.bodies or name == GROUND:
        raise ModelError("another link already has this name", element=name, cure="rename one of them")
    body = Body(name, on, made)
    inertial = link.find("inertial")
    if inertial is not None:
        centre, frame = _origin(inertial, name)
        frame = turned.T @ frame
        body.mass = _attribute(inertial.find("mass"), "value", name)
        body.com = _vector(turned.T @ centre)
        six = [_attribute(inertial.find("inertia"), key, name) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        xx, yy, zz, xy, xz, yz = six
        about = clean(frame @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ frame.T) + 0.0
        body.inertia = (*np.diag(about).tolist(), float(about[0, 1]), float(about[0, 2]), float(about[1, 2]))
    body.point(LINK, (0.0, 0.0, 0.0), roll_pitch_yaw(turned.T))
    model.bodies[name] = body
    return turned


def _joints(joint: ET.Element) -> tuple[list[Joint], Matrix]:
    """Our joints for one URDF joint, and the rotation S that puts their axis along its axis."""
    if joint.get("type") == "fixed":
        return [], np.eye(3)
    name, kind = clean_name(joint.get("name", ""), dots=True), joint.get("type")
    if kind == "floating":
        return [Joint(name, "free")], np.eye(3)
    if kind in _BALL:
        return [Joint(name, "ball")], np.eye(3)
    axis = np.array(_triple(joint.find("axis"), "xyz", name, default=(1.0, 0.0, 0.0)))
    k, turned = align(axis, name)
    if kind == "planar":  # translation along the other two axes, then rotation about the normal
        first, second = (k % 3 + 1, (k + 1) % 3 + 1)
        return [Joint(f"{name}.{t}", t) for t in (f"T{first}", f"T{second}", f"R{k}")], turned
    return [Joint(name, f"{'R' if kind in _TURNING else 'T'}{k}", limits=_limits(joint))], turned


def _carry(body: Body, joint: ET.Element, turned: Matrix, along: Matrix) -> Point:
    """The point on a parent body that carries a joint, rotated by `along`: one of its axes is the joint's axis."""
    name = clean_name(joint.get("name", ""))
    position, frame = _origin(joint, name)
    point = name
    while point in body.points:
        point += "_"
        if len(point) > MAX_NAME:
            raise ModelError(
                "too many joints with similar names on one link", element=name[:MAX_NAME], cure="rename them"
            )
    return body.point(point, _vector(turned.T @ position), roll_pitch_yaw(turned.T @ frame @ along))


def _origin(element: ET.Element, where: str) -> tuple[Matrix, Matrix]:
    origin = element.find("origin")
    zero = (0.0, 0.0, 0.0)
    return np.array(_triple(origin, "xyz", where, zero)), matrix(_triple(origin, "rpy", where, zero))


def _triple(element: ET.Element | None, key: str, where: str, default: Triple) -> Triple:
    text = None if element is None else element.get(key)
    if text is None:
        return default
    words = text.split()
    if len(words) != 3:
        raise ModelError(f'{key}="{text[:60]}" does not have three numbers', element=where, cure=f'write {key}="0 0 0"')
    x, y, z = (_finite(word, where) for word in words)
    return x, y, z


def _attribute(element: ET.Element | None, key: str, where: str) -> float:
    return 0.0 if element is None else _finite(element.get(key) or "", where)


def _finite(text: str, where: str) -> float:
    value = number(text, where)
    if not math.isfinite(value):
        raise ModelError(f"'{text[:40]}' is not finite", element=where, cure="write a finite number")
    return value


def _vector(values: Matrix) -> Triple:
    x, y, z = (clean(values) + 0.0).tolist()
    return x, y, z


def _link_of(joint: ET.Element, role: str, where: str) -> str:
    element = joint.find(role)
    name = "" if element is None else (element.get("link") or "").strip()
    if not name:
        raise ModelError(f"the joint has no {role} link", element=where, cure=f'add <{role} link="…"/>')
    return name


def _by_name(root: ET.Element, tag: str) -> dict[str, ET.Element]:
    found: dict[str, ET.Element] = {}
    for element in root.iterfind(tag):
        name = (element.get("name") or "").strip()
        if not name:
            raise ModelError(f"a <{tag}> has no name", element="robot", cure='add name="…"')
        if name in found:
            raise ModelError(f"another {tag} already has this name", element=name, cure="rename one of them")
        found[name] = element
    return found


def clean_name(name: str, dots: bool = False) -> str:
    """A link's name without characters that would break a path `body.point`; a joint's name keeps its dots."""
    plain = re.sub(r"[^\w \-.]" if dots else r"[^\w \-]", "_", name.strip())
    return f"{plain}_link" if plain == GROUND else plain
