"""Base of the sample-based filters: rows of errors and unknowns about the estimate, stepped together."""

from __future__ import annotations

import numpy as np

from symbody.analysis.tangent_coordinates import displaced, inverse_tangent, tangent, tangent_matrix
from symbody.estimation.state_filter import StateFilter
from symbody.estimation.transition import stability_of, transition_of
from symbody.system.system import Array


class SampledFilter(StateFilter):
    """Samples go through the nonlinear model; parameters act by derivatives, because C holds one value of each."""

    def _states(self, samples: Array) -> tuple[Array, Array]:
        """Rows of states and of inputs."""
        e = self._errors
        x = displaced(self.system, self._x, samples[:, :e] @ tangent(self.system, self._x).T)
        u = np.tile(self.u, (len(samples), 1))
        u[:, self._inputs] += samples[:, e:][:, : len(self._inputs)]
        return x, u

    def _stepped(self, samples: Array) -> tuple[Array, Array]:
        """The state after a step of the first sample, and all samples relative to it."""
        s, e, known = self.system, self._errors, self._errors + len(self._inputs)
        x, u = self._states(samples)
        acting = np.zeros((e, len(self._parameters)))
        if self._parameters:
            slopes = self._unknown_slopes()[:, len(self._inputs) :]
            A = tangent_matrix(s, self.t, self._x, self.u)
            acting = transition_of(stability_of(s, self._method))(A, slopes, self.dt)[:e, e:]
        after = self._advanced(x, u)
        self.t += self.dt
        moved = samples.copy()
        moved[:, :e] = (after - after[0]) @ inverse_tangent(tangent(s, after[0])).T + samples[:, known:] @ acting.T
        return after[0], moved

    def _sensed(self, samples: Array) -> Array:
        """Expected measurements of each sample."""
        s, n = self.system, len(samples)
        x, u = self._states(samples)
        guess = np.tile(s.dependent(self.t, self._x, self.u), (n, 1))
        y = np.asarray(s.outputs_function(np.full((n, 1), self.t), x, u, guess))[:, self._rows]
        if self._parameters:
            slopes = s.linear(self.t, self._x, self.u).S[self._rows][:, self._parameters]
            y = y + samples[:, self._errors + len(self._inputs) :] @ slopes.T
        return y

    def _move(self, x: Array, dz: Array) -> None:
        """Move the estimate to x ⊞ dz, and the estimated inputs."""
        self._x[:] = displaced(self.system, x, tangent(self.system, x) @ dz[: self._errors])
        self._offset += dz[self._errors :][: len(self._inputs)]
