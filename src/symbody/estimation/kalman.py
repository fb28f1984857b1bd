"""The Kalman filter's algebra on plain arrays: errors z of a state, followed by errors of inputs and parameters.

P⁻ = F P Fᵀ + Q,   S = H P⁻ Hᵀ + R,   K = P⁻ Hᵀ S⁻¹,   P⁺ = (I − K H) P⁻ (I − K H)ᵀ + K R Kᵀ

Considered parameters (Schmidt 1966) have a covariance and derivatives but no gain: they are not estimated and keep
the filter from becoming overconfident.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Correction(NamedTuple):
    """Result of a measurement: the displacement δz, the covariance after it, and its normalised innovation."""

    dz: Array
    P: Array
    nis: float  # y²/S, χ²-distributed with one degree of freedom


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """F P Fᵀ + Q, exactly symmetric."""
    found = F @ P @ F.T + Q
    return np.asarray(0.5 * (found + found.T))


def corrected(P: Array, y: float, h: Array, variance: float, considered: int = 0) -> Correction:
    """Correct by one measurement: y is its innovation, h its derivatives. Joseph's form for a scalar measurement."""
    Ph = P @ h
    S = float(h @ Ph) + variance
    K = Ph / S
    if considered:
        K[-considered:] = 0.0
    found = P - np.outer(K, Ph) - np.outer(Ph, K) + S * np.outer(K, K)
    return Correction(K * y, 0.5 * (found + found.T), y * y / S)


def normalised_error(e: Array, P: Array) -> float:
    """NEES eᵀ P⁻¹ e, after scaling: lengths and pressures differ by many orders of magnitude."""
    sigma = np.sqrt(np.diag(P))
    return float(e / sigma @ np.linalg.solve(P / np.outer(sigma, sigma), e / sigma))


def square_root(P: Array) -> Array:
    """L of L Lᵀ = P, by eigenvalues of the scaled P; zero and slightly negative eigenvalues are safe."""
    sigma = np.sqrt(np.maximum(np.diag(P), 0.0))
    size = np.where(sigma > 0.0, sigma, 1.0)
    values, vectors = np.linalg.eigh(P / np.outer(size, size))
    return np.asarray(size[:, np.newaxis] * vectors * np.sqrt(np.maximum(values, 0.0)))
