"""Servo drives of the platform: set points of the eight axes, references within the limits, drives that follow them.

A reference goes to its set point r* as fast as its speed and acceleration limits allow, and brakes in time:

    v* = sgn(e) min(v_max, k|e|, √(2 β a_max |e|)),  e = clip(r*) − r,      r̈ = clip(k'(v* − ṙ), ±a_max).

The force is the closed-form inverse dynamics of the reference motion plus feedback of the actuator error (K_p, K_d),
limited to the peak force of the drive. Nothing is commanded beyond a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from symbody.elements.element import Motion, Named
from symbody.expr.functions import clip
from symbody.model.model import Model
from symbody.motion.data import ACTUATORS, AXES, PlatformData
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.geometry import Values, inverse_geometry
from symbody.motion.kinematics import acceleration_of_rates, inverse_jacobian, twist_of_rates

APPROACH, FOLLOW = 6.0, 26.0  # 1/s: k and k'
BRAKING = 0.45  # β, share of the acceleration for braking; near the set point, where k|e| is smaller, 2 β < 1
Gain = float | tuple[float, ...]  # of all actuators, or one for each
STIFFNESS = (4e4, 4e4, *6 * (2e4,))  # K_p (N/m) of sliders and legs
DAMPING = (2e3, 2e3, *6 * (4e2,))  # K_d (N s/m)


def as_gain(gain: Any) -> Values:
    """A gain as an array over the actuators, or as its one number; expressions are possible."""
    return np.asarray(gain)


def goal(axis: str) -> str:
    """Name of the input for the set point of an axis (m, rad)."""
    return f"goal_{axis.replace('.', '_')}"


def reference(axis: str) -> str:
    """Name of the state for the reference of an axis (m, rad); its rate is NAME_rate."""
    return f"reference_{axis.replace('.', '_')}"


def drive_force(actuator: str, data: PlatformData, peak: bool = True) -> float:
    """Force of a drive (N): F = i Γ_m/R of motor, belt and pinion or screw; peak, or rated (`peak=False`)."""
    motor, belt = data.drives["motor"], data.drives["belt"]
    radius = data.drives["leg" if actuator.startswith("rod") else "table"]["radius"]
    share = motor["peak_current"] / motor["current"] if peak else 1.0
    return share * motor["torque"] * belt["driven"] / belt["driver"] / radius


class ReferenceMotion(NamedTuple):
    """References of the axes (8,), their rates and second derivatives."""

    axes: Values
    rates: Values
    second: Values


def reference_motion(p: Named, data: PlatformData) -> ReferenceMotion:
    """Motion of the references, from their states and the set points."""
    rows = [(p[reference(axis)], p[f"{reference(axis)}_rate"], _second(p, axis, data)) for axis in AXES]
    return ReferenceMotion(*np.array(rows, dtype=object).T)


def _second(p: Named, axis: str, data: PlatformData) -> Any:
    """r̈ of a reference (m/s², rad/s²)."""
    limit, rate = data.limits[axis], p[f"{reference(axis)}_rate"]
    e = clip(p[goal(axis)], limit.low, limit.high) - p[reference(axis)]
    wanted = pursuit(e, rate, limit.speed, limit.acceleration, APPROACH, FOLLOW)
    return clip(wanted, -limit.acceleration, limit.acceleration)


def pursuit(e: Any, rate: Any, speed: Any, acceleration: Any, approach: float, follow: float) -> Any:
    """Acceleration k'(v* − ṙ) towards a set point at the distance e; v* lets the axis brake in time.

    rate: ṙ relative to that of the set point. approach, follow: k and k' (1/s). Numbers, arrays or expressions.
    """
    far = np.absolute(e)
    fastest = np.minimum(speed, np.minimum(approach * far, np.sqrt(2.0 * BRAKING * acceleration * far)))
    return follow * (np.sign(e) * fastest - rate)


def following_forces(s: Motion, motion: ReferenceMotion, data: PlatformData) -> list[Any]:
    """Forces of sliders and legs (N) that follow references, within the peak forces of the drives."""
    pose, rates, second = motion.axes[2:], motion.rates[2:], motion.second[2:]
    twist = np.concatenate([motion.rates[:2], twist_of_rates(pose, rates)])
    acceleration = np.concatenate([motion.second[:2], acceleration_of_rates(pose, rates, second)])
    gamma = inverse_dynamics(pose, twist, acceleration, data)
    q = inverse_geometry(motion.axes, data)[0]
    qd = np.concatenate([twist[:2], inverse_jacobian(pose, data) @ twist[2:]])
    feedback = [
        kp * (q[k] - s.q[name]) + kd * (qd[k] - s.qd[name])
        for k, (name, kp, kd) in enumerate(zip(ACTUATORS, STIFFNESS, DAMPING, strict=True))
    ]
    ends = [drive_force(name, data) for name in ACTUATORS]
    return [clip(g + b, -end, end) for g, b, end in zip(gamma, feedback, ends, strict=True)]


def add_servo(m: Model, data: PlatformData, goals: Mapping[str, float]) -> None:
    """Add inputs `goal_x` … for set points, states of the references, and drives: signals `rod1.force` … (N)."""
    start = dict(zip(AXES, data.neutral_axes.tolist(), strict=True))
    for axis in AXES:
        m.input(goal(axis), goals.get(axis, start[axis]), data.unit(axis))
        m.state(reference(axis), start[axis])(lambda s, p, axis=axis: p[f"{reference(axis)}_rate"])
        m.state(f"{reference(axis)}_rate")(lambda s, p, axis=axis: _second(p, axis, data))
    add_drives(m, data, lambda s, p: reference_motion(p, data))


def add_drives(m: Model, data: PlatformData, references: Callable[[Motion, Named], ReferenceMotion]) -> None:
    """Add drives that follow references: signals `rod1.force` … (N)."""
    m.coupling("servo", *ACTUATORS)(lambda s, p: following_forces(s, references(s, p), data))
    for k, name in enumerate(ACTUATORS):
        m.signal(f"{name}.force", unit="N")(lambda s, p, k=k: following_forces(s, references(s, p), data)[k])
