"""xacro, the macro language of URDF files: expanded by us, without Python's eval and without other folders.

Read are properties, macros with blocks, conditions, includes, arguments, elements and attributes of computed names;
`$(arg x)`, `$(find package)`, `$(dirname)` and `$(eval …)`. Files are those of the folder of the first one, and of
packages that were named. After http://wiki.ros.org/xacro; names are looked up where a macro is called, as there.
"""

from __future__ import annotations

import copy
import os
import re
import xml.etree.ElementTree as ET
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.model.safe_xml import MAX_DEPTH, read_xml
from symbody.model.safe_yaml import plain, read_nodes
from symbody.model.urdf_file import urdf_model
from symbody.model.xacro_expression import MAX_TEXT, evaluate_expression, literal_of, text_of
from symbody.nearest import nearest

MAX_ELEMENTS = 50_000  # written by macros, in all
MAX_FILES = 200
MAX_EVALUATIONS = 100_000  # of expressions, in all
PREFIX = "xacro:"
_PIECES = re.compile(r"\$\$(?=[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)")
_PARAMETER = re.compile(r"(\*{0,2}[\w.\-]+)(?:\s*:?=\s*(\^\|?)?((?:'[^']*')|(?:\"[^\"]*\")|[^\s]*))?\s*")
Parameters = list[tuple[str, str, str | None]]


def read_xacro(
    path: FilePath,
    floating: bool = False,
    mimic: str = "constraint",
    snap: float = 0.0,
    limits: str = "ignore",
    packages: Mapping[str, FilePath] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Model:
    """The model of a .xacro, expanded and read as a URDF; packages: folders of $(find …), arguments: of $(arg …)."""
    with naming(path):
        root = expand_xacro(path, packages, arguments)
        model = urdf_model(root, floating, mimic, snap, limits)
    model.file, model.source = os.fspath(path), root
    return model


def expand_xacro(
    path: FilePath, packages: Mapping[str, FilePath] | None = None, arguments: Mapping[str, Any] | None = None
) -> ET.Element:
    """The root element of a xacro file with all macros expanded."""
    folder = Path(path).resolve().parent
    roots = {name: Path(where).resolve() for name, where in (packages or {}).items()}
    document = _Document(roots, [folder, *roots.values()], {k: literal_of(v) for k, v in (arguments or {}).items()})
    root = read_xml(path).root
    made = ET.Element(root.tag)
    place = _XacroPlace(document, folder, _Names(document), {}, made)
    for key, value in root.attrib.items():
        if not key.startswith("xmlns"):
            made.set(key, text_of(place.evaluated(value)))
    _expand_children(root, place)
    return made


@dataclass
class _Document:
    """What one expansion shares: packages, folders that may be read, arguments, and what was spent."""

    packages: dict[str, Path]
    folders: list[Path]
    arguments: dict[str, Any]
    elements: int = 0
    files: int = 0
    evaluations: int = 0

    def spend(self, what: str, most: int) -> None:
        setattr(self, what, getattr(self, what) + 1)
        if getattr(self, what) > most:
            raise ModelError(
                f"xacro: more than {most} {what}", cure="a macro that calls itself, or far too many of them"
            )


@dataclass
class _Macro:
    """A macro: its parameters with defaults, and its body."""

    parameters: Parameters
    body: ET.Element


@dataclass(frozen=True)
class _Later:
    """The text of a property that is evaluated where it is used."""

    text: str
    place: _XacroPlace


class _Names(MutableMapping[str, Any]):
    """Properties in scopes, the innermost first; texts become values when they are asked for."""

    def __init__(self, document: _Document, scopes: ChainMap[str, Any] | None = None):
        self.document, self.scopes = document, ChainMap({}) if scopes is None else scopes
        self.open: set[str] = set()

    def inner(self) -> _Names:
        return _Names(self.document, self.scopes.new_child())

    def __getitem__(self, name: str) -> Any:
        held = self.scopes[name]
        if not isinstance(held, _Later):
            return held
        if name in self.open:
            raise ModelError("a property that needs itself", element=name[:80], cure="define it by others")
        self.open.add(name)
        try:
            value = literal_of(held.place.evaluated(held.text))
        finally:
            self.open.discard(name)
        for scope in self.scopes.maps:
            if scope.get(name) is held:
                scope[name] = value
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self.scopes[name] = value

    def __delitem__(self, name: str) -> None:
        self.scopes.maps[0].pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.scopes)

    def __len__(self) -> int:
        return len(self.scopes)


