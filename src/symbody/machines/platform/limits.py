"""Whether a motion can be done: axes, speeds, accelerations, strokes and tilts of legs, singular poses; what is not is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from symbody.errors import LimitError, ModelError, SingularityError
from symbody.machines.platform.data import AXES, LEGS, Array, AxisLimit, PlatformData
from symbody.machines.platform.geometry import leg_vectors, length, rotation
from symbody.machines.platform.kinematics import inverse_jacobian

NEAREST = 0.02  # smallest singular value of the scaled J⁻¹ that is allowed; it is 0.2 at the neutral pose


class AxisMotion(NamedTuple):
    """A motion in the order of AXES: times (n,), axes (n, 8), their rates and second derivatives (m, rad, s)."""

    t: Array
    axes: Array
    rates: Array
    second: Array


def check_motion(motion: AxisMotion, data: PlatformData) -> None:
    """Refuse a motion that the platform cannot do: LimitError names what, when and by how much; SingularityError when."""
    for name, values, (low, high), unit in watched(motion, data):
        require_within(motion.t, name, values, low, high, unit)
    require_regular(motion.t, motion.axes[..., 2:], data)


def watched(motion: AxisMotion, data: PlatformData) -> Iterator[tuple[str, Array, tuple[float, float], str]]:
    """Everything with ends: its name, its values over time, its ends and its unit."""
    yield from axis_values(motion, data.limits)
    legs, foot, top = leg_states(motion.axes[..., 2:], data)
    stroke = data.legs.shortest, data.legs.longest
    for k, leg in enumerate(LEGS):
        yield f"leg {leg}", legs[:, k], stroke, "m"
        yield f"lean of leg {leg} at its foot", foot[:, k], (0.0, data.legs.foot_tilt), "rad"
        yield f"lean of leg {leg} at its top", top[:, k], (0.0, data.legs.top_tilt), "rad"


def axis_values(
    motion: AxisMotion, limits: Mapping[str, AxisLimit]
) -> Iterator[tuple[str, Array, tuple[float, float], str]]:
    """Places, speeds and accelerations of the axes that have limits."""
    for k, axis in enumerate(AXES):
        if axis in limits:
            limit, unit = limits[axis], "rad" if PlatformData.is_turn(axis) else "m"
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


def scaled_jacobian(pose: Array, data: PlatformData) -> Array:
    """J⁻¹ with turns measured at the upper anchors' radius, so that all its elements are pure numbers (…, 6, 6)."""
    radius = float(np.linalg.norm(data.tops[0]))
    scaled: Array = inverse_jacobian(pose, data) * np.repeat([1.0, 1.0 / radius], 3)
    return scaled


def singular_value(pose: Array, data: PlatformData) -> Array:
    """Smallest singular value of the scaled J⁻¹, with the sign of its determinant: it passes zero at singular poses."""
    J = scaled_jacobian(pose, data)
    signed: Array = np.sign(np.linalg.det(J)) * np.linalg.svd(J, compute_uv=False)[..., -1]
    return signed


def require_within(t: Array, name: str, values: Array, low: float, high: float, unit: str) -> None:
    """Refuse values beyond an end, or that are no numbers, naming the first."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        k = int(wrong.argmax())
        told = f"{name} = {values[k]:.4g} {unit} at t = {t[k]:.4g} s"
        cure = f"keep it within {low:.4g} … {high:.4g} {unit}"
        raise LimitError(f"platform: {told} ({cure})", limit=name, value=float(values[k]), time=float(t[k]))


def require_regular(t: Array, pose: Array, data: PlatformData) -> None:
    """Refuse a motion that comes to a singular pose, or passes one between two of its times."""
    side = np.sign(singular_value(data.neutral, data))
    clearance = side * singular_value(pose, data)
    wrong = ~(clearance >= NEAREST)
    if wrong.any():
        k = int(wrong.argmax())
        what = "crosses a singular pose" if clearance[k] < 0.0 else f"comes to {clearance[k]:.2g} of a singular pose"
        place = ", ".join(f"{axis} {value:.3g}" for axis, value in zip(AXES[2:], pose[k], strict=True))
        cure = "stay higher above the base, or turn less"
        raise SingularityError(f"platform: {what} at t = {t[k]:.4g} s: {place} ({cure})", time=float(t[k]))


def check_pose(axes: Array, data: PlatformData) -> None:
    """Refuse a place of the eight axes at rest that the platform cannot take."""
    axes = np.atleast_2d(np.asarray(axes, dtype=float))
    if axes.shape != (1, len(AXES)):
        raise ModelError(f"{axes.size} numbers for a pose", element="platform", cure=f"give eight: {', '.join(AXES)}")
    still = np.zeros_like(axes)
    check_motion(AxisMotion(np.zeros(1), axes, still, still), data)
