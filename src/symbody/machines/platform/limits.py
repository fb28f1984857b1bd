"""Whether a motion can be done: axes, speeds, accelerations, strokes and leans of legs, singular poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symbody.errors import LimitError, ModelError, SingularityError
from symbody.machines.platform.data import AXES, LEGS, POSE, Array, AxisLimit, PlatformData
from symbody.machines.platform.geometry import leg_vectors, length, rotation
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.singularity import determinant, distance

NEAREST = 5e-3  # m that the platform may shift and surely meet no singular place
Watched = tuple[str, Array, tuple[float, float], str]  # name, values over time, ends, unit


def check_motion(motion: PlatformMotion) -> None:
    """Refuse a motion that cannot be done: LimitError names what, when and by how much; SingularityError when."""
    for name, values, (low, high), unit in watched(motion):
        require_within(motion.t, name, values, low, high, unit)
    require_regular(motion)


def watched(motion: PlatformMotion) -> Iterator[Watched]:
    """Everything with ends."""
    data = motion.data
    yield from axis_values(motion, data.limits)
    legs, foot, top = leg_states(motion.pose, data)
    stroke = data.legs.shortest, data.legs.longest
    for k, leg in enumerate(LEGS):
        yield f"leg {leg}", legs[:, k], stroke, "m"
        yield f"lean of leg {leg} at its foot", foot[:, k], (0.0, data.legs.foot_tilt), "rad"
        yield f"lean of leg {leg} at its top", top[:, k], (0.0, data.legs.top_tilt), "rad"


def axis_values(motion: PlatformMotion, limits: Mapping[str, AxisLimit]) -> Iterator[Watched]:
    """Places, speeds and accelerations of the axes that have limits."""
    for k, axis in enumerate(AXES):
        if axis in limits:
            limit, unit = limits[axis], PlatformData.unit(axis)
            yield axis, motion.axes[:, k], (limit.low, limit.high), unit
            yield f"speed of {axis}", motion.rates[:, k], (-limit.speed, limit.speed), f"{unit}/s"
            ends = (-limit.acceleration, limit.acceleration)
            yield f"acceleration of {axis}", motion.second[:, k], ends, f"{unit}/s²"


def leg_states(pose: Array, data: PlatformData) -> tuple[Array, Array, Array]:
    """Lengths (m) of the legs, and how far they lean from the normals of lower and upper plate (rad), each (…, 6)."""
    d, _ = leg_vectors(pose, data)
    legs = length(d)
    normal = rotation(np.asarray(pose)[..., 3:])[..., 2]
    foot = np.arccos(np.clip(d[..., 2] / legs, -1.0, 1.0))
    top = np.arccos(np.clip((d * normal[..., None, :]).sum(axis=-1) / legs, -1.0, 1.0))
    return legs, foot, top


def require_within(t: Array, name: str, values: Array, low: float, high: float, unit: str) -> None:
    """Refuse values beyond an end, or that are no numbers, naming the first."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        k = int(wrong.argmax())
        told = f"{name} = {values[k]:.4g} {unit} at t = {t[k]:.4g} s"
        cure = f"keep it within {low:.4g} … {high:.4g} {unit}"
        raise LimitError(f"platform: {told} ({cure})", limit=name, value=float(values[k]), time=float(t[k]))


def require_regular(motion: PlatformMotion) -> None:
    """Refuse a motion that comes to a singular pose, or passes one between two of its times: det J⁻¹ changes sign."""
    data, pose = motion.data, motion.pose
    side = np.sign(determinant(data.neutral, data))
    clearance = np.sign(determinant(pose, data)) * side * distance(pose, data)
    wrong = ~(clearance >= NEAREST)
    if wrong.any():
        k = int(wrong.argmax())
        what = (
            "passes a singular pose"
            if clearance[k] < 0.0
            else f"comes within {1e3 * clearance[k]:.2g} mm of a singular pose"
        )
        place = ", ".join(f"{axis} {value:.3g}" for axis, value in zip(POSE, pose[k], strict=True))
        told = f"platform: it {what} at t = {motion.t[k]:.4g} s: {place} (stay higher above the base, or turn less)"
        raise SingularityError(told, time=float(motion.t[k]))


def check_pose(axes: Array, data: PlatformData) -> None:
    """Refuse a place of the eight axes at rest that the platform cannot take."""
    axes = np.atleast_2d(np.asarray(axes, dtype=float))
    if axes.shape != (1, len(AXES)):
        raise ModelError(f"{axes.size} numbers for a pose", element="platform", cure=f"give eight: {', '.join(AXES)}")
    still = np.zeros_like(axes)
    check_motion(PlatformMotion(np.zeros(1), axes, still, still, data))
