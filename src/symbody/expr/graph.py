"""Traversal of the graph: order of computation, operation counts, numerical evaluation."""

from __future__ import annotations

import bisect
import cmath
import math
import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from operator import attrgetter
from typing import Any

from symbody.expr.external import Call, call_of, values_of
from symbody.expr.node import CALLS, PARAMETER, VARIABLE, Expr

BIRTH = attrgetter("order")
ARITHMETIC = {"add": "add", "sub": "add", "neg": "neg", "mul": "mul", "div": "div"}
TRIGONOMETRIC = ("sin", "cos")


def needed(outputs: Iterable[Expr], known: Collection[Expr] = ()) -> list[Expr]:
    """All nodes that the outputs need, each after its arguments; without known nodes and what only they need."""
    found: set[Expr] = set()
    new = set(outputs)
    while new:
        if known:
            new = {node for node in new if node not in known}
        found |= new
        new = arguments(new) - found
    return sorted(found, key=BIRTH)


def arguments(nodes: Iterable[Expr]) -> set[Expr]:
    """The arguments of all these nodes. Operations on sets are faster than a loop over nodes."""
    return set(chain.from_iterable([node.args for node in nodes]))


def uses(nodes: Iterable[Expr], outputs: Iterable[Expr]) -> Counter[Expr]:
    """The number of uses of each node, including outputs."""
    counts: Counter[Expr] = Counter(outputs)
    counts.update(chain.from_iterable([node.args for node in nodes]))
    return counts


@dataclass(frozen=True)
class Operations:
    """Floating-point operations of one call; `hoisted`: those needed only after a change of a parameter."""

    add: int = 0  # additions and subtractions
    mul: int = 0
    div: int = 0
    neg: int = 0  # sign changes that cost an instruction
    trig: int = 0  # sines and cosines
    other: int = 0  # square roots, comparisons, tables …
    hoisted: int = 0

    def __add__(self, other: Operations) -> Operations:
        return Operations(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    @property
    def total(self) -> int:
        """Additions, subtractions, multiplications, divisions and sign changes."""
        return self.add + self.mul + self.div + self.neg


def operations(outputs: Iterable[Expr]) -> Operations:
    """Count the operations that the outputs need."""
    nodes = needed(outputs)
    ops = Counter([n.op for n in nodes if n.level == VARIABLE and n.args])
    kinds: Counter[str] = Counter()
    for op, number in ops.items():
        kinds[ARITHMETIC.get(op, "trig" if op in TRIGONOMETRIC else "other")] += number
    return Operations(hoisted=sum(1 for n in nodes if n.level == PARAMETER and n.args), **kinds)


def symbols(outputs: Iterable[Expr]) -> list[Expr]:
    """The variables and parameters that the outputs depend on."""
    return [n for n in needed(outputs) if n.op == "sym"]


def _slope_index(axis: Sequence[float], x: Any) -> int:
    return min(max(bisect.bisect_right(axis, x.real if isinstance(x, complex) else x) - 1, 0), len(axis) - 2)


def _table(data: Any, x: Any) -> Any:
    xs, ys = data
    i = _slope_index(xs, x)
    return ys[i] + _table_slope(data, x) * (x - xs[i])


def _table_slope(data: Any, x: Any) -> Any:
    xs, ys = data
    i = _slope_index(xs, x)
    return (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i])


def _cell(data: Any, x: Any, y: Any) -> tuple[Any, ...]:
    xs, ys, z = data
    i, j, n = _slope_index(xs, x), _slope_index(ys, y), len(ys)
    u, v = (x - xs[i]) / (xs[i + 1] - xs[i]), (y - ys[j]) / (ys[j + 1] - ys[j])
    return (
        xs[i + 1] - xs[i],
        ys[j + 1] - ys[j],
        u,
        v,
        z[i * n + j],
        z[i * n + j + 1],
        z[(i + 1) * n + j],
        z[(i + 1) * n + j + 1],
    )


def _table2(data: Any, x: Any, y: Any) -> Any:
    _, _, u, v, z00, z01, z10, z11 = _cell(data, x, y)
    return (1 - u) * ((1 - v) * z00 + v * z01) + u * ((1 - v) * z10 + v * z11)


def _table2_slope_x(data: Any, x: Any, y: Any) -> Any:
    dx, _, _, v, z00, z01, z10, z11 = _cell(data, x, y)
    return ((1 - v) * (z10 - z00) + v * (z11 - z01)) / dx


def _table2_slope_y(data: Any, x: Any, y: Any) -> Any:
    _, dy, u, _, z00, z01, z10, z11 = _cell(data, x, y)
    return ((1 - u) * (z01 - z00) + u * (z11 - z10)) / dy


def _table2_twist(data: Any, x: Any, y: Any) -> Any:
    dx, dy, _, _, z00, z01, z10, z11 = _cell(data, x, y)
    return (z11 - z10 - z01 + z00) / (dx * dy)


def _real(x: Any) -> float:
    return x.real if isinstance(x, complex) else x


# complex arguments are supported everywhere, for complex-step derivatives
EVALUATE: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "neg": operator.neg,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "sqrt": lambda a: cmath.sqrt(a) if isinstance(a, complex) else math.sqrt(a),
    "atan2": lambda y, x: cmath.atan(y / x) if isinstance(y / x, complex) else math.atan2(y, x),
    "abs": lambda a: -a if _real(a) < 0 else a,
    "sign": lambda a: float((_real(a) > 0) - (_real(a) < 0)),
    "min": lambda a, b: a if _real(a) <= _real(b) else b,
    "max": lambda a, b: a if _real(a) >= _real(b) else b,
    "lt": lambda a, b: float(_real(a) < _real(b)),
    "le": lambda a, b: float(_real(a) <= _real(b)),
    "where": lambda c, a, b: a if _real(c) else b,
}


def _either(name: str) -> Callable[[Any], Any]:
    """A function of math, or of cmath for a complex argument."""
    real, complex_ = getattr(math, name), getattr(cmath, name)
    return lambda a: complex_(a) if isinstance(a, complex) else real(a)


EVALUATE |= {name: _either(name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh")}
EVALUATE_TABLE: dict[str, Callable[..., Any]] = {
    "table": _table,
    "table_slope": _table_slope,
    "table2": _table2,
    "table2_slope_x": _table2_slope_x,
    "table2_slope_y": _table2_slope_y,
    "table2_twist": _table2_twist,
}


def evaluate(outputs: Sequence[Expr], values: Mapping[str, Any]) -> list[Any]:
    """Numerical values of the outputs for given values (real or complex) of the symbols."""
    result: dict[Expr, Any] = {}
    known, called = result.__getitem__, dict[Call, list[float]]()
    for node in needed(outputs):
        compute = EVALUATE.get(node.op)
        if compute is not None:
            result[node] = compute(*map(known, node.args))
        elif node.op == "const":
            result[node] = node.value
        elif node.op == "sym":
            result[node] = values[node.value]
        elif node.op in CALLS:
            external, args, along = key = call_of(node)
            if key not in called:
                called[key] = values_of(external, [result[a] for a in args], along)
            result[node] = called[key][node.value[1]]
        else:
            result[node] = EVALUATE_TABLE[node.op](node.value, *[result[a] for a in node.args])
    return [result[o] for o in outputs]
