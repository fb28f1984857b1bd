"""Dividing a long function into several, so that compile time grows linearly with its length.

Values that cross parts go through a workspace; a slot is free again after the last part that uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbody.codegen.schedule import Block, CallOut, Let, SinCos, Statement
from symbody.expr.node import Expr


@dataclass(frozen=True)
class Parts:
    """Statements by part; the number and part of each temporary, and the slots of temporaries that cross parts."""

    parts: list[list[Statement]]
    number: dict[Expr, int]
    home: dict[Expr, int]
    places: dict[Expr, int]
    size: int  # of the workspace


def split(block: Block, longest: int) -> Parts:
    """Parts of about equal length, none longer than `longest` statements."""
    count = max(1, -(-len(block.statements) // longest))
    length = max(1, -(-len(block.statements) // count))
    parts = [block.statements[i : i + length] for i in range(0, len(block.statements), length)] or [[]]
    home = {s.node: k for k, part in enumerate(parts) for s in part if isinstance(s, Let)}
    last: dict[Expr, int] = {}
    for k, part in enumerate(parts):
        for statement in part:
            for node in _used(block, statement):
                if home.get(node, k) < k:
                    last[node] = k
    places: dict[Expr, int] = {}
    free: list[int] = []
    leaving: dict[int, list[int]] = {}
    size = 0
    for k, part in enumerate(parts):
        free.extend(leaving.pop(k - 1, ()))
        for s in part:
            if isinstance(s, Let) and s.node in last:
                if not free:
                    free.append(size)
                    size += 1
                places[s.node] = free.pop()
                leaving.setdefault(last[s.node], []).append(places[s.node])
    return Parts(parts, {node: i for i, node in enumerate(home)}, home, places, size)


def _used(block: Block, statement: Statement) -> Iterator[Expr]:
    """The values that a statement reads, including those of inlined nodes."""
    if isinstance(statement, Let):
        waiting = list(statement.node.args)
    elif isinstance(statement, CallOut):
        waiting = list(statement.args)
    else:
        waiting = list(statement.angles) if isinstance(statement, SinCos) else [statement.node]
    while waiting:
        node = waiting.pop()
        if node in block.inline:
            waiting.extend(node.args)
        else:
            yield node
