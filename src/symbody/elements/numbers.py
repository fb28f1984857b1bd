"""Checks of the numbers of elements. Errors name the element and the cure."""

from __future__ import annotations

from typing import Any

from symbody.errors import ModelError

Scalar = Any  # a float or an expression: formulas of elements accept both


def require_positive(name: str, element: object, *fields: str, zero: bool = False) -> None:
    """Raise ModelError for numbers that are not positive (or zero, if `zero`). Formulas are not checked."""
    for field in fields:
        value = getattr(element, field)
        if isinstance(value, int | float) and not (value >= 0.0 if zero else value > 0.0):
            bound = "zero or more" if zero else "more than zero"
            raise ModelError(f"{field} is {value}", element=name, cure=f"use {bound}")


def require_ordered(name: str, element: object, smaller: str, larger: str) -> None:
    """Raise ModelError for two numbers in the wrong order."""
    low, high = getattr(element, smaller), getattr(element, larger)
    if isinstance(low, int | float) and isinstance(high, int | float) and not low <= high:
        raise ModelError(f"{smaller} = {low} is above {larger} = {high}", element=name, cure="swap or correct them")
