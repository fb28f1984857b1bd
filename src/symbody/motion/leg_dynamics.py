"""Inverse dynamics of a leg as a serial chain of yoke, cylinder and rod, in closed form (Newton–Euler in R_3k).

Cylinder and rod have the same ω = (s₂q̇₁, q̇₂, −c₂q̇₁), so their inertias add; the yoke turns about y₀ with q̇₁.
Arrays may have any leading axes and may hold expressions, as in `geometry.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbody.motion.data import Array, Inertial, PlatformData
from symbody.motion.geometry import Values
from symbody.motion.kinematics import LegFrames, LegMotion, leg_motion

R_32 = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # from a cylinder's frame to its rod's


class Moments(NamedTuple):
    """Mass (kg), first moments MS (kg m) and inertia about the frame's origin (kg m²)."""

    mass: float
    MS: Array
    inertia: Array


def moments(body: Inertial, R: Array | None = None) -> Moments:
    """Moments of a body about the origin of its frame, rotated by R: inertia = I_c + M (c² 1 − c cᵀ)."""
    xx, yy, zz, xy, xz, yz = body.inertia
    c, R = np.array(body.com), np.eye(3) if R is None else R
    central = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Moments(
        body.mass, R @ (body.mass * c), R @ (central + body.mass * (c @ c * np.eye(3) - np.outer(c, c))) @ R.T
    )


class LegLoads(NamedTuple):
    """Loads of the legs themselves, (…, 6, 3): J_3k⁻ᵀH_k, that is H_k as forces at their tops, and Σ m (v̇ − g)."""

    at_top: Values
    momentum_rate: Values


def leg_loads(frames: LegFrames, v: Values, vd: Values, base: Values, data: PlatformData) -> LegLoads:
    """Loads of legs whose tops have v, v̇ (…, 6, 3) relative to feet with acceleration `base` − g (…, 6, 3)."""
    motion = leg_motion(frames, v, vd)
    q3, s2, c2, q1d, q2d = frames.q3, frames.s2, frames.c2, motion.q1d, motion.q2d
    w = np.stack([s2 * q1d, q2d, -c2 * q1d], axis=-1)
    wd = np.stack([s2 * motion.q1dd + c2 * q1d * q2d, motion.q2dd, s2 * q1d * q2d - c2 * motion.q1dd], axis=-1)
    foot = np.stack(frames.own(base), axis=-1)
    top = foot + np.stack(frames.own(vd), axis=-1)
    cylinder, rod = moments(data.bodies["cylinder"], R_32), moments(data.bodies["rod"])

    def force(body: Moments, at: Values) -> Values:
        return body.mass * at + np.cross(wd, body.MS) + np.cross(w, np.cross(w, body.MS))

    inertia, F3 = cylinder.inertia + rod.inertia, force(rod, top)
    N = wd @ inertia + np.cross(w, w @ inertia) + np.cross(cylinder.MS, foot) + np.cross(rod.MS, top)
    Nx, Ny, Nz = N[..., 0] - q3 * F3[..., 1], N[..., 1] + q3 * F3[..., 0], N[..., 2]  # with q₃ a₃ × F₃, about the foot
    F1, N1 = yoke_loads(frames, motion, base, data)
    H1, H2, H3 = s2 * Nx - c2 * Nz + N1, Ny, F3[..., 2]
    at_top = frames.ground(H2 / q3, -H1 / (q3 * s2), H3)
    return LegLoads(at_top, F1 + frames.ground(*np.moveaxis(force(cylinder, foot) + F3, -1, 0)))


def yoke_loads(frames: LegFrames, motion: LegMotion, base: Values, data: PlatformData) -> tuple[Values, Values]:
    """Σ m (v̇ − g) of the yokes (…, 6, 3), and the torque about y₀ that turns them (…, 6)."""
    yoke, s1, c1, q1d, q1dd = moments(data.bodies["yoke"]), frames.s1, frames.c1, motion.q1d, motion.q1dd
    bx, by, bz = np.moveaxis(base, -1, 0)
    MS = c1 * yoke.MS[0] - s1 * yoke.MS[1], -s1 * yoke.MS[0] - c1 * yoke.MS[1]  # along x₀ and z₀; x₁ = (c₁, 0, −s₁)
    fx = yoke.mass * bx + q1dd * MS[1] - q1d * q1d * MS[0]
    fz = yoke.mass * bz - q1dd * MS[0] - q1d * q1d * MS[1]
    return np.stack([fx, yoke.mass * by, fz], axis=-1), yoke.inertia[2, 2] * q1dd + MS[1] * bx - MS[0] * bz