@dataclass(frozen=True)
class _XacroPlace:
    """Where something is expanded: folder of its file, names and macros known there, and what it goes into."""

    document: _Document
    folder: Path
    names: _Names
    macros: dict[str, _Macro]
    into: ET.Element
    depth: int = 0
    space: str = ""  # prefix of macros of an include with ns=

    def evaluated(self, text: str) -> Any:
        """A text with its expressions evaluated; one expression alone keeps the kind of its value."""
        if "$" not in text:
            return text
        if len(text) > MAX_TEXT:
            raise ModelError(f"xacro: a text of more than {MAX_TEXT} characters", cure="split it")
        pieces: list[Any] = []
        end = 0
        for found in _PIECES.finditer(text):
            pieces += [text[end : found.start()]] if found.start() > end else []
            expression, command = found.groups()
            if expression is not None:
                pieces.append(self._expression(expression))
            elif command is not None:
                pieces.append(self._command(command))
            else:
                pieces.append("$")
            end = found.end()
        pieces += [text[end:]] if end < len(text) else []
        if len(pieces) == 1:
            return pieces[0]
        joined = "".join(map(text_of, pieces))
        if len(joined) > MAX_TEXT:
            raise ModelError(f"xacro: a text of more than {MAX_TEXT} characters", cure="split it")
        return joined

    def truth(self, text: str | None, where: str) -> bool:
        value = literal_of(self.evaluated(text or ""))
        if isinstance(value, bool | int | float):
            return bool(value)
        raise ModelError(f"'{str(value)[:40]}' is neither true nor false", element=where, cure="write a comparison")

    def file(self, name: str) -> Path:
        """A file by its name, refused outside the folders that may be read."""
        path = (self.folder / name).resolve()
        if not any(path.is_relative_to(folder) for folder in self.document.folders):
            cure = 'move it beside the model, or name its package: packages={"NAME": "FOLDER"}'
            raise ModelError("lies outside the model's folder", element=name[:80], cure=cure)
        return path

    def _expression(self, text: str) -> Any:
        self.document.spend("evaluations", MAX_EVALUATIONS)
        text = text_of(self.evaluated(text))  # $(arg x) may stand in it
        return evaluate_expression(text, self.names, {"load_yaml": self._yaml, "arg": self._argument})

    def _command(self, text: str) -> Any:
        word, _, rest = text.strip().partition(" ")
        rest = text_of(self.evaluated(rest.strip()))
        if word == "arg":
            return self._argument(rest)
        if word == "find":
            return str(self._package(rest))
        if word == "dirname":
            return str(self.folder)
        if word == "eval":
            return self._expression(rest)
        cure = "use $(arg NAME), $(find PACKAGE), $(dirname) or $(eval …); the environment is not read"
        raise ModelError(f"$({word[:40]} …) is not known", cure=cure)

    def _argument(self, name: str) -> Any:
        known = self.document.arguments
        if name not in known:
            near = " or ".join(nearest(name, known, 3))
            cure = f"did you mean {near}?" if near else f'give arguments={{"{name[:40]}": …}}'
            raise ModelError("an argument without a value", element=name[:80], cure=cure)
        return known[name]

    def _package(self, name: str) -> Path:
        if name not in self.document.packages:
            cure = f'say where it is: packages={{"{name[:60]}": "FOLDER"}}, or --package {name[:60]}=FOLDER'
            raise ModelError("a package whose folder is not known", element=name[:80], cure=cure)
        return self.document.packages[name]

    def _yaml(self, name: str) -> Any:
        self.document.spend("files", MAX_FILES)
        return plain(read_nodes(self.file(text_of(name))))


