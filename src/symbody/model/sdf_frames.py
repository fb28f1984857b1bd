"""Links, joints and frames of an SDF document, with all poses in the world's frame."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.model.dropped import Dropped
from symbody.model.file_tree import quaternion_matrix
from symbody.model.formula import literal
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.placement import AT_HOME, Placement, compose
from symbody.model.rotation import Matrix, matrix
from symbody.model.safe_file import FilePath, naming
from symbody.model.safe_xml import number, read_xml
from symbody.nearest import nearest

MAX_FILES = 100
MAX_NESTED = 20  # models in models
ENDLESS = 1e15  # rad, m; SDF writes 1e16 where there is no limit
WORLD = "world"
MODEL = "__model__"
GRAVITY = (0.0, 0.0, -9.81)  # SDF's own default is −9.8; Gazebo's worlds write it
_UNUSED = {
    "collision": "shapes do not touch each other here",
    "sensor": "add sensors with m.sensor",
    "plugin": "code of others",
    "gripper": "not known here",
    "light": "looks",
    "particle_emitter": "looks",
}
_UNUSED_PHYSICS = {"gearbox": "write a constraint", "battery": "not known here"}


@dataclass
class SdfDocument:
    """Models of a file with what they include, each with the pose it is put at."""

    name: str
    models: list[ET.Element]
    gravity: tuple[float, float, float]
    home: Path
    packages: dict[str, Path]
    version: float = 1.7
    dropped: list[Dropped] = field(default_factory=list)
    files: int = 0


@dataclass
class SdfLink:
    """A link: its pose in the world, mass (kg), frame of its centre of mass in the link, inertia there (kg m²)."""

    pose: Placement
    static: bool
    mass: float
    centre: Placement
    inertia: Matrix


@dataclass(frozen=True)
class SdfAxis:
    """An axis of a joint in the frame it is expressed in, with its limits, damping, friction and spring."""

    xyz: tuple[float, float, float]
    expressed_in: str
    limits: JointLimits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(eq=False)
class SdfJoint:
    """A joint between two links, by their full names; its pose in the world."""

    name: str
    type: str
    parent: str
    child: str
    pose: Placement
    axes: list[SdfAxis]
    scope: str


@dataclass
class _Framed:
    """A pose as the file gives it: relative to a frame by name, before that is known."""

    pose: Placement
    relative_to: str


@dataclass
class Frames:
    """All links and joints of a document, by names such as model::link, poses in the world."""

    links: dict[str, SdfLink] = field(default_factory=dict)
    joints: list[SdfJoint] = field(default_factory=list)
    poses: dict[str, Placement] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)  # what a frame is fixed on
    world: str = WORLD

    def pose_of_link(self, name: str) -> Placement:
        return AT_HOME if name == self.world else self.links[name].pose

    def axis_in_world(self, joint: SdfJoint, axis: SdfAxis) -> Matrix:
        """The direction of an axis, in the world."""
        frame = joint.pose if not axis.expressed_in else self.poses[axis.expressed_in]
        return np.asarray(frame[0] @ np.array(axis.xyz))


def read_sdf_document(path: FilePath, packages: Mapping[str, FilePath]) -> SdfDocument:
    """The models of a file, or of the world in it."""
    root = read_xml(path).root
    if root.tag != "sdf":
        raise ModelError(f"the root element is <{root.tag}>", cure="an SDF file starts with <sdf>")
    version = literal((root.get("version") or "1.7").strip()) or 1.7
    world = root.find("world")
    holder = root if world is None else world
    gravity = GRAVITY
    if world is not None and (text := text_of(world, "gravity")):
        gravity = triple(text, "gravity")
    models = [child for child in holder if child.tag in ("model", "include")]
    if not models:
        raise ModelError("no <model>", element="sdf", cure="put a <model> into it")
    first = models[0].get("name") or "sdf"
    name = (holder.get("name") if world is not None else first) or first
    home = Path(path).resolve().parent
    folders = {key: Path(folder).resolve() for key, folder in packages.items()}
    return SdfDocument(name.strip() or "sdf", models, gravity, home, folders, version)


def read_frames(document: SdfDocument) -> Frames:
    """Links and joints of all models; a single model's names are plain, those of several have the model's before."""
    frames = Frames()
    frames.poses[WORLD] = AT_HOME
    plain = len(document.models) == 1
    for model in document.models:
        _read_model(document, frames, model, "" if plain else None, AT_HOME, False, document.home, 0)
    return frames


def _read_model(
    document: SdfDocument,
    frames: Frames,
    element: ET.Element,
    scope: str | None,
    outer: Placement,
    static: bool,
    folder: Path,
    depth: int,
) -> None:
    """A model in a scope ("" or "name::"; None: that of its own name), at the pose that its holder gives it."""
    if depth > MAX_NESTED:
        raise ModelError(f"models in models, more than {MAX_NESTED} deep", cure="flatten the file")
    if element.tag == "include":
        element, folder = _included(document, element, folder)
    name = (element.get("name") or "").strip() or "model"
    scope = f"{name}::" if scope is None else scope
    static = static or text_of(element, "static") in ("true", "1")
    home = compose(outer, pose_of(element)[0])
    frames.poses[f"{scope}{MODEL}"] = home
    local: dict[str, _Framed] = {}
    for tag in ("link", "frame", "joint"):
        for part in element.iterfind(tag):
            title = (part.get("name") or "").strip()
            if not title or title in local:
                raise ModelError(f"a <{tag}> without a name of its own", element=title[:80] or name, cure="rename it")
            local[title] = _framed(part, tag)
    nested = [part for part in element if part.tag in ("model", "include")]
    for part in nested:
        inner, there = _included(document, part, folder) if part.tag == "include" else (part, folder)
        title = (inner.get("name") or "model").strip()
        pose, to = pose_of(inner)
        placed = compose(_resolved(frames, local, to, scope, home, title), pose) if to else compose(home, pose)
        frames.poses[f"{scope}{title}"] = placed
        bare = _without_pose(inner)
        _read_model(document, frames, bare, f"{scope}{title}::", placed, static, there, depth + 1)
    _list_unused(document, element, name)
    for part in element.iterfind("frame"):
        if part.get("attached_to"):
            frames.attached[scope + (part.get("name") or "").strip()] = scope + (part.get("attached_to") or "").strip()
    for title in local:
        frames.poses[scope + title] = _resolved(frames, local, title, scope, home, title)
    for part in element.iterfind("link"):
        title = scope + (part.get("name") or "").strip()
        frames.links[title] = _link(part, frames.poses[title], static, title)
    for part in element.iterfind("joint"):
        frames.joints.append(_joint(part, frames, scope, document.version))


def _framed(part: ET.Element, tag: str) -> _Framed:
    pose, to = pose_of(part)
    if not to and tag == "joint":  # a joint's pose is that in its child, unless it says otherwise
        to = text_of(part, "child")
    elif not to and tag == "frame":
        to = (part.get("attached_to") or "").strip()
    return _Framed(pose, to)


def _resolved(
    frames: Frames, local: dict[str, _Framed], name: str, scope: str, home: Placement, where: str
) -> Placement:
    """The pose of a frame in the world, followed from frame to frame."""
    chain: list[str] = []
    while True:
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
                raise ModelError(f"no frame '{name[:80]}'", element=where[:80], cure=cure)
            base = frames.poses[full]
            break
        if name in chain or len(chain) > 10_000:
            raise ModelError("poses relative to each other in a circle", element=where[:80], cure="break the circle")
        chain.append(name)
        name = local[name].relative_to
    for link in reversed(chain):
        base = compose(base, local[link].pose)
    return base


def _link(element: ET.Element, pose: Placement, static: bool, where: str) -> SdfLink:
    inertial = element.find("inertial")
    if inertial is None:
        # SDF's default: 1 kg, and 1 kg m² about each axis
        return SdfLink(pose, static, 1.0, AT_HOME, np.eye(3))
    moments = inertial.find("inertia")
    xx, yy, zz = (_value(moments, key, where, 1.0) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (_value(moments, key, where, 0.0) for key in ("ixy", "ixz", "iyz"))
    inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return SdfLink(pose, static, _value(inertial, "mass", where, 1.0), pose_of(inertial)[0], inertia)


def _joint(element: ET.Element, frames: Frames, scope: str, version: float) -> SdfJoint:
    name = scope + (element.get("name") or "").strip()
    ends = []
    for role in ("parent", "child"):
        end = text_of(element, role)
        if not end:
            raise ModelError(f"no {role}", element=name, cure=f"add <{role}>LINK</{role}>")
        ends.append(_link_named(frames, scope, end, name))
    axes = []
    for tag in ("axis", "axis2"):
        axis = element.find(tag)
        if axis is not None and element.get("type") not in ("fixed", "ball"):
            axes.append(_axis(axis, frames, scope, name, version))
    kind = (element.get("type") or "").strip()
    wanted = {"revolute": 1, "continuous": 1, "prismatic": 1, "universal": 2, "revolute2": 2}.get(kind, 0)
    if len(axes) < wanted:
        raise ModelError("an axis is missing", element=name, cure="add <axis><xyz>0 0 1</xyz></axis>")
    return SdfJoint(name, kind, ends[0], ends[1], frames.poses[name], axes[:wanted], scope)


def _link_named(frames: Frames, scope: str, end: str, where: str) -> str:
    """The link of a joint's end; a frame stands for the link that it is attached to."""
    if end == WORLD:
        return WORLD
    full, passed = scope + end, 0
    while full in frames.attached and full not in frames.links and passed < MAX_NESTED:
        full, passed = frames.attached[full], passed + 1
    if full not in frames.links:
        near = " or ".join(nearest(full, frames.links, 3))
        cure = f"did you mean {near}?" if near else "name a link"
        raise ModelError(f"no link '{end[:80]}'", element=where, cure=cure)
    return full


