"""The palette: ready parts that are put on a point of the model, under free names."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from symbody.editor.commands import free_name, leaves, renamed
from symbody.editor.yaml_edit import Put, TextEdit, edited_data, value_at
from symbody.files.safe_yaml import parse_nodes, plain
from symbody.links.rejected import Rejected
from symbody.model.body import GROUND

POINTED = ("on", "between", "point", "plane")


@cache
def parts() -> dict[str, dict[str, Any]]:
    """Group, line and model of each part, by name."""
    text = (files("symbody.editor") / "parts.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = plain(parse_nodes(text))
    return found


def palette() -> list[dict[str, str]]:
    """The parts as the page lists them."""
    return [{"name": name, "group": part["group"], "line": part["line"]} for name, part in parts().items()]


def added_part(data: dict[str, Any], name: str, on: str) -> tuple[list[TextEdit], list[str]]:
    """Edits that add a part on a point, and the names of its bodies."""
    if name not in parts():
        raise Rejected("no such part", name)
    part = {section: dict(members) for section, members in parts()[name]["model"].items()}
    part = _with_free_names(part, data)
    if on not in (GROUND, f"{GROUND}.origin"):
        part = _moved(part, on)
    edits: list[TextEdit] = []
    for section, members in part.items():
        if section == GROUND:
            edits += [Put((GROUND, "points", point), at) for point, at in members["points"].items()]
        else:
            edits += [Put((section, element), value) for element, value in members.items()]
    return edits, list(part.get("bodies", {}))


def _moved(part: dict[str, Any], on: str) -> dict[str, Any]:
    """The part with another point in place of the ground's origin."""
    for path, text in leaves(part):
        key = next(one for one in reversed(path) if isinstance(one, str))
        if text == GROUND and key in POINTED:
            part = edited_data(part, Put(path, on))
    return part


def _with_free_names(part: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    for section in [*part]:
        at = (GROUND, "points") if section == GROUND else (section,)
        found = value_at(data, at)
        taken = found if isinstance(found, dict) else {}
        for name in [*(value_at(part, at) or {})]:
            if name in taken:
                free = free_name(name, {*taken, *value_at(part, at)})
                for edit in renamed(part, (*at, name), free):
                    part = edited_data(part, edit)
    return part
