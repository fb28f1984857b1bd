"""The Kalman filter's algebra on plain arrays; z are error coordinates of a state, P their covariance.

P⁻ = F P Fᵀ + Q,   S = H P⁻ Hᵀ + R,   K = P⁻ Hᵀ S⁻¹,   P⁺ = (I − K H) P⁻ (I − K H)ᵀ + K R Kᵀ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Correction(NamedTuple):
    """What measurements tell: the displacement δz, the covariance after it, and how surprising they were."""

    dz: Array
    P: Array
    nis: float  # yᵀ S⁻¹ y, of a χ² distribution with as many degrees of freedom as measurements


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """F P Fᵀ + Q, symmetric to the last digit."""
    found = F @ P @ F.T + Q
    return np.asarray(0.5 * (found + found.T))


def corrected(P: Array, y: Array, H: Array, R: Array) -> Correction:
    """By measurements that differ by y from those expected, whose slopes are H; Joseph's form keeps P positive."""
    PHt = P @ H.T
    S = H @ PHt + R
    K = np.linalg.solve(S, PHt.T).T
    left = np.eye(len(P)) - K @ H
    found = left @ P @ left.T + K @ R @ K.T
    return Correction(K @ y, 0.5 * (found + found.T), float(y @ np.linalg.solve(S, y)))
