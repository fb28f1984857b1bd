"""Sensors of a haptic key (Docquier 2021, 5.1.4): opposed Hall sensors, a coil; and two that tell of blows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symbody.elements.element import Motion, Named, declared
from symbody.elements.numbers import Scalar, require_positive
from symbody.expr.functions import maximum, where
from symbody.machines.piano.model import DIP, FRONT
from symbody.model.law import Law
from symbody.model.model import Model


@dataclass(frozen=True)
class Hall:
    """U = U₀(g/(g + d))² of a magnet at a distance d; combined U = k(U_f² − U_r²) + O, which lags behind by τ.

    The front magnet comes near as the key is pressed, the rear one goes: the squares' difference is odd about the
    middle of the dip, which leaves it nearly straight. The lag takes 10 % of a motion at 5 Hz: 2π 5 Hz τ = 0.1.
    """

    strongest: float = field(default=2.5, metadata={"unit": "V"})  # U₀
    gap: float = field(default=25e-3, metadata={"unit": "m"})  # g
    lag: float = field(default=0.1 / (2.0 * np.pi * 5.0), metadata={"unit": "s"})  # τ

    def voltage(self, distance: Scalar) -> Scalar:
        """U (V) of one sensor."""
        return self.strongest * (self.gap / (self.gap + distance)) ** 2

    def difference(self, dip: Scalar) -> Scalar:
        """U_f² − U_r² (V²)."""
        return self.voltage(DIP - dip) ** 2 - self.voltage(dip) ** 2

    def calibration(self) -> tuple[float, float]:
        """k (m/V²) and O (m) of the straight line that is nearest to the dip over the whole of it."""
        dips = np.linspace(0.0, DIP, 50)
        k, offset = np.polyfit([float(self.difference(dip)) for dip in dips], dips, 1)
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
    """A light barrier just under the string that measures the hammer on its way up, and holds what it measured."""

    width: float = field(default=2e-3, metadata={"unit": "m"})  # under the string, after let-off
    lag: float = field(default=1e-4, metadata={"unit": "s"})

    def rate(self, held: Scalar, gap: Scalar, rising: Scalar) -> Scalar:
        """ḣ = (ż − h)/τ while the hammer rises through the gate (m/s²)."""
        return where((gap > 0.0) * (gap < self.width) * (rising > 0.0), (rising - held) / self.lag, 0.0)

    def check(self, name: str) -> None:
        require_positive(name, self, "width", "lag")


@dataclass(frozen=True)
class Pickup:
    """A rectifier under the string: what it holds rises with the force on the string at once, and runs off."""

    rise: float = field(default=5e-5, metadata={"unit": "s"})
    fall: float = field(default=5e-3, metadata={"unit": "s"})  # so that 1 kHz sees the peak of a blow of 1 ms

    def rate(self, held: Scalar, load: Scalar) -> Scalar:
        """ḣ = max(F − h, 0)/τ₁ − h/τ₂ (N/s)."""
        return maximum(load - held, 0.0) / self.rise - held / self.fall

    def check(self, name: str) -> None:
        require_positive(name, self, "rise", "fall")


def add_listeners(m: Model, gate: LightBarrier | None = None, pickup: Pickup | None = None) -> None:
    """What tells of a blow that is over: states `hammer_speed` (m/s), of the last one, and `string_heard` (N)."""
    barrier, rectifier = declared(m, "gate", gate or LightBarrier()), declared(m, "pickup", pickup or Pickup())
    depth, load = (_law(m, f"string.{name}") for name in ("depth", "load"))

    @m.state("hammer_speed")
    def speed(s: Motion, p: Named) -> Scalar:
        return barrier(p).rate(p.hammer_speed, -depth(s, p), s.point("hammer.string_disc").velocity[2])

    @m.state("string_heard")
    def heard(s: Motion, p: Named) -> Scalar:
        return rectifier(p).rate(p.string_heard, load(s, p))


def _law(m: Model, signal: str) -> Law:
    law = m.signals[signal].law
    assert law is not None
    return law


def add_sensors(m: Model, hall: Hall | None = None, coil: Coil | None = None) -> None:
    """Sensors under the key of an action: signals `hall.position` (m), `coil.voltage` (V) and `coil.velocity` (m/s).

    Calibrated once, as on a bench: parameters of the sensors that change later are errors of measurement.
    """
    hall, coil = hall or Hall(), coil or Coil()
    k, offset = hall.calibration()
    sensed, wound = declared(m, "hall", hall), declared(m, "coil", coil)

    def dip(s: Motion) -> Scalar:
        return -s.point("key.front").position[2]

    @m.state("hall_difference", start=float(hall.difference(0.0)))
    def lagging(s: Motion, p: Named) -> Scalar:
        return (sensed(p).difference(dip(s)) - p.hall_difference) / sensed(p).lag

    @m.signal("hall.position")
    def position(s: Motion, p: Named) -> Scalar:
        return k * p.hall_difference + offset

    @m.signal("coil.voltage")
    def voltage(s: Motion, p: Named) -> Scalar:
        return wound(p).voltage(FRONT * s.qd["key"])

    @m.signal("coil.velocity")
    def velocity(s: Motion, p: Named) -> Scalar:
        return voltage(s, p) / coil.sensitivity
