"""Laws of the tilting vehicle: side forces of its axles, its drive, and the torque of its roll controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.elements.vectors import Triple, columns, dot, scaled
from symbody.expr.functions import atan
from symbody.model.plain_numbers import GRAVITY

SLOW = 1.0  # m/s: below it slip angles become viscous, and none divides by zero


def heading(at: Any) -> tuple[Triple, Triple]:
    """Forwards and to the left on the road, of a frame that yaws and rolls."""
    forward = columns(at.rotation)[0]
    return forward, (-forward[1], forward[0], 0.0)


def side_force(at: Any, stiffness: Scalar, steer: Scalar) -> Triple:
    """F = −C α to the left, α = v_y/v_x − δ: an axle that does not slide (N)."""
    forward, left = heading(at)
    along = dot(at.velocity, forward)
    slip = dot(at.velocity, left) / (along * along + SLOW * SLOW) ** 0.5 - steer
    return scaled(-stiffness * slip, left)


def drive_force(at: Any, p: Named) -> Triple:
    """F = k (v₀ − v) forwards (N): a drive that holds the speed."""
    forward, _ = heading(at)
    return scaled(p.pull * (p.speed - dot(at.velocity, forward)), forward)


def balanced_lean(speed: Scalar, yaw_rate: Scalar, arctan: Callable[[Any], Any] = atan) -> Scalar:
    """φ = −atan(v ψ̇/g) (rad), at which weight and centrifugal force pass through the tilting shaft's plane."""
    return -arctan(speed * yaw_rate / GRAVITY)


def tilt_torque(p: Named, lean: Scalar, rate: Scalar, wanted: Scalar) -> Scalar:
    """k (φ_wanted − φ) − c φ̇ (N m), of the motor between frame and cabin; φ is the cabin's lean to the vertical."""
    return p.stiffness * (wanted - lean) - p.damping * rate


def lean(s: Motion) -> Scalar:
    """Of the cabin, to the vertical (rad): roll of the frame and tilt; to the right is positive."""
    return s.q["roll"] + s.q["tilt"]
