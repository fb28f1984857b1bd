"""Drive lines of the platform: motor, belt, pinion or screw, encoder; motor limits of a motion (Houda 2020, A.3).

A motor turns by n rad for each metre of its slider or leg, n = i/R: ω_m = n v, Γ_m = F/n, I = Γ_m/k with k = rated
torque / rated current.

Examples
--------
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion import ACTUATORS, identification, sampled
>>> from symbody.motion.drives import DriveCheck, Excess, MotorState, check, contradictions, leg_speed, motor_state
>>> from symbody.motion.drives import quantised, require_drives, resolution, resolutions, set_points, turns_per_metre
>>> data = platform_data()
>>> motion = sampled(identification.exciting(data, moves=2).moves, 1e-2, data)
>>> found: DriveCheck = check(motion)
>>> found.ok, require_drives(motion).ok
(True, True)
>>> motors: MotorState = motor_state(motion)
>>> set_points(motion, "cyclic position").shape == motors.torque.shape
True
>>> unreachable: list[Excess] = contradictions(data)
>>> steps = resolutions(data)
>>> bool(steps[-1] == resolution(ACTUATORS[-1], data))
True
>>> bool(abs(quantised(motion.axes, data) - motion.axes).max() <= steps.max())
True
>>> leg_speed(data) > 0.1, turns_per_metre(ACTUATORS[-1], data) > 100.0
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbody.errors import LimitError, ModelError
from symbody.links.cia402 import MODES
from symbody.motion.data import ACTUATORS, POSE, Array, PlatformData
from symbody.motion.kinematics import inverse_jacobian, twist_of_rates
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.servo import drive_force
from symbody.suggestions import did_you_mean

__all__ = [
    "DriveCheck",
    "Excess",
    "MotorState",
    "check",
    "contradictions",
    "leg_speed",
    "motor_state",
    "quantised",
    "require_drives",
    "resolution",
    "resolutions",
    "set_points",
    "turns_per_metre",
]

RPM = 2.0 * pi / 60.0  # rad/s
PER_MILLE = 1000.0


def turns_per_metre(actuator: str, data: PlatformData) -> float:
    """n = i/R: rotation of the motor for a metre of travel; also force by torque (N per N m).

    Parameters
    ----------
    actuator : str
        A name of `ACTUATORS`.
    data : PlatformData
        The platform.

    Returns
    -------
    float
        rad/m.
    """
    return drive_force(actuator, data, peak=False) / data.drives["motor"]["torque"]


def leg_speed(data: PlatformData) -> float:
    """Largest speed of a leg: its own limit, or the rated speed of its motor.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    float
        m/s.
    """
    return min(data.legs.speed, data.drives["motor"]["speed"] * RPM / turns_per_metre(ACTUATORS[-1], data))


def resolution(actuator: str, data: PlatformData) -> float:
    """Travel of one increment of the encoder on the motor.

    Parameters
    ----------
    actuator : str
        A name of `ACTUATORS`.
    data : PlatformData
        The platform.

    Returns
    -------
    float
        m.
    """
    return 2.0 * pi / (data.drives["motor"]["increments"] * turns_per_metre(actuator, data))


def resolutions(data: PlatformData) -> Array:
    """`resolution` of all actuators.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (8,)
        m.
    """
    return np.array([resolution(name, data) for name in ACTUATORS])


def quantised(q: Array, data: PlatformData) -> Array:
    """Encoder readings of actuators: whole increments.

    Parameters
    ----------
    q : array, shape (…, 8)
        m.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 8)
        m.
    """
    step = resolutions(data)
    return np.asarray(step * np.round(np.asarray(q) / step))


@dataclass(frozen=True)
class Excess:
    """An exceeded limit.

    Parameters
    ----------
    axis : str
        Its name.
    quantity : str
        Such as "speed".
    time : float
        First time (s).
    value : float
        Worst value.
    limit : float
        The limit.
    unit : str
        Of both.
    """

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
    """State of the motors in a motion.

    Parameters
    ----------
    torque, speed, current : array, shape (n, 8)
        N m, rad/s, A.
    """

    torque: Array
    speed: Array
    current: Array


def motor_state(motion: PlatformMotion) -> MotorState:
    """Motors in a motion: Γ_m = F/n, ω_m = n v, I = Γ_m/k.

    Parameters
    ----------
    motion : PlatformMotion
        Of the axes.

    Returns
    -------
    MotorState
        One row for each time.
    """
    motor = motion.data.drives["motor"]
    torque = motion.forces() / _turns(motion.data)
    return MotorState(torque, motor_speed(motion), torque * (motor["current"] / motor["torque"]))


def motor_speed(motion: PlatformMotion) -> Array:
    """ω_m = n v (n, 8) of the motors in a motion (rad/s)."""
    return motion.actuator_rates * _turns(motion.data)


def _turns(data: PlatformData) -> Array:
    """n of all actuators (rad/m)."""
    return np.array([turns_per_metre(name, data) for name in ACTUATORS])


@dataclass(frozen=True, eq=False)
class DriveCheck:
    """Motors in a motion, and the limits that they exceed.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    torque : array, shape (n, 8)
        N m.
    speed : array, shape (n, 8)
        rad/s.
    current : array, shape (n, 8)
        A.
    passed : list of Excess
        Exceeded limits.
    """

    t: Array
    torque: Array
    speed: Array
    current: Array
    passed: list[Excess]

    @property
    def ok(self) -> bool:
        """Whether no limit is exceeded."""
        return not self.passed


def check(motion: PlatformMotion) -> DriveCheck:
    """Motor torque, speed and current of a motion against their limits.

    The speed is limited to the rated speed. The current is limited to the peak current, to the peak time above the
    rated current, and to the rated current as a root mean square over the motion (heat).

    Parameters
    ----------
    motion : PlatformMotion
        Of the axes.

    Returns
    -------
    DriveCheck
        All exceeded limits with axis, time and value.
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
    """`check`, with an error for an exceeded limit.

    Parameters
    ----------
    motion : PlatformMotion
        Of the axes.

    Returns
    -------
    DriveCheck
        Without exceeded limits.

    Raises
    ------
    LimitError
        For the first exceeded limit.
    """
    found = check(motion)
    if found.passed:
        first = min(found.passed, key=lambda excess: excess.time)
        problem = f"platform: {first} (move more slowly, or reduce the load)"
        raise LimitError(problem, limit=f"{first.quantity} of {first.axis}", value=first.value, time=first.time)
    return found