def _expand_children(element: ET.Element, place: _XacroPlace) -> None:
    if place.depth > MAX_DEPTH:
        raise ModelError(f"xacro nested more than {MAX_DEPTH} deep", cure="a macro that calls itself needs an end")
    if element.text and "$" in element.text:
        place.into.text = text_of(place.evaluated(element.text))
    elif element.text and element.text.strip():
        place.into.text = element.text
    for child in element:
        if isinstance(child.tag, str):  # no comment
            _expand(child, replace(place, depth=place.depth + 1))


def _expand(element: ET.Element, place: _XacroPlace) -> None:
    tag = str(element.tag)
    word = tag.removeprefix(PREFIX)
    if not tag.startswith(PREFIX):
        made = _copied(element, place)
        _expand_children(element, replace(place, into=made))
    elif word in _WORDS:
        _WORDS[word](element, place)
    else:
        _call(word, element, place)


def _copied(element: ET.Element, place: _XacroPlace) -> ET.Element:
    place.document.spend("elements", MAX_ELEMENTS)
    made = ET.SubElement(place.into, str(element.tag))
    for key, value in element.attrib.items():
        made.set(key, text_of(place.evaluated(value)))
    return made


def _property(element: ET.Element, place: _XacroPlace) -> None:
    name = _required(element, "name", place)
    if "default" in element.attrib and name in place.names:
        return
    if element.get("remove") == "true":
        del place.names[name]
        return
    text = element.get("value", element.get("default"))
    scope = element.get("scope")
    scopes = place.names.scopes.maps
    home = scopes[-1] if scope == "global" else scopes[min(1, len(scopes) - 1)] if scope == "parent" else scopes[0]
    if text is None:
        home[f"**{name}"] = element
    else:  # of another scope at once: what it is made of may be known here only
        home[name] = literal_of(place.evaluated(text)) if scope else _Later(text, place)


def _argument(element: ET.Element, place: _XacroPlace) -> None:
    name = _required(element, "name", place)
    if name not in place.document.arguments and element.get("default") is not None:
        place.document.arguments[name] = literal_of(place.evaluated(element.get("default", "")))


def _define(element: ET.Element, place: _XacroPlace) -> None:
    name = _required(element, "name", place).removeprefix(PREFIX)
    place.macros[f"{place.space}{name}"] = _Macro(_parameters(element.get("params") or "", name), element)


def _parameters(text: str, where: str) -> Parameters:
    """(name, "^" or "^|" for a value from outside, default) of each."""
    found: Parameters = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _PARAMETER.match(text, at)
        if not match or match.end() == at:
            raise ModelError(f'params="{text[:60]}"', element=where, cure='write params="a b:=1 *block"')
        name, outer, default = match.groups()
        found.append((name, outer or "", default if match.group(0).find("=") >= 0 else None))
        at = match.end()
    return found


def _call(word: str, element: ET.Element, place: _XacroPlace) -> None:
    """Expand a macro: its arguments in a scope of their own, its blocks expanded where it is called."""
    macro = place.macros.get(f"{place.space}{word}") or place.macros.get(word)
    if macro is None:
        near = " or ".join(nearest(word, [*place.macros, *_WORDS], 3))
        raise ModelError(
            f"no macro '{word[:80]}'", element=PREFIX + word[:80], cure=f"did you mean {near}?" if near else "define it"
        )
    place.document.spend("elements", MAX_ELEMENTS)
    given = {key: place.evaluated(value) for key, value in element.attrib.items() if key != "macro" or word != "call"}
    names = [name for name, _, _ in macro.parameters]
    for key in given:
        if key not in names:
            cure = f"its parameters are {', '.join(names[:20]) or 'none'}"
            raise ModelError(f"no parameter '{key[:80]}'", element=PREFIX + word, cure=cure)
    held = ET.Element("blocks")
    _expand_children(element, replace(place, into=held))
    blocks = iter(list(held))
    inner = place.names.inner()
    for name, outer, default in macro.parameters:
        if name.startswith("*"):
            block = next(blocks, None)
            if block is None:
                raise ModelError(f"the block '{name}' is missing", element=PREFIX + word, cure="put it into the call")
            inner[name] = block
        elif name in given:
            inner[name] = literal_of(given[name])
        else:
            inner[name] = _default(name, outer, default, place, word)
    if next(blocks, None) is not None:
        raise ModelError("more blocks than it takes", element=PREFIX + word, cure="add a parameter *NAME")
    _expand_children(macro.body, replace(place, names=inner))


