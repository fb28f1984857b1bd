"""Servos that hold the joints of a robot, each with a target that a person sets.

A reference r moves to the target at a bounded speed, and the servo follows it. With e = r − q,

    ṙ = clip((target − r)/T, ±v),      τ = σ (τ₀ + G⁻¹ (ω² e − 2 ω q̇)).

G = ∂q̈/∂τ of all joints and τ₀, which carries the weight, are computed at the start pose. So the stiffness ω² G⁻¹ is
symmetric and positive, and the motion is bounded in every pose. Beyond the range of a joint the spring is `STOP` times
as stiff. σ, the parameter `SHARE`, fades the servos out.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import inf, isfinite, pi
from pathlib import Path
from typing import Any

import numpy as np

from symbody.expr.functions import clip, maximum, minimum
from symbody.model.body import ELEMENTARY, QUATERNION
from symbody.model.formula import evaluate
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.model import Model
from symbody.safe_name import identifier
from symbody.system.system import system

Array = np.ndarray
SHARE = "servo_share"  # a parameter: 1 full servos, 0 none
FREQUENCY = 25.0  # ω, rad/s: an arm of half a metre, 90° from its start pose, hangs 2° below its target
APPROACH = 0.1  # T, s
STOP = 9.0  # three times the frequency
SPEEDS = {"R": 1.5, "T": 0.3}  # v if the file has none: rad/s, m/s
REACH = {"R": pi, "T": 0.5}  # from the start pose, if the file has no range: rad, m
ROBOT_FILES = (".urdf", ".xacro", ".sdf")  # formats without motors
CARRIES = 1.2  # of τ₀: a smaller effort limit is ignored
DIGITS = 6  # of G and τ₀: the same with every compiler


@dataclass(frozen=True)
class Servo:
    """A joint that is held. stroke: range either way from the start pose, instead of limits. frequency: ω (rad/s)."""

    joint: str
    limits: JointLimits = UNLIMITED
    stroke: float | None = None  # rad, m
    frequency: float = FREQUENCY


def target_input(joint: str) -> str:
    """The input with the target of a joint."""
    return f"target_{identifier(joint)}"


def robot_servos(model: Model) -> list[Servo]:
    """A servo for each free joint of a robot's file, with its limits; none for other models."""
    if Path(model.file or "").suffix.lower() not in ROBOT_FILES:
        return []
    free = [joint for joint in model.joints() if joint.type in ELEMENTARY and joint.nature == "independent"]
    return [Servo(joint.name, joint.limits) for joint in free]


def with_servos(model: Model, servos: Sequence[Servo]) -> Model:
    """A copy that holds its pose: inputs `target_JOINT`, states `reference_JOINT`, the parameter `SHARE`.

    Joints start within their ends; bodies that float are held where they are.
    """
    m = deepcopy(model)
    kinds = {joint.name: joint.type[0] for joint in m.joints()}
    for body in m.bodies.values() if not m.cuts else ():
        body.joints = [joint for joint in body.joints if joint.type not in QUATERNION]
    for servo in servos:
        _start_within(m, servo)
    start, effort, stiffness = _pushed(m, [servo.joint for servo in servos])
    m.parameter(SHARE, 1.0, low=0.0, high=1.0)
    for servo, q in zip(servos, start, strict=True):
        low, high = _ends(servo, q, REACH[kinds[servo.joint]])
        m.input(target_input(servo.joint), q, "rad" if kinds[servo.joint] == "R" else "m", low, high)
        speed = servo.limits.velocity
        rate = _approach(servo.joint, speed if 0.0 < speed < inf else SPEEDS[kinds[servo.joint]])
        m.state(_reference(servo.joint), q)(rate)
    m.coupling("servos", *(servo.joint for servo in servos))(_law(servos, effort, stiffness))
    return m


def _reference(joint: str) -> str:
    return f"reference_{identifier(joint)}"


