"""Eigenvalues of a linearised system, and how far rounding may have moved each: oil beside mechanics, 10⁷ apart.

δż = A δz is scaled twice: states by their typical sizes (a pressure by 10⁵ Pa), then A is balanced. To first order an
eigenvalue with left and right eigenvectors y, x moves by δλ = yᴴδA x/yᴴx; δA is what is not known of A's elements, and
what the QR algorithm adds (Golub and Van Loan, Matrix Computations, 7.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

ACCURACY = 1e-13  # relative, of the elements of a linearisation
NOT_FELT = 1e-12  # share of the largest element of a row below which one is rounding
SLOW = 1e-3  # 1/s: growth below this is not told from none; an e-fold takes more than a quarter of an hour


@dataclass(frozen=True)
class Eigenvalues:
    """λ (1/s), how far each may be from its true value (1/s), and eigenvectors, a column for each."""

    values: Array
    errors: Array
    vectors: Array

    def __len__(self) -> int:
        return len(self.values)

    @property
    def growing(self) -> Array:
        """Which grow for sure."""
        return np.asarray(self.values.real > self.errors)

    @property
    def undecided(self) -> Array:
        """Which may grow faster than `SLOW`, or not: rounding hides it."""
        return np.asarray((np.abs(self.values.real) <= self.errors) & (self.values.real + self.errors > SLOW))

    @property
    def stable(self) -> bool | None:
        """Whether none grows; None where rounding hides it. What neither grows nor decays counts as stable."""
        if np.any(self.growing):
            return False
        return None if np.any(self.undecided) else True


def felt_displacements(A: Array, nv: int, sizes: Array) -> Array:
    """Which of the first nv columns of A matter, states having typical sizes: nothing depends on those that drift."""
    scaled = np.abs(A * sizes / sizes[:, None])
    rows = np.maximum(1.0, scaled.max(axis=1, initial=0.0))
    return np.asarray(np.any(scaled[:, :nv] > NOT_FELT * rows[:, None], axis=0))


def eigenvalues(A: Array, nv: int, sizes: Array, tied: int = 0) -> Eigenvalues:
    """Of A; drifting coordinates are integrals of the others, and taken out beforehand.

    What is left of their columns is rounding, which balancing would blow up. Of `tied` coordinates, behind the
    velocities, some drift with others: sideways with the heading.
    """
    drifting = np.flatnonzero(~felt_displacements(A, nv, sizes))
    kept = np.setdiff1d(np.arange(len(A)), drifting)
    places = [*range(nv), *range(2 * nv, 2 * nv + tied)]
    while tied and (more := [k for k in places if k in kept and not _felt(A, kept, k, sizes)]):
        drifting, kept = np.r_[more, drifting].astype(int), np.setdiff1d(kept, more)
    values, errors, own = _balanced(A[np.ix_(kept, kept)], sizes[kept])
    vectors = np.zeros((len(A), len(A)), dtype=complex)
    vectors[kept, : len(kept)] = own
    moving = np.where(np.abs(values) > errors, values, 1.0)
    for k in drifting:  # those that others drift with are the first
        vectors[k, : len(kept)] = A[k] @ vectors[:, : len(kept)] / moving
    vectors[drifting, np.arange(len(kept), len(A))] = 1.0
    still = np.zeros(len(drifting))
    return Eigenvalues(np.r_[values, still], np.r_[errors, still], vectors)


def _felt(A: Array, rows: Array, k: int, sizes: Array) -> bool:
    """Whether any of the rows depends on a coordinate."""
    order = np.r_[k, [i for i in rows if i != k]].astype(int)
    return bool(felt_displacements(A[np.ix_(order, order)], 1, sizes[order])[0])


def _balanced(A: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Values, errors and vectors of a matrix, balanced."""
    n = len(A)
    if not n:
        return np.zeros(0, dtype=complex), np.zeros(0), np.zeros((0, 0))
    from scipy import linalg  # here, because it takes longer to import than all of symbody

    B, (scale, _) = linalg.matrix_balance(A * sizes / sizes[:, None], permute=False, separate=True)
    values, left, right = linalg.eig(B, left=True, right=True)
    size = float(np.linalg.norm(B))
    along = np.abs(np.sum(left.conj() * right, axis=0))  # |yᴴx|, both of length one
    moved = ACCURACY * np.sum(np.abs(left) * (np.abs(B) @ np.abs(right)), axis=0) + n * np.finfo(float).eps * size
    pair = np.sqrt(ACCURACY) * size  # where two eigenvalues meet, they split by the root
    errors = np.minimum(moved / np.maximum(along, np.finfo(float).tiny), pair)
    return values, errors, (sizes * scale)[:, None] * right
