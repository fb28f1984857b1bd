"""How laws run: traced into the graph, or called from compiled code, in Python (slow) or C.

A plain function is called once with expressions. `numeric` laws and laws in C become calls in the compiled code: their
arguments are the law's own numbers, then named numbers (`p`).
"""

from __future__ import annotations

import hashlib
import math
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.expr import functions
from symbody.expr.external import External, call
from symbody.expr.node import Expr, cos, sin, sqrt, wrap
from symbody.expr.numpy_functions import with_expressions
from symbody.expr.vector import Vec
from symbody.model.every_law import every_law
from symbody.model.law import CLaw, FormulaLaw, Law, NumericLaw, require_arguments
from symbody.model.model import Model
from symbody.suggestions import either, nearest

PACKAGE = Path(__file__).parents[1]
FORMULA_FUNCTIONS: dict[str, Callable[..., Expr]] = {"sin": sin, "cos": cos, "sqrt": sqrt}
FORMULA_FUNCTIONS |= {
    name: getattr(functions, name)
    for name in ("tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sign", "where", "table", "table2")
}
FORMULA_FUNCTIONS |= {"abs": functions.absolute, "min": functions.minimum, "max": functions.maximum}


class NamedNumbers:
    """Parameters, states, inputs and the time `t` for laws: `p.k`, or `p[f"{seal}_Fc"]` for a composed name."""

    def __init__(self, names: Mapping[str, Expr]):
        self._names = names

    def __getattr__(self, name: str) -> Expr:
        if name not in self._names:
            near = nearest(name, self._names, 3)
            cure = f"add it as a parameter, input or state{f', or did you mean {either(near)}?' if near else ''}"
            raise ModelError(f"its law uses the unknown name '{name}'", cure=cure)
        return self._names[name]

    def __getitem__(self, name: str) -> Expr:
        return self.__getattr__(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)


def law_paths(model: Model) -> dict[str, str]:
    """How the law of each element runs: "traced" into the equations, or by callback: "python" (slow) or "c"."""
    return {f"{family}.{name}": _path(law) for family, name, law, _ in every_law(model) if law is not None}


def _path(law: Law) -> str:
    return "python" if isinstance(law, NumericLaw) else "c" if isinstance(law, CLaw) else "traced"


def values_of(
    law: Law,
    where: str,
    counts: tuple[int, ...],
    arguments: Sequence[Any],
    names: Mapping[str, Expr],
    numbers: Sequence[Expr],
    rebuild: Callable[..., Sequence[Any]] = lambda *x: x,
) -> Vec:
    """The values of a law, as many as one of `counts`.

    `arguments`: what a traced law is called with before `p`. `numbers`: the same as plain numbers, for laws outside the
    graph. `rebuild` makes the arguments of a numeric law from them.
    """
    if not isinstance(law, CLaw | FormulaLaw):
        require_arguments(law.function if isinstance(law, NumericLaw) else law, where)
    if isinstance(law, NumericLaw | CLaw):
        return _called(law, where, counts, numbers, names, rebuild)
    try:
        if isinstance(law, FormulaLaw):
            own, more = formula_scope(law, arguments, numbers)
            values = law.evaluate({**names, **own}, {**FORMULA_FUNCTIONS, **more})
        else:
            value = with_expressions(law)(*arguments, NamedNumbers(names))
            if value is None:
                raise _no_return(where)
            values = list(value) if isinstance(value, Sequence | np.ndarray) else [value]
        if any(isinstance(x, float) and not math.isfinite(x) for x in values):
            raise ModelError(f"its law gives {values[0]} for every motion", element=where, cure="correct the law")
        traced = Vec([wrap(x) for x in values])
    except ModelError as error:
        error.element = error.element or where
        raise
    except (TypeError, ValueError, ZeroDivisionError) as error:
        cure = "use functions of NumPy or of symbody.functions; or mark the law with @sb.numeric"
        problem = f"its law cannot be traced{_line_of(error)}: {error}"
        raise ModelError(problem, element=where, cure=cure) from error
    if len(traced) not in counts:
        raise _wrong_count(where, counts, len(traced))
    return traced


