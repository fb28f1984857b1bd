"""Values in YAML files: words, numbers, points and lists, read from nodes. Errors name the line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from symbody.errors import ModelError
from symbody.files.safe_yaml import YamlNode
from symbody.model.body import ORIGIN
from symbody.model.formula import MAX_DIGITS, Formula, Number, Vector, literal
from symbody.suggestions import nearest

T = TypeVar("T")


def entries_of(node: YamlNode, path: str, known: Iterable[str], required: Iterable[str] = ()) -> dict[str, YamlNode]:
    """The entries of a mapping with known keys. For an unknown key the error suggests the nearest one."""
    if not isinstance(node.value, dict):
        cure = f"write `key: value` lines with the keys {', '.join(known)}"
        raise yaml_error(f"expected a mapping, got {kind_of(node)}", node, path, cure)
    entries: dict[str, YamlNode] = node.value
    for key, entry in entries.items():
        if key not in known:
            near = nearest(key, known)
            cure = f"did you mean '{near[0]}'?" if near else f"use {', '.join(known)}"
            raise yaml_error(f"unknown key '{key[:80]}'", entry, f"{path}.{key[:80]}" if path else key[:80], cure)
    for key in required:
        if key not in entries:
            raise yaml_error(f"'{key}' is missing", node, path or "model", f"add `{key}: …`")
    return entries


def named_entries(node: YamlNode | None, path: str, read: Callable[[str, YamlNode, str], T]) -> dict[str, T]:
    """A mapping of elements; `read` reads each, under its name."""
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        raise yaml_error(f"expected a mapping of names, got {kind_of(node)}", node, path, "write `name: …` lines")
    return {name: read(name, child, f"{path}.{name}") for name, child in node.value.items()}


def list_of(node: YamlNode, path: str, cure: str = "write [a, b, …]") -> list[YamlNode]:
    """The entries of a list. cure: how to write one."""
    if not isinstance(node.value, list):
        raise yaml_error(f"expected a list, got {kind_of(node)}", node, path, cure)
    entries: list[YamlNode] = node.value
    return entries


def text_of(node: YamlNode, path: str) -> str:
    """A word."""
    # names such as 12 or true need quotes
    if isinstance(node.value, (dict, list)) or node.value is None:
        raise yaml_error(f"expected a word, got {kind_of(node)}", node, path, "write a word")
    if not isinstance(node.value, str):
        raise yaml_error(f"expected a word, got {kind_of(node)}", node, path, f'write it in quotes: "{node.value}"')
    return node.value


def point_path(node: YamlNode, path: str) -> str:
    """Path of a point; a body's name means its origin."""
    text = text_of(node, path)
    return text if "." in text else f"{text}.{ORIGIN}"


def pair_of_points(node: YamlNode, path: str) -> tuple[str, str]:
    """Paths of two points."""
    ends = list_of(node, path)
    if len(ends) != 2:
        raise yaml_error(f"expected two points, got {len(ends)}", node, path, "write [body.point, body.point]")
    return point_path(ends[0], path), point_path(ends[1], path)


def number_of(node: YamlNode, path: str) -> Number:
    """A number, or a formula over the parameters."""
    value: Any = node.value
    if isinstance(value, str) and value.strip():
        written = literal(value)
        if written is None and (len(value) > MAX_DIGITS and value.strip("+-.0123456789eE") == ""):
            raise yaml_error(f"the number has {len(value)} characters", node, path, f"write at most {MAX_DIGITS}")
        if written is None and value.lstrip("+-").lower() in (".nan", ".inf"):
            raise yaml_error(f"{value} is not finite", node, path, "write a finite number")
        value = Formula(value) if written is None else written
    if isinstance(value, Formula):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            if math.isfinite(float(value)):
                return float(value)
        except OverflowError:
            pass
        raise yaml_error("the number is not finite", node, path, "write a number below 1e308")
    raise yaml_error(f"expected a number, got {kind_of(node)}", node, path, "write a number or a formula such as -L/2")


def plain_number(node: YamlNode, path: str) -> float:
    """A number, not a formula."""
    value = number_of(node, path)
    if isinstance(value, Formula):
        raise yaml_error(f"'{value.text[:40]}' is not a number", node, path, "write a plain number")
    return value


def numbers_of(node: YamlNode, path: str, counts: Sequence[int]) -> tuple[Number, ...]:
    """A list of numbers or formulas; counts: the allowed lengths."""
    entries = list_of(node, path)
    if len(entries) not in counts:
        raise yaml_error(f"the list has {len(entries)} numbers", node, path, f"use {counted(counts)}")
    return tuple(number_of(entry, path) for entry in entries)


def counted(counts: Sequence[int]) -> str:
    """The allowed lengths in words."""
    return " or ".join(map(str, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"


def vector_of(node: YamlNode, path: str) -> Vector:
    """Three numbers or formulas."""
    x, y, z = numbers_of(node, path, (3,))
    return x, y, z


def kind_of(node: YamlNode) -> str:
    """The kind of a node, in words."""
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


def yaml_error(problem: str, node: YamlNode, path: str, cure: str) -> ModelError:
    """The error of a node, with its line."""
    return ModelError(problem, element=f"{path or 'model'} (line {node.line})", cure=cure)
