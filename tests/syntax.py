"""The syntax of Python files, parsed once, and their statements: imports are among those, whatever they stand in."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# A docstring from its first section on: what users read in help() and on the API page.
_SECTIONS = re.compile(r'\n *\n *(Parameters|Returns|Raises|Examples)\n *-{3,}\n.*?(?=""")', re.DOTALL)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements in a module, a class or a function, to any depth; expressions, most of a file, are passed over."""
    for part in ("body", "handlers", "cases", "orelse", "finalbody"):
        for inside in getattr(node, part, ()):
            yield inside
            yield from statements(inside)


def size(path: Path) -> int:
    """Lines of a file, without the sections of docstrings: they grow with the reference, not with the code."""
    return len(_SECTIONS.sub("", path.read_text(encoding="utf-8")).splitlines())