def formula_scope(
    law: FormulaLaw, arguments: Sequence[Any], numbers: Sequence[Any]
) -> tuple[dict[str, Any], dict[str, Callable[..., Any]]]:
    """Names and functions for a formula besides the named numbers: its arguments, or functions of the motion."""
    offered = getattr(arguments[0], "formula_scope", None)
    return offered() if offered else (dict(zip(law.arguments, numbers, strict=True)), {})


def _line_of(error: Exception) -> str:
    """The place of an error in a law: the first line outside of symbody; empty if there is no file."""
    files = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [f", at {file.name}:{line}" for file, line in files if file.is_file() and not file.is_relative_to(PACKAGE)]
    return own[0] if own else ""


def _wrong_count(where: str, counts: tuple[int, ...], given: int) -> ModelError:
    wanted = " or ".join(map(str, counts))
    return ModelError(f"its law gives {given} values, not {wanted}", element=where, cure=f"return {wanted}")


def _no_return(where: str) -> ModelError:
    return ModelError("its law returns nothing", element=where, cure="end the law with `return` and its values")


def _called(
    law: NumericLaw | CLaw,
    where: str,
    counts: tuple[int, ...],
    numbers: Sequence[Expr],
    names: Mapping[str, Expr],
    rebuild: Callable[..., Sequence[Any]],
) -> Vec:
    """A law outside the graph; a numeric law with several allowed counts gives the largest, padded with zeros."""
    taken = list(names) if isinstance(law, NumericLaw) else list(law.names)
    missing = [name for name in taken if name not in names]
    if missing:
        raise ModelError(
            f"its law uses the unknown name '{missing[0]}'",
            element=where,
            cure="use names of parameters, inputs or states",
        )
    arguments = [*numbers, *(names[name] for name in taken)]
    count, own = max(counts), len(numbers)
    name = f"law_{hashlib.sha256(where.encode()).hexdigest()[:12]}"
    key = (law, where, counts, tuple(taken), own)
    if key not in _MADE:  # a law that is traced several times into a program must stay one function
        function = None if isinstance(law, CLaw) else _numbers_only(law, where, counts, taken, own, rebuild)
        text = _adapter(law, name, len(arguments), count) if isinstance(law, CLaw) else ""
        _MADE[key] = External(name, len(arguments), count, function, text)
    return Vec(call(_MADE[key], arguments))


_MADE: dict[Any, External] = {}


def _numbers_only(
    law: NumericLaw, where: str, counts: tuple[int, ...], taken: list[str], own: int,
    rebuild: Callable[..., Sequence[Any]],
) -> Callable[..., Sequence[float]]:  # fmt: skip
    """A numeric law as a function of numbers only."""

    def function(*x: float) -> Sequence[float]:
        p = SimpleNamespace(**dict(zip(taken, x[own:], strict=True)))
        value = law.function(*rebuild(*x[:own]), p)
        if value is None:
            raise _no_return(where)
        values = list(value) if isinstance(value, Sequence | tuple) or hasattr(value, "__len__") else [value]
        if len(values) not in counts:
            raise _wrong_count(where, counts, len(values))
        return [*map(float, values), *[0.0] * (max(counts) - len(values))]

    return function


def _adapter(law: CLaw, name: str, inputs: int, count: int) -> str:
    """C text of the law, and the function of arrays that the generated code calls."""
    listed = ", ".join(f"x[{i}]" for i in range(inputs))
    inside = f"y[0] = {law.function}({listed});" if count == 1 else f"{law.function}({listed}, y);"
    guard = f"LAW_{hashlib.sha256(law.source.encode()).hexdigest()[:16]}"  # elements may share one text
    text = f"#ifndef {guard}\n#define {guard}\n{law.source}\n#endif\n"
    return f"{text}void {name}(const double *x, double *y)\n{{\n    {inside}\n}}\n"
