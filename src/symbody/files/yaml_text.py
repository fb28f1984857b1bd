"""A model as the text of a YAML file: one line for each part, defaults left out, numbers exact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from symbody.errors import ModelError
from symbody.files.circuit_file import circuit_mapping
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Parameter, Point
from symbody.model.components import SENSED, Cut, ForceSite, Link, RollingContact, Signal, State, UserInput
from symbody.model.every_law import every_law
from symbody.model.formula import Formula, Number, literal
from symbody.model.joint_limits import UNLIMITED
from symbody.model.law import FormulaLaw, dropped
from symbody.model.mesh_look import MeshLook
from symbody.model.model import Model, default_joint_names

Tree = str | list["Tree"] | dict[str, "Tree"]  # of text that is ready to be written
Formulas = dict[tuple[str, str], Tree]  # laws as written in a file, by family and name

WIDTH = 120  # characters; longer entries are written over several lines

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ .\-][A-Za-z0-9_]+)*")
_FORMULA = re.compile(r"-?[A-Za-z0-9_(.][A-Za-z0-9_ .()+*/\-]*(?<! )")
_ON_A_LINE = re.compile(r"-?[A-Za-z0-9_(.](?:[A-Za-z0-9_ .,()+*/<>=\[\]\"\-]*[A-Za-z0-9_.)])?")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}  # some of them only for other YAML readers


def yaml_text(model: Model, laws: str = "refuse") -> str:
    """The whole file. Laws that are functions raise ModelError, or are left out with `laws="drop"`."""
    formulas = _formulas(model, dropped(laws))
    return "\n".join([*_lines(model, formulas), *_law_lines(model, formulas)]) + "\n"


def _lines(model: Model, formulas: Formulas) -> Iterator[str]:
    yield "symbody: 1"
    yield f"name: {quoted(model.name)}"
    yield f"gravity: {_vector(model.gravity)}"
    yield from _family("parameters", ((p.name, _parameter(p)) for p in model.parameters.values()))
    yield from _family("inputs", ((i.name, _parameter(i)) for i in model.inputs.values()))
    ground = [point for point in model.ground.points.values() if point.name != ORIGIN]
    if ground or model.ground.looks:
        yield "ground:"
    if ground:
        yield from _points(ground, "  ")
    yield from _looks(model.ground.looks, "  ")
    if model.bodies:
        yield "bodies:"
    for body in model.bodies.values():
        yield f"  {quoted(body.name)}:"
        yield from _body(body)
    yield from _family("links", ((k.name, _link(k, formulas)) for k in model.links.values()))
    yield from _family("cuts", ((cut.name, _cut(cut)) for cut in model.cuts.values()))
    rolling = ((contact.name, _rolling(contact)) for contact in model.rolling_contacts.values())
    yield from _family("rolling_contacts", rolling)
    yield from _family("force_sites", ((site.name, _site(site, formulas)) for site in model.force_sites.values()))
    pairs = ((pair.name, {"between": _ends(pair.a, pair.b)}) for pair in model.interactions.values())
    yield from _lawful("interactions", pairs, formulas)
    sensors = (
        (s.name, _path(s.point))
        if s.quantities == SENSED
        else (s.name, f"{{point: {_path(s.point)}, quantities: [{', '.join(map(quoted, s.quantities))}]}}")
        for s in model.sensors.values()
    )
    yield from _family("sensors", sensors)
    yield from _family("circuits", ((c.name, _tree(circuit_mapping(c))) for c in model.circuits.values()))


def _tree(data: Any) -> Tree:
    """Mappings of words, numbers and formulas."""
    if isinstance(data, dict):
        return {key: _tree(x) for key, x in data.items()}
    return str(data).lower() if isinstance(data, bool) else quoted(data) if isinstance(data, str) else _number(data)


def _law_lines(model: Model, formulas: Formulas) -> Iterator[str]:
    for family in ("joint_forces", "trajectories"):
        yield from _family(family, ((name, law) for (kind, name), law in formulas.items() if kind == family))
    couplings = ((c.name, {"joints": f"[{', '.join(map(quoted, c.joints))}]"}) for c in model.couplings.values())
    yield from _lawful("couplings", couplings, formulas)
    yield from _lawful("states", ((name, _state(state)) for name, state in model.states.items()), formulas)
    families: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("constraints", model.constraints),
        ("nonholonomic_constraints", model.nonholonomic_constraints),
        ("limits", model.limits),
    )
    for family, members in families:
        yield from _lawful(family, ((name, {}) for name in members), formulas)
    yield from _lawful("signals", ((name, _unit(signal)) for name, signal in model.signals.items()), formulas)


def _formulas(model: Model, drop: bool) -> Formulas:
    """The laws of the model as written in the file, by family and name."""
    found: Formulas = {}
    for family, name, law, counts in every_law(model):
        if isinstance(law, FormulaLaw):
            texts: list[Tree] = [_Law(text) for text in law.texts]
            values = texts[0] if len(texts) == 1 and 1 in counts else texts
            lets: Tree = {name: _Law(text) for name, text in law.lets}
            found[family, name] = {"let": lets, "values": values} if lets else values
        elif law is not None and not drop:
            cure = 'write it as a formula, or leave out such laws: write_yaml(model, path, laws="drop")'
            raise ModelError("its law is a function, which a file cannot hold", element=f"{family}.{name}", cure=cure)
    return found


def _lawful(family: str, members: Iterable[tuple[str, Mapping[str, Tree]]], formulas: Formulas) -> Iterator[str]:
    """A family whose members need a law."""
    found = ((name, entries) for name, entries in members if (family, name) in formulas)
    yield from _family(family, ((name, {**entries, "law": formulas[family, name]}) for name, entries in found))


def _link(link: Link, formulas: Formulas) -> Tree:
    law = formulas.get(("links", link.name))
    between: dict[str, Tree] = {"between": _ends(link.a, link.b)}
    return {**between, "law": law} if law else between


def _site(site: ForceSite, formulas: Formulas) -> Tree:
    law = formulas.get(("force_sites", site.name))
    return {"point": _path(site.point), "law": law} if law else _path(site.point)


def _state(state: State) -> dict[str, Tree]:
    start: dict[str, Tree] = {"start": _number(state.start)} if state.start != 0 else {}
    scale: dict[str, Tree] = {"scale": _number(state.scale)} if state.scale != 1 else {}
    return {**start, **scale, **_unit(state)}


def _unit(one: State | Signal) -> dict[str, Tree]:
    return {"unit": quoted(one.unit)} if one.unit else {}


def _family(title: str, entries: Iterable[tuple[str, Tree]]) -> Iterator[str]:
    listed = [line for name, tree in entries for line in _entry(f"  {quoted(name)}:", tree, "    ")]
    if listed:
        yield f"{title}:"
        yield from listed


def _entry(head: str, tree: Tree, indent: str) -> Iterator[str]:
    """What follows a key or a dash: on the same line if it fits, else below."""
    line = f"{head} {tree.written(_ON_A_LINE) if isinstance(tree, _Law) else _in_line(tree)}"
    if isinstance(tree, str) or len(line) <= WIDTH:
        yield line
        return
    yield head
    parts = [(f"{quoted(key)}:", x) for key, x in tree.items()] if isinstance(tree, dict) else [("-", x) for x in tree]
    for key, x in parts:
        yield from _entry(f"{indent}{key}", x, f"{indent}  ")


def _in_line(tree: Tree) -> str:
    if isinstance(tree, dict):
        return f"{{{', '.join(f'{quoted(key)}: {_in_line(x)}' for key, x in tree.items())}}}"
    if isinstance(tree, list):
        return f"[{', '.join(map(_in_line, tree))}]"
    return tree.written(_FORMULA) if isinstance(tree, _Law) else tree


class _Law(str):
    """The formula of a law, to be written as text."""

    def written(self, bare: re.Pattern[str]) -> str:
        """Without quotes if YAML cannot misread it; else in quotes, single ones if it contains double ones."""
        number = literal(self)
        exact = number is None or _number(number) == self
        if exact and bare.fullmatch(self) and self.lower() not in _RESERVED:
            return self
        return f"'{self.replace(chr(39), chr(39) * 2)}'" if '"' in self and self.isprintable() else _in_quotes(self)


def _parameter(parameter: Parameter | UserInput) -> str:
    unit = {"unit": quoted(parameter.unit)} if parameter.unit else {}
    ends = {"low": parameter.low, "high": parameter.high}
    more = unit | {end: _number(x) for end, x in ends.items() if x is not None}
    value = _number(parameter.value)
    return f"{{value: {value}, {', '.join(f'{key}: {x}' for key, x in more.items())}}}" if more else value


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
    yield from _looks(body.looks, "    ")


def _looks(looks: Sequence[MeshLook], indent: str) -> Iterator[str]:
    if looks:
        yield f"{indent}looks:"
    for look in looks:
        given: dict[str, Tree] = {"file": quoted(look.file)}
        if look.scale != 1.0:
            given["scale"] = _number(look.scale)
        given |= {key: _vector(x) for key in ("position", "rotation") if any(x := getattr(look, key))}
        if look.colour:
            given["colour"] = quoted(look.colour)
        yield f"{indent}  - {_in_line(given)}"


def _points(points: Iterable[Point], indent: str) -> Iterator[str]:
    yield f"{indent}points:"
    for point in points:
        text = _vector(point.position)
        if any(number != 0 for number in point.rotation):
            text = f"{{position: {text}, rotation: {_vector(point.rotation)}}}"
        yield f"{indent}  {quoted(point.name)}: {text}"


def _joints(body: Body) -> str:
    kinds = [joint.type for joint in body.joints]
    usual = [Joint(*each) for each in zip(default_joint_names(body.name, kinds), kinds, strict=True)]
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
    if joint.armature != 0:
        entries.append(f"armature: {_number(joint.armature)}")
    if joint.limits != UNLIMITED:
        given = ", ".join(f"{key}: {_number(value)}" for key, value in joint.limits.given().items())
        entries.append(f"limits: {{{given}}}")
    return f"{{{', '.join(entries)}}}"


def _cut(cut: Cut) -> str:
    entries = [f"kind: {quoted(cut.kind)}", f"between: {_ends(cut.a, cut.b)}"]
    if cut.length is not None:
        entries.append(f"length: {_number(cut.length)}")
    if cut.axis != 3:
        entries.append(f"axis: {cut.axis}")
    return f"{{{', '.join(entries)}}}"


def _rolling(contact: RollingContact) -> str:
    entries = [f"kind: {quoted(contact.kind)}", f"point: {_path(contact.point)}"]
    if contact.plane != f"{GROUND}.{ORIGIN}":
        entries.append(f"plane: {_path(contact.plane)}")
    entries += [f"{key}: {_number(x)}" for key, x in (("radius", contact.radius), ("tube", contact.tube)) if x != 0]
    if contact.axis != (2 if contact.touches else 1):
        entries.append(f"axis: {contact.axis}")
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


def inline_text(data: Any) -> str:
    """Plain data as read from a file (mappings, lists, words, formulas, numbers) on one line."""
    if isinstance(data, dict):
        return f"{{{', '.join(f'{key_text(key)}: {inline_text(x)}' for key, x in data.items())}}}"
    if isinstance(data, list | tuple):
        return f"[{', '.join(map(inline_text, data))}]"
    if isinstance(data, str):
        return _in_quotes(data) if literal(data) is not None else _Law(data).written(_FORMULA)
    if data is None:
        return "null"
    return str(data).lower() if isinstance(data, bool) else repr(data) if isinstance(data, int) else _number(data)


def key_text(key: str) -> str:
    """A key; `on`, which our own files have as a key, without quotes."""
    return key if key == "on" else quoted(key)


def quoted(text: str) -> str:
    """A word, in quotes only if YAML could misread it."""
    safe = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED and literal(text) is None
    return text if safe else _in_quotes(text)


def _in_quotes(text: str) -> str:
    return '"' + "".join(_escaped(c) for c in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
