"""The Kalman filter's algebra on plain arrays: errors z of a state, followed by errors of inputs and parameters.

Arrays may have leading dimensions: many filters at once.

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
    nis: Array  # y²/S, χ²-distributed with one degree of freedom


def predicted(P: Array, F: Array, Q: Array) -> Array:
    """F P Fᵀ + Q, exactly symmetric."""
    return _symmetric(F @ P @ np.swapaxes(F, -1, -2) + Q)


def corrected(P: Array, y: Array, h: Array, variance: float, considered: int = 0) -> Correction:
    """Correct by one measurement: y is its innovation, h its derivatives. Joseph's form for a scalar measurement."""
    Ph = (P @ h[..., np.newaxis])[..., 0]
    S = np.asarray(np.sum(h * Ph, axis=-1) + variance)
    K = Ph / S[..., np.newaxis]
    if considered:
        K[..., -considered:] = 0.0
    found = P - _outer(K, Ph) - _outer(Ph, K) + S[..., np.newaxis, np.newaxis] * _outer(K, K)
    return Correction(K * np.asarray(y)[..., np.newaxis], _symmetric(found), y * y / S)


def _outer(a: Array, b: Array) -> Array:
    return np.asarray(a[..., :, np.newaxis] * b[..., np.newaxis, :])


def _symmetric(P: Array) -> Array:
    return np.asarray(0.5 * (P + np.swapaxes(P, -1, -2)))


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
