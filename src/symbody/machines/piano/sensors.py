"""Sensors of the key of a piano action, and detectors of blows on the string (Docquier 2021, 5.1.4)."""

from __future__ import annotations

from symbody.elements.analog_sensors import add_coil, add_hall, add_light_barrier, add_pickup
from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.machines.piano.model import DIP, FRONT
from symbody.model.law import Law
from symbody.model.model import Model


def add_listeners(m: Model) -> None:
    """Add states for the last blow: `hammer_speed` (m/s) and `string_heard` (N)."""
    depth, load = (_law(m, f"string.{name}") for name in ("depth", "load"))

    def rising(s: Motion, p: Named) -> Scalar:
        return s.point("hammer.string_disc").velocity[2]

    add_light_barrier(m, "gate", "hammer_speed", lambda s, p: -depth(s, p), rising)
    add_pickup(m, "pickup", "string_heard", load)


def _law(m: Model, signal: str) -> Law:
    law = m.signals[signal].law
    assert law is not None
    return law


def add_sensors(m: Model) -> None:
    """Add sensors under the key: signals `hall.position` (m), `coil.voltage` (V) and `coil.velocity` (m/s)."""
    add_hall(m, "hall", lambda s, p: -s.point("key.front").position[2], DIP)
    add_coil(m, "coil", lambda s, p: FRONT * s.qd["key"])
