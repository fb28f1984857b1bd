"""Functions of expressions besides arithmetic: tangent, exponentials, choices, tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from symbody.expr.graph import evaluate
from symbody.expr.node import CONSTANT, ONE, ZERO, Expr, const, node_of, wrap
from symbody.expr.node import absolute as absolute
from symbody.expr.node import cos as cos
from symbody.expr.node import sin as sin
from symbody.expr.node import sqrt as sqrt

__all__ = [
    "absolute", "acos", "asin", "atan", "atan2", "both", "clip", "cos", "cosh", "either", "exp", "hypot", "log",
    "look_up", "maximum", "minimum", "sign", "sin", "sinh", "sqrt", "table", "table2", "tan", "tanh", "where",
]  # fmt: skip


def _unary(op: str, fold: Callable[[float], float], x: Expr | float, odd: bool = False) -> Expr:
    x = wrap(x)
    if x.op == "const":
        return const(fold(x.value))
    return -node_of(op, (x.args[0],)) if odd and x.op == "neg" else node_of(op, (x,))


def tan(x: Expr | float) -> Expr:
    """Tangent of an angle (rad).

    Parameters
    ----------
    x : Expr or float
        An angle, rad.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.tan(0.0)
    0
    """
    return _unary("tan", math.tan, x, odd=True)


def asin(x: Expr | float) -> Expr:
    """Arc sine (rad).

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.asin(1.0)
    1.5708
    """
    return _unary("asin", math.asin, x, odd=True)


def acos(x: Expr | float) -> Expr:
    """Arc cosine (rad).

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.acos(1.0)
    0
    """
    return _unary("acos", math.acos, x)


def atan(x: Expr | float) -> Expr:
    """Arc tangent (rad).

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.atan(1.0)
    0.785398
    """
    return _unary("atan", math.atan, x, odd=True)


def atan2(y: Expr | float, x: Expr | float) -> Expr:
    """Angle (rad) of the point (x, y).

    Parameters
    ----------
    y, x : Expr or float
        Coordinates of a point.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.atan2(1.0, 1.0)
    0.785398
    """
    y, x = wrap(y), wrap(x)
    if y.op == "const" and x.op == "const":
        return const(math.atan2(y.value, x.value))
    return node_of("atan2", (y, x))


def exp(x: Expr | float) -> Expr:
    """Exponential.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.exp(0.0)
    1
    """
    return _unary("exp", math.exp, x)


def log(x: Expr | float) -> Expr:
    """Natural logarithm.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.log(1.0)
    0
    """
    return _unary("log", math.log, x)


def sinh(x: Expr | float) -> Expr:
    """Hyperbolic sine.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.sinh(0.0)
    0
    """
    return 0.5 * (exp(x) - exp(-wrap(x)))


def cosh(x: Expr | float) -> Expr:
    """Hyperbolic cosine.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.cosh(0.0)
    1
    """
    return 0.5 * (exp(x) + exp(-wrap(x)))


def tanh(x: Expr | float) -> Expr:
    """Hyperbolic tangent.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.tanh(0.0)
    0
    """
    return _unary("tanh", math.tanh, x, odd=True)


def sign(x: Expr | float) -> Expr:
    """−1, 0 or 1.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.sign(-3.0)
    -1
    """
    return _unary("sign", lambda v: float((v > 0) - (v < 0)), x, odd=True)


def minimum(a: Expr | float, b: Expr | float) -> Expr:
    """The smaller of two.

    Parameters
    ----------
    a, b : Expr or float
        Two numbers.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.minimum(1.0, 2.0)
    1
    """
    return _extreme("min", min, wrap(a), wrap(b))


def maximum(a: Expr | float, b: Expr | float) -> Expr:
    """The larger of two.

    Parameters
    ----------
    a, b : Expr or float
        Two numbers.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.maximum(1.0, 2.0)
    2
    """
    return _extreme("max", max, wrap(a), wrap(b))


def _extreme(op: str, fold: Callable[[float, float], float], a: Expr, b: Expr) -> Expr:
    if a is b:
        return a
    if a.op == "const" and b.op == "const":
        return const(fold(a.value, b.value))
    if a.order > b.order:
        a, b = b, a
    return node_of(op, (a, b))


def where(condition: Expr | float, then: Expr | float, otherwise: Expr | float) -> Expr:
    """`then` if the condition holds (is not zero), else `otherwise`.

    Parameters
    ----------
    condition : Expr or float
        Not zero means that it holds, for example `q > 0`.
    then, otherwise : Expr or float
        The two values; both are computed.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.where(1.0, 2.0, 3.0)
    2
    """
    condition, then, otherwise = wrap(condition), wrap(then), wrap(otherwise)
    if condition.op == "const":
        return then if condition.value else otherwise
    return then if then is otherwise else node_of("where", (condition, then, otherwise))


def both(a: Expr | float, b: Expr | float) -> Expr:
    """Logical and of two conditions.

    Parameters
    ----------
    a, b : Expr or float
        Conditions: not zero means that they hold.

    Returns
    -------
    Expr
        1 or 0, or an expression.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.both(1.0, 0.0)
    0
    """
    return where(a, where(b, ONE, ZERO), ZERO)


def either(a: Expr | float, b: Expr | float) -> Expr:
    """Logical or of two conditions.

    Parameters
    ----------
    a, b : Expr or float
        Conditions: not zero means that they hold.

    Returns
    -------
    Expr
        1 or 0, or an expression.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.either(1.0, 0.0)
    1
    """
    return where(a, ONE, where(b, ONE, ZERO))


def table(x: Expr | float, xs: Sequence[float], ys: Sequence[float]) -> Expr:
    """Piecewise linear function through (xs, ys), extrapolated linearly.

    Parameters
    ----------
    x : Expr or float
        The argument.
    xs, ys : sequence of float
        Breakpoints, increasing in xs, and the values there.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Raises
    ------
    ValueError
        If the breakpoints do not increase, or the lengths differ.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.table(0.5, [0, 1], [0, 10])
    5
    """
    data = (_axis(xs), tuple(map(float, ys)))
    if len(data[0]) != len(data[1]):
        raise ValueError(f"the table has {len(data[0])} arguments but {len(data[1])} values")
    return look_up("table", (wrap(x),), data)


def table2(
    x: Expr | float, y: Expr | float, xs: Sequence[float], ys: Sequence[float], z: Sequence[Sequence[float]]
) -> Expr:
    """Piecewise bilinear function z[i][j] at (xs[i], ys[j]), extrapolated linearly.

    Parameters
    ----------
    x, y : Expr or float
        The arguments.
    xs, ys : sequence of float
        Increasing breakpoints.
    z : sequence of sequence of float
        z[i][j] is the value at (xs[i], ys[j]).

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Raises
    ------
    ValueError
        If the breakpoints do not increase, or the shape differs.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.table2(0.5, 0.5, [0, 1], [0, 1], [[0, 1], [1, 2]])
    1
    """
    data = (_axis(xs), _axis(ys), tuple(float(v) for row in z for v in row))
    if len(data[2]) != len(data[0]) * len(data[1]) or any(len(row) != len(data[1]) for row in z):
        raise ValueError("the values of a two-dimensional table must be len(xs) rows of len(ys) numbers")
    return look_up("table2", (wrap(x), wrap(y)), data)


def look_up(op: str, args: tuple[Expr, ...], data: tuple[tuple[float, ...], ...]) -> Expr:
    """A table, or its slope, at the arguments.

    Parameters
    ----------
    op : str
        The kind of table.
    args : tuple of Expr
        The arguments.
    data : tuple of tuple of float
        Breakpoints and values.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> callable(functions.look_up)
    True
    """
    node = node_of(op, args, data)
    return node if node.level != CONSTANT else const(evaluate([node], {})[0])


def _axis(xs: Sequence[float]) -> tuple[float, ...]:
    axis = tuple(map(float, xs))
    if len(axis) < 2 or any(b <= a for a, b in pairwise(axis)):
        raise ValueError("a table needs at least two arguments, in increasing order")
    return axis


def hypot(*components: Expr | float) -> Expr:
    """Length of a vector.

    Parameters
    ----------
    *components : Expr or float
        Of the vector.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.hypot(3.0, 4.0)
    5
    """
    total = ZERO
    for c in components:
        total = total + wrap(c) * wrap(c)
    return sqrt(total)


def clip(x: Expr | float, low: Expr | float, high: Expr | float) -> Expr:
    """x limited to the range from low to high.

    Parameters
    ----------
    x : Expr or float
        A number.
    low, high : Expr or float
        The range.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.clip(3.0, 0.0, 1.0)
    1
    """
    return minimum(maximum(x, low), high)
