"""The Kalman filter's algebra on plain arrays: errors z of a state and, behind them, of what else is unknown.

P⁻ = F P Fᵀ + Q,   S = H P⁻ Hᵀ + R,   K = P⁻ Hᵀ S⁻¹,   P⁺ = (I − K H) P⁻ (I − K H)ᵀ + K R Kᵀ

What is considered (Schmidt 1966) has a covariance and slopes but no gain: it is not estimated, and the rest is no surer
than it may be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Correction(NamedTuple):
    """What a measurement tells: the displacement δz, the covariance after it, and how surprising it was."""

    dz: Array
    P: Array
    nis: float  # y²/S, of a χ² distribution with one degree of freedom


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """F P Fᵀ + Q, symmetric to the last digit."""
    found = F @ P @ F.T + Q
    return np.asarray(0.5 * (found + found.T))


def corrected(P: Array, y: float, h: Array, variance: float, considered: int = 0) -> Correction:
    """By one measurement that differs by y from the expected one; h: its slopes. Joseph's form, written out for one."""
    Ph = P @ h
    S = float(h @ Ph) + variance
    K = Ph / S
    if considered:
        K[-considered:] = 0.0
    found = P - np.outer(K, Ph) - np.outer(Ph, K) + S * np.outer(K, K)
    return Correction(K * y, 0.5 * (found + found.T), y * y / S)
