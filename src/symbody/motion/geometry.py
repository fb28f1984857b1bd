"""Geometry of a 6-UPS hexapod in closed form: leg lengths and passive joints of a pose (Houda 2020, §3.3.1).

pose = [x y z φ θ ψ]: position of O_u relative to O_l, and A = Rz(ψ) Ry(θ) Rx(φ). Arrays may have any leading axes. They
may also hold expressions: the same lines then produce compiled C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.expr import numpy_functions as _  # noqa: F401  (arrays of expressions)
from symbody.motion.data import PlatformData

Values = Any  # an array of numbers or of expressions


def rotation(angles: Values) -> Values:
    """A = Rz(ψ) Ry(θ) Rx(φ) of (…, 3) angles φ θ ψ (rad): (…, 3, 3)."""
    angles = np.asarray(angles)
    cr, cp, cy = np.moveaxis(np.cos(angles), -1, 0)
    sr, sp, sy = np.moveaxis(np.sin(angles), -1, 0)
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def leg_vectors(pose: Values, data: PlatformData) -> tuple[Values, Values]:
    """d_k = B_kP_k = [x y z] + L_k − B_k and L_k = A O_uP_k: both (…, 6, 3)."""
    pose = np.asarray(pose)
    L = data.tops @ np.swapaxes(rotation(pose[..., 3:]), -1, -2)
    return pose[..., None, :3] + L - data.feet, L


def length(d: Values) -> Values:
    """‖d‖ of (…, 3)."""
    return np.sqrt((d * d).sum(axis=-1))


def leg_lengths(pose: Values, data: PlatformData) -> Values:
    """Lengths of the legs, q_3k = ‖B_kP_k‖.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 6)
        m.
    """
    return length(leg_vectors(pose, data)[0])


def leg_angles(d: Values) -> Values:
    """Passive joints (…, 2) of legs along d (…, 3): q₁ = atan2(−a_z, a_x), q₂ = acos(−a_y); a = (c₁s₂, −c₂, −s₁s₂)."""
    q1 = np.arctan2(-d[..., 2], d[..., 0])
    q2 = np.arctan2(np.sqrt(d[..., 0] ** 2 + d[..., 2] ** 2), -d[..., 1])  # exact where acos is not
    return np.stack([q1, q2], axis=-1)


def inverse_geometry(axes: Values, data: PlatformData) -> tuple[Values, Values]:
    """Actuators and passive joints at a position of the axes.

    Parameters
    ----------
    axes : array, shape (…, 8)
        (x_t, y_t, pose) (m, rad).
    data : PlatformData
        The platform.

    Returns
    -------
    (array, array), shape (array, array), shapes (…, 8) and (…, 6, 2)
        q = (x_t, y_t, q_31 … q_36) (m), and the passive joints q_1k, q_2k (rad).
    """
    axes = np.asarray(axes)
    d, _L = leg_vectors(axes[..., 2:], data)
    return np.concatenate([axes[..., :2], length(d)], axis=-1), leg_angles(d)