def _axis(element: ET.Element, frames: Frames, scope: str, where: str, version: float) -> SdfAxis:
    xyz = element.find("xyz")
    direction = triple((xyz.text if xyz is not None else "") or "0 0 1", where)
    expressed = "" if xyz is None else (xyz.get("expressed_in") or "").strip()
    if not expressed and text_of(element, "use_parent_model_frame") in ("true", "1"):
        expressed = MODEL
    if expressed:
        expressed = _known_frame(frames, scope, expressed, where)
    limit, dynamics = element.find("limit"), element.find("dynamics")
    lower, upper = (_value(limit, key, where, usual) for key, usual in (("lower", -1e16), ("upper", 1e16)))
    effort, velocity = (_value(limit, key, where, -1.0) for key in ("effort", "velocity"))
    limits = JointLimits(
        lower if lower > -ENDLESS and lower < upper else -math.inf,
        upper if upper < ENDLESS and lower < upper else math.inf,
        velocity if 0 < velocity < ENDLESS else math.inf,
        effort if 0 < effort < ENDLESS else math.inf,
    )
    damping, friction, stiffness = (
        max(_value(dynamics, key, where, 0.0), 0.0) for key in ("damping", "friction", "spring_stiffness")
    )
    rest = _value(dynamics, "spring_reference", where, 0.0)
    return SdfAxis(direction, expressed, limits, damping, friction, stiffness, rest)


