"""How far, how fast and how hard a joint may go, as files say it; data, until a law makes it act."""

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
        """Those that are finite, by name."""
        return {name: value for name, value in vars(self).items() if math.isfinite(value)}


UNLIMITED = JointLimits()
