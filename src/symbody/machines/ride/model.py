"""The platform of the ride with its passenger, moved by set points; the ride itself is `chain.py`."""

from __future__ import annotations

from symbody.machines.ride.data import PASSENGER, SEAT
from symbody.model.model import Model
from symbody.motion.built_in_platform import platform_data
from symbody.motion.mechanism import add_limits, loaded_mechanism
from symbody.motion.servo import add_servo

GOALS = {"z": 0.52, "pitch": -0.06, "roll": 0.04}  # m, rad: the passenger leans a little


def model() -> Model:
    """The built-in platform with a passenger whom its drives do not know; inputs `goal_x` … (m, rad)."""
    data = platform_data()
    m = loaded_mechanism(data, SEAT, PASSENGER)
    m.name = "ride"
    add_limits(m, data)
    add_servo(m, data, GOALS)
    return m
