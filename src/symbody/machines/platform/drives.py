"""Drive lines of the platform: motor, belt, pinion or screw, encoder; can the motors do a motion (Houda 2020, A.3)?

A motor turns by n rad for each metre that its slider or leg travels, n = i/R: ω_m = n v, Γ_m = F/n, I = Γ_m/k with
k = rated torque / rated current. 20.42 mm a turn for sliders, 4.71 mm for legs; 2000 increments a turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbody.errors import LimitError, ModelError
from symbody.machines.platform.data import ACTUATORS, POSE, Array, PlatformData
from symbody.machines.platform.kinematics import inverse_jacobian, twist_of_rates
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.servo import drive_force
from symbody.nearest import did_you_mean

RPM = 2.0 * pi / 60.0  # rad/s
PER_MILLE = 1000.0
# What a drive is told in each mode of the drive profile CiA 402: the mode's number, the quantity, and its range
MODES: dict[str, tuple[int, str, int]] = {
    "profile position": (1, "position", 2**31 - 1),
    "profile velocity": (3, "speed", 2**31 - 1),
    "profile torque": (4, "torque", 2**15 - 1),
    "cyclic position": (8, "position", 2**31 - 1),
    "cyclic velocity": (9, "speed", 2**31 - 1),
    "cyclic torque": (10, "torque", 2**15 - 1),
}


def turns_per_metre(actuator: str, data: PlatformData) -> float:
    """n = i/R (rad/m): how far the motor turns for a metre of travel; also the force for a torque (N per N m)."""
    return drive_force(actuator, data, peak=False) / data.drives["motor"]["torque"]


def resolution(actuator: str, data: PlatformData) -> float:
    """Travel (m) of one increment of the encoder on the motor."""
    return 2.0 * pi / (data.drives["motor"]["increments"] * turns_per_metre(actuator, data))


def resolutions(data: PlatformData) -> Array:
    """Of all actuators, (8,) (m)."""
    return np.array([resolution(name, data) for name in ACTUATORS])


def quantised(q: Array, data: PlatformData) -> Array:
    """What the encoders read of actuators at q (…, 8) (m): whole increments."""
    step = resolutions(data)
    return np.asarray(step * np.round(np.asarray(q) / step))


@dataclass(frozen=True)
class Excess:
    """A limit that is passed: by what, at which axis, when first (s), the worst value, and the limit in its unit."""

    axis: str
    quantity: str
    time: float
    value: float
    limit: float
    unit: str

    def __str__(self) -> str:
        beyond = f"{self.value:.4g} {self.unit}, limit {self.limit:.4g}"
        return f"{self.axis}: {self.quantity} {beyond}, from t = {self.time:.4g} s"


class MotorState(NamedTuple):
    """Torque (N m), speed (rad/s) and current (A) of the motors, each (n, 8)."""

    torque: Array
    speed: Array
    current: Array


def motor_state(motion: PlatformMotion) -> MotorState:
    """What the motors do in a motion: Γ_m = F/n, ω_m = n v, I = Γ_m/k."""
    motor = motion.data.drives["motor"]
    n = np.array([turns_per_metre(name, motion.data) for name in ACTUATORS])
    torque = motion.forces() / n
    return MotorState(torque, motion.actuator_rates * n, torque * (motor["current"] / motor["torque"]))


@dataclass(frozen=True, eq=False)
class DriveCheck:
    """What the motors do: torque (N m), speed (rad/s), current (A), each (n, 8); and the limits that they pass."""

    t: Array
    torque: Array
    speed: Array
    current: Array
    passed: list[Excess]

    @property
    def ok(self) -> bool:
        return not self.passed


def check(motion: PlatformMotion) -> DriveCheck:
    """Motor torque, speed and current of a motion; what passes a limit is named by axis, time and value.

    Speed up to the rated one; current up to the peak, above the rated one no longer than the peak time, and below it
    as a root mean square over the motion (heat).
    """
    motor = motion.data.drives["motor"]
    torque, speed, current = motor_state(motion)
    passed: list[Excess] = []
    for i, axis in enumerate(ACTUATORS):
        passed += _beyond(axis, "motor speed", motion.t, speed[:, i] / RPM, motor["speed"], "rpm")
        passed += _beyond(axis, "motor current", motion.t, current[:, i], motor["peak_current"], "A")
        passed += _too_long(axis, motion.t, current[:, i], motor["current"], motor["peak_time"])
        passed += _too_hot(axis, motion.t, current[:, i], motor["current"])
    return DriveCheck(motion.t, torque, speed, current, passed)


def require_drives(motion: PlatformMotion) -> DriveCheck:
    """`check`, but the first limit that is passed is raised: nothing is commanded past it."""
    found = check(motion)
    if found.passed:
        first = min(found.passed, key=lambda excess: excess.time)
        told = f"platform: {first} (move more slowly, or carry less)"
        raise LimitError(told, limit=f"{first.quantity} of {first.axis}", value=first.value, time=first.time)
    return found


def _beyond(axis: str, quantity: str, t: Array, values: Array, limit: float, unit: str) -> Iterator[Excess]:
    wrong = ~(np.abs(values) <= limit)  # what is no number is wrong, too
    if wrong.any():
        first, worst = int(wrong.argmax()), int(np.nanargmax(np.where(wrong, np.abs(values), -1.0)))
        yield Excess(axis, quantity, float(t[first]), float(values[worst]), limit, unit)


def _too_long(axis: str, t: Array, current: Array, rated: float, longest: float) -> Iterator[Excess]:
    """Above the rated current for longer than a peak may last."""
    above = np.abs(current) > rated
    edges = np.flatnonzero(np.diff(np.r_[False, above, False].astype(int)))
    for begin, end in zip(edges[::2], edges[1::2] - 1, strict=True):
        lasting = float(t[end] - t[begin])
        if lasting > longest:
            yield Excess(axis, "time above the rated current", float(t[begin]), lasting, longest, "s")
            return


def _too_hot(axis: str, t: Array, current: Array, rated: float) -> Iterator[Excess]:
    if len(t) > 1:
        squares = 0.5 * (current[1:] ** 2 + current[:-1] ** 2)
        mean = float(np.sqrt(np.average(squares, weights=np.diff(t))))
        if mean > rated:
            yield Excess(axis, "root mean square of the current", float(t[0]), mean, rated, "A")


def set_points(motion: PlatformMotion, mode: str) -> NDArray[np.int64]:
    """What the drives are told (n, 8) in a mode: increments, rpm, or per mille of the rated torque; whole numbers."""
    if mode not in MODES:
        raise ModelError(f"no drive mode '{mode}'", cure=did_you_mean(mode, MODES, "modes"))
    _, quantity, most = MODES[mode]
    state = motor_state(motion)
    values = {
        "position": motion.actuators / resolutions(motion.data),
        "speed": state.speed / RPM,
        "torque": state.torque / motion.data.drives["motor"]["torque"] * PER_MILLE,
    }[quantity]
    for i, axis in enumerate(ACTUATORS):
        for excess in _beyond(axis, f"set point of the {quantity}", motion.t, values[:, i], most, ""):
            raise LimitError(f"platform: {excess}", limit=mode, value=excess.value, time=excess.time)
    return np.round(values).astype(np.int64)


def contradictions(data: PlatformData) -> list[Excess]:
    """Limits of the axes that the drives cannot reach: one axis alone at its speed limit, at the neutral pose."""
    found = []
    J = inverse_jacobian(data.neutral, data)
    for i, axis in enumerate(POSE):
        rates = np.zeros(len(POSE))
        rates[i] = data.limits[axis].speed
        legs = J @ twist_of_rates(data.neutral, rates)
        k = int(np.argmax(np.abs(legs)))
        leg = ACTUATORS[2 + k]
        speed, limit = abs(float(legs[k])) * turns_per_metre(leg, data) / RPM, data.drives["motor"]["speed"]
        if speed > limit:
            told = f"at the axis' own limit of {rates[i]:.3g} a second the motor speed of {leg} is"
            found.append(Excess(axis, told, 0.0, speed, limit, "rpm"))
    return found
