"""Our own model files: YAML, readable, checked key by key (`schema.py` publishes the same rules)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from symbody.errors import ModelError
from symbody.model.attached import (
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
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Parameter, Point
from symbody.model.circuit import Circuit
from symbody.model.circuit_file import circuit_from
from symbody.model.formula import MAX_DIGITS, Formula, Number, Vector, literal
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model, default_joint_names
from symbody.model.safe_file import FilePath, naming, write_text
from symbody.model.safe_yaml import YamlNode, plain, read_nodes
from symbody.model.yaml_text import yaml_text
from symbody.nearest import nearest

VERSION = 1
MAX_VALUES = 1000  # of one constraint or signal
SEVERAL = range(1, MAX_VALUES + 1)

T = TypeVar("T")

_TIES = ("constraints", "nonholonomic_constraints")
_LAWS = ("joint_forces", "trajectories", "couplings", "states", *_TIES, "limits", "signals")
_FORCES = ("links", "force_sites", "interactions")
_ELEMENTS = ("ground", "bodies", "cuts", "rolling_contacts", *_FORCES, "sensors", "circuits")
_TOP = ("symbody", "name", "gravity", "parameters", "inputs", *_ELEMENTS, *_LAWS)
_BODY = ("on", "joints", "mass", "com", "inertia", "points")
_JOINT = ("type", "name", "nature", "q0", "v0", "armature", "limits")


def read_yaml(path: FilePath) -> Model:
    """The model in a file of ours; structure is checked here, sense in `check`."""
    with naming(path):
        model = _model(read_nodes(path))
    model.file = os.fspath(path)
    return model


def write_yaml(model: Model, path: FilePath, laws: str = "refuse") -> None:
    """Save a model; numbers come back exactly, comments of an earlier file do not.

    A file holds laws as formulas. One that is a function is refused, or left out with `laws="drop"`.
    """
    with naming(path):
        write_text(path, yaml_text(model, laws))


def _model(root: YamlNode) -> Model:
    top = _keys(root, "", _TOP, required=("symbody", "name"))
    version = top["symbody"]
    if type(version.value) is not int or version.value != VERSION:
        cure = f"write `symbody: {VERSION}`, or use a newer symbody"
        raise _error(f"format version {str(version.value)[:20]}", version, "symbody", cure)
    model = Model(_text(top["name"], "name"))
    if "gravity" in top:
        model.gravity = _vector(top["gravity"], "gravity")
    model.parameters = _named(top.get("parameters"), "parameters", _parameter)
    if "ground" in top:
        ground = _keys(top["ground"], "ground", ("points",))
        model.ground.points.update(_points(GROUND, ground.get("points"), "ground.points"))
    model.bodies = _named(top.get("bodies"), "bodies", _body)
    model.links = _named(top.get("links"), "links", _link)
    model.cuts = _named(top.get("cuts"), "cuts", _cut)
    model.rolling_contacts = _named(top.get("rolling_contacts"), "rolling_contacts", _rolling)
    model.force_sites = _named(top.get("force_sites"), "force_sites", _force_site)
    model.interactions = _named(top.get("interactions"), "interactions", _interaction)
    model.sensors = _named(top.get("sensors"), "sensors", _sensor)
    model.circuits = _named(top.get("circuits"), "circuits", _circuit)
    _read_laws(model, top)
    return model


def _read_laws(model: Model, top: dict[str, YamlNode]) -> None:
    model.inputs = _named(top.get("inputs"), "inputs", _input)
    model.joint_laws = _named(top.get("joint_forces"), "joint_forces", _joint_law("joint_forces"))
    model.trajectories = _named(top.get("trajectories"), "trajectories", _joint_law("trajectories"))
    model.couplings = _named(top.get("couplings"), "couplings", _coupling)
    model.states = _named(top.get("states"), "states", _state)
    model.constraints = _named(top.get("constraints"), "constraints", _constraint)
    model.nonholonomic_constraints = _named(
        top.get("nonholonomic_constraints"), "nonholonomic_constraints", _nonholonomic
    )
    model.limits = _named(top.get("limits"), "limits", _limit)
    model.signals = _named(top.get("signals"), "signals", _signal)


def _parameter(name: str, node: YamlNode, path: str) -> Parameter:
    if not isinstance(node.value, dict):
        return Parameter(name, _plain_number(node, path))
    entries = _keys(node, path, ("value", "unit", "low", "high"), required=("value",))
    unit = _text(entries["unit"], f"{path}.unit") if "unit" in entries else ""
    low, high = (_plain_number(entries[end], f"{path}.{end}") if end in entries else None for end in ("low", "high"))
    return Parameter(name, _plain_number(entries["value"], path), unit, low, high)


def _body(name: str, node: YamlNode, path: str) -> Body:
    entries = _keys(node, path, _BODY)
    body = Body(name, on=_point(entries["on"], f"{path}.on") if "on" in entries else f"{GROUND}.{ORIGIN}")
    if "joints" in entries:
        body.joints = _joints(name, entries["joints"], f"{path}.joints")
    if "mass" in entries:
        body.mass = _number(entries["mass"], f"{path}.mass")
    if "com" in entries:
        body.com = _vector(entries["com"], f"{path}.com")
    if "inertia" in entries:
        xx, yy, zz, xy, xz, yz = (*_numbers(entries["inertia"], f"{path}.inertia", (3, 6)), 0.0, 0.0, 0.0)[:6]
        body.inertia = (xx, yy, zz, xy, xz, yz)
    body.points.update(_points(name, entries.get("points"), f"{path}.points"))
    return body


def _joints(body: str, node: YamlNode, path: str) -> list[Joint]:
    if isinstance(node.value, str):
        entries: list[YamlNode] = [YamlNode(kind, node.line) for kind in node.value.split()]
    else:
        entries = _list(node, path)
    maps = [
        _keys(entry, path, _JOINT, required=("type",)) if isinstance(entry.value, dict) else {"type": entry}
        for entry in entries
    ]
    kinds = [_text(entry["type"], f"{path}.type") for entry in maps]
    joints, usual = [], default_joint_names(body, kinds)
    for i, entry in enumerate(maps):
        name = _text(entry["name"], path) if "name" in entry else usual[i]
        joint = Joint(name, kinds[i])
        if "nature" in entry:
            joint.nature = _text(entry["nature"], f"{path}.{name}.nature")
        if "q0" in entry:
            joint.q0 = _coordinates(entry["q0"], f"{path}.{name}.q0")
        if "v0" in entry:
            joint.v0 = _coordinates(entry["v0"], f"{path}.{name}.v0")
        if "armature" in entry:
            joint.armature = _number(entry["armature"], f"{path}.{name}.armature")
        if "limits" in entry:
            joint.limits = _limits(entry["limits"], f"{path}.{name}.limits")
        joints.append(joint)
    return joints


def _limits(node: YamlNode, path: str) -> JointLimits:
    entries = _keys(node, path, tuple(vars(UNLIMITED)))
    given = {key: _number(entry, f"{path}.{key}") for key, entry in entries.items()}
    for key, value in given.items():
        if isinstance(value, Formula):
            raise ModelError("a limit is a plain number", element=f"{path}.{key}", cure="write its value")
    return JointLimits(**{key: float(value) for key, value in given.items() if not isinstance(value, Formula)})


def _coordinates(node: YamlNode, path: str) -> tuple[Number, ...]:
    return _numbers(node, path, range(1, 8)) if isinstance(node.value, list) else (_number(node, path),)


def _points(body: str, node: YamlNode | None, path: str) -> dict[str, Point]:
    def point(name: str, node: YamlNode, path: str) -> Point:
        if isinstance(node.value, dict):
            entries = _keys(node, path, ("position", "rotation"), required=("position",))
            turned = _vector(entries["rotation"], f"{path}.rotation") if "rotation" in entries else (0.0, 0.0, 0.0)
            return Point(body, name, _vector(entries["position"], f"{path}.position"), turned)
        return Point(body, name, _vector(node, path))

    return _named(node, path, point)


def _link(name: str, node: YamlNode, path: str) -> Link:
    entries = _keys(node, path, ("between", "law"), required=("between",))
    law = _formulas(entries["law"], f"{path}.law", "links") if "law" in entries else None
    return Link(name, *_pair(entries["between"], f"{path}.between"), law=law)


def _cut(name: str, node: YamlNode, path: str) -> Cut:
    entries = _keys(node, path, ("kind", "between", "length", "axis"), required=("kind", "between"))
    cut = Cut(name, _text(entries["kind"], f"{path}.kind"), *_pair(entries["between"], f"{path}.between"))
    if "length" in entries:
        cut.length = _number(entries["length"], f"{path}.length")
    if "axis" in entries:
        cut.axis = _axis(entries["axis"], f"{path}.axis")
    return cut


def _axis(node: YamlNode, path: str) -> int:
    if type(node.value) is not int or node.value not in (1, 2, 3):
        raise _error(f"there is no axis {str(node.value)[:20]}", node, path, "use 1, 2 or 3")
    return int(node.value)


def _rolling(name: str, node: YamlNode, path: str) -> RollingContact:
    keys = ("kind", "point", "plane", "radius", "tube", "axis")
    entries = _keys(node, path, keys, required=("kind", "point"))
    kind, point = _text(entries["kind"], f"{path}.kind"), _point(entries["point"], f"{path}.point")
    contact = RollingContact(name, kind, point, axis=1 if kind == "knife-edge" else 2)
    if "plane" in entries:
        contact.plane = _point(entries["plane"], f"{path}.plane")
    if "radius" in entries:
        contact.radius = _number(entries["radius"], f"{path}.radius")
    if "tube" in entries:
        contact.tube = _number(entries["tube"], f"{path}.tube")
    if "axis" in entries:
        contact.axis = _axis(entries["axis"], f"{path}.axis")
    return contact


def _force_site(name: str, node: YamlNode, path: str) -> ForceSite:
    if not isinstance(node.value, dict):
        return ForceSite(name, _point(node, path))
    entries = _keys(node, path, ("point", "law"), required=("point",))
    law = _formulas(entries["law"], f"{path}.law", "force_sites", (3, 6)) if "law" in entries else None
    return ForceSite(name, _point(entries["point"], f"{path}.point"), law=law)


def _interaction(name: str, node: YamlNode, path: str) -> Interaction:
    entries = _keys(node, path, ("between", "law"), required=("between", "law"))
    law = _formulas(entries["law"], f"{path}.law", "interactions", (3, 6))
    return Interaction(name, *_pair(entries["between"], f"{path}.between"), law=law)


def _sensor(name: str, node: YamlNode, path: str) -> Sensor:
    if not isinstance(node.value, dict):
        return Sensor(name, _point(node, path))
    entries = _keys(node, path, ("point", "quantities"), required=("point",))
    quantities: tuple[str, ...] = SENSED
    if "quantities" in entries:
        where = f"{path}.quantities"
        quantities = tuple(_text(entry, where) for entry in _list(entries["quantities"], where))
    return Sensor(name, _point(entries["point"], f"{path}.point"), quantities)


def _circuit(name: str, node: YamlNode, path: str) -> Circuit:
    try:
        return circuit_from(name, plain(node), path)
    except ModelError as error:
        raise _error(error.problem, node, error.element, error.cure) from error


def _input(name: str, node: YamlNode, path: str) -> UserInput:
    read = _parameter(name, node, path)
    return UserInput(name, read.value, read.unit, read.low, read.high)


def _joint_law(family: str) -> Callable[[str, YamlNode, str], FormulaLaw]:
    return lambda _, node, path: _formulas(node, path, family)


def _coupling(name: str, node: YamlNode, path: str) -> Coupling:
    entries = _keys(node, path, ("joints", "law"), required=("joints", "law"))
    joints = tuple(_text(entry, f"{path}.joints") for entry in _list(entries["joints"], f"{path}.joints"))
    return Coupling(name, joints, law=_formulas(entries["law"], f"{path}.law", "couplings", (len(joints),)))


def _state(name: str, node: YamlNode, path: str) -> State:
    entries = _keys(node, path, ("start", "scale", "law"), required=("law",))
    start = _number(entries["start"], f"{path}.start") if "start" in entries else 0.0
    scale = _plain_number(entries["scale"], f"{path}.scale") if "scale" in entries else 1.0
    return State(name, start, scale, law=_formulas(entries["law"], f"{path}.law", "states"))


def _constraint(name: str, node: YamlNode, path: str) -> Constraint:
    law = _only_law(node, path, "constraints", SEVERAL)
    return Constraint(name, len(law.texts), law=law)


def _nonholonomic(name: str, node: YamlNode, path: str) -> NonholonomicConstraint:
    law = _only_law(node, path, "nonholonomic_constraints", SEVERAL)
    return NonholonomicConstraint(name, len(law.texts), law=law)


def _limit(name: str, node: YamlNode, path: str) -> Limit:
    return Limit(name, law=_only_law(node, path, "limits"))


def _signal(name: str, node: YamlNode, path: str) -> Signal:
    law = _only_law(node, path, "signals", SEVERAL)
    return Signal(name, len(law.texts), law=law)


def _only_law(node: YamlNode, path: str, family: str, counts: Sequence[int] = (1,)) -> FormulaLaw:
    return _formulas(_keys(node, path, ("law",), required=("law",))["law"], f"{path}.law", family, counts)


def _formulas(node: YamlNode, path: str, family: str, counts: Sequence[int] = (1,)) -> FormulaLaw:
    """A law: one formula or a list of so many, or `values` that are such, with names for what they share."""
    lets: dict[str, str] = {}
    several = counts != (1,) or family == "couplings"
    if isinstance(node.value, dict):
        entries = _keys(node, path, ("let", "values"), required=("values",))
        lets = _named(entries.get("let"), f"{path}.let", lambda _, child, place: _formula(child, place))
        node, several = entries["values"], True
    listed = [node] if 1 in counts and not (several and isinstance(node.value, list)) else _list(node, path)
    if len(listed) not in counts:
        raise _error(f"{len(listed)} formulas", node, path, f"give {_counted(counts)}")
    return FormulaLaw(tuple(_formula(entry, path) for entry in listed), ARGUMENTS[family], tuple(lets.items()))


def _formula(node: YamlNode, path: str) -> str:
    value = node.value
    if isinstance(value, str) and value.strip():
        return " ".join(value.split("\n")).strip()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(_number(node, path)).removesuffix(".0")
    raise _error(f"{_kind(node)} where a formula is expected", node, path, 'write one such as "k*length"')


def _keys(node: YamlNode, path: str, known: Iterable[str], required: Iterable[str] = ()) -> dict[str, YamlNode]:
    """The entries of a mapping with known keys; an unknown one is answered with the nearest."""
    if not isinstance(node.value, dict):
        cure = f"write `key: value` lines with the keys {', '.join(known)}"
        raise _error(f"{_kind(node)} where keys are expected", node, path, cure)
    entries: dict[str, YamlNode] = node.value
    for key, entry in entries.items():
        if key not in known:
            near = nearest(key, known)
            cure = f"did you mean '{near[0]}'?" if near else f"the keys here are {', '.join(known)}"
            raise _error(f"unknown key '{key[:80]}'", entry, f"{path}.{key[:80]}" if path else key[:80], cure)
    for key in required:
        if key not in entries:
            raise _error(f"'{key}' is missing", node, path or "model", f"add `{key}: …`")
    return entries


def _named(node: YamlNode | None, path: str, read: Callable[[str, YamlNode, str], T]) -> dict[str, T]:
    """A mapping of elements: each read by `read`, under its name."""
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise _error(f"{_kind(node)} where names are expected", node, path, "write `name: …` lines")
    return {name: read(name, child, f"{path}.{name}") for name, child in node.value.items()}


def _list(node: YamlNode, path: str) -> list[YamlNode]:
    if not isinstance(node.value, list):
        raise _error(f"{_kind(node)} where a list is expected", node, path, "write [a, b, …]")
    entries: list[YamlNode] = node.value
    return entries


def _text(node: YamlNode, path: str) -> str:
    # a name such as 12 or true was meant as a word
    if isinstance(node.value, (dict, list)) or node.value is None:
        raise _error(f"{_kind(node)} where a word is expected", node, path, "write a word")
    if not isinstance(node.value, str):
        raise _error(f"{_kind(node)} where a word is expected", node, path, f'write it in quotes: "{node.value}"')
    return node.value


def _point(node: YamlNode, path: str) -> str:
    """Path of a point; a body's name alone means its origin."""
    text = _text(node, path)
    return text if "." in text else f"{text}.{ORIGIN}"


