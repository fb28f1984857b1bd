"""Properties of the elements, for the panel of the page: keys of the file with their kinds, units and words."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from symbody.errors import SymbodyError
from symbody.model.body import JOINT_TYPES, NATURES, Body, Joint, Parameter, Point
from symbody.model.circuit import Circuit
from symbody.model.components import (
    CUT_KINDS,
    ROLLING_KINDS,
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
from symbody.model.formula import FUNCTIONS, MOTION
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.mesh_look import MeshLook
from symbody.model.model import Model

RECORDS = 101  # of a plotted law


class Curve(TypedDict):
    """A law over a range of its argument."""

    argument: str
    x: list[float]
    y: list[float | None]


class Property(TypedDict):
    """A key of an element. kind: number, vector, numbers, text, choice, point, points, law, integer."""

    key: str
    kind: str
    unit: str
    about: str
    choices: list[str]


def _row(key: str, kind: str, unit: str = "", about: str = "", choices: tuple[str, ...] = ()) -> Property:
    return {"key": key, "kind": kind, "unit": unit, "about": about, "choices": [*choices]}


_RANGE = [
    _row("value", "number", "", "start value"),
    _row("unit", "text", "", "unit"),
    _row("low", "number", "", "lower end of its slider"),
    _row("high", "number", "", "upper end of its slider"),
]
PROPERTIES: dict[str, list[Property]] = {
    "model": [_row("name", "text", "", "name of the model"), _row("gravity", "vector", "m/s²", "gravity")],
    "bodies": [
        _row("on", "point", "", "point that carries the first joint"),
        _row("mass", "number", "kg", "mass"),
        _row("com", "vector", "m", "centre of mass, in the body frame"),
        _row("inertia", "numbers", "kg m²", "xx, yy, zz (xy, xz, yz) about the centre of mass"),
    ],
    "joints": [
        _row("type", "choice", "", "rotation R or translation T about axis 1, 2, 3; ball; free", JOINT_TYPES),
        _row("nature", "choice", "", "nature", NATURES),
        _row("q0", "numbers", "rad or m", "initial coordinate"),
        _row("v0", "numbers", "rad/s or m/s", "initial velocity"),
        _row("armature", "number", "kg m² or kg", "inertia of the drive"),
    ],
    "looks": [
        _row("file", "text", "", "mesh file beside the model"),
        _row("scale", "number", "m", "length of the file's unit"),
        _row("position", "vector", "m", "position of the file's axes"),
        _row("rotation", "vector", "rad", "roll, pitch, yaw"),
        _row("colour", "text", "", "#rrggbb; empty: as in the file"),
    ],
    "points": [_row("position", "vector", "m", "position"), _row("rotation", "vector", "rad", "roll, pitch, yaw")],
    "cuts": [
        _row("kind", "choice", "", "what the cut holds together", CUT_KINDS),
        _row("between", "points", "", "two points"),
        _row("length", "number", "m", "length of a rod"),
        _row("axis", "integer", "", "hinge axis, or normal of the plane"),
    ],
    "links": [_row("between", "points", "", "two points"), _row("law", "law", "N", "tension from length and rate")],
    "interactions": [
        _row("between", "points", "", "two points"),
        _row("law", "law", "N", "force (and torque) on the second point"),
    ],
    "rolling_contacts": [
        _row("kind", "choice", "", "kind", ROLLING_KINDS),
        _row("point", "point", "", "centre"),
        _row("plane", "point", "", "plane: axis 3 of this point is its normal"),
        _row("radius", "number", "m", "radius"),
        _row("tube", "number", "m", "radius of the tube of a torus"),
        _row("axis", "integer", "", "axle"),
    ],
    "force_sites": [_row("point", "point", "", "point"), _row("law", "law", "N", "force (and torque), ground frame")],
    "sensors": [_row("point", "point", "", "point")],
    "parameters": _RANGE,
    "inputs": _RANGE,
    "joint_forces": [_row("", "law", "N or N m", "force of the joint from q and qd")],
    "trajectories": [_row("", "law", "rad or m", "coordinate of the driven joint over t")],
    "couplings": [_row("law", "law", "N or N m", "one force for each joint")],
    "states": [
        _row("start", "number", "", "start value"),
        _row("scale", "number", "", "typical size, for tolerances"),
        _row("unit", "text", "", "unit"),
        _row("law", "law", "", "rate"),
    ],
    "constraints": [_row("law", "law", "", "equation h = 0 over the coordinates")],
    "nonholonomic_constraints": [_row("law", "law", "", "equation between velocities")],
    "limits": [_row("law", "law", "", "number that must stay positive")],
    "signals": [_row("unit", "text", "", "unit"), _row("law", "law", "", "output")],
}


_DECLARED: dict[str, type] = {
    "bodies": Body, "joints": Joint, "points": Point, "looks": MeshLook, "parameters": Parameter,
    "inputs": UserInput, "cuts": Cut, "links": Link, "interactions": Interaction, "rolling_contacts": RollingContact,
    "force_sites": ForceSite, "sensors": Sensor, "couplings": Coupling, "states": State, "constraints": Constraint,
    "nonholonomic_constraints": NonholonomicConstraint, "limits": Limit, "signals": Signal, "circuits": Circuit,
}  # fmt: skip
_WRITTEN = {
    "model": "A multibody system: bodies on joints, with points, cuts, links and laws. All numbers are in SI units.",
    "joint_forces": "A force or a torque on a joint. Its law gives it from coordinate q, velocity qd and time t.",
    "trajectories": "The motion of a driven joint: its coordinate over time t.",
}


_CONSTRUCTION = re.compile(r" `Model\.\w+` makes \w+\.")  # of no use to a person who draws


def documentation() -> dict[str, str]:
    """The documentation of the elements by section: the text of their docstrings before parameters and examples."""
    return {section: _about(kind) for section, kind in _DECLARED.items()} | _WRITTEN


def _about(kind: type) -> str:
    text = _CONSTRUCTION.sub("", inspect.getdoc(kind) or "").replace("`", "")
    ends = [at for mark in ("\n\nParameters\n", "\n\nExamples\n", "\n\n@m.") if (at := text.find(mark)) >= 0]
    return "\n\n".join(" ".join(part.split()) for part in text[: min(ends, default=len(text))].split("\n\n"))


def words_of_laws() -> dict[str, list[str]]:
    """Words for the completion of formulas, by section; names of the model are added by the page."""
    motion = [f'{name}("")' for name in MOTION]
    whole = ("states", "constraints", "nonholonomic_constraints", "couplings", "limits", "signals")
    functions = [*FUNCTIONS, "pi", "t"]
    return {family: [*names, *functions, *(motion if family in whole else [])] for family, names in ARGUMENTS.items()}


_RANGES: dict[str, tuple[str, float, float]] = {
    "links": ("length", 0.0, 2.0),
    "joint_forces": ("q", -math.pi, math.pi),
    "trajectories": ("t", 0.0, 10.0),
}
_NUMERIC: Mapping[str, Callable[..., float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "exp": math.exp, "log": math.log, "tanh": math.tanh, "sqrt": math.sqrt, "abs": abs, "atan2": math.atan2,
    "min": min, "max": max, "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "where": lambda condition, a, b: a if condition else b,
}  # fmt: skip


def law_curve(model: Model, section: str, name: str) -> Curve | None:
    """A law of one argument over its usual range, with the model's own numbers; None if it has no such form."""
    laws: dict[str, Any] = {
        "links": getattr(model.links.get(name), "law", None),
        "joint_forces": model.joint_laws.get(name),
        "trajectories": model.trajectories.get(name),
    }
    law = laws.get(section)
    if not isinstance(law, FormulaLaw) or len(law.texts) != 1:
        return None
    argument, low, high = _RANGES[section]
    known = {**model.values, **{one.name: one.value for one in model.inputs.values()}, "t": 0.0}
    known |= dict.fromkeys(law.arguments, 0.0)
    x: list[float] = []
    y: list[float | None] = []
    for k in range(RECORDS):
        at = low + (high - low) * k / (RECORDS - 1)
        try:
            value = float(law.evaluate({**known, argument: at}, _NUMERIC)[0])
        except (SymbodyError, ArithmeticError, ValueError, TypeError, KeyError):
            return None
        x.append(at)
        y.append(value if math.isfinite(value) else None)
    return {"argument": argument, "x": x, "y": y}
