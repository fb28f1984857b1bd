"""Many error-state filters on the processor, with the algebra of one filter on arrays (n, …)."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.analysis.tangent_coordinates import inverse_tangent, tangent
from symbody.errors import DivergenceError, SingularityError
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.row_steps import RowSteps
from symbody.estimation.transition import held, transition_of
from symbody.system.system import Array


class HostFilters:
    """n filters like one: x (n, nx), covariance (n, m, m), shares (n, sensors), t (s)."""

    def __init__(self, like: ErrorStateFilter, n: int, x: Array, P: Array):
        s = like.system
        self.n, self.t, self.x, self.covariance = n, like.t, x, P
        self.shares = np.full((n, len(like.sensors)), np.nan)
        self.failures: dict[int, str] = {}
        self._like, self._steps = like, RowSteps(s, like.setup.method, like.dt)
        self._offset = np.tile(like._offset, (n, 1))
        self._u = np.tile(like.u, (n, 1))
        self._T = tangent(s, s.x0)  # the same at all states, without quaternions
        self._Q = like.doubt.over(like.dt)

    def predict(self, u: Array) -> None:
        """Advance the models and the covariances by one step with inputs (n, nu)."""
        like = self._like
        self._u = u
        self._u[:, like._inputs] += self._offset
        T, back = self._T, inverse_tangent(self._T)
        found = self._linear()
        A = back @ found.A @ T
        G = back @ np.concatenate([found.B[..., like._inputs], found.P[..., like._parameters]], axis=-1)
        F = transition_of(like._stability)(*held(A, G, like._moving), like.dt)
        self.covariance = predicted(self.covariance, F, self._Q)
        after = self._steps.step(self.t, self.x, self._u)
        self.x = self._one_by_one() if after is None else after
        self.t += like.dt

    def correct(self, z: Array) -> None:
        """Correct by measurements (n, sensors), one sensor after the other."""
        like, s = self._like, self._like.system
        self.shares[:] = np.nan
        guess = self._steps.dependent(self.t, self.x) if len(s.start_guess) else np.empty((self.n, 0))
        y = np.asarray(s.outputs_function(np.full((self.n, 1), self.t), self.x, self._u, guess))[:, like._rows]
        found, rows = self._linear(), like._rows
        H = np.concatenate(
            [found.C[:, rows] @ self._T, found.D[:, rows][..., like._inputs], found.S[:, rows][..., like._parameters]],
            axis=-1,
        )
        dz = np.zeros(self.covariance.shape[:2])
        for k in range(z.shape[1]):
            left = z[:, k] - y[:, k] - np.sum(H[:, k] * dz, axis=1)
            one = corrected(self.covariance, left, H[:, k], like.R[k], like._considered)
            self.shares[:, k] = one.nis
            used = one.nis <= like.gate  # False for NaN
            dz[used] += one.dz[used]
            self.covariance[used] = one.P[used]
        e, m = like._errors, len(like._inputs)
        self.x = self.x + dz[:, :e] @ self._T.T
        self._offset += dz[:, e : e + m]
        self._u[:, like._inputs] += dz[:, e : e + m]

    def _linear(self) -> Any:
        s = self._like.system
        guess = self._steps.dependent(self.t, self.x) if len(s.start_guess) else None
        return s.linear(self.t, self.x, self._u, guess=guess)

    def _one_by_one(self) -> Array:
        """The states after a step that a batch cannot make: each one alone, divided where it fails."""
        self._like.t, after = self.t, np.full_like(self.x, np.nan)
        for i in range(self.n):
            if i in self.failures:
                continue
            try:
                after[i] = self._like._advanced(self.x[i], self._u[i])
            except (DivergenceError, SingularityError) as failure:
                self.failures[i] = str(failure)
        return after
