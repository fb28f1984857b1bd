"""Commands on the data of a model file that keep it consistent: rename with all references, remove, copy.

Each command returns edits of the text (`yaml_edit`). Data is that of a .yaml file.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from symbody.editor.yaml_edit import DataPath, Drop, Key, Put, Retitle, TextEdit, value_at
from symbody.errors import ModelError
from symbody.model.body import GROUND
from symbody.model.formula import is_name
from symbody.model.model import default_joint_names

POINTS = ("on", "between", "point", "plane")  # keys whose words are points
WORDS = (*POINTS, "name", "type", "nature", "kind", "unit", "quantities", "joints")  # keys whose words are not formulas
BY_JOINT = ("joint_forces", "trajectories")  # sections with a joint's name as key
NAMED_NUMBERS = ("parameters", "inputs", "states")
ON_POINTS = ("links", "cuts", "rolling_contacts", "force_sites", "interactions", "sensors")


def members(data: dict[str, Any], section: str) -> dict[str, Any]:
    """The elements of a section; none if it is missing or broken."""
    found = data.get(section)
    return found if isinstance(found, dict) else {}


def leaves(data: Any, path: DataPath = ()) -> Iterator[tuple[DataPath, str]]:
    """All words of the data with their paths."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from leaves(value, (*path, k))
    elif isinstance(data, str):
        yield path, data


def joint_rows(body: str, joints: Any) -> list[dict[str, Any]]:
    """Joints of a body as mappings with type and name, whichever form the file has."""
    listed = joints.split() if isinstance(joints, str) else joints if isinstance(joints, list) else []
    rows = [dict(one) if isinstance(one, dict) else {"type": one} for one in listed]
    usual = default_joint_names(body, [str(row.get("type")) for row in rows])
    return [{**row, "name": row.get("name", name)} for row, name in zip(rows, usual, strict=True)]


def written_joints(body: str, rows: list[dict[str, Any]]) -> Any:
    """Joints as a file has them: a word for each joint if nothing else is given."""
    usual = default_joint_names(body, [str(row.get("type")) for row in rows])
    short = [
        {key: x for key, x in row.items() if not (key == "name" and x == name)}
        for row, name in zip(rows, usual, strict=True)
    ]
    return " ".join(str(row["type"]) for row in short) if all(set(row) == {"type"} for row in short) else short


# -- names -------------------------------------------------------------------------------------------------------------


def free_name(wanted: str, taken: Any) -> str:
    """The wanted name, or with a number if it is taken."""
    if wanted not in taken:
        return wanted
    stem = re.sub(r"_\d+$", "", wanted)
    return next(name for k in range(2, len(taken) + 3) if (name := f"{stem}_{k}") not in taken)


def renamed(data: dict[str, Any], path: DataPath, name: str) -> list[TextEdit]:
    """Edits that give an element another name, in all places that refer to it."""
    if value_at(data, path) is None:
        raise ModelError("there is no such element", element=".".join(map(str, path))[:200], cure="reload the page")
    match path:
        case ("name",):
            return [Put(path, name)]
        case ("bodies", str(body)):
            return [*_with_body(data, body, name), Retitle(path, name)]
        case ("bodies", str(body), "points", str(point)):
            return [*_replaced(data, _point(f"{body}.{point}", f"{body}.{name}")), Retitle(path, name)]
        case ("ground", "points", str(point)):
            return [*_replaced(data, _point(f"{GROUND}.{point}", f"{GROUND}.{name}")), Retitle(path, name)]
        case ("bodies", str(body), "joints", int(k)):
            rows = joint_rows(body, value_at(data, ("bodies", body, "joints")))
            if k >= len(rows):
                raise ModelError("there is no such joint", element=body, cure="reload the page")
            old, rows[k]["name"] = rows[k]["name"], name
            named = Put(("bodies", body, "joints"), written_joints(body, rows))
            return [named, *_with_joints(data, {old: name})]
        case (str(family), str(old)) if family in NAMED_NUMBERS:
            if not is_name(name):
                raise ModelError("formulas cannot use this name", element=name[:80], cure="use letters, digits and _")
            return [*_replaced(data, _number(old, name)), Retitle(path, name)]
        case ("links", str(old)):
            return [*_replaced(data, _motion(old, name)), Retitle(path, name)]
    return [Retitle(path, name)]


Rewrite = Callable[[DataPath, str], str]


def _replaced(data: dict[str, Any], rewrite: Rewrite) -> list[TextEdit]:
    found = [(path, text, rewrite(path, text)) for path, text in leaves(data)]
    return [Put(path, new) for path, old, new in found if new != old]


def _key_of(path: DataPath) -> Key:
    """The last name of a path: the word of a list belongs to the key of the list."""
    return next(key for key in reversed(path) if isinstance(key, str))


def _is_point(path: DataPath) -> bool:
    direct = len(path) == 2 and path[0] in ("force_sites", "sensors")
    return direct or _key_of(path) in POINTS or path[0] == "circuits"


def _point(old: str, new: str) -> Rewrite:
    """Another path of a point or of all points of a body, also inside formulas such as vx("body.point")."""

    def rewrite(path: DataPath, text: str) -> str:
        if _is_point(path):
            return new + text[len(old) :] if text == old or text.startswith(f"{old}.") else text
        if _key_of(path) in WORDS:
            return text
        return re.sub(rf'(["\']){re.escape(old)}(?=["\'.])', lambda m: m[1] + new, text)

    return rewrite


def _motion(old: str, new: str) -> Rewrite:
    """Another name of a link or joint inside formulas such as length("spring") and q("crank")."""

    def rewrite(path: DataPath, text: str) -> str:
        if _key_of(path) in WORDS:
            return text
        return re.sub(rf'(["\']){re.escape(old)}(?=["\'])', lambda m: m[1] + new, text)

    return rewrite


