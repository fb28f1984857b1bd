"""A chirp: a sine whose frequency increases linearly with time, f = f₀ + g t."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Chirp:
    """A sine from `slowest` to `fastest` (Hz) in the time `until` (s)."""

    slowest: float
    fastest: float
    until: float

    @property
    def growth(self) -> float:
        """g (Hz/s)."""
        return (self.fastest - self.slowest) / self.until

    def frequency(self, t: Array) -> Array:
        """f (Hz)."""
        return np.asarray(self.slowest + self.growth * t)

    def cycles(self, t: Array) -> Array:
        """Number of cycles until t: n = ∫ f dt."""
        return np.asarray(self.slowest * t + self.growth * t**2 / 2.0)

    def lift(self, t: Array) -> tuple[Array, Array, Array]:
        """(1 − cos 2πn)/2, from 0 to 1 and back in each cycle, with its rate and acceleration."""
        phase, w, wd = 2.0 * np.pi * self.cycles(t), 2.0 * np.pi * self.frequency(t), 2.0 * np.pi * self.growth
        rate = 0.5 * w * np.sin(phase)
        return 0.5 - 0.5 * np.cos(phase), rate, 0.5 * (w**2 * np.cos(phase) + wd * np.sin(phase))
