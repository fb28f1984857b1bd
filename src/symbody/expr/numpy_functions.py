"""NumPy's and Python's mathematical functions for expressions, so that a law may be an ordinary function.

Importing this module gives expressions NumPy's protocols (NEP 13 and 18), so that `np.sin(q)`, `np.clip(x, 0, 1)` and
arrays of expressions work; `with_expressions` does the same for a law that uses the module `math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from symbody.expr import functions as f
from symbody.expr.node import Expr, power, wrap

Value = Expr | float

# One table: our function by NumPy's name. Missing functions raise an error with their name.
UFUNCS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: wrap(a) + b,
    "subtract": lambda a, b: wrap(a) - b,
    "multiply": lambda a, b: wrap(a) * b,
    "divide": lambda a, b: wrap(a) / b,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "power": lambda a, b: power(wrap(a), b),
    "float_power": lambda a, b: power(wrap(a), b),
    "square": lambda a: a * a,
    "reciprocal": lambda a: 1.0 / a,
    "sqrt": f.sqrt,
    "cbrt": lambda a: f.sign(a) * f.absolute(a) ** (1.0 / 3.0),
    "sin": f.sin,
    "cos": f.cos,
    "tan": f.tan,
    "arcsin": f.asin,
    "arccos": f.acos,
    "arctan": f.atan,
    "arctan2": f.atan2,
    "sinh": f.sinh,
    "cosh": f.cosh,
    "tanh": f.tanh,
    "exp": f.exp,
    "exp2": lambda a: f.exp(math.log(2.0) * a),
    "expm1": lambda a: f.exp(a) - 1.0,
    "log": f.log,
    "log2": lambda a: f.log(a) / math.log(2.0),
    "log10": lambda a: f.log(a) / math.log(10.0),
    "log1p": lambda a: f.log(1.0 + a),
    "absolute": f.absolute,
    "fabs": f.absolute,
    "sign": f.sign,
    "heaviside": lambda a, at_zero: 0.5 * (1.0 + f.sign(a)) + (at_zero - 0.5) * (1.0 - f.absolute(f.sign(a))),
    "hypot": f.hypot,
    "minimum": f.minimum,
    "maximum": f.maximum,
    "fmin": f.minimum,
    "fmax": f.maximum,
    "deg2rad": lambda a: math.pi / 180.0 * a,
    "radians": lambda a: math.pi / 180.0 * a,
    "rad2deg": lambda a: 180.0 / math.pi * a,
    "degrees": lambda a: 180.0 / math.pi * a,
    "less": lambda a, b: wrap(a) < b,
    "less_equal": lambda a, b: wrap(a) <= b,
    "greater": lambda a, b: wrap(a) > b,
    "greater_equal": lambda a, b: wrap(a) >= b,
    "logical_and": f.both,
    "logical_or": f.either,
    "logical_not": lambda a: f.where(a, 0.0, 1.0),
}  # fmt: skip
MATH_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power", "fabs": "absolute",
}  # fmt: skip
MATH: dict[str, Callable[..., Any]] = {
    name: UFUNCS[MATH_NAMES.get(name, name)] for name in dir(math) if MATH_NAMES.get(name, name) in UFUNCS
}


def clip(a: Value, a_min: Value | None = None, a_max: Value | None = None, **bounds: Value | None) -> Value:
    """x limited to a range, as `np.clip`; None means no bound; min and max are other names of the bounds."""
    low, high = bounds.pop("min", a_min), bounds.pop("max", a_max)
    _refuse("np.clip", bounds)
    kept = a if low is None else f.maximum(a, low)
    return kept if high is None else f.minimum(kept, high)


def interp(
    x: Value, xp: Any, fp: Any, left: float | None = None, right: float | None = None, period: float | None = None
) -> Expr:
    """Piecewise linear through (xp, fp), constant beyond its ends, as `np.interp`."""
    if period is not None:
        raise TypeError("np.interp with a period cannot be traced; use symbody.functions.table of the angle's sine")
    xs = [float(place) for place in xp]
    inside = f.table(f.clip(x, xs[0], xs[-1]), xs, fp)
    from_left = inside if left is None else f.where(wrap(x) < xs[0], left, inside)
    return from_left if right is None else f.where(wrap(x) > xs[-1], right, from_left)


def stack(arrays: Sequence[Any], axis: int = 0, **more: Any) -> np.ndarray:
    """Expressions, or arrays of them, side by side along a new axis, as `np.stack`."""
    _refuse("np.stack", more)
    return np.stack([_cell(x) if isinstance(x, Expr) else np.asarray(x, object) for x in arrays], axis)


FUNCTIONS: dict[str, Callable[..., Any]] = {"clip": clip, "where": f.where, "interp": interp, "stack": stack}


def _ufunc(self: Expr, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
    """NEP 13: an element-wise function of numbers, arrays and expressions."""
    function = UFUNCS.get(ufunc.__name__)
    if method != "__call__" or function is None:
        raise TypeError(_cannot(f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")))
    _refuse(f"np.{ufunc.__name__}", more)
    return _each(function, inputs)


def _function(self: Expr, function: Callable[..., Any], types: Any, arguments: Any, more: Any) -> Any:
    """NEP 18: a NumPy function that is not element-wise."""
    ours = FUNCTIONS.get(function.__name__)
    if ours is None:
        raise TypeError(_cannot(f"np.{function.__name__}"))
    return ours(*arguments, **more)


def _each(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """A function of the inputs, element by element if some are arrays."""
    if not any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
        return function(*(x.item() if isinstance(x, np.ndarray | np.generic) else x for x in inputs))
    arrays = np.broadcast_arrays(*(_cell(x) if isinstance(x, Expr) else np.asarray(x, object) for x in inputs))
    made = np.empty(arrays[0].shape, object)
    for place in np.ndindex(made.shape):
        made[place] = function(*(array[place] for array in arrays))
    return made


def _cell(x: Expr) -> np.ndarray:
    cell = np.empty((), object)
    cell[()] = x
    return cell


def _refuse(name: str, more: dict[str, Any]) -> None:
    if more:
        raise TypeError(f"{name} of an expression does not support {', '.join(more)}")


def _cannot(name: str) -> str:
    return f"{name} cannot be traced; NumPy functions that can: {', '.join(sorted([*UFUNCS, *FUNCTIONS]))}"


def _method(self: Expr, name: str) -> Callable[..., Any]:
    """x.sin(), y.arctan2(x) and the like, which NumPy calls for the elements of an object array."""
    function = UFUNCS.get(name)
    if function is None or name.startswith("__"):
        raise AttributeError(f"an expression has no '{name}'")
    return lambda *others: function(self, *others)


Expr.__array_ufunc__ = _ufunc  # type: ignore[attr-defined]
Expr.__array_function__ = _function  # type: ignore[attr-defined]
Expr.__getattr__ = _method  # type: ignore[attr-defined]


# -- laws that use the module math -------------------------------------------------------------------------------------


def with_expressions(law: Callable[..., Any]) -> Callable[..., Any]:
    """A law whose names `math`, `sin`, … of the module math accept expressions; any other law unchanged."""
    if not isinstance(law, FunctionType):
        return law
    known = law.__globals__
    names = {name: _of_expressions(known[name]) for name in law.__code__.co_names if name in known}
    swapped = {name: ours for name, ours in names.items() if ours is not None}
    if not swapped:
        return law
    twin = FunctionType(law.__code__, {**known, **swapped}, law.__name__, law.__defaults__, law.__closure__)
    twin.__kwdefaults__ = law.__kwdefaults__
    return twin


def _of_expressions(value: Any) -> Any:
    """The replacement of the module math, or of one of its functions; None for everything else."""
    if isinstance(value, ModuleType) and value is math:
        return SimpleNamespace(**{**vars(math), **{name: _of_expressions(getattr(math, name)) for name in MATH}})
    if getattr(value, "__module__", None) == "math" and getattr(value, "__name__", "") in MATH:
        original, ours = value, MATH[value.__name__]
        return lambda *x: ours(*x) if any(isinstance(one, Expr) for one in x) else original(*x)
    return None
