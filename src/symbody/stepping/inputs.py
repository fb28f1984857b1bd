"""Inputs over time, the same for all methods: a number, a function of time, times and values, a value for each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.system.named_values import require_known
from symbody.system.system import Array, System

Signal = float | Callable[[float], float] | tuple[Any, Any] | Array  # (times, values) are interpolated linearly
NUMBERS = (int, float, np.number)
CURE = "use a number, a function of time, or (times, values)"


class HasInputs(Protocol):
    """A system or another source: names of its inputs, and their values at the start."""

    @property
    def inputs(self) -> Sequence[str]:
        """Names."""

    @property
    def u0(self) -> Array:
        """Values."""


def inputs_over_time(s: System, given: Mapping[str, Signal]) -> Callable[[float], Array]:
    """All inputs as a function of time, for steps of any size."""
    require_known(given, s.inputs, "input")
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


def bends(s: System, given: Mapping[str, Signal]) -> Array:
    """Breakpoints (s) of input tables, where their slope changes: variable steps could pass them without notice."""
    found = [np.zeros(0)]
    for name in s.inputs:
        if isinstance(table := given.get(name), tuple):
            times, values = sampled(name, table)
            slopes = np.r_[0.0, np.diff(values) / np.diff(times), 0.0]
            found.append(times[np.diff(slopes) != 0.0])
    return np.unique(np.concatenate(found))


def inputs_at(s: HasInputs, given: Mapping[str, Signal], t: Array) -> Array:
    """All inputs at the times between fixed steps: one row for each, or one row if they are constant."""
    require_known(given, s.inputs, "input")
    if all(not isinstance(x, tuple) and not callable(x) and np.ndim(x) == 0 for x in given.values()):
        numbers = {name: _number(name, x) for name, x in given.items()}
        return np.array([[numbers.get(name, float(x)) for name, x in zip(s.inputs, s.u0, strict=True)]])
    columns = [_column(name, given.get(name, float(x)), t) for name, x in zip(s.inputs, s.u0, strict=True)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _number(name: str, given: Any) -> float:
    try:
        return float(given)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the input is {given!r:.40}", element=name, cure=CURE) from error


def _returned(name: str, value: Any, t: float) -> float:
    """What an input's function returned, as a number; an array of one number is accepted."""
    if type(value) is float:
        return value
    if value is not None and not isinstance(value, str) and np.size(value) == 1:
        try:
            return float(np.ravel(value)[0])
        except (TypeError, ValueError):
            pass
    problem = f"its function returns {value!r:.60} at t = {t:g} s"
    cure = "return one number; add `return`" if value is None else "return one number for each time"
    raise ModelError(problem, element=name, cure=cure)


def _function(name: str, given: Signal) -> Callable[[float], float]:
    if callable(given):
        return lambda t: _returned(name, given(t), t)
    if not isinstance(given, tuple):
        cure = f"{CURE}; a value for each step needs a fixed-step method"
        raise ModelError("the input is unknown between its values", element=name, cure=cure)
    times, values = sampled(name, given)
    return lambda t: float(np.interp(t, times, values))


def _column(name: str, given: Signal, t: Array) -> Array:
    if callable(given):
        return np.array([_returned(name, given(float(x)), x) for x in t])
    if isinstance(given, tuple):
        return np.asarray(np.interp(t, *sampled(name, given)))
    if np.ndim(given) == 0:
        return np.full(len(t), _number(name, given))
    values = np.asarray(given, dtype=float)
    if values.ndim != 1 or len(values) < len(t):
        cure = f"use {len(t)} values, one for each step and one more; or (times, values)"
        raise ModelError(f"the input has shape {values.shape}", element=name, cure=cure)
    return values[: len(t)]


def sampled(name: str, given: tuple[Any, ...]) -> tuple[Array, Array]:
    """Increasing times with a value at each, for interpolation; before and after them the end values are kept.

    Invalid rows raise ModelError with their number, counted from 1.
    """
    try:
        arrays = [np.asarray(x, dtype=float) for x in given]
    except (TypeError, ValueError) as error:
        raise ModelError(f"not (times, values): {error}", element=name, cure="use numbers") from error
    if len(arrays) != 2 or arrays[0].ndim != 1 or arrays[0].shape != arrays[1].shape or not len(arrays[0]):
        shapes = " and ".join(str(x.shape) for x in arrays)
        raise ModelError(f"not (times, values), but shapes {shapes}", element=name, cure="use one value for each time")
    times, values = arrays
    for what, numbers in (("time", times), ("value", values)):
        bad = np.flatnonzero(~np.isfinite(numbers))
        if len(bad):
            row = int(bad[0])
            at = f", t = {times[row]:g} s" if what == "value" else ""
            cure = "remove such rows, or fill them"
            raise ModelError(f"the {what} in row {row + 1}{at} is {numbers[row]}", element=name, cure=cure)
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        row = int(back[0]) + 1
        same = times[row] == times[row - 1]
        cure = "remove one of the two; for a jump use a function of time" if same else "sort the rows by time"
        problem = (
            f"t = {times[row]:g} s in row {row + 1} {'occurs twice' if same else 'is earlier than the row before'}"
        )
        raise ModelError(problem, element=name, cure=cure)
    return times, values
