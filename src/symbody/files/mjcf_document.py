"""MJCF as one tree: included files, settings of the compiler, and the defaults of each element.

Source: MuJoCo documentation, "XML Reference". Included files are read from the folder of the first file, and from
packages. Elements of an attached model keep the settings of their own file.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.file_tree import quaternion_matrix
from symbody.files.mjcf_general import SHORTHANDS, UNSUPPORTED, general
from symbody.files.mjcf_numbers import Attributes, merged, reals, truth
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import FilePath, local_name, naming
from symbody.files.safe_xml import read_xml
from symbody.model.dropped import Dropped
from symbody.model.placement import Placement
from symbody.model.rotation import Matrix, clean, matrix

_POSE = 20  # steps of the budget, for a frame
INHERITED = 100  # bytes in memory of a default attribute
MAIN = "main"
ATTACHED = "attached model"  # key of an attribute that no file can write: the model whose settings apply
_SWITCHED = {"passive": ("spring", "damper"), "constraint": ("equality", "frictionloss", "contact")}  # laws by flag


@dataclass
class MjcfSettings:
    """Settings of the compiler, and the folder of the file."""

    folder: Path = Path()
    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    compiler: Attributes = field(default_factory=dict)


@dataclass
class MjcfDocument:
    """The parts of a file by tag, its settings and default classes, and what was left out."""

    root: ET.Element
    settings: MjcfSettings = field(default_factory=MjcfSettings)
    attached: dict[str, MjcfSettings] = field(default_factory=dict)  # of attached models
    allowed: tuple[Path, ...] = ()  # folders from which files may be read
    disabled: set[str] = field(default_factory=set)  # flags that switch laws off
    defaults: dict[str, dict[str, Attributes]] = field(default_factory=dict)  # class → tag → attributes
    actuators: dict[str, tuple[Attributes, ...]] = field(default_factory=dict)  # of a class and those around it
    keyframes: list[str] = field(default_factory=list)  # names of those of attached models
    dropped: list[Dropped] = field(default_factory=list)
    budget: ReadBudget = field(default_factory=ReadBudget)

    def settings_of(self, attributes: Mapping[str, str]) -> MjcfSettings:
        """The settings that apply to an element, by its attributes."""
        return self.attached.get(attributes.get(ATTACHED, ""), self.settings)

    def number(self, attributes: Mapping[str, str], key: str, where: str, flag: str) -> float:
        """The first coefficient of a law; 0 if a flag switches that law off. Higher powers are reported as dropped."""
        first, *more = reals(attributes, key, where, (0.0,) * 5)
        if flag in self.disabled:
            return 0.0
        if any(more):
            self.drop(key, where, "higher powers are not supported")
        return first

    def section(self, tag: str) -> list[ET.Element]:
        """All elements of all sections of a tag, in order."""
        return [child for part in self.root.iterfind(tag) for child in part if isinstance(child.tag, str)]

    def attributes(self, element: ET.Element, childclass: str = "", kind: str = "") -> Attributes:
        """Attributes of an element, with the defaults of its class. kind: the tag of the defaults, if different."""
        usual = self.usual(element, kind or str(element.tag), childclass)
        self.budget.spend("steps", len(usual))
        return merged(usual, element.attrib)

    def usual(self, element: ET.Element, kind: str, childclass: str = "") -> Attributes:
        """Attributes that the class of an element gives to elements of a kind."""
        return self.defaults.get(self._class(element, childclass), {}).get(kind, {})

    def actuator(self, element: ET.Element) -> Attributes:
        """An actuator as a general one, with the defaults of its class."""
        usual = self.actuators.get(self._class(element), ())
        self.budget.spend("steps", sum(map(len, usual)))
        return general(element, usual)

    def _class(self, element: ET.Element, childclass: str = "") -> str:
        name = element.get("class") or childclass or MAIN
        if name not in self.defaults and name != MAIN:
            raise ModelError(f"unknown default class '{name[:80]}'", element=element.get("name", ""), cure="define it")
        return name

    def angle(self, value: float, attributes: Mapping[str, str]) -> float:
        """An angle of an element in rad."""
        return math.radians(value) if self.settings_of(attributes).degrees else value

    def drop(self, what: str, where: str, why: str, matters: bool = True) -> None:
        """Record what is left out."""
        self.dropped.append(Dropped(what, where[:200], why, matters))

    def pose(self, attributes: Mapping[str, str], where: str) -> Placement:
        """Rotation and position of a frame: pos, and one of quat, axisangle, euler, xyaxes, zaxis."""
        self.budget.spend("steps", _POSE)  # frames around a body that is copied are placed for each copy
        return self.rotation(attributes, where), np.array(reals(attributes, "pos", where, (0.0, 0.0, 0.0), 3))

    def rotation(self, attributes: Mapping[str, str], where: str) -> Matrix:
        """Columns: axes of the frame in its parent."""
        if "quat" in attributes:
            return clean(quaternion_matrix(reals(attributes, "quat", where, count=4), where))
        if "axisangle" in attributes:
            x, y, z, angle = reals(attributes, "axisangle", where, count=4)
            half = self.angle(angle, attributes) / 2
            axis = _unit(np.array((x, y, z)), where) * math.sin(half)
            return clean(quaternion_matrix((math.cos(half), *axis), where))
        if "euler" in attributes:
            return self._euler(reals(attributes, "euler", where, count=3), attributes)
        if "xyaxes" in attributes:
            six = np.array(reals(attributes, "xyaxes", where, count=6))
            first = _unit(six[:3], where)
            second = _unit(six[3:] - first * (first @ six[3:]), where)
            return np.column_stack((first, second, np.cross(first, second)))
        if "zaxis" in attributes:
            return shortest_turn(np.array(reals(attributes, "zaxis", where, count=3)), where)
        return np.eye(3)

    def _euler(self, angles: Sequence[float], attributes: Mapping[str, str]) -> Matrix:
        """Lower case: about the rotating axes; upper case: about the fixed axes."""
        total = np.eye(3)
        for letter, angle in zip(self.settings_of(attributes).eulerseq, angles, strict=True):
            turn = [0.0, 0.0, 0.0]
            turn["xyz".index(letter.lower())] = self.angle(angle, attributes)
            total = total @ matrix(turn) if letter.islower() else matrix(turn) @ total
        return total


def _unit(x: Matrix, where: str) -> Matrix:
    length = float(np.linalg.norm(x))
    if not 1e-12 < length < 1e12:
        raise ModelError("the axis has no direction", element=where, cure="write one such as 0 0 1")
    return np.asarray(x / length)


def shortest_turn(z: Matrix, where: str) -> Matrix:
    """The smallest rotation that takes axis 3 to z."""
    goal = _unit(z, where)
    axis, cosine = np.cross((0.0, 0.0, 1.0), goal), float(goal[2])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if cosine > 0 else np.diag((1.0, -1.0, -1.0))
    half = math.atan2(sine, cosine) / 2
    return clean(quaternion_matrix((math.cos(half), *(axis / sine * math.sin(half))), where))


def read_document(
    path: FilePath, packages: Mapping[str, FilePath] | None = None, expanded: FilePath | None = None
) -> MjcfDocument:
    """A file with its includes, settings and defaults. packages: folders from which files may be read, too.

    expanded: a file with the same model in simpler elements, which is read instead; names of files are those of `path`.
    """
    folders = (Path(path).resolve().parent, *(Path(package).resolve() for package in (packages or {}).values()))
    return read_allowed(path, folders, ReadBudget(), expanded)


def read_allowed(
    path: FilePath, allowed: Sequence[Path], budget: ReadBudget, expanded: FilePath | None = None
) -> MjcfDocument:
    """A file that reads others from the allowed folders only."""
    root = read_xml(expanded or path, budget).root
    if root.tag != "mujoco":
        raise ModelError(f"the root element is <{root.tag}>", cure="use an MJCF file, which starts with <mujoco>")
    folder = Path(path).resolve().parent
    _include(root, folder, allowed, budget, 1)
    document = MjcfDocument(root, _settings(root, folder), allowed=tuple(allowed), budget=budget)
    for flag in root.iterfind("option/flag"):
        off = [key for key, value in flag.attrib.items() if value == "disable"]
        document.disabled |= {part for key in off for part in (key, *_SWITCHED.get(key, ()))}
    for default in root.iterfind("default"):
        _read_defaults(default, {}, document, top=True)
    return document


def _settings(root: ET.Element, folder: Path) -> MjcfSettings:
    """The settings of all <compiler> elements."""
    written: Attributes = {}
    for compiler in root.iterfind("compiler"):
        written.update(compiler.attrib)
    eulerseq = written.get("eulerseq", "xyz")
    if len(eulerseq) != 3 or not set(eulerseq.lower()) <= set("xyz"):
        raise ModelError(f"unknown eulerseq='{eulerseq[:20]}'", element="compiler", cure="use three of x y z X Y Z")
    if written.get("coordinate", "local") != "local":
        raise ModelError(
            "global coordinates are not supported", element="compiler", cure="save the model with a later MuJoCo"
        )
    degrees = written.get("angle", "degree") != "radian"
    return MjcfSettings(folder, degrees, eulerseq, truth(written, "autolimits", True), written)


def allowed_file(name: str, folder: Path, allowed: Sequence[Path]) -> Path:
    """The path of a file that another one names. Raises ModelError if it is outside the allowed folders."""
    path = (folder / local_name(name, allowed)).resolve()
    if not any(path.is_relative_to(home) for home in allowed):
        cure = 'move it into the folder of the model, or allow its folder: packages={"any": "FOLDER"}'
        raise ModelError("the file is outside the model's folder", element=name[:80], cure=cure)
    return path


def _include(element: ET.Element, folder: Path, allowed: Sequence[Path], budget: ReadBudget, level: int) -> None:
    """Replace each <include> by the content of its file."""
    check_level(level)
    children: list[ET.Element] = []
    for child in element:
        if child.tag != "include":
            if len(child):
                _include(child, folder, allowed, budget, level + 1)
            children.append(child)
            continue
        path = allowed_file(child.get("file", ""), folder, allowed)
        with naming(path):
            included = read_xml(path, budget).root
        _include(included, folder, allowed, budget, level + 1)
        children += included
    element[:] = children


def _read_defaults(
    element: ET.Element,
    above: Mapping[str, Attributes],
    document: MjcfDocument,
    top: bool,
    around: tuple[Attributes, ...] = (),
) -> None:
    """A class of defaults, with those of the class that contains it. around: the actuators of those classes."""
    name = element.get("class") or (MAIN if top else "")
    if not name:
        raise ModelError("a default class has no name", element="default", cure='add class="…"')
    own = dict(above)
    acting = document.actuators.get(name, ())[:1] or around[:1]
    for child in element:
        if not isinstance(child.tag, str) or child.tag == "default":
            continue
        if child.tag in (*SHORTHANDS, *UNSUPPORTED, "general"):
            document.budget.spend("bytes", INHERITED * sum(map(len, (*acting, *around))))
            acting = (general(child, (*acting, *around)),)
        else:
            document.budget.spend("bytes", INHERITED * len(own.get(child.tag, {})))
            own[child.tag] = merged(own.get(child.tag, {}), child.attrib)
    document.defaults[name] = {**document.defaults.get(name, {}), **own}
    document.actuators[name] = (*acting, *around)
    if top:
        document.defaults[MAIN], document.actuators[MAIN] = document.defaults[name], document.actuators[name]
    for child in element.iterfind("default"):
        _read_defaults(child, own, document, top=False, around=document.actuators[name])
