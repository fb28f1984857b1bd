"""A number that a person may change while a machine runs, and the range in which that makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.units import base_units

# Ends of a dial, by its value. Without a force, a damper, an angle or a coefficient the equations go on; without an
# inertia, a stiffness, a time or an area they may divide by zero; and a loop of quite other lengths does not close.
WHOLE, POSITIVE, CLOSED = (0.0, 2.0), (0.1, 2.0), (0.5, 1.5)
LENGTH = base_units("m")
DIVISORS = [base_units(unit) for unit in ("kg", "kg m2", "kg/m", "m2", "m3", "s", "N/m", "N m/rad", "Pa", "m3/(s Pa)")]
# What is zero at first goes as far as its unit allows; below zero not where it would feed energy or mean nothing.
SHIFT, TURN = 0.02, 0.2  # m, rad: what is shifted or turned by nothing is an adjustment
FROM_ZERO = {"m": SHIFT, "rad": TURN, "N": 100.0, "N m": 10.0, "m/s": 1.0, "rad/s": 1.0, "Pa": 1e5, "V": 10.0}
ABOUT_ZERO = {unit: (base_units(unit), reach) for unit, reach in FROM_ZERO.items()}
RESISTING = [base_units(unit) for unit in ("N s/m", "N m s/rad", "N m s", "1/s", "s")]
PLUMBING = ("pull_",)  # how names begin that belong to the studio itself


@dataclass(frozen=True)
class Dial:
    """A number that a browser may change between two ends; `name` is a parameter or an input.

    more: one that few need; the page has it folded away. choices: names of the whole numbers from `low` on, to be
    chosen from a list.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    label: str = ""  # for the page; none: the name
    more: bool = False
    choices: tuple[str, ...] = ()

    @staticmethod
    def choice(name: str, value: float, choices: Sequence[str], label: str = "", low: float = 0.0) -> Dial:
        """One of several: `low` means the first of them, each next number the next."""
        return Dial(name, value, low, low + len(choices) - 1.0, "", label, choices=tuple(choices))

    @staticmethod
    def about(
        name: str,
        value: float,
        unit: str = "",
        given: bool = False,
        low: float | None = None,
        high: float | None = None,
    ) -> Dial:
        """Between the declared ends, else as far as the equations of most systems go. given: an input."""
        least, most = _range(value, unit, given)
        least, most = (least if low is None else low), (most if high is None else high)
        if not least < most:  # one end is declared, and the other was guessed beyond it
            least, most = (least, least + 1.0) if high is None else (most - 1.0, most)
        return Dial(name, value, min(least, value), max(most, value), unit, more=name.startswith(PLUMBING))


def _range(value: float, unit: str, given: bool) -> tuple[float, float]:
    """The range about a number, by its unit and its sign."""
    dimension = base_units(unit) if unit else {}
    if not value:
        if not given and dimension is not None and (dimension in RESISTING or dimension in DIVISORS):
            return 0.0, 1.0
        reach = next((far for found, far in ABOUT_ZERO.values() if found == dimension), 1.0)
        return -reach, reach
    unsafe = not given and (dimension is None or dimension in DIVISORS)  # None: a unit that is not known
    ends = CLOSED if not given and dimension == LENGTH else POSITIVE if unsafe else WHOLE
    low, high = sorted(end * value for end in ends)
    return low, high
