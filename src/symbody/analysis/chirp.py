"""A chirp: a sine whose frequency increases linearly with time, f = f₀ + g t."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise

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

    def peaks(self, t: Array, x: Array) -> tuple[Array, Array]:
        """Mean frequency (Hz) of each whole cycle, and the largest value of x(t) in it."""
        cycle = np.floor(self.cycles(t)).astype(int)
        begins = np.searchsorted(cycle, np.arange(cycle[-1] + 1))  # the last one is not complete
        return self.frequency((t[begins[:-1]] + t[begins[1:]]) / 2.0), np.maximum.reduceat(x, begins)[:-1]


def longest_band(kept: Array, misses: int = 1) -> slice:
    """The longest row of cycles without `misses` or more in a row that are not kept."""
    breaks, at = [(0, 0)], 0
    for hit, group in groupby(kept):
        length = len(list(group))
        if not hit and length >= misses:
            breaks.append((at, at + length))
        at += length
    bands = pairwise([*breaks, (at, at)])
    return max((slice(end, begin) for (_, end), (begin, _) in bands), key=lambda band: band.stop - band.start)


def highest_frequency(frequencies: Array, kept: Array, misses: int = 1, shortest: int = 5) -> float:
    """The upper end (Hz) of the longest band; 0 if it has less than `shortest` cycles.

    frequencies, kept: of each cycle. A band may begin above the slowest cycle.
    """
    band = longest_band(kept, misses)
    return float(frequencies[band.stop - 1]) if band.stop - band.start >= shortest else 0.0
