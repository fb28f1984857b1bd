"""The motion platform as a model with loops: Y slider, X slider, six legs of universal joint, slide and ball, platform.

Frames of the leg's bodies are those of Khalil and Kleinfinger: yoke, cylinder and rod turn and slide along their own z
by q_1k, q_2k and q_3k, so that inertial parameters are the document's. The platform's coordinates are its pose.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from symbody.elements.attach import on_joint
from symbody.errors import ModelError
from symbody.expr.functions import minimum
from symbody.machines.platform.data import ACTUATORS, LEGS, POSE, TABLE, Inertial, PlatformData, platform_data
from symbody.machines.platform.dynamics import inverse_dynamics
from symbody.machines.platform.geometry import leg_angles, leg_vectors, length
from symbody.machines.platform.servo import add_servo
from symbody.model.body import Body, Joint
from symbody.model.model import Model

POSE_JOINTS = (("x", "T1"), ("y", "T2"), ("z", "T3"), ("yaw", "R3"), ("pitch", "R2"), ("roll", "R1"))


def mechanism(data: PlatformData | None = None, table: bool = True) -> Model:
    """Bodies, joints and loops alone: 8 degrees of freedom, those of the table and of the pose; 6 on a fixed table."""
    data = data or platform_data()
    m = Model("platform", gravity=(0.0, 0.0, -data.gravity))
    kind = "independent" if table else "locked"
    across = _body(m, "table_y", None, [Joint(TABLE[1], "T2", kind)], data.bodies["table_y"])
    along = _body(m, "table_x", across, [Joint(TABLE[0], "T1", kind)], data.bodies["table_x"])
    start = dict(zip(POSE, data.neutral, strict=True))
    joints = [Joint(name, kind, q0=(float(start[name]),)) for name, kind in POSE_JOINTS]
    platform = _body(m, "platform", along, joints, data.bodies["platform"])
    d, _L = leg_vectors(data.neutral, data)
    for k, leg in enumerate(LEGS):
        (q1, q2), q3 = leg_angles(d[k]), length(d[k])
        foot = along.point(f"foot{leg}", data.feet[k], (-pi / 2, 0.0, 0.0))
        yoke = _body(m, f"yoke{leg}", foot, [_dependent(f"yoke{leg}", "R3", q1)], data.bodies["yoke"])
        pin = yoke.point("pin", (0.0, 0.0, 0.0), (pi / 2, 0.0, 0.0))
        cylinder = _body(m, f"cylinder{leg}", pin, [_dependent(f"cylinder{leg}", "R3", q2)], data.bodies["cylinder"])
        bore = cylinder.point("bore", (0.0, 0.0, 0.0), (pi / 2, 0.0, 0.0))
        rod = _body(m, f"rod{leg}", bore, [_dependent(f"rod{leg}", "T3", q3)], data.bodies["rod"])
        m.cut(f"ball{leg}", "ball", rod, platform.point(f"top{leg}", data.tops[k]))
    return m


def _body(m: Model, name: str, on: Any, joints: list[Joint], inertial: Inertial) -> Body:
    return m.body(name, on, joints, inertial.mass, inertial.com, inertial.inertia)


def _dependent(name: str, kind: str, start: float) -> Joint:
    return Joint(name, kind, "dependent", q0=(float(start),))


def model(drive: str = "force") -> Model:
    """The platform, ready to move: by forces of its actuators (`force`), or by set points of its axes (`servo`).

    force: inputs `force_rod1` … (N), at first those that hold it. servo: inputs `goal_x` … (m, rad), at first a pose
    beside the neutral one.
    """
    if drive not in DRIVES:
        raise ModelError("no such drive", element=str(drive), cure=f"use {' or '.join(DRIVES)}")
    data = platform_data()
    m = mechanism(data)
    add_friction(m, data)
    add_limits(m, data)
    DRIVES[drive](m, data)
    return m


def add_friction(m: Model, data: PlatformData) -> None:
    """Friction of sliders and legs, of its own size in either direction."""
    for name in ACTUATORS:
        law = data.friction[name.replace(".", "_") if name in TABLE else "leg"]
        on_joint(m, f"{name}.friction", name, law)


def add_limits(m: Model, data: PlatformData) -> None:
    """A run ends where a leg or a slider comes to the end of its stroke."""
    ends = {name: (data.limits[name].low, data.limits[name].high) for name in TABLE}
    ends |= {f"rod{leg}": (data.legs.shortest, data.legs.longest) for leg in LEGS}
    for name, (low, high) in ends.items():
        m.limit(f"{name}.stroke")(
            lambda s, p, name=name, low=low, high=high: minimum(s.q[name] - low, high - s.q[name])
        )


def _add_set_points(m: Model, data: PlatformData) -> None:
    add_servo(m, data, GOALS)


def _add_forces(m: Model, data: PlatformData) -> None:
    """Inputs `force_rod1` … that push the joints, at first what holds the platform still."""
    still = np.zeros(8)
    holding = inverse_dynamics(data.neutral, still, still, data)
    for name, force in zip(ACTUATORS, holding, strict=True):
        pushed = f"force_{name.replace('.', '_')}"
        m.input(pushed, round(float(force), 9) + 0.0, "N")
        m.joint_force(name)(lambda q, qd, p, pushed=pushed: getattr(p, pushed))


GOALS = {"x": 0.06, "y": -0.03, "z": 0.54, "roll": 0.1, "pitch": -0.08, "yaw": 0.15, "table.x": 0.2, "table.y": 0.1}
DRIVES = {"force": _add_forces, "servo": _add_set_points}
