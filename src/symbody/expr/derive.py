"""Recursive derivatives: one new node for each node that depends on the variable, so sub-expressions stay shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symbody.expr.external import call_slope
from symbody.expr.functions import sign, where
from symbody.expr.graph import needed
from symbody.expr.node import ONE, ZERO, Expr, cos, node_of, sin
from symbody.expr.vector import Mat, Vec

# d op(a, …) from the node and the derivatives of its arguments
_RULES: dict[str, Callable[..., Expr]] = {
    "add": lambda n, da, db: da + db,
    "sub": lambda n, da, db: da - db,
    "neg": lambda n, da: -da,
    "mul": lambda n, da, db: da * n.args[1] + n.args[0] * db,
    "div": lambda n, da, db: (da - n * db) / n.args[1],
    "sqrt": lambda n, da: 0.5 * da / n,
    "sin": lambda n, da: cos(n.args[0]) * da,
    "cos": lambda n, da: -(sin(n.args[0]) * da),
    "tan": lambda n, da: (ONE + n * n) * da,
    "asin": lambda n, da: da / (ONE - n.args[0] * n.args[0]) ** 0.5,
    "acos": lambda n, da: -(da / (ONE - n.args[0] * n.args[0]) ** 0.5),
    "atan": lambda n, da: da / (ONE + n.args[0] * n.args[0]),
    "exp": lambda n, da: n * da,
    "log": lambda n, da: da / n.args[0],
    "tanh": lambda n, da: (ONE - n * n) * da,
    "abs": lambda n, da: sign(n.args[0]) * da,
    "sign": lambda n, da: ZERO,
    "lt": lambda n, da, db: ZERO,
    "le": lambda n, da, db: ZERO,
    "min": lambda n, da, db: where(n.args[0] <= n.args[1], da, db),
    "max": lambda n, da, db: where(n.args[1] <= n.args[0], da, db),
    "where": lambda n, dc, da, db: where(n.args[0], da, db),
    "table": lambda n, da: node_of("table_slope", n.args, n.value) * da,
    "table_slope": lambda n, da: ZERO,
    "table2": lambda n, da, db: (
        node_of("table2_slope_x", n.args, n.value) * da + node_of("table2_slope_y", n.args, n.value) * db
    ),
}


def _atan2(n: Expr, dy: Expr, dx: Expr) -> Expr:
    y, x = n.args
    return (x * dy - y * dx) / (x * x + y * y)


def _pow(n: Expr, da: Expr, db: Expr) -> Expr:
    a, b = n.args
    by_base = b * a ** (b - ONE) * da
    return by_base if db is ZERO else by_base + n * node_of("log", (a,)) * db


def _table2_slope(axis: int) -> Callable[..., Expr]:
    """The mixed second derivative of a bilinear table: the other slope of its slope table."""

    def rule(n: Expr, da: Expr, db: Expr) -> Expr:
        along = db if axis == 0 else da
        return node_of("table2_twist", n.args, n.value) * along

    return rule


def _call(n: Expr, *inner: Expr) -> Expr:
    total = ZERO
    for j, d in enumerate(inner):
        if d is not ZERO:
            total = total + call_slope(n, j) * d
    return total


def _call_slope(n: Expr, *inner: Expr) -> Expr:
    raise ValueError(f"the external function {n.value[0].name!r} has no second derivative")


_RULES["atan2"] = _atan2
_RULES["pow"] = _pow
_RULES["call"] = _call
_RULES["call_slope"] = _call_slope
_RULES["table2_slope_x"] = _table2_slope(0)
_RULES["table2_slope_y"] = _table2_slope(1)
_RULES["table2_twist"] = lambda n, da, db: ZERO


def total_derivative(outputs: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> Vec:
    """Derivatives of the outputs along seeds {symbol: its derivative}: dy = Σ ∂y/∂s · ds."""
    return Differentiated(outputs).along(seeds)


@dataclass(frozen=True)
class Differentiated:
    """Outputs that are differentiated along several directions: their nodes are put in order once."""

    outputs: Sequence[Expr]

    @cached_property
    def _nodes(self) -> list[Expr]:
        return needed(self.outputs)

    def along(self, seeds: Mapping[Expr, Expr]) -> Vec:
        """`total_derivative` of the outputs."""
        d: dict[Expr, Expr] = {}  # without zeros, which most derivatives are
        for node in self._nodes:
            if node in seeds:
                found = seeds[node]
            elif d.keys().isdisjoint(node.args):
                continue
            else:
                found = _RULES[node.op](node, *[d.get(a, ZERO) for a in node.args])
            if found is not ZERO:
                d[node] = found
        return Vec([d.get(o, ZERO) for o in self.outputs])


def adjoint(outputs: Sequence[Expr], weights: Sequence[Expr], symbols: Sequence[Expr]) -> Vec:
    """Σ wᵢ ∂yᵢ/∂s for each symbol, backwards through the graph (Griewank and Walther, Evaluating Derivatives, ch. 3).

    Each rule is linear in the derivatives of its arguments: with a node's weight for one argument, it gives that
    argument's part of the weight. All symbols together cost about three times the outputs, however many there are.
    """
    nodes, active = needed(outputs), set(symbols)
    for node in nodes:
        if any(a in active for a in node.args):
            active.add(node)
    unsafe = _unsafe(nodes)
    bar: dict[Expr, Expr] = {}
    for y, w in zip(outputs, weights, strict=True):
        bar[y] = bar.get(y, ZERO) + w
    for node in reversed(nodes):
        weight = bar.get(node, ZERO)
        if weight is ZERO:
            continue
        for k, a in enumerate(node.args):
            if a in active:
                share = _RULES[node.op](node, *(weight if j == k else ZERO for j in range(len(node.args))))
                if node in unsafe:
                    share = where(abs(weight) <= 0.0, ZERO, share)
                bar[a] = bar.get(a, ZERO) + share
    return Vec([bar.get(s, ZERO) for s in symbols])


_CHOICES = ("where", "min", "max")
_INFINITE = ("div", "pow", "sqrt", "log", "tan", "exp", "asin", "acos", "atan2", "call", "call_slope")


def _unsafe(nodes: Sequence[Expr]) -> set[Expr]:
    """Nodes within choices that may be infinite where they are not chosen: 0 · ∞ would spoil the chosen value."""
    chosen: set[Expr] = set()
    for node in reversed(nodes):
        if node.op in _CHOICES or node in chosen:
            chosen.update(node.args)
    infinite: set[Expr] = set()
    for node in nodes:
        if node.op in _INFINITE or any(a in infinite for a in node.args):
            infinite.add(node)
    return chosen & infinite


def derivative(y: Expr, x: Expr) -> Expr:
    """∂y/∂x."""
    return total_derivative([y], {x: ONE})[0]


def jacobian(outputs: Sequence[Expr], variables: Sequence[Expr]) -> Mat:
    """∂yᵢ/∂xⱼ as rows."""
    y = Differentiated(outputs)
    columns = Mat([y.along({x: ONE}) for x in variables])
    return columns.T if columns else Mat([Vec() for _ in outputs])
