"""Limits of a joint's position, speed and effort, as files give them. They are data until a law uses them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class JointLimits:
    """Range of a coordinate (rad, m), largest speed (rad/s, m/s) and effort (N m, N) of an elementary joint."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    @property
    def bounded(self) -> bool:
        """Whether its coordinate has a bound."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    def given(self) -> dict[str, float]:
        """The finite limits, by name."""
        return {name: value for name, value in vars(self).items() if math.isfinite(value)}


UNLIMITED = JointLimits()
