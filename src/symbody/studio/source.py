"""What a studio shows, live or recorded: one interface, so that page, plots and messages need not know which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from symbody.export.units import base_units
from symbody.studio.messages import Message

if TYPE_CHECKING:
    from symbody.studio.machine import Hum, Struck

Array = np.ndarray
# Ends of a dial, by its value. Without a force, a damper, an angle or a coefficient the equations go on; without an
# inertia, a stiffness, a time or an area they may divide by zero; and a loop of quite other lengths does not close.
WHOLE, POSITIVE, CLOSED = (0.0, 2.0), (0.1, 2.0), (0.5, 1.5)
LENGTH = base_units("m")
DIVISORS = [base_units(unit) for unit in ("kg", "kg m2", "kg/m", "m2", "m3", "s", "N/m", "N m/rad", "Pa")]


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


class Source(Protocol):
    """Something that moves: a live model or a recorded run."""

    @property
    def kind(self) -> str:
        """Either "live" or "run"."""

    @property
    def title(self) -> str: ...

    @property
    def units(self) -> Mapping[str, str]:
        """Channels that can be plotted, and their units."""

    @property
    def dials(self) -> Mapping[str, Dial]: ...

    @property
    def pulled(self) -> Mapping[int, str]:
        """Bodies that can be pulled, by frame."""

    @property
    def sounds(self) -> Sequence[Struck | Hum]: ...

    def moved(self) -> list[float]:
        """Where its controls are now."""

    def welcome(self) -> None:
        """The first browser is there."""

    def about(self) -> dict[str, Any]:
        """What else the page has to know at first, such as controls, pilots, plots and help."""

    @property
    def version(self) -> int:
        """How often the scene has changed."""

    def scene(self) -> dict[str, Any]:
        """What `view.js` draws."""

    def poses(self) -> tuple[float, Array]:
        """The time (s) and a row x y z, w x y z for each frame, the ground first; not numbers: nothing to show."""

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        """Number of the next record, and times and values (a row each) of those since a number."""

    def status(self) -> dict[str, Any]:
        """State, reason, speed and values of the dials, for the page."""

    def obey(self, message: Message) -> None:
        """Do what a browser asks; `Refused` where that makes no sense here."""

    def close(self) -> None:
        """End."""
