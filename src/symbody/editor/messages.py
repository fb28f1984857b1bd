"""The verbs of the editor's page: edits of the document, the file, jobs, and questions of a browser that looks.

{"do": "edit", "label": "mass", "changes": [{"op": "set", "path": ["bodies", "rod", "mass"], "value": 2}]}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from symbody.editor.uploads import LARGEST as LARGEST_FILE
from symbody.editor.yaml_edit import DataPath, Drop, Key, Put, TextEdit
from symbody.links.rejected import Rejected
from symbody.web.checks import LARGEST, by_name, integer, list_of, number, switch, text
from symbody.web.verbs import Verb, Verbs, checked

DEEPEST = 12  # levels of a path
MOST_CHANGES = 200  # in one edit
MOST_TEXT = 10_000_000  # characters
PART = 3000  # characters typed or pasted at once


def _key(value: Any) -> Key:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Rejected("wrong type")
    return integer(0, 10**6)(value) if isinstance(value, int) else text(0, 200)(value)


_PATH = list_of(_key, 1, DEEPEST)


def plain_value(value: Any) -> Any:
    """Words, finite numbers, truth values and nothing, in lists and mappings."""
    if isinstance(value, dict):
        return {text(1, 200)(key): plain_value(x) for key, x in value.items()}
    if isinstance(value, list):
        return [plain_value(x) for x in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise Rejected("out of range")
    if not isinstance(value, str | int | float | bool | None):
        raise Rejected("wrong type")
    return value


def _change(value: Any) -> TextEdit:
    if not isinstance(value, dict) or value.get("op") not in ("set", "remove"):
        raise Rejected("wrong fields")
    path: DataPath = _PATH(value.get("path"))
    return Drop(path) if value["op"] == "remove" else Put(path, plain_value(value.get("value")))


@dataclass(frozen=True)
class Edit:
    """Change values at places of the model's file."""

    label: str = checked(text(0, 80))
    changes: tuple[TextEdit, ...] = checked(list_of(_change, 1, MOST_CHANGES))


@dataclass(frozen=True)
class Rename:
    """Give an element another name, in all places that refer to it."""

    path: tuple[Key, ...] = checked(_PATH)
    name: str = checked(text(1, 200))


@dataclass(frozen=True)
class Remove:
    """Remove elements, and what is attached to them."""

    paths: tuple[DataPath, ...] = checked(list_of(_PATH, 1, MOST_CHANGES))


@dataclass(frozen=True)
class Copy:
    """Copy elements under free names."""

    paths: tuple[DataPath, ...] = checked(list_of(_PATH, 1, MOST_CHANGES))


@dataclass(frozen=True)
class AddPart:
    """Add a part of the palette on a point."""

    name: str = checked(text())
    on: str = checked(text())
    at: tuple[float, ...] = checked(list_of(number(-1e6, 1e6), 0, 2))  # position of its first body in the diagram


@dataclass(frozen=True)
class Draw:
    """Change what the drawing adds to the model: positions (at), comments (notes) or groups."""

    kind: str = checked(text())
    changes: Mapping[str, Any] = checked(by_name(plain_value, 1, MOST_CHANGES))


@dataclass(frozen=True)
class Slide:
    """Set a parameter or an input by its slider; one drag is one step of the history. first: of a drag."""

    path: tuple[Key, ...] = checked(_PATH)
    value: float = checked(number(-LARGEST, LARGEST))
    first: bool = checked(switch)


@dataclass(frozen=True)
class TurnAxis:
    """Turn the axis of a joint to a direction in the frame where the joint begins."""

    body: str = checked(text())
    joint: int = checked(integer(0, 100))
    direction: tuple[float, ...] = checked(list_of(number(-1e6, 1e6), 3, 3))


@dataclass(frozen=True)
class SendFile:
    """Announce a file, whose content follows in binary messages. body: it becomes a look of it; empty: data."""

    name: str = checked(text(1, 120))
    size: int = checked(integer(1, LARGEST_FILE))
    body: str = checked(text(0))


@dataclass(frozen=True)
class Splice:
    """Replace a part of the text of a version."""

    version: int = checked(integer(0, 10**12))
    at: int = checked(integer(0, MOST_TEXT))
    removed: int = checked(integer(0, MOST_TEXT))
    inserted: str = checked(text(0, PART))


@dataclass(frozen=True)
class Undo:
    """Undo the last change."""


@dataclass(frozen=True)
class Redo:
    """Do again what was undone last."""


@dataclass(frozen=True)
class Save:
    """Save the file. name: another file in the same folder; empty: the same. over: also over another content."""

    name: str = checked(text(0, 120))
    over: bool = checked(switch)


@dataclass(frozen=True)
class LoadOutside:
    """Load the file that another program has changed; undo returns to the own text."""


@dataclass(frozen=True)
class KeepOwn:
    """Save over the change of another program; undo returns to the other text."""


@dataclass(frozen=True)
class RunJob:
    """Start an analysis; an older one of this browser is cancelled."""

    kind: str = checked(text())
    until: float = checked(number(1e-6, 1e5))
    dt: float = checked(number(1e-7, 10.0))
    values: Mapping[str, float] = checked(by_name(number(-LARGEST, LARGEST), 0, 64))


@dataclass(frozen=True)
class RunAnalysis:
    """Start an analysis of the command line with values of its options, as its form has them."""

    name: str = checked(text())
    values: Mapping[str, Any] = checked(by_name(plain_value, 0, 64))


@dataclass(frozen=True)
class CancelJob:
    """Cancel the analysis that runs."""


@dataclass(frozen=True)
class TakePen:
    """Become the browser that edits."""


@dataclass(frozen=True)
class GoLive:
    """Run the model live on a page of its own."""


@dataclass(frozen=True)
class Finish:
    """End editing: the script that opened the editor gets the model."""


@dataclass(frozen=True)
class TryValue:
    """Check a value without setting it; a law is also computed over its range."""

    path: tuple[Key, ...] = checked(_PATH)
    value: object = checked(plain_value)


@dataclass(frozen=True)
class ListAnalyses:
    """Send the analyses of the command line with their options, and the files that they may read."""


@dataclass(frozen=True)
class Script:
    """Send a Python script that builds the same model."""


Looking = TryValue | Script | ListAnalyses
Order = (
    Edit | Rename | Remove | Copy | AddPart | Draw | Slide | TurnAxis | SendFile | Splice | Undo | Redo | Save
    | LoadOutside | KeepOwn | RunJob | RunAnalysis | CancelJob | TakePen | GoLive | Finish | Looking
)  # fmt: skip
_NEWEST_BY: dict[Any, tuple[str, ...]] = {TryValue: ()}
VERBS: Verbs[Order] = {
    kind.__name__.lower(): Verb(kind, touches=kind not in get_args(Looking), newest_by=_NEWEST_BY.get(kind))
    for kind in get_args(Order)
}
