"""A number that a person may change while a machine runs, and its range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.units import base_units

# Ends of a dial as multiples of its value. A force, a damping, an angle or a coefficient may be zero. Equations may
# divide by an inertia, a stiffness, a time or an area. A loop with very different lengths does not close.
WHOLE, POSITIVE, CLOSED = (0.0, 2.0), (0.1, 2.0), (0.5, 1.5)
LENGTH = base_units("m")
DIVISORS = [base_units(unit) for unit in ("kg", "kg m2", "kg/m", "m2", "m3", "s", "N/m", "N m/rad", "Pa", "m3/(s Pa)")]
# A value of zero gets a range by its unit; without the negative half if that would supply energy or have no meaning.
SHIFT, TURN = 0.02, 0.2  # m, rad: of an adjustment that is zero at first
FROM_ZERO = {"m": SHIFT, "rad": TURN, "N": 100.0, "N m": 10.0, "m/s": 1.0, "rad/s": 1.0, "Pa": 1e5, "V": 10.0}
ABOUT_ZERO = {unit: (base_units(unit), reach) for unit, reach in FROM_ZERO.items()}
RESISTING = [base_units(unit) for unit in ("N s/m", "N m s/rad", "N m s", "1/s", "s")]
PLUMBING = ("pull_",)  # prefix of names that belong to the studio


@dataclass(frozen=True)
class Dial:
    """A number that a browser may change between two ends.

    Parameters
    ----------
    name : str
        Of a parameter or an input.
    value : float
        Initial value.
    low, high : float
        Its ends.
    unit : str, optional
        That is shown.
    label : str, optional
        On the page. Default: the name.
    more : bool
        Whether few people need it, so that the page shows it under "More". Default False.
    choices : tuple of str, optional
        Names of the whole numbers from `low` on, a list on the page.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    label: str = ""
    more: bool = False
    choices: tuple[str, ...] = ()

    @staticmethod
    def choice(name: str, value: float, choices: Sequence[str], label: str = "", low: float = 0.0) -> Dial:
        """One of several: `low` is the first of them, `low` + 1 the second, and so on."""
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
        """A dial with the declared range, or a range that suits most systems. given: it is an input."""
        least, most = _range(value, unit, given)
        least, most = (least if low is None else low), (most if high is None else high)
        if not least < most:  # the guessed end is beyond the declared one
            least, most = (least, least + 1.0) if high is None else (most - 1.0, most)
        return Dial(name, value, min(least, value), max(most, value), unit, more=name.startswith(PLUMBING))


def _range(value: float, unit: str, given: bool) -> tuple[float, float]:
    """The range around a number, by its unit and its sign."""
    dimension = base_units(unit) if unit else {}
    if not value:
        if not given and dimension is not None and (dimension in RESISTING or dimension in DIVISORS):
            return 0.0, 1.0
        reach = next((far for found, far in ABOUT_ZERO.values() if found == dimension), 1.0)
        return -reach, reach
    unsafe = not given and (dimension is None or dimension in DIVISORS)  # None: unknown unit
    ends = CLOSED if not given and dimension == LENGTH else POSITIVE if unsafe else WHOLE
    low, high = sorted(end * value for end in ends)
    return low, high
