"""Expressions as formulas for files: a text for each value, and named parts for what is shared or too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import count

from symbody.codegen.schedule import LINE, Block, inlined
from symbody.codegen.targets.infix import ATOM, Writer, joined
from symbody.expr.graph import needed
from symbody.expr.node import ONE, Expr
from symbody.model.formula import FUNCTIONS, is_name

WORDS = {"const", "sym", "add", "sub", "neg", "mul", "div", "pow", "lt", "le", *FUNCTIONS}  # of formulas

_COMPARED = {"lt": "<", "le": "<="}


def as_formulas(
    values: Sequence[Expr], names: Mapping[Expr, str], taken: Container[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]] | None:
    """Formulas for the values, and named parts; None if formulas cannot express them.

    A symbol's name is its text. `names` suggests names for parts; names in `taken` are in use.
    """
    nodes = needed(values)
    if any(node.op not in WORDS for node in nodes):
        return None
    compound = [node for node in nodes if node.args]
    inline = inlined(compound, Counter(values), LINE)
    inline.update(node for node in compound if node.op == "neg" and not node.args[0].args)  # -x needs no name
    lets = [node for node in compound if node not in inline]
    called = _unique(lets, names, taken)
    write = _FormulaWriter(Block([], inline), lambda x: called.get(x) or str(x.value), {}, _table)
    return tuple(map(write, values)), tuple((called[node], write.value(node)) for node in lets)


def _unique(lets: Sequence[Expr], names: Mapping[Expr, str], taken: Container[str]) -> dict[Expr, str]:
    """A name for each part: the suggested one, numbered if several want it, or just a number."""
    called: dict[Expr, str] = {}
    used: set[str] = set()
    tried: dict[str, Iterator[str]] = {}
    for node in lets:
        wanted = names.get(node, "")
        candidates = tried.setdefault(wanted, _candidates(wanted))
        called[node] = next(name for name in candidates if name not in used and name not in taken)
        used.add(called[node])
    return called


def _candidates(wanted: str) -> Iterator[str]:
    if is_name(wanted):
        yield wanted
        yield from (f"{wanted}_{k}" for k in count(2))
    yield from (f"e{k}" for k in count(1))


class _FormulaWriter(Writer):
    """Infix text with comparisons, powers and quotients as written in formulas."""

    def _text(self, x: Expr) -> tuple[str, int]:
        return (_number(x.value), ATOM if x.value >= 0 else 2) if x.op == "const" else super()._text(x)

    def _compute(self, x: Expr) -> tuple[str, int]:
        a, b = x.args if len(x.args) == 2 else (x, x)
        if x.op in _COMPARED:
            return f"{self._operand(a, 1)} {_COMPARED[x.op]} {self._operand(b, 1)}", 0
        if x.op == "pow":
            return f"{self._operand(a, ATOM)}**{self._operand(b, ATOM)}", 3
        if x.op == "mul" and a.level < b.level and a.op == "div" and a.args[0] is ONE and a in self.block.inline:
            return joined(self._text(b), "div", self._text(a.args[1]))  # (1/k)*x, as x/k became
        return super()._compute(x)

    def _operand(self, x: Expr, least: int) -> str:
        text, strength = self._text(x)
        return text if strength >= least else f"({text})"


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _table(x: Expr, arguments: list[str]) -> str:
    *axes, values = ([_number(v) for v in each] for each in x.value)
    width = len(axes[-1])
    rows = [_bracketed(values[i : i + width]) for i in range(0, len(values), width)]
    places = map(_bracketed, axes)
    return f"{x.op}({', '.join([*arguments, *places, rows[0] if len(axes) == 1 else _bracketed(rows)])})"


def _bracketed(texts: Sequence[str]) -> str:
    return f"[{', '.join(texts)}]"