def _start_within(m: Model, servo: Servo) -> None:
    """A joint that starts beyond its ends starts in their middle."""
    low, high = servo.limits.lower, servo.limits.upper
    joint = next(joint for joint in m.joints() if joint.name == servo.joint)
    if _is_range(servo.limits) and not low <= evaluate(joint.q0[0], m.values) <= high:
        joint.q0 = ((low + high) / 2.0,)


def _is_range(limits: JointLimits) -> bool:
    """Whether ends are said that can be meant: from 0 to 0 is not."""
    return isfinite(limits.lower) and isfinite(limits.upper) and limits.lower < limits.upper


def _ends(servo: Servo, start: float, reach: float) -> tuple[float, float]:
    """Where the target may be."""
    if servo.stroke is not None:
        return start - servo.stroke, start + servo.stroke
    return (servo.limits.lower, servo.limits.upper) if _is_range(servo.limits) else (start - reach, start + reach)


def _pushed(m: Model, joints: Sequence[str]) -> tuple[list[float], list[float], list[list[float]]]:
    """q of the joints at the start, the efforts τ₀ that hold them there at rest, and G⁻¹: q̈ = a₀ + G τ."""
    m = deepcopy(m)
    for joint in m.joints():
        joint.limits = UNLIMITED  # an effort would bound the pushes
    outputs = [f"{name}.{of}" for of in ("q", "qdd") for name in joints]
    s = system(m, inputs=[f"{name}.Q" for name in joints], outputs=outputs)
    n, x = len(joints), s.x0.copy()
    first = len(s.layout.coordinates)
    x[first : first + len(s.layout.velocities)] = 0.0
    u = np.array(s.u0)

    def accelerations(k: int | None = None) -> Array:
        pushed = u.copy()
        if k is not None:
            pushed[s.inputs.index(f"{joints[k]}.Q")] += 1.0
        return s.observe(0.0, x, pushed)[n:]

    a0 = accelerations()
    inertia = np.linalg.pinv(np.column_stack([accelerations(k) - a0 for k in range(n)]))
    inertia = (inertia + inertia.T) / 2.0
    start = s.observe(0.0, x, u)[:n]
    return [float(q) for q in start], _rounded(-inertia @ a0), [_rounded(row) for row in inertia]


def _rounded(values: Array) -> list[float]:
    largest = float(np.abs(values).max(initial=0.0))
    return [float(f"{x:.{DIGITS}g}") if abs(x) > 1e-9 * largest else 0.0 for x in values]


def _approach(joint: str, speed: float) -> Any:
    """ṙ of a reference."""
    target, reference = target_input(joint), _reference(joint)
    return lambda s, p: clip((p[target] - p[reference]) / APPROACH, -speed, speed)


def _law(servos: Sequence[Servo], effort: Sequence[float], inertia: Sequence[Sequence[float]]) -> Any:
    """The efforts of the servos, from the motion."""
    said = [(servo.joint, _reference(servo.joint), servo.limits, servo.frequency) for servo in servos]

    def pull(s: Any, p: Any, joint: str, reference: str, limits: JointLimits, frequency: float) -> Any:
        """ω² e − 2 ω q̇, and the stops."""
        q: Any = s.q[joint]
        beyond: Any = 0.0
        if _is_range(limits):
            beyond = maximum(q - limits.upper, 0.0) + minimum(q - limits.lower, 0.0)
        return frequency**2 * (p[reference] - q - STOP * beyond) - 2.0 * frequency * s.qd[joint]

    def law(s: Any, p: Any) -> tuple[Any, ...]:
        pulls, given = [pull(s, p, *one) for one in said], []
        for (_, _, limits, _), tau, row in zip(said, effort, inertia, strict=True):
            total = tau + sum(g * x for g, x in zip(row, pulls, strict=True) if g)
            if CARRIES * abs(tau) < limits.effort < inf:
                total = clip(total, -limits.effort, limits.effort)
            given.append(p[SHARE] * total)
        return tuple(given)

    return law
