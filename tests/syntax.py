"""The syntax of Python files, parsed once, and their statements: imports are among those, whatever they stand in."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


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
    """Lines of a file, as `wc -l` counts them."""
    return path.read_text(encoding="utf-8").count("\n")
