"""Our own model files: YAML, readable, checked key by key (`schema.py` publishes the same rules)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from symbody.errors import ModelError
from symbody.files.circuit_file import circuit_from
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_yaml import YamlNode, parse_nodes, plain, read_nodes
from symbody.files.yaml_text import yaml_text
from symbody.files.yaml_values import (
    counted,
    entries_of,
    kind_of,
    list_of,
    named_entries,
    number_of,
    numbers_of,
    pair_of_points,
    plain_number,
    point_path,
    text_of,
    vector_of,
    yaml_error,
)
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Parameter, Point
from symbody.model.circuit import Circuit
from symbody.model.components import (
    SENSED,
    Constraint,
    Coupling,
    Cut,
    ForceSite,
    Interaction,
    Limit,
    Link,
    NonholonomicConstraint,
    RollingContact,
    Sensor,
    Signal,
    State,
    UserInput,
)
from symbody.model.formula import Formula, Number
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.mesh_look import ORIGIN_AT, MeshLook, Triple, mesh_look
from symbody.model.model import Model, default_joint_names
from symbody.output_file import write_text

VERSION = 1
MAX_VALUES = 1000  # of one constraint or signal
MAX_LOOKS = 100  # meshes of one body
SEVERAL = range(1, MAX_VALUES + 1)

_BODY = ("on", "joints", "mass", "com", "inertia", "points", "looks")
_JOINT = ("type", "name", "nature", "q0", "v0", "armature", "limits")


def read_yaml(path: FilePath) -> Model:
    """Read a YAML model file. This checks the structure; `check` checks the meaning."""
    with naming(path):
        model = _model(read_nodes(path))
    model.file = os.fspath(path)
    return model


def model_of_text(text: str) -> Model:
    """The model of the text of a YAML file. This checks the structure; `check` checks the meaning."""
    return _model(parse_nodes(text))


def write_yaml(model: Model, path: FilePath, laws: str = "refuse") -> None:
    """Write a model. Numbers are read back exactly; comments of an earlier file are lost.

    Laws are written as formulas. A law that is a function raises ModelError, or is left out with `laws="drop"`.
    """
    with naming(path):
        write_text(path, yaml_text(model, laws))


def _model(root: YamlNode) -> Model:
    top = entries_of(root, "", _TOP, required=("symbody", "name"))
    version = top["symbody"]
    if type(version.value) is not int or version.value != VERSION:
        cure = f"write `symbody: {VERSION}`, or use a newer symbody"
        raise yaml_error(f"unknown format version {str(version.value)[:20]}", version, "symbody", cure)
    model = Model(text_of(top["name"], "name"))
    if "gravity" in top:
        model.gravity = vector_of(top["gravity"], "gravity")
    if "ground" in top:
        ground = entries_of(top["ground"], "ground", ("points", "looks"))
        model.ground.points.update(_points(GROUND, ground.get("points"), "ground.points"))
        model.ground.looks = _looks(ground.get("looks"), "ground.looks")
    for section, read in _SECTIONS.items():
        attribute = "joint_laws" if section == "joint_forces" else section
        setattr(model, attribute, named_entries(top.get(section), section, read))
    return model


def _set_given(
    target: Any, entries: Mapping[str, YamlNode], path: str, **readers: Callable[[YamlNode, str], Any]
) -> None:
    """Set the attributes that a file gives; the others keep their defaults."""
    for name, read in readers.items():
        if name in entries:
            setattr(target, name, read(entries[name], f"{path}.{name}"))


def _parameter(name: str, node: YamlNode, path: str) -> Parameter:
    if not isinstance(node.value, dict):
        return Parameter(name, plain_number(node, path))
    entries = entries_of(node, path, ("value", "unit", "low", "high"), required=("value",))
    unit = _unit(entries, path)
    low, high = (plain_number(entries[end], f"{path}.{end}") if end in entries else None for end in ("low", "high"))
    return Parameter(name, plain_number(entries["value"], path), unit, low, high)


def _body(name: str, node: YamlNode, path: str) -> Body:
    entries = entries_of(node, path, _BODY)
    body, joints = Body(name, on=f"{GROUND}.{ORIGIN}"), partial(_joints, name)
    _set_given(body, entries, path, on=point_path, joints=joints, mass=number_of, com=vector_of, inertia=_inertia)
    body.points.update(_points(name, entries.get("points"), f"{path}.points"))
    body.looks = _looks(entries.get("looks"), f"{path}.looks")
    return body


def _looks(node: YamlNode | None, path: str) -> list[MeshLook]:
    """Mesh files of a body: names, or mappings with a place."""
    listed = [] if node is None else list_of(node, path, "write for example [{file: rod.stl, scale: 0.001}]")
    if len(listed) > MAX_LOOKS:
        raise ModelError(f"{len(listed)} meshes", element=path, cure=f"at most {MAX_LOOKS} are possible")
    return [_look(entry, f"{path}.{k}") for k, entry in enumerate(listed)]


def _look(node: YamlNode, path: str) -> MeshLook:
    if not isinstance(node.value, dict):
        node = YamlNode({"file": node}, node.line)
    entries = entries_of(node, path, ("file", "scale", "position", "rotation", "colour"), required=("file",))

    def triple(key: str) -> Triple:
        if key not in entries:
            return ORIGIN_AT
        where, listed = f"{path}.{key}", list_of(entries[key], f"{path}.{key}")
        if len(listed) != 3:
            raise yaml_error(f"expected 3 numbers, got {len(listed)}", entries[key], where, "write [x, y, z]")
        x, y, z = (plain_number(one, where) for one in listed)
        return x, y, z

    scale = plain_number(entries["scale"], f"{path}.scale") if "scale" in entries else 1.0
    colour = text_of(entries["colour"], f"{path}.colour") if "colour" in entries else None
    try:
        return mesh_look(text_of(entries["file"], path), scale, triple("position"), triple("rotation"), colour, path)
    except ModelError as error:
        raise yaml_error(error.problem, node, error.element, error.cure) from error


def _inertia(node: YamlNode, path: str) -> tuple[Number, ...]:
    """xx, yy, zz and, if given, xy, xz, yz."""
    return (*numbers_of(node, path, (3, 6)), 0.0, 0.0, 0.0)[:6]


def _joints(body: str, node: YamlNode, path: str) -> list[Joint]:
    if isinstance(node.value, str):
        entries: list[YamlNode] = [YamlNode(kind, node.line) for kind in node.value.split()]
    else:
        entries = list_of(node, path, f"write for example [{{name: {body}, type: R2}}], or joints: R2")
    maps = [
        entries_of(entry, path, _JOINT, required=("type",)) if isinstance(entry.value, dict) else {"type": entry}
        for entry in entries
    ]
    kinds = [text_of(entry["type"], f"{path}.type") for entry in maps]
    joints, usual = [], default_joint_names(body, kinds)
    for i, entry in enumerate(maps):
        name = text_of(entry["name"], path) if "name" in entry else usual[i]
        joint = Joint(name, kinds[i])
        _set_given(
            joint, entry, f"{path}.{name}",
            nature=text_of, q0=_coordinates, v0=_coordinates, armature=number_of, limits=_limits,
        )  # fmt: skip
        joints.append(joint)
    return joints


def _limits(node: YamlNode, path: str) -> JointLimits:
    entries = entries_of(node, path, tuple(vars(UNLIMITED)))
    given = {key: number_of(entry, f"{path}.{key}") for key, entry in entries.items()}
    for key, value in given.items():
        if isinstance(value, Formula):
            raise ModelError("a limit must be a plain number", element=f"{path}.{key}", cure="write its value")
    return JointLimits(**{key: float(value) for key, value in given.items() if not isinstance(value, Formula)})


def _coordinates(node: YamlNode, path: str) -> tuple[Number, ...]:
    return numbers_of(node, path, range(1, 8)) if isinstance(node.value, list) else (number_of(node, path),)


def _points(body: str, node: YamlNode | None, path: str) -> dict[str, Point]:
    def point(name: str, node: YamlNode, path: str) -> Point:
        if isinstance(node.value, dict):
            entries = entries_of(node, path, ("position", "rotation"), required=("position",))
            turned = vector_of(entries["rotation"], f"{path}.rotation") if "rotation" in entries else (0.0, 0.0, 0.0)
            return Point(body, name, vector_of(entries["position"], f"{path}.position"), turned)
        return Point(body, name, vector_of(node, path))

    return named_entries(node, path, point)


def _link(name: str, node: YamlNode, path: str) -> Link:
    entries = entries_of(node, path, ("between", "law"), required=("between",))
    law = _formulas(entries["law"], f"{path}.law", "links") if "law" in entries else None
    return Link(name, *pair_of_points(entries["between"], f"{path}.between"), law=law)


def _cut(name: str, node: YamlNode, path: str) -> Cut:
    entries = entries_of(node, path, ("kind", "between", "length", "axis"), required=("kind", "between"))
    cut = Cut(name, text_of(entries["kind"], f"{path}.kind"), *pair_of_points(entries["between"], f"{path}.between"))
    _set_given(cut, entries, path, length=number_of, axis=_axis)
    return cut


def _axis(node: YamlNode, path: str) -> int:
    if type(node.value) is not int or node.value not in (1, 2, 3):
        raise yaml_error(f"unknown axis {str(node.value)[:20]}", node, path, "use 1, 2 or 3")
    return int(node.value)


def _rolling(name: str, node: YamlNode, path: str) -> RollingContact:
    keys = ("kind", "point", "plane", "radius", "tube", "axis")
    entries = entries_of(node, path, keys, required=("kind", "point"))
    kind, point = text_of(entries["kind"], f"{path}.kind"), point_path(entries["point"], f"{path}.point")
    contact = RollingContact(name, kind, point, axis=1 if kind == "knife-edge" else 2)
    _set_given(contact, entries, path, plane=point_path, radius=number_of, tube=number_of, axis=_axis)
    return contact


def _force_site(name: str, node: YamlNode, path: str) -> ForceSite:
    if not isinstance(node.value, dict):
        return ForceSite(name, point_path(node, path))
    entries = entries_of(node, path, ("point", "law"), required=("point",))
    law = _formulas(entries["law"], f"{path}.law", "force_sites", (3, 6)) if "law" in entries else None
    return ForceSite(name, point_path(entries["point"], f"{path}.point"), law=law)


def _interaction(name: str, node: YamlNode, path: str) -> Interaction:
    entries = entries_of(node, path, ("between", "law"), required=("between", "law"))
    law = _formulas(entries["law"], f"{path}.law", "interactions", (3, 6))
    return Interaction(name, *pair_of_points(entries["between"], f"{path}.between"), law=law)


def _sensor(name: str, node: YamlNode, path: str) -> Sensor:
    if not isinstance(node.value, dict):
        return Sensor(name, point_path(node, path))
    entries = entries_of(node, path, ("point", "quantities"), required=("point",))
    quantities: tuple[str, ...] = SENSED
    if "quantities" in entries:
        where = f"{path}.quantities"
        quantities = tuple(text_of(entry, where) for entry in list_of(entries["quantities"], where))
    return Sensor(name, point_path(entries["point"], f"{path}.point"), quantities)


def _circuit(name: str, node: YamlNode, path: str) -> Circuit:
    try:
        return circuit_from(name, plain(node), path)
    except ModelError as error:
        raise yaml_error(error.problem, node, error.element, error.cure) from error


def _input(name: str, node: YamlNode, path: str) -> UserInput:
    read = _parameter(name, node, path)
    return UserInput(name, read.value, read.unit, read.low, read.high)


def _joint_law(family: str) -> Callable[[str, YamlNode, str], FormulaLaw]:
    return lambda _, node, path: _formulas(node, path, family)


def _coupling(name: str, node: YamlNode, path: str) -> Coupling:
    entries = entries_of(node, path, ("joints", "law"), required=("joints", "law"))
    joints = tuple(text_of(entry, f"{path}.joints") for entry in list_of(entries["joints"], f"{path}.joints"))
    return Coupling(name, joints, law=_formulas(entries["law"], f"{path}.law", "couplings", (len(joints),)))


def _unit(entries: Mapping[str, YamlNode], path: str) -> str:
    return text_of(entries["unit"], f"{path}.unit") if "unit" in entries else ""


def _state(name: str, node: YamlNode, path: str) -> State:
    entries = entries_of(node, path, ("start", "scale", "unit", "law"), required=("law",))
    start = number_of(entries["start"], f"{path}.start") if "start" in entries else 0.0
    scale = plain_number(entries["scale"], f"{path}.scale") if "scale" in entries else 1.0
    return State(name, start, scale, _unit(entries, path), law=_formulas(entries["law"], f"{path}.law", "states"))


def _several(kind: Callable[..., Any], family: str) -> Callable[[str, YamlNode, str], Any]:
    """A reader of constraints: their law has several values."""

    def read(name: str, node: YamlNode, path: str) -> Any:
        law = _only_law(node, path, family, SEVERAL)
        return kind(name, len(law.texts), law=law)

    return read


def _signal(name: str, node: YamlNode, path: str) -> Signal:
    entries = entries_of(node, path, ("unit", "law"), required=("law",))
    law = _formulas(entries["law"], f"{path}.law", "signals", SEVERAL)
    return Signal(name, len(law.texts), _unit(entries, path), law=law)


def _limit(name: str, node: YamlNode, path: str) -> Limit:
    return Limit(name, law=_only_law(node, path, "limits"))


def _only_law(node: YamlNode, path: str, family: str, counts: Sequence[int] = (1,)) -> FormulaLaw:
    return _formulas(entries_of(node, path, ("law",), required=("law",))["law"], f"{path}.law", family, counts)


def _formulas(node: YamlNode, path: str, family: str, counts: Sequence[int] = (1,)) -> FormulaLaw:
    """A law: one formula, or a list of formulas; or `values` of that form with named shared parts."""
    lets: dict[str, str] = {}
    several = counts != (1,) or family == "couplings"
    if isinstance(node.value, dict):
        entries = entries_of(node, path, ("let", "values"), required=("values",))
        lets = named_entries(entries.get("let"), f"{path}.let", lambda _, child, place: _formula(child, place))
        node, several = entries["values"], True
    listed = [node] if 1 in counts and not (several and isinstance(node.value, list)) else list_of(node, path)
    if len(listed) not in counts:
        raise yaml_error(f"the law has {len(listed)} formulas", node, path, f"use {counted(counts)}")
    return FormulaLaw(tuple(_formula(entry, path) for entry in listed), ARGUMENTS[family], tuple(lets.items()))


def _formula(node: YamlNode, path: str) -> str:
    value = node.value
    if isinstance(value, str) and value.strip():
        return " ".join(value.split("\n")).strip()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(number_of(node, path)).removesuffix(".0")
    raise yaml_error(f"expected a formula, got {kind_of(node)}", node, path, 'write a formula such as "k*length"')


_SECTIONS: dict[str, Callable[[str, YamlNode, str], Any]] = {
    "parameters": _parameter,
    "bodies": _body,
    "links": _link,
    "cuts": _cut,
    "rolling_contacts": _rolling,
    "force_sites": _force_site,
    "interactions": _interaction,
    "sensors": _sensor,
    "circuits": _circuit,
    "inputs": _input,
    "joint_forces": _joint_law("joint_forces"),
    "trajectories": _joint_law("trajectories"),
    "couplings": _coupling,
    "states": _state,
    "constraints": _several(Constraint, "constraints"),
    "nonholonomic_constraints": _several(NonholonomicConstraint, "nonholonomic_constraints"),
    "limits": _limit,
    "signals": _signal,
}  # in the order in which mistakes are reported
_TOP = ("symbody", "name", "gravity", "ground", *_SECTIONS)
