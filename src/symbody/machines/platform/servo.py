"""Who moves the platform: set points of its eight axes, references that keep to the limits, drives that follow them.

A reference goes to its set point r* as fast as speed and acceleration allow, and brakes in time:

    v* = sgn(e) min(v_max, k|e|, √(2 β a_max |e|)),  e = clip(r*) − r,      r̈ = clip(k'(v* − ṙ), ±a_max).

Forces are the closed form's for the reference's motion, and what a leg or a slider is still behind (K_p, K_d); they end
where the drives do. So tracking is exact but for what is not in the formula, and nothing is commanded past a limit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from symbody.elements.element import Motion, Named
from symbody.expr.functions import absolute, clip, minimum, sign, sqrt
from symbody.machines.platform.data import ACTUATORS, AXES, PlatformData
from symbody.machines.platform.dynamics import inverse_dynamics
from symbody.machines.platform.geometry import Values, inverse_geometry
from symbody.machines.platform.kinematics import acceleration_of_rates, inverse_jacobian, twist_of_rates
from symbody.model.model import Model

APPROACH, FOLLOW = 6.0, 26.0  # 1/s: k and k'
BRAKING = 0.45  # β, the share of the acceleration that braking takes; where k|e| takes over it is 2 β < 1
STIFFNESS = (4e4, 4e4, *6 * (2e4,))  # K_p (N/m) of sliders and legs
DAMPING = (2e3, 2e3, *6 * (4e2,))  # K_d (N s/m)


def goal(axis: str) -> str:
    """Name of the input that is an axis' set point (m, rad)."""
    return f"goal_{axis.replace('.', '_')}"


def reference(axis: str) -> str:
    """Name of the state that is an axis' reference (m, rad); its rate is NAME_rate."""
    return f"reference_{axis.replace('.', '_')}"


def drive_force(actuator: str, data: PlatformData, peak: bool = True) -> float:
    """What a drive can push with (N): F = i Γ_m/R of motor, belt and pinion or screw; for a second, or for long."""
    motor, belt = data.drives["motor"], data.drives["belt"]
    radius = data.drives["leg" if actuator.startswith("rod") else "table"]["radius"]
    share = motor["peak_current"] / motor["current"] if peak else 1.0
    return share * motor["torque"] * belt["driven"] / belt["driver"] / radius


class ReferenceMotion(NamedTuple):
    """Axes (8,), their rates and second derivatives, as the references go."""

    axes: Values
    rates: Values
    second: Values


def reference_motion(p: Named, data: PlatformData) -> ReferenceMotion:
    """The motion of the references from their states and the set points."""
    rows = [(p[reference(axis)], p[f"{reference(axis)}_rate"], _second(p, axis, data)) for axis in AXES]
    return ReferenceMotion(*np.array(rows, dtype=object).T)


def _second(p: Named, axis: str, data: PlatformData) -> Any:
    """r̈ of a reference."""
    limit = data.limits[axis]
    e = clip(p[goal(axis)], limit.low, limit.high) - p[reference(axis)]
    far = absolute(e)
    fastest = minimum(limit.speed, minimum(APPROACH * far, sqrt(2.0 * BRAKING * limit.acceleration * far)))
    wanted = FOLLOW * (sign(e) * fastest - p[f"{reference(axis)}_rate"])
    return clip(wanted, -limit.acceleration, limit.acceleration)


def servo_forces(s: Motion, p: Named, data: PlatformData) -> list[Any]:
    """Forces of sliders and legs (N) that follow the references, within what the drives can do."""
    motion = reference_motion(p, data)
    pose, rates, second = motion.axes[2:], motion.rates[2:], motion.second[2:]
    twist = np.concatenate([motion.rates[:2], twist_of_rates(pose, rates)])
    acceleration = np.concatenate([motion.second[:2], acceleration_of_rates(pose, rates, second)])
    gamma = inverse_dynamics(pose, twist, acceleration, data)
    q = inverse_geometry(motion.axes, data)[0]
    qd = np.concatenate([twist[:2], inverse_jacobian(pose, data) @ twist[2:]])
    behind = [
        kp * (q[k] - s.q[name]) + kd * (qd[k] - s.qd[name])
        for k, (name, kp, kd) in enumerate(zip(ACTUATORS, STIFFNESS, DAMPING, strict=True))
    ]
    ends = [drive_force(name, data) for name in ACTUATORS]
    return [clip(g + b, -end, end) for g, b, end in zip(gamma, behind, ends, strict=True)]


def add_servo(m: Model, data: PlatformData, goals: dict[str, float]) -> None:
    """Inputs `goal_x` … for set points, references that go there, drives that follow: signals `rod1.force` … (N)."""
    start = dict(zip(AXES, data.neutral_axes.tolist(), strict=True))
    for axis in AXES:
        m.input(goal(axis), goals.get(axis, start[axis]), data.unit(axis))
        m.state(reference(axis), start[axis])(lambda s, p, axis=axis: p[f"{reference(axis)}_rate"])
        m.state(f"{reference(axis)}_rate")(lambda s, p, axis=axis: _second(p, axis, data))
    m.coupling("servo", *ACTUATORS)(lambda s, p: servo_forces(s, p, data))
    for k, name in enumerate(ACTUATORS):
        m.signal(f"{name}.force")(lambda s, p, k=k: servo_forces(s, p, data)[k])
