"""Direct geometry: the pose of the platform from the lengths of its legs, by Newton's method.

x ← x − E⁻¹ J r with the residual r_k = ½ (‖B_kP_k‖² − q_3k²), whose rows are [d_k, L_k × d_k]: no root is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbody.errors import AssemblyError
from symbody.machines.platform.assembly import assembly_modes
from symbody.machines.platform.data import Array, PlatformData
from symbody.machines.platform.geometry import Values, leg_vectors
from symbody.machines.platform.kinematics import inverse_jacobian, leg_rows, rates_of_twist, solve

TOLERANCE = 1e-9  # m, rad, of the last step; Newton's method leaves its square
ITERATIONS = 20
STRIDE = 0.3  # m, rad: longest step, so that a far guess does not throw the platform onto another assembly mode


def newton_step(pose: Values, lengths: Values, data: PlatformData) -> Values:
    """δ of pose ← pose − δ (…, 6)."""
    d, L = leg_vectors(pose, data)
    residual = 0.5 * ((d * d).sum(axis=-1) - lengths * lengths)
    return rates_of_twist(pose, solve(leg_rows(d, L), residual, data))


def direct_geometry(lengths: Array, data: PlatformData, guess: Array | None = None) -> Array:
    """Poses (…, 6) at which the legs have these lengths (…, 6): near a guess, or from scratch.

    From scratch the mode is the one that the neutral pose belongs to: no singular pose lies between.
    """
    lengths = np.asarray(lengths, dtype=float)
    found = _newton(lengths, data.neutral if guess is None else np.asarray(guess, dtype=float), data)
    lost = np.asarray(~np.isfinite(found).all(axis=-1))
    if guess is None:
        lost = lost | ~same_mode(found, data)
        for place in map(tuple, np.argwhere(lost)):
            found[place] = _from_modes(lengths[place], data)
    elif lost.any():
        raise AssemblyError(_refusal(lengths[tuple(np.argwhere(lost)[0])]))
    return found


def same_mode(pose: Array, data: PlatformData) -> NDArray[np.bool_]:
    """Whether poses lie on the neutral pose's side of the singular ones, above the base: by the sign of det J⁻¹."""
    sign = np.sign(np.linalg.det(inverse_jacobian(np.nan_to_num(pose, nan=1.0), data)))
    above = pose[..., 2] > 0.0
    same: NDArray[np.bool_] = above & (sign == np.sign(np.linalg.det(inverse_jacobian(data.neutral, data))))
    return same


def _newton(lengths: Array, guess: Array, data: PlatformData) -> Array:
    """Newton's method for all of a batch at once; NaN where it does not converge."""
    pose = np.array(np.broadcast_to(guess, lengths.shape))
    moving = np.ones(lengths.shape[:-1], dtype=bool)
    for _ in range(ITERATIONS):
        try:
            step = newton_step(pose[moving], lengths[moving], data)
        except np.linalg.LinAlgError:
            break
        size = np.abs(step).max(axis=-1, keepdims=True)
        pose[moving] -= step * np.minimum(1.0, STRIDE / np.maximum(size, STRIDE))
        moving[moving] = ~(size[..., 0] < TOLERANCE)
        if not moving.any():
            return pose
    pose[moving] = np.nan
    return pose


def _from_modes(lengths: Array, data: PlatformData) -> Array:
    """Of all assembly modes the one that is nearest to the neutral pose on its side."""
    modes = assembly_modes(lengths, data).poses
    modes = modes[same_mode(modes, data)]
    if not len(modes):
        raise AssemblyError(_refusal(lengths))
    nearest: Array = modes[np.abs(modes - data.neutral).max(axis=-1).argmin()]
    return nearest


def _refusal(lengths: Array) -> str:
    told = ", ".join(f"{q:.4g}" for q in lengths)
    return (
        f"platform: no pose was found at which the legs are {told} m long (check the lengths, or give a nearer guess)"
    )
