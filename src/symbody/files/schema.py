"""The published JSON Schema (2020-12) of our YAML files, for editors: the structure that `yaml_file` accepts."""

from __future__ import annotations

from typing import Any

from symbody.files.circuit_file import circuit_schema
from symbody.files.yaml_file import MAX_LOOKS, MAX_VALUES
from symbody.model.body import JOINT_TYPES, NATURES
from symbody.model.components import CUT_KINDS, INERTIAL, ROLLING_KINDS, SENSED
from symbody.model.formula import MAX_FORMULA
from symbody.model.joint_limits import UNLIMITED
from symbody.model.law_check import MAX_LETS
from symbody.model.plain_numbers import GRAVITY


def _mapping(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def _family(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": {"$ref": f"#/$defs/{name}"}, "additionalProperties": entry}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _list(entry: dict[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": entry, "minItems": least, "maxItems": most}


_FORMULA = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_FORMULA,
    "pattern": r"^(?![+-]?\.([nN][aA]|[iI][nN]))\s*\S",
}


def _law(*counts: tuple[int, int], single: bool = True) -> dict[str, Any]:
    """A law: one formula if `single`, or lists of given lengths, or either of them with named shared parts."""
    plain = [_ref("formula")] * single
    lists = [_list(_ref("formula"), least, most) for least, most in counts]
    values = {"anyOf": [*plain, *(lists or [_list(_ref("formula"), 1, 1)])]}
    return {"anyOf": [*plain, *lists, _mapping(("values",), let=_ref("lets"), values=values)]}


_COORDINATES = {"anyOf": [_ref("number"), _list(_ref("number"), 1, 7)]}
_SEQUENCE = rf"^\s*(({'|'.join(JOINT_TYPES)})(\s+({'|'.join(JOINT_TYPES)}))*)?\s*$"
_BETWEEN = _list(_ref("path"), 2, 2)
_FILE = {"type": "string", "minLength": 1, "description": "a mesh file, relative to the folder of the model"}
_PLAIN_VECTOR = _list({"type": "number"}, 3, 3)
_LOOK = _mapping(
    ("file",),
    file=_FILE,
    scale={"type": "number", "exclusiveMinimum": 0, "description": "length of the file's unit, m"},
    position=_PLAIN_VECTOR,
    rotation=_PLAIN_VECTOR,
    colour={"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "symbody model",
    "description": "A multibody system in SI units: bodies on joints, points, links, cuts, sites, sensors, laws.",
    **_mapping(
        ("symbody", "name"),
        symbody={"const": 1, "description": "version of the format"},
        name={"type": "string", "minLength": 1},
        gravity={"$ref": "#/$defs/vector", "description": f"m/s², default [0, 0, {-GRAVITY}]"},
        parameters=_family("identifier", _ref("parameter")),
        inputs=_family("identifier", _ref("parameter")),
        ground=_mapping(points=_ref("points"), looks=_ref("looks")),
        bodies=_family("name", _ref("body")),
        links=_family("dotted", _mapping(("between",), between=_BETWEEN, law=_ref("law"))),
        cuts=_family("dotted", _ref("cut")),
        rolling_contacts=_family("dotted", _ref("rolling_contact")),
        force_sites=_family(
            "dotted", {"anyOf": [_ref("path"), _mapping(("point",), point=_ref("path"), law=_ref("wrench"))]}
        ),
        interactions=_family("dotted", _mapping(("between", "law"), between=_BETWEEN, law=_ref("wrench"))),
        sensors=_family("dotted", _ref("sensor")),
        circuits=_family("identifier", circuit_schema()),
        joint_forces=_family("dotted", _ref("law")),
        trajectories=_family("dotted", _ref("law")),
        couplings=_family(
            "dotted", _mapping(("joints", "law"), joints=_list(_ref("dotted"), 1, MAX_VALUES), law=_ref("laws"))
        ),
        states=_family(
            "identifier",
            _mapping(
                ("law",),
                start=_ref("number"),
                scale={"type": "number", "exclusiveMinimum": 0},
                unit={"type": "string"},
                law=_ref("law"),
            ),
        ),
        constraints=_family("dotted", _mapping(("law",), law=_ref("laws"))),
        nonholonomic_constraints=_family("dotted", _mapping(("law",), law=_ref("laws"))),
        limits=_family("dotted", _mapping(("law",), law=_ref("law"))),
        signals=_family("dotted", _mapping(("law",), unit={"type": "string"}, law=_ref("laws"))),
    ),
    "$defs": {
        "name": {"type": "string", "pattern": r"^\w([\w \-]*[\w\-])?$"},
        "dotted": {"type": "string", "pattern": r"^\w([\w \-.]*[\w\-])?$"},
        "identifier": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "path": {"type": "string", "minLength": 1, "description": "body.point, or body for its origin"},
        "number": {"anyOf": [{"type": "number"}, _FORMULA], "description": "a number, or a formula such as -L/2"},
        "formula": {
            "anyOf": [{"type": "number"}, _FORMULA],
            "description": "over the law's arguments, parameters, inputs, states and t",
        },
        "lets": {
            **_family("identifier", _ref("formula")),
            "maxProperties": MAX_LETS,
            "description": "named parts that formulas share, in order: each may use the parts before it",
        },
        "law": _law(),
        "laws": _law((1, MAX_VALUES)),
        "wrench": _law((3, 3), (6, 6), single=False),
        "vector": _list(_ref("number"), 3, 3),
        "parameter": {
            "anyOf": [
                {"type": "number"},
                _mapping(
                    ("value",),
                    value={"type": "number"},
                    unit={"type": "string"},
                    low={"type": "number", "description": "lower end of the useful range, where sliders end"},
                    high={"type": "number", "description": "upper end of the useful range"},
                ),
            ]
        },
        "points": _family(
            "name",
            {"anyOf": [_ref("vector"), _mapping(("position",), position=_ref("vector"), rotation=_ref("vector"))]},
        ),
        "joint": _mapping(
            ("type",),
            type={"enum": list(JOINT_TYPES)},
            name=_ref("dotted"),
            nature={"enum": list(NATURES)},
            q0=_COORDINATES,
            v0=_COORDINATES,
            armature=_ref("number"),
            limits=_mapping((), **{limit: {"type": "number"} for limit in vars(UNLIMITED)}),
        ),
        "body": _mapping(
            on=_ref("path"),
            joints={
                "anyOf": [
                    {"type": "string", "pattern": _SEQUENCE},
                    {"type": "array", "items": {"anyOf": [{"enum": list(JOINT_TYPES)}, _ref("joint")]}},
                ]
            },
            mass=_ref("number"),
            com=_ref("vector"),
            inertia={
                "anyOf": [_ref("vector"), _list(_ref("number"), 6, 6)],
                "description": "xx yy zz [xy xz yz], kg m², about the centre of mass, in the axes of the body",
            },
            points=_ref("points"),
            looks=_ref("looks"),
        ),
        "looks": _list({"anyOf": [_FILE, _LOOK]}, 0, MAX_LOOKS),
        "cut": _mapping(
            ("kind", "between"),
            kind={"enum": list(CUT_KINDS)},
            between=_BETWEEN,
            length=_ref("number"),
            axis={"enum": [1, 2, 3]},
        ),
        "rolling_contact": _mapping(
            ("kind", "point"),
            kind={"enum": list(ROLLING_KINDS)},
            point=_ref("path"),
            plane=_ref("path"),
            radius=_ref("number"),
            tube=_ref("number"),
            axis={"enum": [1, 2, 3]},
        ),
        "sensor": {
            "anyOf": [
                _ref("path"),
                _mapping(
                    ("point",),
                    point=_ref("path"),
                    quantities={"type": "array", "items": {"enum": list(SENSED + INERTIAL)}},
                ),
            ]
        },
    },
}
