"""Velocities and accelerations of a hexapod in closed form: legs, passive joints, Jacobians.

A twist is [v; ω] of O_u relative to O_l, an acceleration is its derivative [v̇; ω̇], both in ground axes (Houda 2020,
§3.3.2, with corrected signs and transposes). The sliders do not rotate the base: rotations are absolute.
Arrays may have any leading axes and may hold expressions, as in `geometry.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lu

from symbody.expr.linear import Factors, factorise
from symbody.expr.vector import Mat, Vec
from symbody.motion.data import PlatformData
from symbody.motion.geometry import Values, leg_vectors, length


def inverse_jacobian(pose: Values, data: PlatformData) -> Values:
    """J⁻¹ of q̇_a = J⁻¹ [v; ω], with the rows [a_kᵀ, (L_k × a_k)ᵀ].

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 6, 6)
        Rows by leg.
    """
    d, L = leg_vectors(pose, data)
    return leg_rows(d / length(d)[..., None], L)


def leg_rows(f: Values, L: Values) -> Values:
    """[f_k; L_k × f_k]: forces (or directions) at the leg tops as wrenches at O_u, (…, 6, 6)."""
    return np.concatenate([f, np.cross(L, f)], axis=-1)


def euler_map(angles: Values) -> Values:
    """E of ω = E [φ̇ θ̇ ψ̇]: columns are the axes of roll, pitch and yaw in the ground frame, (…, 3, 3)."""
    _, cp, cy = np.moveaxis(np.cos(angles), -1, 0)
    _, sp, sy = np.moveaxis(np.sin(angles), -1, 0)
    zero, one = 0.0 * cp, 0.0 * cp + 1.0
    columns = ((cy * cp, sy * cp, -sp), (-sy, cy, zero), (zero, zero, one))
    return np.stack([np.stack(column, axis=-1) for column in columns], axis=-1)


def twist_of_rates(pose: Values, rates: Values) -> Values:
    """[v; ω] of the pose's rates [ẋ ẏ ż φ̇ θ̇ ψ̇]."""
    turning = euler_map(pose[..., 3:]) @ rates[..., 3:, None]
    return np.concatenate([rates[..., :3], turning[..., 0]], axis=-1)


def rates_of_twist(pose: Values, twist: Values) -> Values:
    """[ẋ ẏ ż φ̇ θ̇ ψ̇] of a twist [v; ω]; singular where the pitch is ±90°."""
    _, cp, cy = np.moveaxis(np.cos(pose[..., 3:]), -1, 0)
    _, sp, sy = np.moveaxis(np.sin(pose[..., 3:]), -1, 0)
    wx, wy, wz = np.moveaxis(twist[..., 3:], -1, 0)
    roll = (cy * wx + sy * wy) / cp
    return np.concatenate([twist[..., :3], np.stack([roll, cy * wy - sy * wx, wz + sp * roll], axis=-1)], axis=-1)


def acceleration_of_rates(pose: Values, rates: Values, second: Values) -> Values:
    """[v̇; ω̇] of the pose's rates and second derivatives: ω̇ = E φ̈ + Ė φ̇; pitch turns with yaw, roll with both."""
    E = euler_map(pose[..., 3:])
    roll, pitch, yaw = (E[..., k] * rates[..., 3 + k, None] for k in range(3))
    carried = np.cross(yaw, pitch) + np.cross(yaw + pitch, roll)
    turning = (E @ second[..., 3:, None])[..., 0] + carried
    return np.concatenate([second[..., :3], turning], axis=-1)


class LegFrames(NamedTuple):
    """Frames R_3k of the legs: x₃, y₃, a₃ (…, 6, 3) in the ground frame, q₃ and sine and cosine of q₁ and q₂ (…, 6)."""

    x: Values
    y: Values
    a: Values
    q3: Values
    s1: Values
    c1: Values
    s2: Values
    c2: Values

    def own(self, w: Values) -> tuple[Values, Values, Values]:
        """Components of w (…, 6, 3) in the legs' frames."""
        return tuple(dot(e, w) for e in (self.x, self.y, self.a))

    def ground(self, x: Values, y: Values, z: Values) -> Values:
        """The vector with these components, in the ground frame."""
        return self.x * x[..., None] + self.y * y[..., None] + self.a * z[..., None]


def dot(a: Values, b: Values) -> Values:
    """a · b of (…, 3): three additions of whole arrays are faster than many sums of three."""
    c = a * b
    return c[..., 0] + c[..., 1] + c[..., 2]


