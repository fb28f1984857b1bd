"""A hexapod on an XY table as a model with loops: two sliders, six legs of universal joint, slide and ball, platform.

The frames of the leg bodies are those of Khalil and Kleinfinger: yoke, cylinder and rod move along their own z by q_1k,
q_2k and q_3k, so that inertial parameters agree with the source. The coordinates of the platform are its pose.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from symbody.elements.attach import on_joint
from symbody.expr.functions import minimum
from symbody.model.body import Body, Joint
from symbody.model.model import Model
from symbody.motion.data import ACTUATORS, LEGS, POSE, TABLE, Inertial, PlatformData
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.geometry import leg_angles, leg_vectors, length

PAYLOAD = "payload_mass"  # kg, the parameter of `add_payload`
POSE_JOINTS = (("x", "T1"), ("y", "T2"), ("z", "T3"), ("yaw", "R3"), ("pitch", "R2"), ("roll", "R1"))


def mechanism(data: PlatformData, table: bool = True) -> Model:
    """Bodies, joints and loops of a platform as a model.

    Parameters
    ----------
    data : PlatformData
        The platform.
    table : bool
        Whether the table moves: 8 degrees of freedom, otherwise 6. Default True.

    Returns
    -------
    Model
        For `sb.system` and `sb.compile`.

    Examples
    --------
    >>> from symbody.machines.platform import platform_data
    >>> from symbody.motion import mechanism
    >>> mechanism(platform_data(), table=False).has_loops
    True
    """
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


def add_friction(m: Model, data: PlatformData) -> None:
    """Friction of sliders and legs, with its own values for each direction."""
    for name in ACTUATORS:
        law = data.friction[name.replace(".", "_") if name in TABLE else "leg"]
        on_joint(m, f"{name}.friction", name, law)


def add_limits(m: Model, data: PlatformData) -> None:
    """Add limits that end a run when a leg or a slider reaches the end of its stroke."""
    ends = {name: (data.limits[name].low, data.limits[name].high) for name in TABLE}
    ends |= {f"rod{leg}": (data.legs.shortest, data.legs.longest) for leg in LEGS}
    for name, (low, high) in ends.items():
        m.limit(f"{name}.stroke")(
            lambda s, p, name=name, low=low, high=high: minimum(s.q[name] - low, high - s.q[name])
        )


def force_input(actuator: str) -> str:
    """Name of the input for the force of an actuator (N)."""
    return f"force_{actuator.replace('.', '_')}"


def add_forces(m: Model, data: PlatformData) -> None:
    """Add inputs `force_rod1` … (N) on the joints; their defaults hold the platform still."""
    still = np.zeros(8)
    holding = inverse_dynamics(data.neutral, still, still, data)
    for name, force in zip(ACTUATORS, holding, strict=True):
        pushed = force_input(name)
        m.input(pushed, round(float(force), 9) + 0.0, "N")
        m.joint_force(name)(lambda q, qd, p, pushed=pushed: getattr(p, pushed))


def add_payload(m: Model, place: tuple[float, float, float], mass: float = 0.0) -> None:
    """Add a mass (kg) at a place on the platform (m, from O_u) as the parameter `PAYLOAD`."""
    m.body("payload", m.bodies["platform"].point("seat", place), mass=m.parameter(PAYLOAD, mass, "kg"))


def loaded_mechanism(data: PlatformData, place: tuple[float, float, float] | None = None, mass: float = 0.0) -> Model:
    """The mechanism with friction and a payload (kg), by default at the centre of mass of the upper plate."""
    m = mechanism(data)
    add_friction(m, data)
    add_payload(m, data.bodies["platform"].com if place is None else place, mass)
    return m