def _pair(node: YamlNode, path: str) -> tuple[str, str]:
    ends = _list(node, path)
    if len(ends) != 2:
        raise _error(f"{len(ends)} points", node, path, "give two: [body.point, body.point]")
    return _point(ends[0], path), _point(ends[1], path)


def _number(node: YamlNode, path: str) -> Number:
    """A number, or a formula over the parameters."""
    value: Any = node.value
    if isinstance(value, str) and value.strip():
        written = literal(value)
        if written is None and (len(value) > MAX_DIGITS and value.strip("+-.0123456789eE") == ""):
            raise _error(f"a number of {len(value)} characters", node, path, f"write at most {MAX_DIGITS}")
        if written is None and value.lstrip("+-").lower() in (".nan", ".inf"):
            raise _error(f"{value} is not finite", node, path, "write a finite number")
        value = Formula(value) if written is None else written
    if isinstance(value, Formula):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            if math.isfinite(float(value)):
                return float(value)
        except OverflowError:
            pass
        raise _error("the number is not finite", node, path, "write one below 1e308")
    raise _error(f"{_kind(node)} where a number is expected", node, path, "write a number or a formula such as -L/2")


def _plain_number(node: YamlNode, path: str) -> float:
    value = _number(node, path)
    if isinstance(value, Formula):
        raise _error(f"'{value.text[:40]}' is not a number", node, path, "write a plain number")
    return value


def _numbers(node: YamlNode, path: str, counts: Sequence[int]) -> tuple[Number, ...]:
    entries = _list(node, path)
    if len(entries) not in counts:
        raise _error(f"{len(entries)} numbers", node, path, f"give {_counted(counts)}")
    return tuple(_number(entry, path) for entry in entries)


def _counted(counts: Sequence[int]) -> str:
    return " or ".join(map(str, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"


def _vector(node: YamlNode, path: str) -> Vector:
    x, y, z = _numbers(node, path, (3,))
    return x, y, z


def _kind(node: YamlNode) -> str:
    match node.value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f"'{node.value[:40]}'"
    return f"the number {str(node.value)[:40]}"


def _error(problem: str, node: YamlNode, path: str, cure: str) -> ModelError:
    return ModelError(problem, element=f"{path or 'model'} (line {node.line})", cure=cure)
