"""Recursive derivatives: one new node per node that depends on the variable, so derivatives inherit all sharing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symbody.expr.external import call_slope
from symbody.expr.functions import sign, where
from symbody.expr.graph import needed
from symbody.expr.node import ONE, ZERO, Expr, add, const, cos, div, mul, neg, node_of, power, sin, sub

# d op(a, …) from the node, its arguments' derivatives
_RULES: dict[str, Callable[..., Expr]] = {
    "add": lambda n, da, db: add(da, db),
    "sub": lambda n, da, db: sub(da, db),
    "neg": lambda n, da: neg(da),
    "mul": lambda n, da, db: add(mul(da, n.args[1]), mul(n.args[0], db)),
    "div": lambda n, da, db: div(sub(da, mul(n, db)), n.args[1]),
    "sqrt": lambda n, da: div(mul(const(0.5), da), n),
    "sin": lambda n, da: mul(cos(n.args[0]), da),
    "cos": lambda n, da: neg(mul(sin(n.args[0]), da)),
    "tan": lambda n, da: mul(add(ONE, mul(n, n)), da),
    "asin": lambda n, da: div(da, power(sub(ONE, mul(n.args[0], n.args[0])), 0.5)),
    "acos": lambda n, da: neg(div(da, power(sub(ONE, mul(n.args[0], n.args[0])), 0.5))),
    "atan": lambda n, da: div(da, add(ONE, mul(n.args[0], n.args[0]))),
    "exp": lambda n, da: mul(n, da),
    "log": lambda n, da: div(da, n.args[0]),
    "tanh": lambda n, da: mul(sub(ONE, mul(n, n)), da),
    "abs": lambda n, da: mul(sign(n.args[0]), da),
    "sign": lambda n, da: ZERO,
    "lt": lambda n, da, db: ZERO,
    "le": lambda n, da, db: ZERO,
    "min": lambda n, da, db: where(n.args[0] <= n.args[1], da, db),
    "max": lambda n, da, db: where(n.args[1] <= n.args[0], da, db),
    "where": lambda n, dc, da, db: where(n.args[0], da, db),
    "table": lambda n, da: mul(node_of("table_slope", n.args, n.value), da),
    "table_slope": lambda n, da: ZERO,
    "table2": lambda n, da, db: add(
        mul(node_of("table2_slope_x", n.args, n.value), da), mul(node_of("table2_slope_y", n.args, n.value), db)
    ),
}


def _atan2(n: Expr, dy: Expr, dx: Expr) -> Expr:
    y, x = n.args
    return div(sub(mul(x, dy), mul(y, dx)), add(mul(x, x), mul(y, y)))


def _pow(n: Expr, da: Expr, db: Expr) -> Expr:
    a, b = n.args
    by_base = mul(mul(b, power(a, sub(b, ONE))), da)
    return by_base if db is ZERO else add(by_base, mul(mul(n, node_of("log", (a,))), db))


def _table2_slope(axis: int) -> Callable[..., Expr]:
    """The mixed second derivative of a bilinear table: the other slope of its slope table."""

    def rule(n: Expr, da: Expr, db: Expr) -> Expr:
        along = db if axis == 0 else da
        return mul(node_of("table2_twist", n.args, n.value), along)

    return rule


def _call(n: Expr, *inner: Expr) -> Expr:
    total = ZERO
    for j, d in enumerate(inner):
        if d is not ZERO:
            total = add(total, mul(call_slope(n, j), d))
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


def total_derivative(outputs: Sequence[Expr], seeds: Mapping[Expr, Expr]) -> list[Expr]:
    """Derivatives of the outputs along seeds {symbol: its derivative}: dy = Σ ∂y/∂s · ds."""
    d: dict[Expr, Expr] = {}
    for node in needed(outputs):
        if node in seeds:
            d[node] = seeds[node]
        elif not node.args:
            d[node] = ZERO
        else:
            inner = [d[a] for a in node.args]
            d[node] = ZERO if all(x is ZERO for x in inner) else _RULES[node.op](node, *inner)
    return [d[o] for o in outputs]


def derivative(y: Expr, x: Expr) -> Expr:
    """∂y/∂x."""
    return total_derivative([y], {x: ONE})[0]


def jacobian(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """∂yᵢ/∂xⱼ as rows."""
    columns = [total_derivative(outputs, {x: ONE}) for x in variables]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in outputs]