def _default(name: str, outer: str, default: str | None, place: _XacroPlace, word: str) -> Any:
    if outer and name in place.names:
        return place.names[name]
    if default is None or (outer == "^" and not default):
        raise ModelError(f"the parameter '{name}' is missing", element=PREFIX + word, cure=f'give {name}="…"')
    quoted = len(default) > 1 and default[0] == default[-1] == '"'
    return literal_of(place.evaluated(default[1:-1] if quoted else default))


def _insert(element: ET.Element, place: _XacroPlace) -> None:
    """A block of the call, or what stands in a property of several elements."""
    name = text_of(place.evaluated(_required(element, "name", place)))
    for key in (f"*{name}", f"**{name}"):
        if key not in place.names:
            continue
        block = place.names[key]
        for part in [block] if key[1] != "*" else list(block):
            if block.tag == f"{PREFIX}property":
                _expand(part, place)
            else:
                _grown(place, part)
        return
    raise ModelError("no block of this name", element=name[:80], cure="add a parameter *NAME to the macro")


def _grown(place: _XacroPlace, part: ET.Element) -> None:
    """A block that is expanded already, copied."""
    for _ in part.iter():
        place.document.spend("elements", MAX_ELEMENTS)
    place.into.append(copy.deepcopy(part))


def _if(element: ET.Element, place: _XacroPlace) -> None:
    if place.truth(element.get("value"), "xacro:if"):
        _expand_children(element, place)


def _unless(element: ET.Element, place: _XacroPlace) -> None:
    if not place.truth(element.get("value"), "xacro:unless"):
        _expand_children(element, place)


def _include(element: ET.Element, place: _XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "filename", place)))
    path = place.file(name)
    if element.get("optional") == "true" and not path.is_file():
        return
    place.document.spend("files", MAX_FILES)
    with naming(path):
        root = read_xml(path).root
        space = element.get("ns")
        there = replace(place, folder=path.parent, space=f"{place.space}{space}." if space else place.space)
        _expand_children(root, there)


def _named_element(element: ET.Element, place: _XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "xacro:name", place)))
    if not re.fullmatch(r"[A-Za-z_][\w.\-]*", name):
        raise ModelError(f"'{name[:40]}' cannot be an element's name", element="xacro:element", cure="use letters")
    bare = ET.Element(name, {key: value for key, value in element.attrib.items() if key != "xacro:name"})
    _expand_children(element, replace(place, into=_copied(bare, place)))


def _named_attribute(element: ET.Element, place: _XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "name", place)))
    place.into.set(name, text_of(place.evaluated(element.get("value") or "")))


def _call_by_name(element: ET.Element, place: _XacroPlace) -> None:
    _call(text_of(place.evaluated(_required(element, "macro", place))), element, place)


def _required(element: ET.Element, key: str, place: _XacroPlace) -> str:
    text = element.get(key)
    if not text:
        raise ModelError(f"<{element.tag}> has no {key}", element=str(element.tag), cure=f'add {key}="…"')
    return text


_WORDS = {
    "property": _property,
    "arg": _argument,
    "macro": _define,
    "insert_block": _insert,
    "if": _if,
    "unless": _unless,
    "include": _include,
    "element": _named_element,
    "attribute": _named_attribute,
    "call": _call_by_name,
}
