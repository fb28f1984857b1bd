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


def normalised_error(e: Array, P: Array) -> float:
    """eᵀ P⁻¹ e (NEES), with both brought to like sizes first: lengths stand beside pressures."""
    sigma = np.sqrt(np.diag(P))
    return float(e / sigma @ np.linalg.solve(P / np.outer(sigma, sigma), e / sigma))


def square_root(P: Array) -> Array:
    """L of L Lᵀ = P, by eigenvalues of P brought to like sizes: what is sure, or rounded below zero, does no harm."""
    sigma = np.sqrt(np.maximum(np.diag(P), 0.0))
    size = np.where(sigma > 0.0, sigma, 1.0)
    values, vectors = np.linalg.eigh(P / np.outer(size, size))
    return np.asarray(size[:, np.newaxis] * vectors * np.sqrt(np.maximum(values, 0.0)))
