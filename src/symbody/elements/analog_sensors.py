"""Analog sensors: opposed Hall sensors, a coil, a light barrier, a peak detector (Docquier 2021, 5.1.4)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symbody.elements.numbers import Scalar, require_positive
from symbody.expr.functions import maximum, where


@dataclass(frozen=True)
class Hall:
    """Two opposed Hall sensors: U = U₀(g/(g + d))² at distance d of a magnet, k(U_f² − U_r²) + O with lag τ.

    When the front magnet approaches, the rear one recedes. The difference of squares is odd about the middle of the
    travel, and so nearly linear. The lag takes 10 % of a motion at 5 Hz: 2π 5 Hz τ = 0.1.
    """

    strongest: float = field(default=2.5, metadata={"unit": "V"})  # U₀
    gap: float = field(default=25e-3, metadata={"unit": "m"})  # g
    lag: float = field(default=0.1 / (2.0 * np.pi * 5.0), metadata={"unit": "s"})  # τ

    def voltage(self, distance: Scalar) -> Scalar:
        """U (V) of one sensor."""
        return self.strongest * (self.gap / (self.gap + distance)) ** 2

    def difference(self, position: Scalar, travel: float) -> Scalar:
        """U_f² − U_r² (V²) at a position (m) within a travel (m)."""
        return self.voltage(travel - position) ** 2 - self.voltage(position) ** 2

    def calibration(self, travel: float) -> tuple[float, float]:
        """k (m/V²) and O (m) of the straight line that fits the position best over the whole travel."""
        positions = np.linspace(0.0, travel, 50)
        k, offset = np.polyfit([float(self.difference(x, travel)) for x in positions], positions, 1)
        return float(k), float(offset)

    def check(self, name: str) -> None:
        require_positive(name, self, "strongest", "gap", "lag")


@dataclass(frozen=True)
class Coil:
    """U = κ ż of a coil around a magnet (Docquier 2021, (18))."""

    sensitivity: float = field(default=1.5, metadata={"unit": "V s/m"})  # κ

    def voltage(self, rate: Scalar) -> Scalar:
        """U (V)."""
        return self.sensitivity * rate


@dataclass(frozen=True)
class LightBarrier:
    """A light barrier that measures the speed of a rising part, and holds the last value."""

    width: float = field(default=2e-3, metadata={"unit": "m"})
    lag: float = field(default=1e-4, metadata={"unit": "s"})

    def rate(self, held: Scalar, gap: Scalar, rising: Scalar) -> Scalar:
        """ḣ = (ż − h)/τ while the part rises through the gate (m/s²); gap: distance to the gate's end (m)."""
        return where((gap > 0.0) * (gap < self.width) * (rising > 0.0), (rising - held) / self.lag, 0.0)

    def check(self, name: str) -> None:
        require_positive(name, self, "width", "lag")


@dataclass(frozen=True)
class Pickup:
    """A peak detector of a force: the held value follows a rising force at once, and decays slowly."""

    rise: float = field(default=5e-5, metadata={"unit": "s"})
    fall: float = field(default=5e-3, metadata={"unit": "s"})  # a loop of 1 kHz then sees the peak of a blow of 1 ms

    def rate(self, held: Scalar, load: Scalar) -> Scalar:
        """ḣ = max(F − h, 0)/τ₁ − h/τ₂ (N/s)."""
        return maximum(load - held, 0.0) / self.rise - held / self.fall

    def check(self, name: str) -> None:
        require_positive(name, self, "rise", "fall")
