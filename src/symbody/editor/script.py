"""A Python script that builds the same model: bodies, points, cuts and components, with laws as functions."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence
from typing import Any

from symbody.errors import ModelError
from symbody.model.body import GROUND, ORIGIN, Body
from symbody.model.components import SENSED
from symbody.model.every_law import every_law
from symbody.model.formula import FUNCTIONS, NAMED_CONSTANTS, Formula, Number, is_name
from symbody.model.joint_limits import UNLIMITED
from symbody.model.law import CALLED_WITH, FormulaLaw
from symbody.model.model import Model
from symbody.model.tree import parents_first

ATTACHED = {"links": "link", "force_sites": "force_site", "states": "state", "constraints": "constraint"}
ATTACHED |= {"nonholonomic_constraints": "nonholonomic", "signals": "signal", "limits": "limit"}
ATTACHED |= {"interactions": "interaction", "couplings": "coupling"}
BY_JOINT = {"joint_forces": "joint_force", "trajectories": "trajectory"}
RENAMED = {"min": "minimum", "max": "maximum"}  # functions of formulas with another name in Python
AT = {"x": ("position", 0), "y": ("position", 1), "z": ("position", 2)} | {
    f"{v}{axis}": (name, k) for v, name in (("v", "velocity"), ("w", "omega")) for k, axis in enumerate("xyz")
}


def python_script(model: Model) -> str:
    """The script; it ends with the model in `m`. A law that cannot be written raises ModelError."""
    body = [*_lines(model), *_laws(model)]
    text = "\n".join(body)
    offered = {*FUNCTIONS, *RENAMED.values()} - {"abs", *RENAMED}
    used = sorted(name for name in offered if re.search(rf"\b{name}\(", text))
    head = ["import math"] if "math.pi" in text else []
    head += ["import symbody as sb"]
    head += [f"from symbody.expr.functions import {', '.join(used)}"] if used else []
    return "\n".join([f'"""{model.name.replace(chr(34), "")}"""', "", *head, "", text, ""])


def _lines(model: Model) -> Iterator[str]:
    yield f"m = sb.Model({model.name!r}, gravity={_vector(model.gravity)})"
    for parameter in model.parameters.values():
        yield f"{_variable(parameter.name)} = m.parameter({parameter.name!r}, {parameter.value!r}{_range(parameter)})"
    for one in model.inputs.values():
        yield f"m.input({one.name!r}, {one.value!r}{_range(one)})"
    yield from _points(model.ground)
    for body in parents_first(model.bodies).values():
        joints = ", ".join(_joint(joint) for joint in body.joints)
        numbers = f"mass={_number(body.mass)}, com={_vector(body.com)}, inertia={_vector(body.inertia)}"
        yield f"m.body({body.name!r}, {body.on!r}, [{joints}], {numbers})"
        yield from _points(body)
    if [*parents_first(model.bodies)] != [*model.bodies]:
        yield f"m.bodies = {{name: m.bodies[name] for name in {[*model.bodies]!r}}}"
    for cut in model.cuts.values():
        length = f", length={_number(cut.length)}" if cut.length is not None else ""
        yield f"m.cut({cut.name!r}, {cut.kind!r}, {cut.a!r}, {cut.b!r}{length}, axis={cut.axis})"
    for c in model.rolling_contacts.values():
        more = f"radius={_number(c.radius)}, tube={_number(c.tube)}, axis={c.axis}"
        yield f"m.rolling({c.name!r}, {c.kind!r}, {c.point!r}, {c.plane!r}, {more})"
    for sensor in model.sensors.values():
        which = "" if sensor.quantities == SENSED else f", {sensor.quantities!r}"
        yield f"m.sensor({sensor.name!r}, {sensor.point!r}{which})"
    for family, add in (("links", "link"), ("force_sites", "force_site")):
        for one in getattr(model, family).values():
            if one.law is None:
                ends = f"{one.a!r}, {one.b!r}" if family == "links" else repr(one.point)
                yield f"m.{add}({one.name!r}, {ends})"
    if model.circuits:
        raise _unwritten(f"circuits.{next(iter(model.circuits))}")


def _points(body: Body) -> Iterator[str]:
    holder = "m.ground" if body.name == GROUND else f"m.bodies[{body.name!r}]"
    for point in body.points.values():
        if point.name != ORIGIN:
            turned = f", {_vector(point.rotation)}" if any(x != 0 for x in point.rotation) else ""
            yield f"{holder}.point({point.name!r}, {_vector(point.position)}{turned})"
    for look in body.looks:
        place = f"{look.position!r}, {look.rotation!r}, {look.colour!r}"
        yield f"{holder}.look({look.file!r}, {look.scale!r}, {place})"


def _joint(joint: Any) -> str:
    if joint.limits != UNLIMITED:
        raise _unwritten(f"limits of {joint.name}")
    more = f", armature={_number(joint.armature)}" if joint.armature != 0 else ""
    start = f"q0={_vector(joint.q0)}, v0={_vector(joint.v0)}"
    return f"sb.Joint({joint.name!r}, {joint.type!r}, {joint.nature!r}, {start}{more})"


def _laws(model: Model) -> Iterator[str]:
    for family, name, law, _ in every_law(model):
        if law is None:
            continue
        if not isinstance(law, FormulaLaw):
            raise _unwritten(f"{family}.{name}")
        function = _variable(re.sub(r"\W", "_", name))
        yield from ("", "", f"@m.{_decorator(model, family, name)}")
        yield f"def {function}({CALLED_WITH[family]}):"
        rewrite = _Rewrite(model, family, {let for let, _ in law.lets}, f"{family}.{name}")
        for let, text in law.lets:
            yield f"    {_variable(let)} = {rewrite.text(text)}"
        yield f"    return {', '.join(rewrite.text(text) for text in law.texts)}"


def _decorator(model: Model, family: str, name: str) -> str:
    if family in BY_JOINT:
        return f"{BY_JOINT[family]}({name!r})"
    one = getattr(model, family)[name]
    if family in ("links", "interactions"):
        more = f", {one.a!r}, {one.b!r}"
    elif family == "force_sites":
        more = f", {one.point!r}"
    elif family == "couplings":
        more = "".join(f", {joint!r}" for joint in one.joints)
    elif family == "states":
        more = f", {_number(one.start)}, {one.scale!r}{_unit(one)}"
    else:
        more = (f", {one.count}" if hasattr(one, "count") else "") + _unit(one)
    return f"{ATTACHED[family]}({name!r}{more})"


def _unit(one: Any) -> str:
    """The argument of a state or signal with a unit."""
    return f", unit={one.unit!r}" if getattr(one, "unit", "") else ""


class _Rewrite(ast.NodeTransformer):
    """Names of a formula as the arguments of a Python law have them."""

    def __init__(self, model: Model, family: str, lets: set[str], where: str):
        self._family, self._lets, self._where = family, lets, where
        self._numbers = {*model.parameters, *model.inputs, *model.states}

    def text(self, formula: str) -> str:
        try:
            return ast.unparse(self.visit(ast.parse(formula, mode="eval")))
        except SyntaxError as error:
            raise _unwritten(self._where) from error

    def visit_Name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self._lets:
            return ast.Name(_variable(name))
        if self._family == "force_sites" and (name in AT or name[:1] == "r"):
            return ast.parse(_at("at", name), mode="eval").body
        if self._family == "interactions" and name[:2] in ("a_", "b_"):
            return ast.parse(_at(name[0], name[2:]), mode="eval").body
        if name in NAMED_CONSTANTS:
            return ast.parse(f"math.{name}", mode="eval").body
        if name in self._numbers or (name == "t" and self._family != "trajectories"):
            return ast.parse(f"p.{name}", mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            if called in ("q", "qd"):
                return ast.parse(f"s.{called}[{first.value!r}]", mode="eval").body
            if called in ("length", "rate"):
                return ast.parse(f"s.{called}({first.value!r})", mode="eval").body
            raise _unwritten(self._where)
        node.func = ast.Name(RENAMED.get(called, called))
        node.args = [self.visit(one) for one in node.args]
        return node


def _at(holder: str, name: str) -> str:
    if name in AT:
        what, k = AT[name]
        return f"{holder}.{what}[{k}]"
    return f"{holder}.rotation[{int(name[1]) - 1}][{int(name[2]) - 1}]"


def _range(one: Any) -> str:
    given = {"unit": one.unit or None, "low": one.low, "high": one.high}
    return "".join(f", {key}={x!r}" for key, x in given.items() if x is not None)


def _variable(name: str) -> str:
    return (
        f"{name}_" if name in ("m", "sb", "math", *FUNCTIONS) or keyword.iskeyword(name) or not is_name(name) else name
    )


def _number(number: Number) -> str:
    if not isinstance(number, Formula):
        return repr(float(number)).removesuffix(".0")
    names = ast.parse(number.text, mode="eval")
    for node in ast.walk(names):
        if isinstance(node, ast.Name):
            node.id = f"math.{node.id}" if node.id in NAMED_CONSTANTS else _variable(node.id)
    return ast.unparse(names)


def _vector(numbers: Sequence[Number]) -> str:
    return f"({', '.join(map(_number, numbers))}{',' if len(numbers) == 1 else ''})"


def _unwritten(where: str) -> ModelError:
    cure = "save the model as .yaml, and read it with sb.load"
    return ModelError("a script cannot express this", element=where, cure=cure)
