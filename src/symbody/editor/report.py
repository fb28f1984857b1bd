"""What the engine says about a model while it is drawn: problems with their places and cures, freedoms, operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np

from symbody.codegen import scheduled
from symbody.editor.yaml_edit import DataPath, value_at
from symbody.equations.compile import compile
from symbody.equations.functions import GenerationOptions, make_program
from symbody.errors import ModelError, SymbodyError
from symbody.model.check import problems, warnings
from symbody.model.description import freedoms_text
from symbody.model.joint_chains import advice
from symbody.model.model import Model
from symbody.system.assembly import assemble, initial_state
from symbody.system.options import SystemOptions
from symbody.system.partition import partition
from symbody.system.programs import system_programs
from symbody.system.trace import traced_system

PER_OPERATION = 0.5e-9  # s, of compiled code on one core: a rough figure, to compare models before they are compiled
MOST_JOINTS_COUNTED = 120  # larger models take seconds to trace
_NEAREST = re.compile(r"did you mean '?([^'?]+)'?\?")
_UNKNOWN = re.compile(r"unknown point '([^']+)'")
_MASSLESS = re.compile(r"^bodies\.([^.:]+):")


class TextChange(TypedDict):
    """An edit of a place of the file, as the page sends it."""

    op: Literal["set", "remove"]
    path: DataPath
    value: NotRequired[Any]


class Fix(TypedDict):
    """A cure as a button: its words, and the edits that it makes."""

    label: str
    changes: list[TextChange]


class Remark(TypedDict):
    """A problem or a warning at its place."""

    kind: str  # error, warning, note
    path: list[str]
    text: str
    cure: str
    line: int  # in the text; 0: unknown
    fix: Fix | None


def remarks(model: Model, data: dict[str, Any], broken: Sequence[ModelError], notes: Sequence[str]) -> list[Remark]:
    """Problems of the structure, problems and warnings of the model, and notes of the file's reader."""
    found = [_of_error(error, data) for error in (*broken, *problems(model))]
    advised = [] if found else [*_safely(lambda: warnings(model)), *_safely(lambda: advice(model))]
    for text in (*advised, *notes):
        found.append(_of_warning(text, data, "warning" if text in advised else "note"))
    return found


def _safely(listed: Callable[[], list[str]]) -> list[str]:
    try:
        return listed()
    except (SymbodyError, ValueError, ArithmeticError):
        return []


def place_of(element: str, data: dict[str, Any]) -> list[str]:
    """The path of the element that a message names: "bodies.arm.joints.arm.q0 (line 7)" is at bodies, arm."""
    words = element.partition(" (line ")[0]
    section, _, rest = words.partition(".")
    members = data.get(section)
    if section == "ground" or not isinstance(members, dict):
        return [section] if section in data or section == "ground" else []
    names = [name for name in members if rest == name or rest.startswith(f"{name}.")]
    return [section, max(names, key=len)] if names else [section]


def _of_error(error: ModelError, data: dict[str, Any]) -> Remark:
    line = re.search(r"line (\d+)", f"{error.element} {error.problem}")
    text = f"{error.element.partition(' (line ')[0]}: {error.problem}" if error.element else error.problem
    return {
        "kind": "error",
        "path": place_of(error.element, data),
        "text": text,
        "cure": error.cure,
        "line": int(line[1]) if line else 0,
        "fix": _fix(error, data),
    }


def _of_warning(text: str, data: dict[str, Any], kind: str) -> Remark:
    head = text.partition(":")[0]
    path = place_of(head, data) if re.fullmatch(r"[\w.\- ]+", head) else []
    fix: Fix | None = None
    massless = _MASSLESS.match(text)
    if massless and "mass" in text and "bodies" in data and not value_at(data, ("bodies", massless[1], "mass")):
        fix = {
            "label": "set mass to 1 kg",
            "changes": [{"op": "set", "path": ("bodies", massless[1], "mass"), "value": 1}],
        }
    return {"kind": kind, "path": path, "text": text, "cure": "", "line": 0, "fix": fix}


def _fix(error: ModelError, data: dict[str, Any]) -> Fix | None:
    """A cure that an edit can make: the nearest name of a point, of a joint type or of a nature."""
    near, unknown = _NEAREST.search(error.cure), _UNKNOWN.search(error.problem)
    if near and unknown:
        return _renamed_point(unknown[1], near[1], place_of(error.element, data), data)
    return None


def _renamed_point(wrong: str, near: str, path: list[str], data: dict[str, Any]) -> Fix | None:
    body, _, point = wrong.partition(".")
    known = {"ground", *(data.get("bodies") or {})}
    right = f"{body}.{near}" if body in known else f"{near}.{point}"
    holder = value_at(data, tuple(path))
    changes: list[TextChange] = []
    for key in ("on", "point", "plane"):
        if isinstance(holder, dict) and holder.get(key) in (wrong, wrong.removesuffix(".origin")):
            changes.append({"op": "set", "path": (*path, key), "value": right})
    if isinstance(holder, dict) and isinstance(holder.get("between"), list):
        ends = [right if end in (wrong, wrong.removesuffix(".origin")) else end for end in holder["between"]]
        changes.append({"op": "set", "path": (*path, "between"), "value": ends})
    return {"label": f"use {right}", "changes": changes} if changes else None


# -- figures that take longer ------------------------------------------------------------------------------------------


class Figures(TypedDict):
    """Figures of a model that can be used."""

    freedoms: str
    independent: list[str]
    dependent: list[str]
    redundant: int
    loops: int
    problem: str  # why loops do not close; empty: they close


def figures(model: Model) -> tuple[Figures, np.ndarray]:
    """Freedoms and partition at closed loops, and the coordinates there; the initial ones if loops do not close."""
    start = initial_state(model)[0]
    made: Figures = {
        "freedoms": "", "independent": [], "dependent": [], "redundant": 0,
        "loops": len(model.cuts) + len(model.constraints) + len(model.rolling_contacts), "problem": "",
    }  # fmt: skip
    try:
        q = assemble(model, start) if model.has_loops else start
        parts = partition(model, q)
    except SymbodyError as error:
        made["problem"] = str(error)
        return made, start
    names = model.velocities
    made["independent"], made["dependent"] = ([names[i] for i in where] for where in (parts.free, parts.dependent))
    if model.has_loops:
        made["redundant"] = len(compile(model, "constraints", loads=False)(q).h) - len(parts.rows)
    made["freedoms"] = freedoms_text(model)
    return made, q


def operations(model: Model, q: np.ndarray) -> list[dict[str, Any]]:
    """Operations of inverse and direct dynamics and of the System, and a rough time per call, before compilation."""
    if model.nv > MOST_JOINTS_COUNTED or not model.nv:
        return []

    def system() -> Any:
        traced = traced_system(model, partition(model, q), SystemOptions())
        return traced.make(lambda trace: scheduled(system_programs(trace, None).rates))

    options = GenerationOptions()
    ways: dict[str, Callable[[], Any]] = {
        "inverse": lambda: scheduled(make_program(model, "inverse", options)),
        "direct": lambda: scheduled(make_program(model, "direct", options)),
        "System": system,
    }
    rows = []
    for name, make in ways.items():
        try:
            count = make().operations.total
        except SymbodyError:
            continue
        rows.append({"function": name, "operations": count, "seconds": count * PER_OPERATION})
    return rows
