"""Sensors of the key of a piano action, and detectors of blows on the string (Docquier 2021, 5.1.4)."""

from __future__ import annotations

from symbody.elements.analog_sensors import Coil, Hall, LightBarrier, Pickup
from symbody.elements.element import Motion, Named, declared
from symbody.elements.numbers import Scalar
from symbody.machines.piano.model import DIP, FRONT
from symbody.model.law import Law
from symbody.model.model import Model


def add_listeners(m: Model, gate: LightBarrier | None = None, pickup: Pickup | None = None) -> None:
    """Add states for the last blow: `hammer_speed` (m/s) and `string_heard` (N)."""
    barrier, rectifier = declared(m, "gate", gate or LightBarrier()), declared(m, "pickup", pickup or Pickup())
    depth, load = (_law(m, f"string.{name}") for name in ("depth", "load"))

    @m.state("hammer_speed", unit="m/s")
    def speed(s: Motion, p: Named) -> Scalar:
        return barrier(p).rate(p.hammer_speed, -depth(s, p), s.point("hammer.string_disc").velocity[2])

    @m.state("string_heard", unit="N")
    def heard(s: Motion, p: Named) -> Scalar:
        return rectifier(p).rate(p.string_heard, load(s, p))


def _law(m: Model, signal: str) -> Law:
    law = m.signals[signal].law
    assert law is not None
    return law


def add_sensors(m: Model, hall: Hall | None = None, coil: Coil | None = None) -> None:
    """Add sensors under the key: signals `hall.position` (m), `coil.voltage` (V) and `coil.velocity` (m/s).

    They are calibrated once; later changes of their parameters are measurement errors.
    """
    hall, coil = hall or Hall(), coil or Coil()
    k, offset = hall.calibration(DIP)
    sensed, wound = declared(m, "hall", hall), declared(m, "coil", coil)

    def dip(s: Motion) -> Scalar:
        return -s.point("key.front").position[2]

    @m.state("hall_difference", start=float(hall.difference(0.0, DIP)))
    def lagging(s: Motion, p: Named) -> Scalar:
        return (sensed(p).difference(dip(s), DIP) - p.hall_difference) / sensed(p).lag

    @m.signal("hall.position", unit="m")
    def position(s: Motion, p: Named) -> Scalar:
        return k * p.hall_difference + offset

    @m.signal("coil.voltage", unit="V")
    def voltage(s: Motion, p: Named) -> Scalar:
        return wound(p).voltage(FRONT * s.qd["key"])

    @m.signal("coil.velocity", unit="m/s")
    def velocity(s: Motion, p: Named) -> Scalar:
        return voltage(s, p) / coil.sensitivity
