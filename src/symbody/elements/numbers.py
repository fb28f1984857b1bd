"""Numbers of elements: what they may be, and errors that name the place and the cure where they cannot be meant."""

from __future__ import annotations

from typing import Any

from symbody.errors import ModelError

Scalar = Any  # a float, or an expression: formulas of elements take both


def require_positive(name: str, element: object, *fields: str, zero: bool = False) -> None:
    """Refuse numbers that are not positive (or `zero`); formulas over parameters are taken on trust."""
    for field in fields:
        value = getattr(element, field)
        if isinstance(value, int | float) and not (value >= 0.0 if zero else value > 0.0):
            bound = "zero or more" if zero else "more than zero"
            raise ModelError(f"{field} = {value}", element=name, cure=f"give {bound}")


def require_ordered(name: str, element: object, smaller: str, larger: str) -> None:
    """Refuse a pair of numbers in the wrong order."""
    low, high = getattr(element, smaller), getattr(element, larger)
    if isinstance(low, int | float) and isinstance(high, int | float) and not low <= high:
        raise ModelError(f"{smaller} = {low} above {larger} = {high}", element=name, cure="swap or correct them")