def _known_frame(frames: Frames, scope: str, name: str, where: str) -> str:
    if name == MODEL:
        return f"{scope}{MODEL}"
    full = name if name == WORLD else scope + name
    if full not in frames.poses:
        raise ModelError(f"no frame '{name[:80]}'", element=where, cure="correct expressed_in")
    return full


def _included(document: SdfDocument, element: ET.Element, folder: Path) -> tuple[ET.Element, Path]:
    """The model of an <include>, with the name and the pose that it is given there; from the file's folder only."""
    uri = text_of(element, "uri")
    scheme, _, rest = uri.rpartition("://")
    base = folder
    if scheme in ("model", "package"):
        package, _, below = rest.partition("/")
        base = document.packages.get(package, document.home / package)
        rest = below or "."
    path = (base / rest).resolve()
    path = path / "model.sdf" if path.is_dir() else path
    if not any(path.is_relative_to(allowed) for allowed in (document.home, *document.packages.values())):
        cure = 'move it beside the model, or name its package: packages={"NAME": "FOLDER"}'
        raise ModelError("lies outside the model's folder", element=uri[:80], cure=cure)
    document.files += 1
    if document.files > MAX_FILES:
        raise ModelError(f"more than {MAX_FILES} files", element=uri[:80], cure="files include each other")
    with naming(path):
        found = read_xml(path).root.find("model")
        if found is None:
            raise ModelError("no <model>", element="sdf", cure="put a <model> into it")
    made = _without_pose(found)
    pose = element.find("pose")
    pose = found.find("pose") if pose is None else pose
    if pose is not None:
        made.append(pose)
    name = text_of(element, "name")
    if name:
        made.set("name", name)
    return made, path.parent


