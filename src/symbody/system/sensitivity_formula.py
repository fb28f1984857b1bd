"""Formulas over the outputs of a system: `heave.qdd**2 + travel.q` of expressions, `max(heave.q)` of a recorded motion.

The text is parsed, never executed. It may use what formulas of laws may use, and names of outputs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.model.formula import MAX_FORMULA, evaluate_law, names_in
from symbody.suggestions import did_you_mean

Array = np.ndarray
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+")  # formulas have no dots, but outputs do


def _integral(t: Array, y: Array) -> Any:
    """∫y dt by trapezoids, summed in order of time: a column has the same digits alone and beside others."""
    if len(t) < 2:
        return 0.0 * y[0]
    areas = np.diff(t).reshape(-1, *[1] * (y.ndim - 1)) * (y[1:] + y[:-1])
    return np.add.accumulate(areas, axis=0)[-1] / 2


REDUCERS: dict[str, Callable[[Array, Array], Any]] = {  # of times and values (a row each), to one number a column
    "max": lambda t, y: y.max(axis=0),
    "min": lambda t, y: y.min(axis=0),
    "mean": lambda t, y: _integral(t, y) / (t[-1] - t[0]) if len(t) > 1 else y.mean(axis=0),
    "rms": lambda t, y: np.sqrt(REDUCERS["mean"](t, y * y)),
    "peak": lambda t, y: np.abs(y).max(axis=0),
    "spread": lambda t, y: y.max(axis=0) - y.min(axis=0),
    "integral": _integral,
    "first": lambda t, y: y[0],
    "final": lambda t, y: y[-1],
}
_ARRAYS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "tanh", "sqrt", "abs", "sign", "where")
}
_ARRAYS |= {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2}
_ARRAYS |= {"min": np.minimum, "max": np.maximum}


def outputs_in(text: str, known: Iterable[str], complete: bool = True) -> list[str]:
    """The outputs that a formula uses. With `complete`, an unknown dotted name raises ModelError."""
    plain, aliases = _undotted(text)
    names = list(known)
    for name in aliases.values() if complete else ():
        if name not in names:
            cure = did_you_mean(name, names, "outputs")
            raise ModelError(f"unknown output '{name}' in '{text[:80]}'", element=name, cure=cure)
    used = names_in(plain)
    return [*aliases.values(), *(name for name in names if name in used)]


def evaluate_over(
    text: str, outputs: Mapping[str, Any], names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
) -> Any:
    """The value of a formula over outputs, other names and functions, computed with any objects."""
    outputs_in(text, outputs)
    plain, aliases = _undotted(text)
    undotted = {name: value for name, value in outputs.items() if "." not in name}
    own = {alias: outputs[name] for alias, name in aliases.items()}
    return evaluate_law(plain, {**names, **undotted, **own}, functions)


def measured(text: str, t: Array, outputs: Mapping[str, Array], names: Mapping[str, float]) -> float:
    """A number from a recorded motion: REDUCER(formula over outputs, parameters and the time `t`)."""
    kind, inner = reduced(text)
    values = evaluate_over(inner, outputs, {**names, "t": t}, _ARRAYS)
    return float(REDUCERS[kind](t, np.broadcast_to(np.asarray(values, dtype=float), t.shape)))


def measured_each(text: str, t: Array, outputs: Mapping[str, Array], names: Mapping[str, Any]) -> Array:
    """The same of many motions: outputs (rows, n), names with a number or (n,); the result is (n,)."""
    kind, inner = reduced(text)
    values = np.asarray(evaluate_over(inner, outputs, {**names, "t": t[:, None]}, _ARRAYS), dtype=float)
    shape = len(t), next(iter(outputs.values())).shape[1]
    return np.asarray(REDUCERS[kind](t, np.broadcast_to(values, shape)))


def reduced(text: str) -> tuple[str, str]:
    """Reducer and formula of a measure such as `max(heave.q)`."""
    plain, aliases = _undotted(text[: MAX_FORMULA + 1].strip())
    try:
        call = ast.parse(plain, mode="eval").body if len(text) <= MAX_FORMULA else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    match call:
        case ast.Call(func=ast.Name(id=kind), args=[inner], keywords=[]) if kind in REDUCERS:
            written = ast.get_source_segment(plain, inner) or ""
            for alias, name in aliases.items():
                written = written.replace(alias, name)
            return kind, written
    cure = f"write for example max(joint.q); reducers: {', '.join(REDUCERS)}"
    raise ModelError(f"'{text[:80]}' is not a measure", element="measure", cure=cure)


def _undotted(text: str) -> tuple[str, dict[str, str]]:
    """The text with dots in names replaced, and what the new names mean."""
    words = {name: f"output_{k}_" for k, name in enumerate(dict.fromkeys(_DOTTED.findall(text)))}
    return _DOTTED.sub(lambda found: words[found[0]], text), {word: name for name, word in words.items()}
