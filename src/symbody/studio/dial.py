"""A number that a person may change while a machine runs."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.units import base_units

# Ends of a dial, by its value. Without a force, a damper, an angle or a coefficient the equations go on; without an
# inertia, a stiffness, a time or an area they may divide by zero; and a loop of quite other lengths does not close.
WHOLE, POSITIVE, CLOSED = (0.0, 2.0), (0.1, 2.0), (0.5, 1.5)
LENGTH = base_units("m")
DIVISORS = [base_units(unit) for unit in ("kg", "kg m2", "kg/m", "m2", "m3", "s", "N/m", "N m/rad", "Pa", "m3/(s Pa)")]


@dataclass(frozen=True)
class Dial:
    """A number that a browser may change between two ends; `name` is a parameter or an input."""

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    label: str = ""  # for the page; none: the name

    @staticmethod
    def about(name: str, value: float, unit: str = "", given: bool = False) -> Dial:
        """About its value, as far as the equations of most systems go; about zero by one. given: an input."""
        dimension = {} if given or not unit else base_units(unit)
        unsafe = dimension is None or dimension in DIVISORS  # None: a unit that is not known
        ends = CLOSED if dimension == LENGTH else POSITIVE if unsafe else WHOLE
        low, high = sorted(end * value for end in ends) if value else (-1.0, 1.0)
        return Dial(name, value, low, high, unit)
