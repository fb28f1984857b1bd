"""The context in which xacro is expanded: names in scopes, macros, allowed folders, and the budget of the reading."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import ChainMap
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import local_name
from symbody.files.safe_yaml import plain, read_nodes
from symbody.files.xacro_expression import MAX_TEXT, Task, check_size, evaluating, finished, literal_of, text_of
from symbody.suggestions import nearest

_PIECES = re.compile(r"\$\$(?=[{(])|\$\{([^}]*)(\}?)|\$\(([^)]*)(\)?)")  # matches also without the end: no search twice
Parameters = list[tuple[str, str, str | None]]  # name, "^" or "^|" for a value from the outer scope, default


@dataclass
class XacroDocument:
    """Data of one expansion: packages, allowed folders, arguments, and the budget of the reading."""

    packages: dict[str, Path]
    folders: list[Path]
    arguments: dict[str, Any]
    budget: ReadBudget


@dataclass
class XacroMacro:
    """A macro: its parameters with defaults, and its body."""

    parameters: Parameters
    body: ET.Element


@dataclass(frozen=True)
class XacroLater:
    """The text of a property that is evaluated when it is used."""

    text: str
    place: XacroPlace


class XacroNames(MutableMapping[str, Any]):
    """Properties in scopes, the innermost first. Texts are evaluated when they are used."""

    def __init__(self, document: XacroDocument, scopes: ChainMap[str, Any] | None = None):
        self.document, self.scopes = document, ChainMap({}) if scopes is None else scopes
        self.open: set[str] = set()

    def inner(self) -> XacroNames:
        return XacroNames(self.document, self.scopes.new_child())

    def __contains__(self, name: object) -> bool:
        return name in self.scopes

    def __getitem__(self, name: str) -> Any:
        return finished(self.finding(name))

    def finding(self, name: str) -> Task:
        """A task that returns the value of a property."""
        held = self.scopes[name]
        if not isinstance(held, XacroLater):
            return held
        if name in self.open:
            raise ModelError("the property depends on itself", element=name[:80], cure="define it without itself")
        self.open.add(name)
        try:
            value = literal_of((yield held.place.evaluating(held.text)))
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
class XacroPlace:
    """Where something is expanded: folder of its file, known names and macros, and the parent element."""

    document: XacroDocument
    folder: Path
    names: XacroNames
    macros: dict[str, XacroMacro]
    into: ET.Element
    depth: int = 0
    space: str = ""  # prefix of macros from an include with ns=

    def evaluated(self, text: str) -> Any:
        """A text with its expressions evaluated. A single expression keeps the type of its value."""
        return finished(self.evaluating(text)) if "$" in text else text

    def evaluating(self, text: str) -> Task:
        """The task of `evaluated`."""
        if "$" not in text:
            return text
        if len(text) > MAX_TEXT:
            raise ModelError(f"xacro: a text has more than {MAX_TEXT} characters", cure="split it")
        pieces: list[Any] = []
        end = 0
        for found in _PIECES.finditer(text):
            pieces += [text[end : found.start()]] if found.start() > end else []
            expression, closed, command, ended = found.groups()
            if not (closed or ended) and found[0] != "$$":
                cure = f"close the bracket, or write ${found[0][:2]}…"
                raise ModelError(f"xacro: '{found[0][:40]}' has no end", cure=cure)
            if expression is not None:
                pieces.append((yield self._expression(expression)))
            elif command is not None:
                pieces.append((yield self._command(command)))
            else:
                pieces.append("$")
            end = found.end()
        pieces += [text[end:]] if end < len(text) else []
        if len(pieces) == 1:
            return pieces[0]
        joined = "".join(map(text_of, pieces))
        check_size(joined)
        self.document.budget.spend("bytes", 4 * len(joined))
        return joined

    def truth(self, text: str | None, where: str) -> bool:
        value = literal_of(self.evaluated(text or ""))
        if isinstance(value, bool | int | float):
            return bool(value)
        raise ModelError(f"'{str(value)[:40]}' is neither true nor false", element=where, cure="write a comparison")

    def file(self, name: str) -> Path:
        """A file by name. Raises ModelError if it is outside the allowed folders."""
        path = (self.folder / local_name(name, self.document.folders)).resolve()
        if not any(path.is_relative_to(folder) for folder in self.document.folders):
            cure = 'move it into the folder of the model, or give its package: packages={"NAME": "FOLDER"}'
            raise ModelError("the file is outside the model's folder", element=name[:80], cure=cure)
        return path

    def _expression(self, text: str) -> Task:
        text = text_of((yield self.evaluating(text)))  # it may contain $(arg x)
        own = {"load_yaml": self._yaml, "arg": self._argument}
        return (yield evaluating(text, self.names, own, self.document.budget))

    def _command(self, text: str) -> Task:
        word, _, rest = text.strip().partition(" ")
        rest = text_of((yield self.evaluating(rest.strip())))
        if word == "arg":
            return self._argument(rest)
        if word == "find":
            return str(self._package(rest))
        if word == "dirname":
            return str(self.folder)
        if word == "eval":
            return (yield self._expression(rest))
        cure = "use $(arg NAME), $(find PACKAGE), $(dirname) or $(eval …); the environment is not read"
        raise ModelError(f"$({word[:40]} …) is not supported", cure=cure)

    def _argument(self, name: str) -> Any:
        known = self.document.arguments
        if name not in known:
            near = " or ".join(nearest(name, known, 3))
            cure = f"did you mean {near}?" if near else f'set arguments={{"{name[:40]}": …}}'
            raise ModelError("the argument has no value", element=name[:80], cure=cure)
        return known[name]

    def _package(self, name: str) -> Path:
        if name not in self.document.packages:
            cure = f'give its folder: packages={{"{name[:60]}": "FOLDER"}}, or --package {name[:60]}=FOLDER'
            raise ModelError("the folder of this package is unknown", element=name[:80], cure=cure)
        return self.document.packages[name]

    def _yaml(self, name: str) -> Any:
        return plain(read_nodes(self.file(text_of(name)), self.document.budget))