def leg_frames(d: Values) -> LegFrames:
    """Frames of legs along d (…, 6, 3): a₃ = (c₁s₂, −c₂, −s₁s₂), y₃ = (s₁, 0, c₁), x₃ = (c₁c₂, s₂, −s₁c₂)."""
    dx, dy, dz = np.moveaxis(d, -1, 0)
    flat2 = dx * dx + dz * dz
    flat, q3 = np.sqrt(flat2), np.sqrt(flat2 + dy * dy)
    s1, c1, s2, c2 = -dz / flat, dx / flat, flat / q3, -dy / q3
    x, y = np.stack([c1 * c2, s2, -s1 * c2], axis=-1), np.stack([s1, 0.0 * s1, c1], axis=-1)
    return LegFrames(x, y, d / q3[..., None], q3, s1, c1, s2, c2)


class LegMotion(NamedTuple):
    """Motion of the leg joints: rates q̇_1k, q̇_2k, q̇_3k and second derivatives, each (…, 6)."""

    q1d: Values
    q2d: Values
    q3d: Values
    q1dd: Values
    q2dd: Values
    q3dd: Values


def top_motion(L: Values, twist: Values, acceleration: Values) -> tuple[Values, Values]:
    """v_pk = v + ω × L_k and v̇_pk = v̇ + ω̇ × L_k + ω × (ω × L_k), both (…, 6, 3)."""
    twist, acceleration = np.asarray(twist), np.asarray(acceleration)
    v, w = twist[..., None, :3], twist[..., None, 3:]
    vd, wd = acceleration[..., None, :3], acceleration[..., None, 3:]
    turning = np.cross(w, L)
    return v + turning, vd + np.cross(wd, L) + np.cross(w, turning)


def leg_velocities(frames: LegFrames, v: Values) -> tuple[Values, Values, Values]:
    """q̇_1k, q̇_2k, q̇_3k (…, 6) from the velocity of the leg's top: in R_3k, v = (q₃q̇₂, −q₃s₂q̇₁, q̇₃)."""
    vx, vy, q3d = frames.own(v)
    return -vy / (frames.q3 * frames.s2), vx / frames.q3, q3d


def leg_motion(frames: LegFrames, v: Values, vd: Values) -> LegMotion:
    """Rates of the joints from the motion of the leg's top: q̇_k = ³J_3k⁻¹ v, and its derivative.

    In R_3k: ω = (s₂q̇₁, q̇₂, −c₂q̇₁); singular only where q₃ or sin q₂ is zero.
    """
    q3, s2, c2 = frames.q3, frames.s2, frames.c2
    q1d, q2d, q3d = leg_velocities(frames, v)
    ax, ay, az = frames.own(vd)
    q3dd = az + q3 * (s2 * s2 * q1d * q1d + q2d * q2d)
    q2dd = (ax - 2.0 * q3d * q2d) / q3 + s2 * c2 * q1d * q1d
    q1dd = -((ay + 2.0 * q3d * s2 * q1d) / q3 + 2.0 * c2 * q1d * q2d) / s2
    return LegMotion(q1d, q2d, q3d, q1dd, q2dd, q3dd)


def leg_rates(pose: Values, twist: Values, acceleration: Values, data: PlatformData) -> LegMotion:
    """First and second derivatives of all leg joints: active q̈_3k = J⁻¹ẍ + J̇⁻¹ẋ, and passive ones.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    twist : array, shape (…, 6)
        [v; ω] of the upper plate (m/s, rad/s).
    acceleration : array, shape (…, 6)
        [v̇; ω̇] (m/s², rad/s²).
    data : PlatformData
        The platform.

    Returns
    -------
    LegMotion
        By joint.
    """
    d, L = leg_vectors(pose, data)
    return leg_motion(leg_frames(d), *top_motion(L, twist, acceleration))


# -- six linear equations, one for each leg ----------------------------------------------------------------------------


def solve(J: Values, r: Values, data: PlatformData) -> Values:
    """x of J x = r; J (…, 6, 6) has a row for each leg. Numbers by LAPACK, expressions by elimination."""
    if J.dtype != object:
        return np.linalg.solve(J, r[..., None])[..., 0]
    x, order = np.empty(6, dtype=object), list(_pivot_order(data))
    x[order] = _factors(J, order).solve_transposed(Vec(r))
    return x


def solve_transposed(J: Values, r: Values, data: PlatformData) -> Values:
    """x of Jᵀ x = r, as `solve`: leg forces that add up to the wrench r."""
    if J.dtype != object:
        return np.linalg.solve(np.swapaxes(J, -1, -2), r[..., None])[..., 0]
    order = list(_pivot_order(data))
    return np.array(_factors(J, order).solve(Vec(r[order])), dtype=object)


def _factors(J: Values, order: list[int]) -> Factors:
    return factorise(Mat([Vec(J[:, i]) for i in order]))


@cache
def _pivot_order(data: PlatformData) -> tuple[int, ...]:
    """Order of the components of a wrench that gives an elimination the best pivots at the neutral pose."""
    P: Any = lu(inverse_jacobian(data.neutral, data).T)[0]
    return tuple(int(i) for i in P.argmax(axis=0))