def _number(old: str, new: str) -> Rewrite:
    """Another name of a parameter, an input or a state inside formulas, outside of quotes."""

    def rewrite(path: DataPath, text: str) -> str:
        if _key_of(path) in WORDS or path[0] in ("symbody", "name") or _is_point(path):
            return text
        parts = re.split(r"(\"[^\"]*\"|'[^']*')", text)
        parts[::2] = [re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, part) for part in parts[::2]]
        return "".join(parts)

    return rewrite


def _with_body(data: dict[str, Any], body: str, name: str) -> list[TextEdit]:
    """References to a body, and to its joints if their names come from the body."""
    joints = value_at(data, ("bodies", body, "joints"))
    before = [row["name"] for row in joint_rows(body, joints)]
    after = [row["name"] for row in joint_rows(name, joints)]
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    points = _point(body, name)
    edits = _replaced(data, points)
    latest = {edit.path: edit for edit in edits if isinstance(edit, Put)}
    for edit in _with_joints(data, changed, points):
        if isinstance(edit, Put):
            latest[edit.path] = edit
        else:
            edits.append(edit)
    return [*latest.values(), *(edit for edit in edits if not isinstance(edit, Put))]


def _with_joints(data: dict[str, Any], names: dict[str, str], first: Rewrite | None = None) -> list[TextEdit]:
    """References to joints: laws by their names, couplings, formulas. first: another rewriting of the same words."""

    def rewrite(path: DataPath, text: str) -> str:
        done = first(path, text) if first else text
        if len(path) > 2 and path[0] == "couplings" and path[2] == "joints":
            return names.get(text, text)
        for old, new in names.items():
            done = _motion(old, new)(path, done)
        return done

    edits = _replaced(data, rewrite) if names else []
    for section in BY_JOINT:
        laws = members(data, section)
        edits += [Retitle((section, old), new) for old, new in names.items() if old in laws]
    return edits


# -- remove and copy ---------------------------------------------------------------------------------------------------


def removed(data: dict[str, Any], paths: list[DataPath]) -> list[TextEdit]:
    """Edits that remove elements, and what is attached to them. Bodies on a removed body move to its carrier."""
    drops: dict[DataPath, None] = {}
    bodies = {path[1] for path in paths if len(path) == 2 and path[0] == "bodies"}
    points = {f"{body}" for body in bodies} | {
        f"{path[1]}.{path[3]}" for path in paths if len(path) == 4 and path[0] == "bodies" and path[2] == "points"
    }
    points |= {f"{GROUND}.{path[2]}" for path in paths if len(path) == 3 and path[:2] == (GROUND, "points")}
    for path in paths:
        if value_at(data, path) is not None:
            drops[path] = None
    for path, text in leaves(data):
        if path[0] in ON_POINTS and _is_point(path) and _on_one(text, points):
            drops[path[:2]] = None
    joints = {row["name"] for body in bodies for row in joint_rows(str(body), _joints_of(data, str(body)))}
    for section in BY_JOINT:
        for name in joints & set(members(data, section)):
            drops[section, name] = None
    moves: list[TextEdit] = [
        Put(("bodies", name, "on"), _carrier(data, text, points, bodies))
        for name, body in members(data, "bodies").items()
        if name not in bodies and isinstance(body, dict) and _on_one(text := str(body.get("on", GROUND)), points)
    ]
    kept = [path for path in drops if not any(path[:k] in drops for k in range(1, len(path)))]
    return [*moves, *(Drop(path) for path in kept)]


def _on_one(point: str, points: set[str]) -> bool:
    return point in points or point.rpartition(".")[0] in points


def _joints_of(data: dict[str, Any], body: str) -> Any:
    return value_at(data, ("bodies", body, "joints"))


def _carrier(data: dict[str, Any], point: str, points: set[str], bodies: set[Any]) -> str:
    """The point that carries a body whose own carrier is removed: the nearest one that stays."""
    for _ in range(len(members(data, "bodies")) + 1):
        if not _on_one(point, points):
            return point
        body = point.partition(".")[0]
        if body not in bodies:
            return body  # only the point is removed: the body's origin stays
        point = str(value_at(data, ("bodies", body, "on")) or GROUND)
    return GROUND


def copied(data: dict[str, Any], paths: list[DataPath]) -> tuple[list[TextEdit], dict[str, str]]:
    """Edits that copy elements under free names, and the new names of bodies. References inside the copy follow it."""
    chosen = [path for path in paths if len(path) == 2 and isinstance(value_at(data, path[:1]), dict)]
    taken = set(members(data, "bodies")) | {GROUND}
    names: dict[str, str] = {}
    for section, old in chosen:
        if section == "bodies":
            names[str(old)] = free_name(f"{old}_copy", taken)
            taken.add(names[str(old)])
    edits: list[TextEdit] = []
    for section, old in chosen:
        value, known = copy.deepcopy(value_at(data, (section, old))), set(data[str(section)])
        holder: dict[str, Any] = {str(section): {str(old): value}}
        for body, new in names.items():
            for edit in _replaced(holder, _point(body, new)):
                if isinstance(edit, Put):
                    value_at(holder, edit.path[:-1])[edit.path[-1]] = edit.value
        value = holder[str(section)][str(old)]
        if section == "bodies":
            if isinstance(value, dict) and isinstance(value.get("joints"), list):
                for joint in value["joints"]:
                    if isinstance(joint, dict):
                        joint.pop("name", None)
            edits.append(Put(("bodies", names[str(old)]), value))
        else:
            edits.append(Put((section, free_name(f"{old}_copy", known)), value))
    return edits, names
