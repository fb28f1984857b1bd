"""Our own model files: YAML, readable, checked key by key (`schema.py` publishes the same rules)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

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
from symbody.model.formula import Formula, Number
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model, default_joint_names
from symbody.model.safe_file import FilePath, naming, write_text
from symbody.model.safe_yaml import YamlNode, plain, read_nodes
from symbody.model.yaml_text import yaml_text
from symbody.model.yaml_values import (
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

VERSION = 1
MAX_VALUES = 1000  # of one constraint or signal
SEVERAL = range(1, MAX_VALUES + 1)

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
    top = entries_of(root, "", _TOP, required=("symbody", "name"))
    version = top["symbody"]
    if type(version.value) is not int or version.value != VERSION:
        cure = f"write `symbody: {VERSION}`, or use a newer symbody"
        raise yaml_error(f"format version {str(version.value)[:20]}", version, "symbody", cure)
    model = Model(text_of(top["name"], "name"))
    if "gravity" in top:
        model.gravity = vector_of(top["gravity"], "gravity")
    model.parameters = named_entries(top.get("parameters"), "parameters", _parameter)
    if "ground" in top:
        ground = entries_of(top["ground"], "ground", ("points",))
        model.ground.points.update(_points(GROUND, ground.get("points"), "ground.points"))
    model.bodies = named_entries(top.get("bodies"), "bodies", _body)
    model.links = named_entries(top.get("links"), "links", _link)
    model.cuts = named_entries(top.get("cuts"), "cuts", _cut)
    model.rolling_contacts = named_entries(top.get("rolling_contacts"), "rolling_contacts", _rolling)
    model.force_sites = named_entries(top.get("force_sites"), "force_sites", _force_site)
    model.interactions = named_entries(top.get("interactions"), "interactions", _interaction)
    model.sensors = named_entries(top.get("sensors"), "sensors", _sensor)
    model.circuits = named_entries(top.get("circuits"), "circuits", _circuit)
    _read_laws(model, top)
    return model


def _read_laws(model: Model, top: dict[str, YamlNode]) -> None:
    model.inputs = named_entries(top.get("inputs"), "inputs", _input)
    model.joint_laws = named_entries(top.get("joint_forces"), "joint_forces", _joint_law("joint_forces"))
    model.trajectories = named_entries(top.get("trajectories"), "trajectories", _joint_law("trajectories"))
    model.couplings = named_entries(top.get("couplings"), "couplings", _coupling)
    model.states = named_entries(top.get("states"), "states", _state)
    model.constraints = named_entries(top.get("constraints"), "constraints", _constraint)
    model.nonholonomic_constraints = named_entries(
        top.get("nonholonomic_constraints"), "nonholonomic_constraints", _nonholonomic
    )
    model.limits = named_entries(top.get("limits"), "limits", _limit)
    model.signals = named_entries(top.get("signals"), "signals", _signal)


def _parameter(name: str, node: YamlNode, path: str) -> Parameter:
    if not isinstance(node.value, dict):
        return Parameter(name, plain_number(node, path))
    entries = entries_of(node, path, ("value", "unit", "low", "high"), required=("value",))
    unit = text_of(entries["unit"], f"{path}.unit") if "unit" in entries else ""
    low, high = (plain_number(entries[end], f"{path}.{end}") if end in entries else None for end in ("low", "high"))
    return Parameter(name, plain_number(entries["value"], path), unit, low, high)


def _body(name: str, node: YamlNode, path: str) -> Body:
    entries = entries_of(node, path, _BODY)
    body = Body(name, on=point_path(entries["on"], f"{path}.on") if "on" in entries else f"{GROUND}.{ORIGIN}")
    if "joints" in entries:
        body.joints = _joints(name, entries["joints"], f"{path}.joints")
    if "mass" in entries:
        body.mass = number_of(entries["mass"], f"{path}.mass")
    if "com" in entries:
        body.com = vector_of(entries["com"], f"{path}.com")
    if "inertia" in entries:
        xx, yy, zz, xy, xz, yz = (*numbers_of(entries["inertia"], f"{path}.inertia", (3, 6)), 0.0, 0.0, 0.0)[:6]
        body.inertia = (xx, yy, zz, xy, xz, yz)
    body.points.update(_points(name, entries.get("points"), f"{path}.points"))
    return body


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
        if "nature" in entry:
            joint.nature = text_of(entry["nature"], f"{path}.{name}.nature")
        if "q0" in entry:
            joint.q0 = _coordinates(entry["q0"], f"{path}.{name}.q0")
        if "v0" in entry:
            joint.v0 = _coordinates(entry["v0"], f"{path}.{name}.v0")
        if "armature" in entry:
            joint.armature = number_of(entry["armature"], f"{path}.{name}.armature")
        if "limits" in entry:
            joint.limits = _limits(entry["limits"], f"{path}.{name}.limits")
        joints.append(joint)
    return joints


def _limits(node: YamlNode, path: str) -> JointLimits:
    entries = entries_of(node, path, tuple(vars(UNLIMITED)))
    given = {key: number_of(entry, f"{path}.{key}") for key, entry in entries.items()}
    for key, value in given.items():
        if isinstance(value, Formula):
            raise ModelError("a limit is a plain number", element=f"{path}.{key}", cure="write its value")
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
    if "length" in entries:
        cut.length = number_of(entries["length"], f"{path}.length")
    if "axis" in entries:
        cut.axis = _axis(entries["axis"], f"{path}.axis")
    return cut


def _axis(node: YamlNode, path: str) -> int:
    if type(node.value) is not int or node.value not in (1, 2, 3):
        raise yaml_error(f"there is no axis {str(node.value)[:20]}", node, path, "use 1, 2 or 3")
    return int(node.value)


def _rolling(name: str, node: YamlNode, path: str) -> RollingContact:
    keys = ("kind", "point", "plane", "radius", "tube", "axis")
    entries = entries_of(node, path, keys, required=("kind", "point"))
    kind, point = text_of(entries["kind"], f"{path}.kind"), point_path(entries["point"], f"{path}.point")
    contact = RollingContact(name, kind, point, axis=1 if kind == "knife-edge" else 2)
    if "plane" in entries:
        contact.plane = point_path(entries["plane"], f"{path}.plane")
    if "radius" in entries:
        contact.radius = number_of(entries["radius"], f"{path}.radius")
    if "tube" in entries:
        contact.tube = number_of(entries["tube"], f"{path}.tube")
    if "axis" in entries:
        contact.axis = _axis(entries["axis"], f"{path}.axis")
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


def _state(name: str, node: YamlNode, path: str) -> State:
    entries = entries_of(node, path, ("start", "scale", "law"), required=("law",))
    start = number_of(entries["start"], f"{path}.start") if "start" in entries else 0.0
    scale = plain_number(entries["scale"], f"{path}.scale") if "scale" in entries else 1.0
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
    return _formulas(entries_of(node, path, ("law",), required=("law",))["law"], f"{path}.law", family, counts)


def _formulas(node: YamlNode, path: str, family: str, counts: Sequence[int] = (1,)) -> FormulaLaw:
    """A law: one formula or a list of so many, or `values` that are such, with names for what they share."""
    lets: dict[str, str] = {}
    several = counts != (1,) or family == "couplings"
    if isinstance(node.value, dict):
        entries = entries_of(node, path, ("let", "values"), required=("values",))
        lets = named_entries(entries.get("let"), f"{path}.let", lambda _, child, place: _formula(child, place))
        node, several = entries["values"], True
    listed = [node] if 1 in counts and not (several and isinstance(node.value, list)) else list_of(node, path)
    if len(listed) not in counts:
        raise yaml_error(f"{len(listed)} formulas", node, path, f"give {counted(counts)}")
    return FormulaLaw(tuple(_formula(entry, path) for entry in listed), ARGUMENTS[family], tuple(lets.items()))


def _formula(node: YamlNode, path: str) -> str:
    value = node.value
    if isinstance(value, str) and value.strip():
        return " ".join(value.split("\n")).strip()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(number_of(node, path)).removesuffix(".0")
    raise yaml_error(f"{kind_of(node)} where a formula is expected", node, path, 'write one such as "k*length"')
