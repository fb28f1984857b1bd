"""Analog sensors: opposed Hall sensors, a coil, a light barrier, a peak detector (Docquier 2021, 5.1.4)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symbody.elements.element import Motion, Named, declared
from symbody.elements.numbers import Scalar, require_positive
from symbody.expr.functions import maximum, where
from symbody.model.law import Law
from symbody.model.model import Model


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


def add_hall(m: Model, name: str, position: Law, travel: float, hall: Hall | None = None) -> None:
    """Add opposed Hall sensors: state NAME_difference (V²) and signal NAME.position (m).

    They are calibrated once; later changes of their parameters are measurement errors.

    Parameters
    ----------
    m : Model
    name : str
    position : function
        Law (s, p) of the measured position (m), from 0 to `travel`.
    travel : float
        m.
    hall : Hall, optional
    """
    hall = hall or Hall()
    k, offset = hall.calibration(travel)
    sensor, state = declared(m, name, hall), f"{name}_difference"

    @m.state(state, start=float(hall.difference(0.0, travel)))
    def lagging(s: Motion, p: Named) -> Scalar:
        return (sensor(p).difference(position(s, p), travel) - p[state]) / sensor(p).lag

    m.signal(f"{name}.position", unit="m")(lambda s, p: k * p[state] + offset)


def add_coil(m: Model, name: str, rate: Law, coil: Coil | None = None) -> None:
    """Add a coil that measures a rate (m/s): signals NAME.voltage (V) and NAME.velocity (m/s).

    The velocity is the voltage divided by the sensitivity at the beginning; later changes of it are measurement errors.
    """
    coil = coil or Coil()
    sensor = declared(m, name, coil)

    def voltage(s: Motion, p: Named) -> Scalar:
        return sensor(p).voltage(rate(s, p))

    m.signal(f"{name}.voltage", unit="V")(voltage)
    m.signal(f"{name}.velocity", unit="m/s")(lambda s, p: voltage(s, p) / coil.sensitivity)


def add_light_barrier(
    m: Model, name: str, state: str, gap: Law, rising: Law, barrier: LightBarrier | None = None
) -> None:
    """Add a light barrier, with the last measured speed as a state (m/s).

    Parameters
    ----------
    m : Model
    name : str
        Prefix of its parameters.
    state : str
    gap, rising : function
        Laws (s, p) of the distance to the gate's end (m) and of the speed (m/s).
    barrier : LightBarrier, optional
    """
    sensor = declared(m, name, barrier or LightBarrier())
    m.state(state, unit="m/s")(lambda s, p: sensor(p).rate(p[state], gap(s, p), rising(s, p)))


def add_pickup(m: Model, name: str, state: str, load: Law, pickup: Pickup | None = None) -> None:
    """Add a peak detector of a load (law (s, p), N), with the held value as a state (N)."""
    sensor = declared(m, name, pickup or Pickup())
    m.state(state, unit="N")(lambda s, p: sensor(p).rate(p[state], load(s, p)))
