"""Inverses of the Jacobian of a held point, at any rank (thesis 5.2, appendix B): what the tick's C is held to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class FullRank(NamedTuple):
    """J = F C: F = U S of full column rank, C of full row rank; N: columns n with Jᵀ n = 0, the topology directions."""

    F: Array
    C: Array
    N: Array


def full_rank(J: Array, tolerance: float = 1e-3) -> FullRank:
    """Factors of J by its singular values; those below `tolerance` of the largest count as zero."""
    U, S, Vt = np.linalg.svd(J)
    r = int(np.sum(tolerance * S[0] < S)) if S[0] > 0.0 else 0
    return FullRank(U[:, :r] * S[:r], Vt[:r], U[:, r:])


def generalised_inverse(J: Array, D: Array, M: Array, tolerance: float = 1e-3) -> Array:
    """J# = D⁻¹Cᵀ (C D⁻¹ Cᵀ)⁻¹ (Fᵀ M F)⁻¹ Fᵀ M (5.11); D: mass matrix, M: inertia of the held link at the hand.

    J# maps motions of the hand to those of joints of least kinetic energy, the nearest by M where not all are possible.
    """
    F, C, _ = full_rank(J, tolerance)
    DC = np.linalg.solve(D, C.T)
    return np.asarray(DC @ np.linalg.solve(C @ DC, np.linalg.solve(F.T @ M @ F, F.T @ M)))


def mobility(J: Array, D: Array) -> Array:
    """Λ⁻¹ = J D⁻¹ Jᵀ (1/kg): acceleration of the hand by a wrench there; it exists at any rank."""
    return np.asarray(J @ np.linalg.solve(D, J.T))


def inertia_at(mass: float, c: Array, inertia: Array) -> Array:
    """M (6, 6) of a rigid body at a point, slides before turns; c: from there to its centre of mass (m)."""
    cross = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    return np.block([[mass * np.eye(3), -mass * cross], [mass * cross, inertia - mass * cross @ cross]])
