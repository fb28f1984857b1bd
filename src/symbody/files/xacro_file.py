"""xacro, the macro language of URDF files. We expand it without Python's eval and without access to other folders.

Supported: properties, macros with blocks, conditions, includes, arguments, elements and attributes with computed names;
`$(arg x)`, `$(find package)`, `$(dirname)` and `$(eval …)`. Files must be in the folder of the first file or in a given
package. Reference: http://wiki.ros.org/xacro; as there, names are looked up where a macro is called.
"""

from __future__ import annotations

import copy
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_xml import read_xml
from symbody.files.urdf_file import urdf_model
from symbody.files.xacro_expression import literal_of, text_of
from symbody.files.xacro_scope import (
    Parameters,
    XacroDocument,
    XacroLater,
    XacroMacro,
    XacroNames,
    XacroPlace,
)
from symbody.model.model import Model
from symbody.suggestions import nearest

PREFIX = "xacro:"
CALL = 100  # steps for the call of a macro
_PARAMETER = re.compile(r"(\*{0,2}[\w.\-]+)(?:\s*:?=\s*(\^\|?)?((?:'[^']*')|(?:\"[^\"]*\")|[^\s]*))?\s*")


def read_xacro(
    path: FilePath,
    floating: bool = False,
    mimic: str = "constraint",
    snap: float = 0.0,
    limits: str = "ignore",
    packages: Mapping[str, FilePath] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Model:
    """Read a .xacro file: expand it and read it as a URDF.

    packages: folders of $(find …); arguments: values of $(arg …).
    """
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
    given = {key: literal_of(value) for key, value in (arguments or {}).items()}
    document = XacroDocument(roots, [folder, *roots.values()], given, ReadBudget())
    root = read_xml(path, document.budget).root
    made = ET.Element(root.tag)
    place = XacroPlace(document, folder, XacroNames(document), {}, made)
    for key, value in root.attrib.items():
        if not key.startswith("xmlns"):
            made.set(key, text_of(place.evaluated(value)))
    _expand_children(root, place)
    return made


def _expand_children(element: ET.Element, place: XacroPlace) -> None:
    check_level(place.depth)
    if element.text and "$" in element.text:
        place.into.text = text_of(place.evaluated(element.text))
    elif element.text and element.text.strip():
        place.into.text = element.text
    for child in element:
        if isinstance(child.tag, str):  # not a comment
            _expand(child, replace(place, depth=place.depth + 1))


def _expand(element: ET.Element, place: XacroPlace) -> None:
    tag = str(element.tag)
    word = tag.removeprefix(PREFIX)
    if not tag.startswith(PREFIX):
        made = _copied(element, place)
        _expand_children(element, replace(place, into=made))
    elif word in _WORDS:
        _WORDS[word](element, place)
    else:
        _call(word, element, place)


def _copied(element: ET.Element, place: XacroPlace) -> ET.Element:
    place.document.budget.spend("elements")
    made = ET.SubElement(place.into, str(element.tag))
    for key, value in element.attrib.items():
        made.set(key, text_of(place.evaluated(value)))
    return made


def _property(element: ET.Element, place: XacroPlace) -> None:
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
    else:  # evaluated at once for another scope: the names it uses may exist only here
        home[name] = literal_of(place.evaluated(text)) if scope else XacroLater(text, place)


def _argument(element: ET.Element, place: XacroPlace) -> None:
    name = _required(element, "name", place)
    if name not in place.document.arguments and element.get("default") is not None:
        place.document.arguments[name] = literal_of(place.evaluated(element.get("default", "")))


def _define(element: ET.Element, place: XacroPlace) -> None:
    name = _required(element, "name", place).removeprefix(PREFIX)
    place.macros[f"{place.space}{name}"] = XacroMacro(_parameters(element.get("params") or "", name), element)


def _parameters(text: str, where: str) -> Parameters:
    """For each parameter: name, "^" or "^|" if the value comes from the outer scope, default."""
    found: Parameters = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _PARAMETER.match(text, at)
        if not match or match.end() == at:
            raise ModelError(f'invalid params="{text[:60]}"', element=where, cure='write params="a b:=1 *block"')
        name, outer, default = match.groups()
        found.append((name, outer or "", default if match.group(0).find("=") >= 0 else None))
        at = match.end()
    return found


def _call(word: str, element: ET.Element, place: XacroPlace) -> None:
    """Expand a macro: its arguments in a new scope, its blocks in the scope of the call."""
    macro = place.macros.get(f"{place.space}{word}") or place.macros.get(word)
    if macro is None:
        near = " or ".join(nearest(word, [*place.macros, *_WORDS], 3))
        raise ModelError(
            f"unknown macro '{word[:80]}'",
            element=PREFIX + word[:80],
            cure=f"did you mean {near}?" if near else "define it",
        )
    place.document.budget.spend("elements")
    place.document.budget.spend("steps", CALL)
    given = {key: place.evaluated(value) for key, value in element.attrib.items() if key != "macro" or word != "call"}
    names = [name for name, _, _ in macro.parameters]
    for key in given:
        if key not in names:
            cure = f"its parameters are {', '.join(names[:20]) or 'none'}"
            raise ModelError(f"unknown parameter '{key[:80]}'", element=PREFIX + word, cure=cure)
    held = ET.Element("blocks")
    _expand_children(element, replace(place, into=held))
    blocks = iter(list(held))
    inner = place.names.inner()
    for name, outer, default in macro.parameters:
        if name.startswith("*"):
            block = next(blocks, None)
            if block is None:
                raise ModelError(f"the block '{name}' is missing", element=PREFIX + word, cure="add it to the call")
            inner[name] = block
        elif name in given:
            inner[name] = literal_of(given[name])
        else:
            inner[name] = _default(name, outer, default, place, word)
    if next(blocks, None) is not None:
        raise ModelError(
            "the call has too many blocks", element=PREFIX + word, cure="add a parameter *NAME to the macro"
        )
    _expand_children(macro.body, replace(place, names=inner))


def _default(name: str, outer: str, default: str | None, place: XacroPlace, word: str) -> Any:
    if outer and name in place.names:
        return place.names[name]
    if default is None or (outer == "^" and not default):
        raise ModelError(f"the parameter '{name}' is missing", element=PREFIX + word, cure=f'set {name}="…"')
    quoted = len(default) > 1 and default[0] == default[-1] == '"'
    return literal_of(place.evaluated(default[1:-1] if quoted else default))


def _insert(element: ET.Element, place: XacroPlace) -> None:
    """Insert a block of the call, or the content of a property with several elements."""
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
    raise ModelError("unknown block", element=name[:80], cure="add a parameter *NAME to the macro")


def _grown(place: XacroPlace, part: ET.Element) -> None:
    """Insert a copy of a block that is already expanded."""
    for element in part.iter():
        place.document.budget.spend("elements")
        place.document.budget.spend("bytes", 4 * sum(map(len, element.attrib.values())))
    place.into.append(copy.deepcopy(part))


def _if(element: ET.Element, place: XacroPlace) -> None:
    if place.truth(element.get("value"), "xacro:if"):
        _expand_children(element, place)


def _unless(element: ET.Element, place: XacroPlace) -> None:
    if not place.truth(element.get("value"), "xacro:unless"):
        _expand_children(element, place)


def _include(element: ET.Element, place: XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "filename", place)))
    path = place.file(name)
    if element.get("optional") == "true" and not path.is_file():
        return
    with naming(path):
        root = read_xml(path, place.document.budget).root
        space = element.get("ns")
        there = replace(place, folder=path.parent, space=f"{place.space}{space}." if space else place.space)
        _expand_children(root, there)


def _named_element(element: ET.Element, place: XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "xacro:name", place)))
    if not re.fullmatch(r"[A-Za-z_][\w.\-]*", name):
        raise ModelError(f"'{name[:40]}' cannot be an element's name", element="xacro:element", cure="use letters")
    bare = ET.Element(name, {key: value for key, value in element.attrib.items() if key != "xacro:name"})
    _expand_children(element, replace(place, into=_copied(bare, place)))


def _named_attribute(element: ET.Element, place: XacroPlace) -> None:
    name = text_of(place.evaluated(_required(element, "name", place)))
    place.into.set(name, text_of(place.evaluated(element.get("value") or "")))


def _call_by_name(element: ET.Element, place: XacroPlace) -> None:
    _call(text_of(place.evaluated(_required(element, "macro", place))), element, place)


def _required(element: ET.Element, key: str, place: XacroPlace) -> str:
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
