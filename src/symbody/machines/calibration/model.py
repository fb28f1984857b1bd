"""The platform that the cameras see, moved by set points."""

from __future__ import annotations

from symbody.model.model import Model
from symbody.motion.built_in_platform import platform_data
from symbody.motion.mechanism import add_friction, add_limits, mechanism
from symbody.motion.servo import add_servo

GOALS = {"x": 0.05, "z": 0.55, "yaw": 0.1}  # m, rad: a pose of the path


def model() -> Model:
    """The built-in platform; inputs `goal_x` … (m, rad)."""
    data = platform_data()
    m = mechanism(data)
    m.name = "calibration"
    add_friction(m, data)
    add_limits(m, data)
    add_servo(m, data, GOALS)
    return m
