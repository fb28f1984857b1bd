"""Limits of a motion: axes, speeds, accelerations, strokes and tilts of legs, singular poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

import numpy as np

from symbody.errors import LimitError, ModelError, SingularityError
from symbody.motion.data import AXES, LEGS, POSE, Array, AxisLimit, PlatformData
from symbody.motion.geometry import leg_vectors, length, rotation
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.singularity import determinant, distance

NEAREST = 5e-3  # m, smallest distance to a singular position
Watched = tuple[str, Array, tuple[float, float], str]  # name, values over time, ends, unit


def check_motion(motion: PlatformMotion) -> None:
    """Check a motion against all limits.

    Parameters
    ----------
    motion : PlatformMotion
        With the platform whose limits it must keep.

    Raises
    ------
    LimitError
        Names the quantity, its value and the time.
    SingularityError
        Names pose and time.
    """
    for name, values, (low, high), unit in watched(motion):
        require_within(motion.t, name, values, low, high, unit)
    require_regular(motion)


def watched(motion: PlatformMotion) -> Iterator[Watched]:
    """All quantities that have limits."""
    data = motion.data
    yield from axis_values(motion, data.limits)
    legs, foot, top = leg_states(motion.pose, data)
    stroke = data.legs.shortest, data.legs.longest
    for k, leg in enumerate(LEGS):
        yield f"leg {leg}", legs[:, k], stroke, "m"
        yield f"tilt of leg {leg} at its foot", foot[:, k], (0.0, data.legs.foot_tilt), "rad"
        yield f"tilt of leg {leg} at its top", top[:, k], (0.0, data.legs.top_tilt), "rad"
        for what, values, most, unit in (
            ("speed", motion.legs.q3d, data.legs.speed, "m/s"),
            ("acceleration", motion.legs.q3dd, data.legs.acceleration, "m/s²"),
        ):
            if most < inf:
                yield f"{what} of leg {leg}", values[:, k], (-most, most), unit


def axis_values(motion: PlatformMotion, limits: Mapping[str, AxisLimit]) -> Iterator[Watched]:
    """Positions, speeds and accelerations of the axes that have limits."""
    for k, axis in enumerate(AXES):
        if axis in limits:
            limit, unit = limits[axis], PlatformData.unit(axis)
            yield axis, motion.axes[:, k], (limit.low, limit.high), unit
            yield f"speed of {axis}", motion.rates[:, k], (-limit.speed, limit.speed), f"{unit}/s"
            ends = (-limit.acceleration, limit.acceleration)
            yield f"acceleration of {axis}", motion.second[:, k], ends, f"{unit}/s²"


def leg_states(pose: Array, data: PlatformData) -> tuple[Array, Array, Array]:
    """Lengths (m) of the legs, and their angles to the normals of the lower and the upper plate (rad), each (…, 6)."""
    d, _ = leg_vectors(pose, data)
    legs = length(d)
    normal = rotation(np.asarray(pose)[..., 3:])[..., 2]
    foot = np.arccos(np.clip(d[..., 2] / legs, -1.0, 1.0))
    top = np.arccos(np.clip((d * normal[..., None, :]).sum(axis=-1) / legs, -1.0, 1.0))
    return legs, foot, top


def require_within(t: Array, name: str, values: Array, low: float, high: float, unit: str) -> None:
    """Raise LimitError at the first value that is outside the limits or not a number."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        k = int(wrong.argmax())
        problem = f"{name} = {values[k]:.4g} {unit} at t = {t[k]:.4g} s"
        cure = f"keep it within {low:.4g} … {high:.4g} {unit}"
        raise LimitError(f"platform: {problem} ({cure})", limit=name, value=float(values[k]), time=float(t[k]))


def clearance_of(pose: Array, data: PlatformData) -> Array:
    """Distance (…) (m) of poses to the nearest singular position, negative beyond one: det J⁻¹ changes its sign."""
    side = np.sign(determinant(data.neutral, data))
    return np.asarray(np.sign(determinant(pose, data)) * side * distance(pose, data))


def require_regular(motion: PlatformMotion) -> None:
    """Raise SingularityError if a motion comes near a singular pose, or passes one."""
    pose = motion.pose
    clearance = clearance_of(pose, motion.data)
    wrong = ~(clearance >= NEAREST)
    if wrong.any():
        k = int(wrong.argmax())
        what = (
            "passes a singular pose"
            if clearance[k] < 0.0
            else f"comes within {1e3 * clearance[k]:.2g} mm of a singular pose"
        )
        place = ", ".join(f"{axis} {value:.3g}" for axis, value in zip(POSE, pose[k], strict=True))
        cure = "stay higher above the base, or turn less"
        problem = f"platform: the motion {what} at t = {motion.t[k]:.4g} s: {place} ({cure})"
        raise SingularityError(problem, time=float(motion.t[k]))


def check_pose(axes: Array, data: PlatformData) -> None:
    """Check a position at rest, as `check_motion`.

    Parameters
    ----------
    axes : array, shape (8,)
        m, rad.
    data : PlatformData
        The platform.

    Raises
    ------
    ModelError
        If there are not eight numbers.
    LimitError
        If the pose is outside a limit.
    """
    axes = np.atleast_2d(np.asarray(axes, dtype=float))
    if axes.shape != (1, len(AXES)):
        raise ModelError(f"{axes.size} numbers for a pose", element="platform", cure=f"give eight: {', '.join(AXES)}")
    still = np.zeros_like(axes)
    check_motion(PlatformMotion(np.zeros(1), axes, still, still, data))
