"""Eigenvalues of a linearised system with error bounds, also for oil and mechanics with scales 10⁷ apart.

δż = A δz is scaled twice: states by their typical sizes (a pressure by 10⁵ Pa), then A is balanced. To first order an
eigenvalue with left and right eigenvectors y, x moves by δλ = yᴴδA x/yᴴx. δA contains the uncertainty of A's elements
and the rounding errors of the QR algorithm (Golub and Van Loan, Matrix Computations, 7.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

ACCURACY = 1e-13  # relative accuracy of the elements of a linearisation
NOT_FELT = 1e-12  # elements below this share of the largest one in their row are rounding errors
SLOW = 1e-3  # 1/s: slower growth counts as none; an e-fold then takes more than a quarter of an hour


@dataclass(frozen=True)
class Eigenvalues:
    """λ (1/s), the error bound of each (1/s), and the eigenvectors as columns."""

    values: Array
    errors: Array
    vectors: Array

    def __len__(self) -> int:
        return len(self.values)

    @property
    def growing(self) -> Array:
        """Which eigenvalues certainly grow."""
        return np.asarray(self.values.real > self.errors)

    @property
    def undecided(self) -> Array:
        """Which eigenvalues may grow faster than `SLOW`; rounding errors hide the sign."""
        return np.asarray((np.abs(self.values.real) <= self.errors) & (self.values.real + self.errors > SLOW))

    @property
    def stable(self) -> bool | None:
        """Whether none grows; None if rounding errors hide it. Marginal eigenvalues count as stable."""
        if np.any(self.growing):
            return False
        return None if np.any(self.undecided) else True


def felt_displacements(A: Array, nv: int, sizes: Array) -> Array:
    """Which of the first nv columns of A influence any rate, given typical sizes; drifting coordinates do not."""
    scaled = np.abs(A * sizes / sizes[:, None])
    rows = np.maximum(1.0, scaled.max(axis=1, initial=0.0))
    return np.asarray(np.any(scaled[:, :nv] > NOT_FELT * rows[:, None], axis=0))


def eigenvalues(A: Array, nv: int, sizes: Array, tied: int = 0) -> Eigenvalues:
    """Eigenvalues of A; drifting coordinates are removed first, because they are integrals of the others.

    Their columns hold only rounding errors, which balancing would amplify. `tied` coordinates stand behind the
    velocities; some of them drift with others, such as the sideways position with the heading.
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
    for k in drifting:  # coordinates that others drift with come first
        vectors[k, : len(kept)] = A[k] @ vectors[:, : len(kept)] / moving
    vectors[drifting, np.arange(len(kept), len(A))] = 1.0
    still = np.zeros(len(drifting))
    return Eigenvalues(np.r_[values, still], np.r_[errors, still], vectors)


def _felt(A: Array, rows: Array, k: int, sizes: Array) -> bool:
    """Whether any of the rows depends on coordinate k."""
    order = np.r_[k, [i for i in rows if i != k]].astype(int)
    return bool(felt_displacements(A[np.ix_(order, order)], 1, sizes[order])[0])


def _balanced(A: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues, errors and eigenvectors of the balanced matrix."""
    n = len(A)
    if not n:
        return np.zeros(0, dtype=complex), np.zeros(0), np.zeros((0, 0))
    from scipy import linalg  # imported here: it takes longer than the import of symbody

    B, (scale, _) = linalg.matrix_balance(A * sizes / sizes[:, None], permute=False, separate=True)
    values, left, right = linalg.eig(B, left=True, right=True)
    size = float(np.linalg.norm(B))
    along = np.abs(np.sum(left.conj() * right, axis=0))  # |yᴴx|, both of length one
    moved = ACCURACY * np.sum(np.abs(left) * (np.abs(B) @ np.abs(right)), axis=0) + n * np.finfo(float).eps * size
    pair = np.sqrt(ACCURACY) * size  # a double eigenvalue splits by the square root of the perturbation
    errors = np.minimum(moved / np.maximum(along, np.finfo(float).tiny), pair)
    return values, errors, (sizes * scale)[:, None] * right
