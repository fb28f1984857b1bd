"""The motion platform: the mechanism with friction and strokes, moved by forces or by set points."""

from __future__ import annotations

from collections.abc import Mapping

from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.model.model import Model
from symbody.motion.mechanism import add_forces, add_friction, add_limits, mechanism
from symbody.motion.servo import add_servo


def model(drive: str = "force", goals: Mapping[str, float] | None = None) -> Model:
    """The platform, moved by forces of its actuators (`force`) or by set points of its axes (`servo`).

    force: inputs `force_rod1` … (N); their defaults hold the platform still. servo: inputs `goal_x` … (m, rad); their
    defaults are `goals` by axis, else the neutral pose; without `goals` a pose near it.
    """
    if drive not in DRIVES:
        raise ModelError("unknown drive", element=str(drive), cure=f"use {' or '.join(DRIVES)}")
    data = platform_data()
    m = mechanism(data)
    add_friction(m, data)
    add_limits(m, data)
    if drive == "force":
        add_forces(m, data)
    else:
        add_servo(m, data, GOALS if goals is None else goals)
    return m


GOALS = {"x": 0.06, "y": -0.03, "z": 0.54, "roll": 0.1, "pitch": -0.08, "yaw": 0.15, "table.x": 0.2, "table.y": 0.1}
DRIVES = "force", "servo"
