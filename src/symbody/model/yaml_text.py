"""A model as the text of one of our YAML files: one line per thing, defaults left out, numbers exact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from symbody.model.formula import Formula, Number, literal
from symbody.model.model import GROUND, ORIGIN, SENSED, Body, Cut, Joint, Model, Parameter, Point, default_joint_name

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ .\-][A-Za-z0-9_]+)*")
_FORMULA = re.compile(r"-?[A-Za-z0-9_(.][A-Za-z0-9_ .()+*/\-]*(?<! )")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}  # some of them to other YAML readers only


def yaml_text(model: Model) -> str:
    """The whole file."""
    return "\n".join(_lines(model)) + "\n"


def _lines(model: Model) -> Iterator[str]:
    yield "symbody: 1"
    yield f"name: {quoted(model.name)}"
    yield f"gravity: {_vector(model.gravity)}"
    yield from _family("parameters", ((p.name, _parameter(p)) for p in model.parameters.values()))
    ground = [point for point in model.ground.points.values() if point.name != ORIGIN]
    if ground:
        yield "ground:"
        yield from _points(ground, "  ")
    if model.bodies:
        yield "bodies:"
    for body in model.bodies.values():
        yield f"  {quoted(body.name)}:"
        yield from _body(body)
    yield from _family("links", ((k.name, f"{{between: {_ends(k.a, k.b)}}}") for k in model.links.values()))
    yield from _family("cuts", ((cut.name, _cut(cut)) for cut in model.cuts.values()))
    yield from _family("force_sites", ((site.name, _path(site.point)) for site in model.force_sites.values()))
    sensors = (
        (s.name, _path(s.point))
        if s.quantities == SENSED
        else (s.name, f"{{point: {_path(s.point)}, quantities: [{', '.join(map(quoted, s.quantities))}]}}")
        for s in model.sensors.values()
    )
    yield from _family("sensors", sensors)


def _family(title: str, entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    listed = [f"  {quoted(name)}: {text}" for name, text in entries]
    if listed:
        yield f"{title}:"
        yield from listed


def _parameter(parameter: Parameter) -> str:
    value = _number(parameter.value)
    return f"{{value: {value}, unit: {quoted(parameter.unit)}}}" if parameter.unit else value


def _body(body: Body) -> Iterator[str]:
    yield f"    on: {_path(body.on)}"
    if body.joints:
        yield f"    joints: {_joints(body)}"
    if body.mass != 0:
        yield f"    mass: {_number(body.mass)}"
    if any(number != 0 for number in body.com):
        yield f"    com: {_vector(body.com)}"
    if any(number != 0 for number in body.inertia):
        mixed = any(number != 0 for number in body.inertia[3:])
        yield f"    inertia: {_vector(body.inertia if mixed else body.inertia[:3])}"
    points = [point for point in body.points.values() if point.name != ORIGIN]
    if points:
        yield from _points(points, "    ")


def _points(points: Iterable[Point], indent: str) -> Iterator[str]:
    yield f"{indent}points:"
    for point in points:
        text = _vector(point.position)
        if any(number != 0 for number in point.rotation):
            text = f"{{position: {text}, rotation: {_vector(point.rotation)}}}"
        yield f"{indent}  {quoted(point.name)}: {text}"


def _joints(body: Body) -> str:
    kinds = [joint.type for joint in body.joints]
    usual = [Joint(default_joint_name(body.name, kind, i, kinds), kind) for i, kind in enumerate(kinds)]
    if body.joints == usual:
        return " ".join(kinds)
    return f"[{', '.join(_joint(joint, plain) for joint, plain in zip(body.joints, usual, strict=True))}]"


def _joint(joint: Joint, usual: Joint) -> str:
    entries = [f"type: {quoted(joint.type)}"]
    if joint.name != usual.name:
        entries.append(f"name: {quoted(joint.name)}")
    if joint.nature != usual.nature:
        entries.append(f"nature: {quoted(joint.nature)}")
    for key, numbers, default in (("q0", joint.q0, usual.q0), ("v0", joint.v0, usual.v0)):
        if numbers != default:
            entries.append(f"{key}: {_number(numbers[0]) if len(numbers) == 1 else _vector(numbers)}")
    return f"{{{', '.join(entries)}}}"


def _cut(cut: Cut) -> str:
    entries = [f"kind: {quoted(cut.kind)}", f"between: {_ends(cut.a, cut.b)}"]
    if cut.length is not None:
        entries.append(f"length: {_number(cut.length)}")
    if cut.axis != 3:
        entries.append(f"axis: {cut.axis}")
    return f"{{{', '.join(entries)}}}"


def _ends(a: str, b: str) -> str:
    return f"[{_path(a)}, {_path(b)}]"


def _path(path: str) -> str:
    body = path.removesuffix(f".{ORIGIN}")
    return quoted(body or GROUND)


def _vector(numbers: Sequence[Number]) -> str:
    return f"[{', '.join(map(_number, numbers))}]"


def _number(number: Number) -> str:
    if isinstance(number, Formula):
        text = number.text
        return text if _FORMULA.fullmatch(text) and text.lower() not in _RESERVED else _in_quotes(text)
    text = repr(float(number))  # the shortest text that reads back as the same double
    return text.removesuffix(".0")


def quoted(text: str) -> str:
    """A word as it is where YAML cannot misread it, in quotes elsewhere."""
    safe = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED and literal(text) is None
    return text if safe else _in_quotes(text)


def _in_quotes(text: str) -> str:
    return '"' + "".join(_escaped(c) for c in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
