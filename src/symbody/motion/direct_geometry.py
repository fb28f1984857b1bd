"""Direct geometry: the pose of a hexapod from the lengths of its legs, by Newton's method.

x ← x − E⁻¹ J r with the residual r_k = ½ (‖B_kP_k‖² − q_3k²) and rows [d_k, L_k × d_k]; no square root is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbody.errors import AssemblyError
from symbody.motion.assembly_modes import assembly_modes
from symbody.motion.data import Array, PlatformData
from symbody.motion.geometry import Values, leg_vectors
from symbody.motion.kinematics import inverse_jacobian, leg_rows, rates_of_twist, solve

TOLERANCE = 1e-9  # m, rad: size of the last step; the error after it is of the order of its square
ITERATIONS = 20
STRIDE = 0.3  # m, rad: longest step; a longer one could end on another assembly mode


def newton_step(pose: Values, lengths: Values, data: PlatformData) -> Values:
    """δ of pose ← pose − δ (…, 6)."""
    d, L = leg_vectors(pose, data)
    residual = 0.5 * ((d * d).sum(axis=-1) - lengths * lengths)
    return rates_of_twist(pose, solve(leg_rows(d, L), residual, data))


def direct_geometry(lengths: Array, data: PlatformData, guess: Array | None = None) -> Array:
    """Pose for given leg lengths.

    Parameters
    ----------
    lengths : array, shape (…, 6)
        m.
    data : PlatformData
        The platform.
    guess : array, shape (6,) or (…, 6), optional
        A pose near the solution. Without one, the result is the assembly mode of the neutral pose: no singular pose
        lies between them.

    Returns
    -------
    array, shape (…, 6)
        Poses (m, rad).

    Raises
    ------
    AssemblyError
        If no pose has these lengths, or Newton's method does not converge from the guess.
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
    """Whether poses are above the base and have the sign of det J⁻¹ of the neutral pose: the same assembly mode."""
    sign = np.sign(np.linalg.det(inverse_jacobian(np.nan_to_num(pose, nan=1.0), data)))
    above = pose[..., 2] > 0.0
    same: NDArray[np.bool_] = above & (sign == np.sign(np.linalg.det(inverse_jacobian(data.neutral, data))))
    return same


def _newton(lengths: Array, guess: Array, data: PlatformData) -> Array:
    """Newton's method for a whole batch; NaN for poses that do not converge."""
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
    """The assembly mode of the neutral pose's sign that is nearest to it."""
    modes = assembly_modes(lengths, data).poses
    modes = modes[same_mode(modes, data)]
    if not len(modes):
        raise AssemblyError(_refusal(lengths))
    nearest: Array = modes[np.abs(modes - data.neutral).max(axis=-1).argmin()]
    return nearest


def _refusal(lengths: Array) -> str:
    listed = ", ".join(f"{q:.4g}" for q in lengths)
    return (
        f"platform: no pose was found at which the legs are {listed} m long (check the lengths, or give a nearer guess)"
    )
