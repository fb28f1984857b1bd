"""The unscented Kalman filter on a compiled system (Julier and Uhlmann 1997), with κ = 0: the cubature filter.

Samples ± √n L of L Lᵀ = P, all of equal weight, go through model and sensors; their covariances give P⁻, S and K. It
needs no derivatives of the model. With n errors and unknowns, a step costs 2 n steps of the model.
"""

from __future__ import annotations

import numpy as np

from symbody.estimation.kalman import corrected, square_root
from symbody.estimation.sampled import SampledFilter
from symbody.system.system import Array


class UnscentedFilter(SampledFilter):
    """Mean and covariance by samples of P, computed again before each use."""

    def _samples(self) -> Array:
        """The estimate itself, with zero weight, and n pairs about it."""
        L = np.sqrt(len(self._P)) * square_root(self._P).T
        return np.vstack([np.zeros(len(L)), L, -L])

    def _predict(self) -> None:
        centre, moved = self._stepped(self._samples())
        mean, deviations = _statistics(moved)
        self._move(centre, mean)
        self._P[:] = deviations.T @ deviations + self.doubt.over(self.dt)

    def _correct(self, z: Array) -> Array:
        """Measurements and errors are jointly normal; each measurement conditions the distribution in turn."""
        samples = self._samples()
        sensed = self._sensed(samples)
        expected, dy = _statistics(sensed)
        both = np.hstack([dy, _statistics(samples)[1]])
        J, dj, n = both.T @ both, np.zeros(both.shape[1]), len(z)
        self.innovation[:] = z - expected
        for k in np.flatnonzero(np.isfinite(z)):
            found = corrected(J, self.innovation[k] - dj[k], np.eye(len(J))[k], self.R[k], self._considered)
            self.shares[k] = found.nis
            if found.nis <= self.gate:
                dj, J = dj + found.dz, found.P
        self._P[:] = J[n:, n:]
        self._move(self._x.copy(), dj[n:])
        return np.asarray(dj[n:])


def _statistics(samples: Array) -> tuple[Array, Array]:
    """The mean of all but the first, and deviations from it, each divided by √ of their number."""
    mean = samples[1:].mean(axis=0)
    return mean, (samples[1:] - mean) / np.sqrt(len(samples) - 1)
