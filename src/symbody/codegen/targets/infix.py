"""Expressions as infix text, for all languages; the other parts of a language are in its own module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symbody.codegen.schedule import Block
from symbody.expr.graph import evaluate
from symbody.expr.node import CONSTANT, Expr

_SIGN = {"add": " + ", "sub": " - ", "mul": "*", "div": "/"}
_STRENGTH = {"add": 1, "sub": 1, "mul": 2, "div": 2}
ATOM = 9


@dataclass(frozen=True)
class Writer:
    """Writes the nodes of a block: inline ones as text, others by their `name`."""

    block: Block
    name: Callable[[Expr], str]
    functions: Mapping[str, str]  # op → its name in the language, if different
    table: Callable[[Expr, list[str]], str]

    def __call__(self, x: Expr) -> str:
        """Text of a value where it is used."""
        return self._text(x)[0]

    def value(self, x: Expr) -> str:
        """Text that computes a named value."""
        return self._compute(x)[0]

    def _text(self, x: Expr) -> tuple[str, int]:
        """Text of a node and its precedence."""
        if x.level == CONSTANT:
            value = x.value if x.op == "const" else evaluate([x], {})[0]  # for example a table at a constant argument
            return repr(value), ATOM if value >= 0 else 2
        return self._compute(x) if x in self.block.inline else (self.name(x), ATOM)

    def _compute(self, x: Expr) -> tuple[str, int]:
        if x.op == "neg":
            return self._negative(x.args[0])
        if x.op in _SIGN:
            a, b = (self._text(a) for a in x.args)
            return self._joined(a, x.op, b)
        arguments = [self(a) for a in x.args]
        if x.op.startswith("table"):
            return self.table(x, arguments), ATOM
        return f"{self.functions.get(x.op, x.op)}({', '.join(arguments)})", ATOM

    def _negative(self, x: Expr) -> tuple[str, int]:
        """−x, by reversing a difference if possible."""
        if not self.block.flips(x):
            text, strength = self._text(x)
            return (f"-{text}" if strength > 1 and text[0] != "-" else f"-({text})"), 2
        a, b = x.args
        if x.op == "sub":
            return self._joined(self._text(b), "sub", self._text(a))
        if not self.block.flips(a):
            a, b, turned_first = b, a, False
        else:
            turned_first = True
        turned, kept = self._negative(a), self._text(b)
        if x.op == "add":
            return self._joined(turned, "sub", kept)
        return self._joined(turned, x.op, kept) if turned_first else self._joined(kept, x.op, turned)

    def _joined(self, a: tuple[str, int], op: str, b: tuple[str, int]) -> tuple[str, int]:
        """a op b, by a function if the language has one for it."""
        return (f"{self.functions[op]}({a[0]}, {b[0]})", ATOM) if op in self.functions else joined(a, op, b)


def joined(a: tuple[str, int], op: str, b: tuple[str, int]) -> tuple[str, int]:
    """a op b, with the brackets that keep the order of computation of the graph."""
    mine = _STRENGTH[op]
    left = a[0] if a[1] >= mine else f"({a[0]})"
    if mine == 1 and b[1] == 2 and b[0][0] == "-":  # x + -2*y is x - 2*y
        return f"{left}{' - ' if op == 'add' else ' + '}{b[0][1:]}", mine
    right = b[0] if b[1] > mine and b[0][0] != "-" else f"({b[0]})"
    return f"{left}{_SIGN[op]}{right}", mine
