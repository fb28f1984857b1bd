"""Hand-written C as one text: `#include "…"` is resolved as by a preprocessor, relative to the file that includes.

Guards and repeated headers of the system are left out, so that the text is self-contained and reads well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symbody.codegen.stripped_source import without_comments
from symbody.errors import CompileError

ROOT = Path(__file__).parents[1]  # the package symbody
RUNTIME = "symbody.codegen.runtime"

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)")
_OPENING = ("if", "ifdef", "ifndef")


def c_file(name: str, package: str = RUNTIME) -> Path:
    """A hand-written file of C by its package."""
    return ROOT.joinpath(*package.split(".")[1:], name)


@dataclass(frozen=True)
class _Directive:
    """A line of the preprocessor: its place in the file, its word, and what follows."""

    line: int
    word: str
    rest: str


@dataclass(frozen=True)
class _Source:
    """A file by lines, its directives, and the places of the three lines of its include guard (none: no guard)."""

    lines: list[str]
    directives: list[_Directive]
    guard: tuple[int, ...]


class TranslationUnit:
    """Files of C that become one text: a guarded file appears once, a header of the system once.

    system: headers that the text has already, such as "math.h".
    """

    def __init__(self, system: Iterable[str] = ()):
        self._system = set(system)
        self._whole: set[Path] = set()  # guarded files that the text contains
        self._conditional: set[Path] = set()  # guarded files that it contains within an #if, with their guards

    def paste(self, file: Path) -> str:
        """The text of a file with its includes in place; empty if it is there already."""
        return "\n".join(self._pasted(_normal(file), (), False)).strip("\n")

    def _pasted(self, file: Path, stack: tuple[tuple[Path, int], ...], conditional: bool) -> list[str]:
        """stack: the includes that led here; conditional: whether one of them is within an #if."""
        source = _source(file, stack)
        if source.guard and file in self._whole:
            return []
        if not source.guard and file in [including for including, _ in stack]:
            raise _include_error(stack, f"{_shown(file)} includes itself and has no include guard")
        keep = conditional or file in self._conditional
        if source.guard:
            (self._conditional if conditional else self._whole).add(file)
        guard = () if keep else source.guard
        found, depth = {d.line: d for d in source.directives}, 0
        lines: list[str] = []
        omitted = False  # whether the line before was left out; empty lines behind it are left out, too
        for number, line in enumerate(source.lines):
            directive = found.get(number)
            if number in guard:
                omitted = True
                continue
            if directive and number not in source.guard:
                depth += (directive.word in _OPENING) - (directive.word == "endif")
            if directive and directive.word == "include":
                here, within = (*stack, (file, number + 1)), conditional or depth > 0
                text = self._include(directive.rest, line, here, within)
                lines += text
                omitted = not text
            elif line.strip() or not omitted:
                lines.append(line)
                omitted = False
        return _trimmed(lines)

    def _include(self, rest: str, line: str, stack: tuple[tuple[Path, int], ...], conditional: bool) -> list[str]:
        """What an #include becomes."""
        if rest.startswith("<"):
            header = rest[1:].partition(">")[0]
            if header in self._system:
                return []
            if not conditional:
                self._system.add(header)
            return [line]
        name = rest.strip('"')
        text = self._pasted(_normal(stack[-1][0].parent / name), stack, conditional)
        return ["", *text, ""] if text else []


def pasted(files: Sequence[Path], system: Iterable[str] = ()) -> str:
    """The texts of files in one, each with its includes in place."""
    unit = TranslationUnit(system)
    return "\n\n".join(text for text in map(unit.paste, files) if text)


@cache
def _read(file: Path) -> _Source:
    text = file.read_text(encoding="utf-8").rstrip("\n")
    bare = without_comments(text, same_lines=True).split("\n")
    matches = [(number, _DIRECTIVE.fullmatch(line)) for number, line in enumerate(bare)]
    directives = [_Directive(number, match[1], match[2].strip()) for number, match in matches if match]
    return _Source(text.split("\n"), directives, _guard_of(bare, directives))


def _source(file: Path, stack: tuple[tuple[Path, int], ...]) -> _Source:
    try:
        return _read(file)
    except OSError as problem:
        if not stack:
            raise CompileError(f"{_shown(file)} cannot be read: {problem.strerror}") from problem
        raise _include_error(stack, f"{_shown(file)} cannot be read: {problem.strerror}") from problem


def _guard_of(bare: list[str], directives: list[_Directive]) -> tuple[int, ...]:
    """Lines of `#ifndef NAME`, `#define NAME` and `#endif` that enclose all of a file; empty without a guard."""
    if len(directives) < 3:
        return ()
    first, second, last = directives[0], directives[1], directives[-1]
    if (first.word, second.word, last.word) != ("ifndef", "define", "endif") or second.rest != first.rest:
        return ()
    depth = 0
    for directive in directives[:-1]:
        depth += (directive.word in _OPENING) - (directive.word == "endif")
        if depth == 0 or (depth == 1 and directive.word in ("else", "elif")):
            return ()
    outside = [*bare[: first.line], *bare[last.line + 1 :]]
    return () if any(line.strip() for line in outside) else (first.line, second.line, last.line)


def _include_error(stack: tuple[tuple[Path, int], ...], problem: str) -> CompileError:
    (file, line), *before = reversed(stack)
    chain = "".join(f"\n  included from {_shown(other)}:{number}" for other, number in before)
    return CompileError(f"{_shown(file)}:{line}: {problem}{chain}")


def _normal(file: Path) -> Path:
    return Path(os.path.normpath(file))


def _shown(file: Path) -> str:
    return file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else str(file)


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty lines at the ends, and never two of them in a row."""
    kept = [line for k, line in enumerate(lines) if line.strip() or (k and lines[k - 1].strip())]
    while kept and not kept[-1].strip():
        kept.pop()
    return kept[1:] if kept and not kept[0].strip() else kept
