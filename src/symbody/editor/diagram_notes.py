"""What the drawing adds to a model: positions, groups and comments, as one comment line at the end of the file.

# editor: {"at": {"crank": [120, 40]}, "notes": {"crank": "steel"}, "groups": {"legs": ["left", "right"]}}
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from symbody.links.rejected import Rejected

LINE = re.compile(r"^# editor: (\{.*\})[ \t]*$\n?", re.MULTILINE)
FAR = 1e6  # pixels
LONGEST_NOTE = 2000  # characters
MOST = 5000  # entries of each kind

DiagramNotes = dict[str, dict[str, Any]]
EMPTY: DiagramNotes = {"at": {}, "notes": {}, "groups": {}}


def diagram_notes(text: str) -> DiagramNotes:
    """The drawing's own data in a text; invalid entries are left out."""
    found = LINE.search(text)
    try:
        given = json.loads(found[1]) if found else {}
    except (ValueError, RecursionError):
        given = {}
    return {
        kind: {name: value for name, value in _mapping(given.get(kind)).items() if _valid(kind, value)}
        for kind in EMPTY
    }


def without_notes(text: str) -> str:
    """The text without the data of the drawing."""
    return LINE.sub("", text)


def with_diagram_notes(text: str, notes: DiagramNotes) -> str:
    """The text with other data of the drawing; without data, without the line."""
    kept = {kind: values for kind, values in notes.items() if values}
    line = f"# editor: {json.dumps(kept, ensure_ascii=False)}\n" if kept else ""
    if LINE.search(text):
        return LINE.sub(lambda _: line, text, count=1)
    return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}" if line else text


def changed_notes(text: str, kind: str, changes: dict[str, Any]) -> str:
    """The text with some entries of a kind changed; None removes an entry."""
    if kind not in EMPTY:
        raise Rejected("no such command", kind)
    notes = diagram_notes(text)
    for name, value in changes.items():
        if value is None:
            notes[kind].pop(name, None)
        elif _valid(kind, value):
            notes[kind][name] = value
        else:
            raise Rejected("wrong type", f"{kind} of {name[:80]}")
    return with_diagram_notes(text, notes)


def _mapping(given: Any) -> dict[str, Any]:
    return dict(list(given.items())[:MOST]) if isinstance(given, dict) else {}


def _valid(kind: str, value: Any) -> bool:
    if kind == "at":
        return isinstance(value, list) and len(value) == 2 and all(map(_coordinate, value))
    if kind == "notes":
        return isinstance(value, str) and 0 < len(value) <= LONGEST_NOTE
    return isinstance(value, list) and len(value) <= MOST and all(isinstance(x, str) for x in value)


def _coordinate(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) and abs(x) <= FAR