def _without_pose(element: ET.Element) -> ET.Element:
    made = ET.Element(element.tag, element.attrib)
    made.extend(part for part in element if part.tag != "pose")
    return made


def _list_unused(document: SdfDocument, element: ET.Element, name: str) -> None:
    for holder in (element, *element.iterfind("link"), *element.iterfind("joint")):
        for part in holder:
            tag = str(part.tag)
            where = part.get("name") or holder.get("name") or name
            if tag in _UNUSED:
                document.dropped.append(Dropped(tag, where[:200], _UNUSED[tag], matters=False))
            elif tag in _UNUSED_PHYSICS:
                document.dropped.append(Dropped(tag, where[:200], _UNUSED_PHYSICS[tag]))


def pose_of(element: ET.Element) -> tuple[Placement, str]:
    """The <pose> of an element, and the name of the frame that it is relative to."""
    pose = element.find("pose")
    where = element.get("name") or str(element.tag)
    if pose is None:
        return AT_HOME, ""
    to = (pose.get("relative_to") or "").strip()
    words = (pose.text or "").split()
    values = [number(word, where) for word in words]
    if not values:
        return AT_HOME, to
    if not all(map(math.isfinite, values)):
        raise ModelError("a pose that is not finite", element=where, cure="write finite numbers")
    if pose.get("rotation_format") == "quat_xyzw" and len(values) == 7:
        x, y, z, w = values[3:]
        return (quaternion_matrix((w, x, y, z), where), np.array(values[:3])), to
    if len(values) != 6:
        raise ModelError(f"a pose of {len(values)} numbers", element=where, cure="write x y z roll pitch yaw")
    degrees = pose.get("degrees") in ("true", "1")
    turns = [math.radians(x) for x in values[3:]] if degrees else values[3:]
    return (matrix(turns), np.array(values[:3])), to


def text_of(element: ET.Element, tag: str) -> str:
    """The text of a child; nothing where there is none."""
    return (element.findtext(tag) or "").strip()


def triple(text: str, where: str) -> tuple[float, float, float]:
    """Three finite numbers."""
    values = [number(word, where) for word in text.split()]
    if len(values) != 3 or not all(map(math.isfinite, values)):
        raise ModelError(f"'{text[:60]}' is not three numbers", element=where, cure="write x y z")
    x, y, z = values
    return x, y, z


def _value(element: ET.Element | None, tag: str, where: str, usual: float) -> float:
    text = "" if element is None else text_of(element, tag)
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return -1e16 if text.startswith("-") else 1e16
    value = number(text, where) if text else usual
    if not math.isfinite(value):
        raise ModelError(f"{tag} of {text[:40]}", element=where, cure="write a finite number")
    return value
