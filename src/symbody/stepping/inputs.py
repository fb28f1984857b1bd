"""Inputs over time, the same for all methods: a number, a function of time, times and values, a value for each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.system.system import Array, System

Signal = float | Callable[[float], float] | tuple[Any, Any] | Array  # (times, values) are interpolated linearly
NUMBERS = (int, float, np.number)
CURE = "give a number, a function of time, or (times, values)"


def inputs_over_time(s: System, given: Mapping[str, Signal]) -> Callable[[float], Array]:
    """All inputs as a function of time, for steps of any size."""
    _check(s, given)
    numbers = {name: float(g) for name, g in given.items() if isinstance(g, NUMBERS)}
    fixed = np.array([numbers.get(name, float(x)) for name, x in zip(s.inputs, s.u0, strict=True)])
    moving = [(s.inputs.index(name), _function(name, g)) for name, g in given.items() if name not in numbers]

    def inputs(t: float) -> Array:
        if not moving:
            return fixed
        u = fixed.copy()
        for k, signal in moving:
            u[k] = signal(t)
        return u

    return inputs


def inputs_at(s: System, given: Mapping[str, Signal], t: Array) -> Array:
    """All inputs at the times between fixed steps: a row for each, or one row where they are constant."""
    _check(s, given)
    if all(not isinstance(x, tuple) and not callable(x) and np.ndim(x) == 0 for x in given.values()):
        constant: Mapping[str, Any] = given
        return np.array([[float(constant.get(name, x)) for name, x in zip(s.inputs, s.u0, strict=True)]])
    columns = [_column(name, given.get(name, float(x)), t) for name, x in zip(s.inputs, s.u0, strict=True)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _check(s: System, given: Mapping[str, Signal]) -> None:
    for name in given:
        if name not in s.inputs:
            raise ModelError("no such input", element=name, cure=f"the inputs are {', '.join(s.inputs) or 'none'}")


def _function(name: str, given: Signal) -> Callable[[float], float]:
    if callable(given):
        return lambda t: float(given(t))
    if not isinstance(given, tuple):
        cure = f"{CURE}; a value for each step is for methods with fixed steps"
        raise ModelError("an input that is not known between its values", element=name, cure=cure)
    times, values = _table(name, given)
    return lambda t: float(np.interp(t, times, values))


def _column(name: str, given: Signal, t: Array) -> Array:
    if callable(given):
        return np.array([float(given(x)) for x in t])
    if isinstance(given, tuple):
        return np.asarray(np.interp(t, *_table(name, given)))
    values = np.asarray(given, dtype=float)
    if values.ndim == 0:
        return np.full(len(t), float(values))
    if values.ndim != 1 or len(values) < len(t):
        cure = f"give {len(t)} values, one for each step and one more; or (times, values)"
        raise ModelError(f"an input of shape {values.shape}", element=name, cure=cure)
    return values[: len(t)]


def _table(name: str, given: tuple[Any, Any]) -> tuple[Array, Array]:
    """Times and values to interpolate between; before and after them the first and the last value stay."""
    arrays = [np.asarray(x, dtype=float) for x in given]
    fits = len(arrays) == 2 and arrays[0].ndim == 1 and arrays[0].shape == arrays[1].shape and len(arrays[0]) > 0
    if not fits or np.any(np.diff(arrays[0]) < 0):
        cure = "as many values as times, and times that do not go back"
        raise ModelError("not (times, values)", element=name, cure=cure)
    return arrays[0], arrays[1]