def _beyond(axis: str, quantity: str, t: Array, values: Array, limit: float, unit: str) -> Iterator[Excess]:
    wrong = ~(np.abs(values) <= limit)  # NaN is wrong, too
    if wrong.any():
        first, worst = int(wrong.argmax()), int(np.nanargmax(np.where(wrong, np.abs(values), -1.0)))
        yield Excess(axis, quantity, float(t[first]), float(values[worst]), limit, unit)


def _too_long(axis: str, t: Array, current: Array, rated: float, longest: float) -> Iterator[Excess]:
    """Current above the rated one for longer than the peak time."""
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
    """Set points of the drives for a motion.

    Parameters
    ----------
    motion : PlatformMotion
        Of the axes.
    mode : str
        Of CiA 402: one of `MODES`.

    Returns
    -------
    array of int, shape (n, 8)
        Increments, rpm or per mille of the rated torque, rounded.

    Raises
    ------
    ModelError
        For an unknown mode.
    LimitError
        If a drive cannot follow.
    """
    if mode not in MODES:
        raise ModelError(f"no drive mode '{mode}'", cure=did_you_mean(mode, MODES, "modes"))
    quantity, largest = MODES[mode].quantity, MODES[mode].largest
    state = motor_state(motion)
    values = {
        "position": motion.actuators / resolutions(motion.data),
        "speed": state.speed / RPM,
        "torque": state.torque / motion.data.drives["motor"]["torque"] * PER_MILLE,
    }[quantity]
    for i, axis in enumerate(ACTUATORS):
        for excess in _beyond(axis, f"set point of the {quantity}", motion.t, values[:, i], largest, ""):
            raise LimitError(f"platform: {excess}", limit=mode, value=excess.value, time=excess.time)
    return np.round(values).astype(np.int64)


def contradictions(data: PlatformData) -> list[Excess]:
    """Speed limits that the drives cannot reach: each axis alone at its speed limit, at the neutral pose.

    Parameters
    ----------
    data : PlatformData
        The platform.

    Returns
    -------
    list of Excess
        Empty if there are none.
    """
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
            quantity = f"motor speed of {leg} at the axis' own limit of {rates[i]:.3g} per second:"
            found.append(Excess(axis, quantity, 0.0, speed, limit, "rpm"))
    return found
