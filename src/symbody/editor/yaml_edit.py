"""Edits of YAML text that change only the edited place: comments, order and digits of everything else survive.

A place is a path of keys and list indices. Each edit is verified: the new text, parsed, must be the edited data. If a
small edit cannot express it, the mapping around the place is written again on one line.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from symbody.errors import ModelError
from symbody.files.safe_yaml import parse_nodes, plain
from symbody.files.yaml_text import inline_text, key_text, quoted

Key = str | int
DataPath = tuple[Key, ...]
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
NESTED = ("bodies", "circuits")  # sections whose new entries are written over several lines


@dataclass(frozen=True)
class Put:
    """Set the value at a path; missing mappings of the path are added."""

    path: DataPath
    value: Any


@dataclass(frozen=True)
class Drop:
    """Remove the entry at a path, and its section if that becomes empty."""

    path: DataPath


@dataclass(frozen=True)
class Retitle:
    """Give the key at a path another name."""

    path: DataPath
    name: str


TextEdit = Put | Drop | Retitle


def data_of(text: str) -> dict[str, Any]:
    """The plain data of a file's text; ModelError if it is not a mapping."""
    data = plain(parse_nodes(text))
    if not isinstance(data, dict):
        raise ModelError("the file is not a mapping", element="model", cure="begin with `symbody: 1`")
    return data


def edited(text: str, edits: Sequence[TextEdit]) -> str:
    """The text after some edits; ModelError if a place does not exist."""
    for edit in edits:
        before = data_of(text)
        wanted = edited_data(before, edit)
        if wanted != before or isinstance(edit, Retitle):
            text = _verified(text, edit, wanted)
    return text


def edited_data(data: dict[str, Any], edit: TextEdit) -> dict[str, Any]:
    """The data after an edit."""
    if not edit.path:
        raise ModelError("the path is empty", element="model", cure="name an element")
    data = copy.deepcopy(data)
    inner: Any = data
    for key in edit.path[:-1]:
        inner = _entered(inner, key, make=isinstance(edit, Put))
    last = edit.path[-1]
    if isinstance(edit, Put):
        _check_key(inner, last, new=True)
        if isinstance(inner, list) and last == len(inner):
            inner.append(edit.value)
        else:
            inner[last] = edit.value
        return data
    _check_key(inner, last, new=False)
    if isinstance(edit, Drop):
        del inner[last]
        return _pruned(data, edit.path[:-1])
    if isinstance(inner, list):
        raise ModelError("a list has no names", element=_shown(edit.path), cure="rename its parent")
    if edit.name != last and edit.name in inner:
        raise ModelError("this name is used already", element=_shown(edit.path), cure="choose another name")
    renamed = {edit.name if key == last else key: value for key, value in inner.items()}
    inner.clear()
    inner.update(renamed)
    return data


def value_at(data: Any, path: DataPath) -> Any:
    """The value at a path; None if there is none."""
    for key in path:
        if isinstance(data, dict):
            data = data.get(str(key))
        elif isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
            data = data[key]
        else:
            return None
    return data


def _entered(inner: Any, key: Key, *, make: bool) -> Any:
    _check_key(inner, key, new=make)
    if make and isinstance(inner, dict) and inner.get(str(key)) is None:
        inner[str(key)] = {}
    return inner[key]


def _check_key(inner: Any, key: Key, *, new: bool) -> None:
    if isinstance(inner, dict) and isinstance(key, str) and (new or key in inner):
        return
    if isinstance(inner, list) and isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(inner) + new:
        return
    raise ModelError("there is no such place", element=str(key)[:80], cure="reload the page")


def _pruned(data: dict[str, Any], path: DataPath) -> dict[str, Any]:
    """Without the mappings along a path that are empty."""
    while _vanishes(path) and value_at(data, path) == {}:
        parent = value_at(data, path[:-1])
        del parent[path[-1]]
        path = path[:-1]
    return data


def _verified(text: str, edit: TextEdit, wanted: dict[str, Any]) -> str:
    """The text with the least change that gives the wanted data."""
    tries: list[Callable[[], str]] = [lambda: _edited(text, edit)]
    path = edit.path
    while path:
        path = path[:-1]
        while path and value_at(wanted, path) is None:
            path = path[:-1]
        tries.append(lambda at=path: _rewritten(text, at, wanted))  # type: ignore[misc]
    for attempt in tries:
        try:
            made = attempt()
            if data_of(made) == wanted and _keys(data_of(made)) == _keys(wanted):
                return made
        except (ModelError, _Unsuitable, yaml.YAMLError):
            continue
    raise ModelError("the edit cannot be written", element=_shown(edit.path), cure="edit the text of the file")


def _keys(data: Any) -> Any:
    """The names in the data, in their order: mappings of another order are equal otherwise."""
    if isinstance(data, dict):
        return [(key, _keys(x)) for key, x in data.items()]
    return [_keys(x) for x in data] if isinstance(data, list) else None


def _vanishes(path: DataPath) -> bool:
    """Whether a mapping is removed when it becomes empty: a section, or the points of a body."""
    return len(path) == 1 or path[-1:] == ("points",)


class _Unsuitable(Exception):
    """The text has a form that a small edit does not handle."""


