"""Circuits in model files: mappings of words, numbers and formulas, checked key by key.

circuits:
  hydraulics:
    bulk: 1.5e9
    elements:
      P: {kind: source, pressure: 7.6e6}
      a: {kind: volume, size: 5e-5, wall: 5.5e8}
      t: {kind: throttle, a: P, b: a, area: 2.83e-5}
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from symbody.errors import ModelError
from symbody.model.circuit import LAMINAR, Circuit
from symbody.model.circuit_elements import KINDS, Cylinder, Element, SealFriction
from symbody.model.formula import Formula, literal
from symbody.suggestions import nearest

_ENDS = ("a", "b")  # of a cylinder: paths of points


# -- reading ----------------------------------------------------------------------------------------------------------


def circuit_from(name: str, given: Any, path: str) -> Circuit:
    """A circuit from a mapping of a file."""
    own = {f.name: f for f in fields(Circuit) if f.name not in ("name", "elements")}
    entries = _keys(given, path, [*own, "elements"])
    values = {key: _value(own[key], x, f"{path}.{key}") for key, x in entries.items() if key != "elements"}
    circuit = Circuit(name, **values)
    elements = entries.get("elements", {})
    if not isinstance(elements, Mapping):
        raise ModelError(
            "the elements are not a mapping of names", element=f"{path}.elements", cure="write `name: {kind: …}` lines"
        )
    for key, entry in elements.items():
        circuit.add(_element(key, entry, f"{path}.elements.{key}"))
    return circuit


def _element(name: str, given: Any, path: str) -> Element:
    if not isinstance(given, Mapping) or "kind" not in given:
        raise ModelError("the kind is missing", element=path, cure=f"write {{kind: …}}: {', '.join(KINDS)}")
    if not isinstance(given["kind"], str) or given["kind"] not in KINDS:
        raise ModelError(f"unknown kind {given['kind']!r:.40}", element=path, cure=_nearest(given["kind"], KINDS))
    kind = KINDS[given["kind"]]
    own = {f.name: f for f in fields(kind) if f.name != "name"}
    entries = _keys(given, path, ["kind", *own])
    for f in own.values():
        if f.default is MISSING and f.name not in entries:
            raise ModelError(f"'{f.name}' is missing", element=path, cure=f"add `{f.name}: …`")
    return kind(name, **{key: _value(own[key], x, f"{path}.{key}") for key, x in entries.items() if key != "kind"})


def _value(f: Field[Any], given: Any, path: str) -> Any:
    if f.name == "friction":
        return _friction(given, path)
    if "unit" in f.metadata:
        return _number(given, path)
    if not isinstance(given, str) or not given:
        raise ModelError(f"expected a word, got {given!r:.40}", element=path, cure="write a word")
    return given


def _friction(given: Any, path: str) -> SealFriction:
    if not isinstance(given, Mapping) or not isinstance(given.get("law"), str):
        raise ModelError("the law is missing", element=path, cure="write {law: LuGre, Fc: 210, …}")
    numbers = {
        str(key): x if isinstance(x, bool) else _number(x, f"{path}.{key}") for key, x in given.items() if key != "law"
    }
    return SealFriction(given["law"], numbers)


def _number(given: Any, path: str) -> float | Formula:
    if isinstance(given, str) and given.strip():
        written = literal(given)
        return Formula(given) if written is None else written
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= sys.float_info.max:
        return float(given)
    raise ModelError(f"expected a number, got {given!r:.40}", element=path, cure="write a number or a formula")


def _keys(given: Any, path: str, known: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        cure = f"write `key: value` lines with the keys {', '.join(known)}"
        raise ModelError(f"expected a mapping, got {given!r:.40}", element=path, cure=cure)
    for key in given:
        if key not in known:
            raise ModelError(f"unknown key '{key!s:.80}'", element=f"{path}.{key!s:.80}", cure=_nearest(key, known))
    return given


def _nearest(word: Any, known: Iterable[str]) -> str:
    near = nearest(str(word), known)
    return f"did you mean '{near[0]}'?" if near else f"use {', '.join(known)}"


# -- writing ----------------------------------------------------------------------------------------------------------


def circuit_mapping(circuit: Circuit) -> dict[str, Any]:
    """A circuit as a file stores it: words, numbers, formulas, and mappings of them. Defaults are left out."""
    elements = {name: {"kind": _kind(element)} | _given(element) for name, element in circuit.elements.items()}
    return {key: x for key, x in _given(circuit).items() if key != "elements"} | {"elements": elements}


def _kind(element: Element) -> str:
    return next(name for name, kind in KINDS.items() if kind is type(element))


def _given(holder: Any) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    found = {f.name: getattr(holder, f.name) for f in fields(holder) if f.name != "name"}
    usual = {f.name: f.default for f in fields(holder)}
    return {
        key: {"law": x.law, **x.numbers} if isinstance(x, SealFriction) else x
        for key, x in found.items()
        if usual[key] is MISSING or x != usual[key]
    }


# -- the schema -------------------------------------------------------------------------------------------------------


def circuit_schema() -> dict[str, Any]:
    """JSON schema of a circuit; it refers to `number`, `path` and `identifier` of the model's schema."""
    oil = {f.name: _schema_of(f) for f in fields(Circuit) if "unit" in f.metadata}
    kinds = [_kind_schema(name, kind) for name, kind in KINDS.items()]
    elements = _object({}, additionalProperties={"oneOf": kinds}, propertyNames={"$ref": "#/$defs/identifier"})
    return _object({**oil, "laminar": {"enum": list(LAMINAR)}, "elements": elements})


def _kind_schema(name: str, kind: type[Element]) -> dict[str, Any]:
    own = [f for f in fields(kind) if f.name != "name"]
    required = [f.name for f in own if f.default is MISSING]
    return _object({"kind": {"const": name}} | {f.name: _schema_of(f, kind) for f in own}, required=["kind", *required])


def _schema_of(f: Field[Any], kind: type[Element] | None = None) -> dict[str, Any]:
    if f.name == "friction":
        numbers = {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "boolean"}]}
        return _object({"law": {"type": "string"}}, required=["law"], additionalProperties=numbers)
    if "unit" in f.metadata:
        return {"$ref": "#/$defs/number"} | ({"description": unit} if (unit := f.metadata["unit"]) else {})
    path = kind is Cylinder and f.name in _ENDS
    return {"$ref": "#/$defs/path"} if path else {"type": "string", "minLength": 1}


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False} | more
