"""Expressions with some nodes replaced, simplified again: parts that become numbers are folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symbody.expr import functions as fn
from symbody.expr.graph import needed
from symbody.expr.node import Expr, add, cos, div, mul, neg, node_of, power, sin, sqrt, sub
from symbody.expr.vector import Vec

_BUILD: dict[str, Callable[..., Expr]] = {
    "add": add,
    "sub": sub,
    "neg": neg,
    "mul": mul,
    "div": div,
    "pow": power,
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "tan": fn.tan,
    "asin": fn.asin,
    "acos": fn.acos,
    "atan": fn.atan,
    "atan2": fn.atan2,
    "exp": fn.exp,
    "log": fn.log,
    "tanh": fn.tanh,
    "abs": fn.absolute,
    "sign": fn.sign,
    "min": fn.minimum,
    "max": fn.maximum,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "where": fn.where,
}


def substituted(outputs: Sequence[Expr], values: Mapping[Expr, Expr]) -> Vec:
    """The outputs with nodes replaced, all at once (the values are not searched); other nodes stay the same."""
    new = dict(values)
    impossible: dict[Expr, Exception] = {}  # 1/0 and the like, which the unused branch of a choice may contain
    for node in needed(outputs, values):
        if not impossible and new.keys().isdisjoint(node.args):
            continue
        args = tuple([new.get(a, a) for a in node.args])
        problem = _first_problem(node, args[0], impossible) if impossible and args else None
        if problem is None and args != node.args:
            try:
                new[node] = rebuilt(node, args)
            except (ArithmeticError, ValueError) as found:
                problem = found
        if problem is not None:
            impossible[node] = problem
    for output in outputs:
        if output in impossible:
            raise impossible[output]
    return Vec([new.get(o, o) for o in outputs])


def rebuilt(node: Expr, args: Sequence[Expr]) -> Expr:
    """The same operation on other arguments, simplified."""
    if node.op.startswith("table"):
        return fn.look_up(node.op, tuple(args), node.value)
    build = _BUILD.get(node.op)
    return build(*args) if build else node_of(node.op, tuple(args), node.value)


def _first_problem(node: Expr, condition: Expr, impossible: Mapping[Expr, Exception]) -> Exception | None:
    """Why a node cannot be computed; a choice with a known condition needs only the chosen branch."""
    required = node.args
    if node.op == "where" and condition.op == "const" and required[0] not in impossible:
        required = (required[1] if condition.value else required[2],)
    return next((impossible[a] for a in required if a in impossible), None)
