"""The content of SDF files: models, includes, poses and numbers."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.file_tree import quaternion_matrix
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import FilePath, local_name, naming
from symbody.files.safe_xml import number, read_xml
from symbody.model.dropped import Dropped
from symbody.model.formula import literal
from symbody.model.placement import AT_HOME, Placement
from symbody.model.rotation import matrix

GRAVITY = (0.0, 0.0, -9.81)  # SDF's own default is −9.8; worlds of Gazebo write this one
_UNUSED = {
    "collision": "contacts of shapes are not read",
    "sensor": "add sensors with m.sensor",
    "plugin": "external code",
    "gripper": "not supported",
    "light": "looks",
    "particle_emitter": "looks",
}
_UNUSED_PHYSICS = {
    "gearbox": "write a constraint",
    "battery": "not supported",
    "velocity_decay": "air drag is not supported",
    "fluid_added_mass": "fluid forces are not supported",
    "mimic": "write a constraint between the joints",
}
_UNUSED_WORLD = {
    "joint": "joints of the world are not read: move it into a model",
    "actor": "not supported",
    "population": "looks",
}


@dataclass
class SdfDocument:
    """The models of a file and its includes, each with its pose."""

    name: str
    models: list[ET.Element]
    gravity: tuple[float, float, float]
    home: Path
    packages: dict[str, Path]
    version: float = 1.7
    frames: list[ET.Element] = field(default_factory=list)  # of the world
    dropped: list[Dropped] = field(default_factory=list)
    budget: ReadBudget = field(default_factory=ReadBudget)


def read_sdf_document(path: FilePath, packages: Mapping[str, FilePath]) -> SdfDocument:
    """The models of a file, or of its world."""
    budget = ReadBudget()
    root = read_xml(path, budget).root
    if root.tag != "sdf":
        raise ModelError(f"the root element is <{root.tag}>", cure="use an SDF file, which starts with <sdf>")
    version = literal((root.get("version") or "1.7").strip()) or 1.7
    world = root.find("world")
    holder = root if world is None else world
    gravity = GRAVITY
    if world is not None and (text := text_of(world, "gravity")):
        gravity = triple(text, "gravity")
    models = [child for child in holder if child.tag in ("model", "include")]
    world_frames = list(world.iterfind("frame")) if world is not None else []
    if not models:
        raise ModelError("the file has no <model>", element="sdf", cure="add a <model>")
    first = models[0].get("name") or "sdf"
    name = (holder.get("name") if world is not None else first) or first
    home = Path(path).resolve().parent
    folders = {key: Path(folder).resolve() for key, folder in packages.items()}
    document = SdfDocument(name.strip() or "sdf", models, gravity, home, folders, version, world_frames, budget=budget)
    for child in world if world is not None else ():
        if child.tag in _UNUSED_WORLD:
            where = (child.get("name") or "")[:200]
            document.dropped.append(Dropped(str(child.tag), where, _UNUSED_WORLD[str(child.tag)]))
    return document


def included_model(document: SdfDocument, element: ET.Element, folder: Path) -> tuple[ET.Element, Path]:
    """The model of an <include>, with its name and pose there. It must be in the file's folder or in a package."""
    uri = text_of(element, "uri")
    scheme, _, rest = uri.rpartition("://")
    base = folder
    if scheme in ("model", "package"):
        package, _, below = map(local_name, rest.partition("/"))
        base = document.packages.get(package, document.home / package)
        rest = below or "."
    path = (base / local_name(rest)).resolve()
    path = path / "model.sdf" if path.is_dir() else path
    if not any(path.is_relative_to(allowed) for allowed in (document.home, *document.packages.values())):
        cure = 'move it into the folder of the model, or give its package: packages={"NAME": "FOLDER"}'
        raise ModelError("the file is outside the model's folder", element=uri[:80], cure=cure)
    with naming(path):
        found = read_xml(path, document.budget).root.find("model")
        if found is None:
            raise ModelError("the file has no <model>", element="sdf", cure="add a <model>")
    made = without_pose(found)
    pose = element.find("pose")
    pose = found.find("pose") if pose is None else pose
    if pose is not None:
        made.append(pose)
    for key in ("name", "placement_frame"):
        if given := text_of(element, key):
            made.set(key, given)
    if (static := element.find("static")) is not None:
        made.extend([static])
    return made, path.parent


def without_pose(element: ET.Element) -> ET.Element:
    made = ET.Element(element.tag, element.attrib)
    made.extend(part for part in element if part.tag != "pose")
    return made


def list_unused(document: SdfDocument, element: ET.Element, name: str) -> None:
    parts = (element.iterfind(tag) for tag in ("link", "joint", "link/inertial", "joint/axis", "joint/axis2"))
    for holder in (element, *(part for found in parts for part in found)):
        for part in holder:
            tag = str(part.tag)
            where = part.get("name") or holder.get("name") or name
            if tag in _UNUSED:
                document.dropped.append(Dropped(tag, where[:200], _UNUSED[tag], matters=False))
            elif tag in _UNUSED_PHYSICS:
                document.dropped.append(Dropped(tag, where[:200], _UNUSED_PHYSICS[tag]))
            elif tag == "kinematic" and is_true(part.text):
                document.dropped.append(Dropped(tag, where[:200], "not supported: it moves under forces"))


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
        raise ModelError("the pose is not finite", element=where, cure="write finite numbers")
    if pose.get("rotation_format") == "quat_xyzw" and len(values) == 7:
        x, y, z, w = values[3:]
        return (quaternion_matrix((w, x, y, z), where), np.array(values[:3])), to
    if len(values) != 6:
        raise ModelError(f"the pose has {len(values)} numbers", element=where, cure="write x y z roll pitch yaw")
    degrees = pose.get("degrees") in ("true", "1")
    turns = [math.radians(x) for x in values[3:]] if degrees else values[3:]
    return (matrix(turns), np.array(values[:3])), to


def is_true(text: str | None) -> bool:
    return (text or "").strip().lower() in ("true", "1")


def text_of(element: ET.Element, tag: str) -> str:
    """The text of a child; empty if there is no child."""
    return (element.findtext(tag) or "").strip()


def triple(text: str, where: str) -> tuple[float, float, float]:
    """Three finite numbers."""
    values = [number(word, where) for word in text.split()]
    if len(values) != 3 or not all(map(math.isfinite, values)):
        raise ModelError(f"'{text[:60]}' does not have three finite numbers", element=where, cure="write x y z")
    x, y, z = values
    return x, y, z


def value_of(element: ET.Element | None, tag: str, where: str, usual: float) -> float:
    text = "" if element is None else text_of(element, tag)
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return -1e16 if text.startswith("-") else 1e16
    value = number(text, where) if text else usual
    if not math.isfinite(value):
        raise ModelError(f"{tag} is {text[:40]}", element=where, cure="write a finite number")
    return value