def _rewritten(text: str, path: DataPath, wanted: dict[str, Any]) -> str:
    """The value at a path written again on one line; the whole file, if the path is empty."""
    if path:
        return _put(text, path, value_at(wanted, path))
    return "\n".join(f"{key_text(key)}: {inline_text(value)}" for key, value in wanted.items()) + "\n"


def _edited(text: str, edit: TextEdit) -> str:
    if isinstance(edit, Put):
        return _put(text, edit.path, edit.value)
    if isinstance(edit, Drop):
        return _drop(text, edit.path)
    key, _, _ = _found(_composed(text), edit.path)
    return text[: key.start_mark.index] + quoted(edit.name) + text[key.end_mark.index :]


# -- nodes with their places in the text -------------------------------------------------------------------------------


def _composed(text: str) -> Any:
    root = yaml.compose(text, Loader=_Loader)
    if not isinstance(root, yaml.MappingNode):
        raise _Unsuitable
    return root


def _found(root: Any, path: DataPath) -> tuple[Any, Any, Any]:
    """Key (None in a list), value and parent at a path."""
    parent, key, node = None, None, root
    for one in path:
        parent = node
        if isinstance(node, yaml.MappingNode):
            pair = next(((k, v) for k, v in node.value if k.value == one), None)
            if pair is None:
                raise _Unsuitable
            key, node = pair
        elif isinstance(node, yaml.SequenceNode) and isinstance(one, int) and one < len(node.value):
            key, node = None, node.value[one]
        else:
            raise _Unsuitable
    return key, node, parent


def _end(text: str, node: Any) -> int:
    """Where the text of a node ends: marks of block collections are behind the comments that follow."""
    if isinstance(node, yaml.ScalarNode):
        end = int(node.end_mark.index)
        while node.style in ("|", ">") and end and text[end - 1] == "\n":
            end -= 1
        return end
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(text, last[1] if isinstance(last, tuple) else last)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


# -- small edits -------------------------------------------------------------------------------------------------------


def _put(text: str, path: DataPath, value: Any) -> str:
    root = _composed(text)
    for depth in range(len(path)):
        try:
            key, node, _ = _found(root, path[: depth + 1])
        except _Unsuitable:
            _, holder, _ = _found(root, path[:depth])
            return _inserted(text, holder, path[:depth], path[depth], _nested(path[depth + 1 :], value))
        empty = isinstance(node, yaml.ScalarNode) and node.value == "" and depth + 1 < len(path)
        if empty:
            return _replaced(text, key, node, _nested(path[depth + 1 :], value))
    return _replaced(text, key, node, value)


def _nested(path: DataPath, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _replaced(text: str, key: Any, node: Any, value: Any) -> str:
    end = _end(text, node)
    if key is None:
        return text[: node.start_mark.index] + inline_text(value) + text[end:]
    colon = text.index(":", key.end_mark.index)
    return f"{text[: colon + 1]} {inline_text(value)}{text[max(end, colon + 1) :]}"


def _inserted(text: str, holder: Any, at: DataPath, key: Key, value: Any) -> str:
    if isinstance(holder, yaml.SequenceNode):
        if not holder.flow_style:
            raise _Unsuitable
        written = inline_text(value)
    else:
        written = f"{key_text(str(key))}: {inline_text(value)}"
    if holder.flow_style:
        close = int(holder.end_mark.index) - 1
        place = close
        while text[place - 1].isspace():
            place -= 1
        comma = ", " if holder.value else ""
        return text[:place] + comma + written + text[place:]
    if not holder.value:
        raise _Unsuitable
    margin, end = " " * holder.start_mark.column, _line_end(text, _end(text, holder))
    lines = _block_lines(str(key), value, at)
    return text[:end] + "".join(f"\n{margin}{line}" for line in lines) + text[end:]


def _block_lines(key: str, value: Any, at: DataPath) -> list[str]:
    """An entry of a block mapping: sections have one entry a line, and bodies a line for each of their keys."""
    if isinstance(value, dict) and value and (not at or (len(at) == 1 and at[0] in NESTED)):
        listed = [line for name, x in value.items() for line in _block_lines(name, x, (*at, key))]
        return [f"{key_text(key)}:", *(f"  {line}" for line in listed)]
    return [f"{key_text(key)}: {inline_text(value)}"]


def _drop(text: str, path: DataPath) -> str:
    root = _composed(text)
    key, node, parent = _found(root, path)
    while len(parent.value) == 1 and _vanishes(path[:-1]):
        path = path[:-1]
        key, node, parent = _found(root, path)
    if len(parent.value) == 1:
        raise _Unsuitable
    if isinstance(parent, yaml.SequenceNode) and not parent.flow_style:
        raise _Unsuitable
    end = _end(text, node)
    if parent.flow_style:
        pairs = [pair if isinstance(pair, tuple) else (pair, pair) for pair in parent.value]
        place = next(i for i, pair in enumerate(pairs) if pair[1] is node)
        if place:
            return text[: _end(text, pairs[place - 1][1])] + text[end:]
        after = pairs[1][0].start_mark.index if len(pairs) > 1 else end
        return text[: pairs[0][0].start_mark.index] + text[after:]
    start = _line_start(text, key.start_mark.index)
    if text[start : key.start_mark.index].strip():
        raise _Unsuitable
    return text[:start] + text[_line_end(text, max(end, key.end_mark.index)) + 1 :]


def _shown(path: DataPath) -> str:
    return ".".join(map(str, path))[:200]
