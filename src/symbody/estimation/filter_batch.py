"""Many error-state filters of one system at once: n states (n, nx) and n covariances, with the algebra of one filter.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ + δz, for each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.analysis.tangent_coordinates import inverse_tangent, tangent
from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.row_steps import RowSteps
from symbody.estimation.transition import held, transition_of
from symbody.system.system import Array


class FilterBatch:
    """n filters like one of `sb.estimate`, stepped together; each has its own estimate, covariance and measurements.

    Parameters
    ----------
    like : StateFilter
        A filter of `sb.estimate` (error-state) without estimated parameters, of a system without quaternions.
    n : int
        Number of filters.
    x, P : array, optional
        Estimates (n, nx) and covariances (n, m, m) at the start, in the order of `like.covariance`. Default: those of
        `like`.

    Attributes
    ----------
    x : array (n, nx)
        Estimates of the states.
    covariance : array (n, m, m)
        Covariances of the errors, followed by unknown inputs and parameters.
    shares : array (n, sensors)
        y²/S of the last measurements; NaN without a measurement.
    failures : dict
        Filters whose model could not make a step, with the reason; their estimates are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import symbody as sb
    >>> from symbody.estimation import FilterBatch
    >>> s = sb.system(sb.machines.model("pendulum"))
    >>> many = FilterBatch(sb.estimate(s, ["bob.q"], noise={"bob.q": 0.01}), 3)
    >>> many.step(z=np.array([[0.1], [0.2], [0.3]]))
    >>> many.x.shape, many.covariance.shape
    ((3, 2), (3, 4, 4))
    """

    def __init__(self, like: Any, n: int, x: Any = None, P: Any = None):
        if not isinstance(like, ErrorStateFilter):
            raise ModelError(
                "not an error-state filter", element="like", cure="give sb.estimate(…, filter='error-state')"
            )
        s = like.system
        if s.quaternions or len(like.doubt.estimated) > len(like._inputs):
            cure = "use a system without quaternions, and consider parameters (model_error) instead of estimating them"
            raise ModelError("these filters cannot run in a batch", element=s.model.name, cure=cure)
        if n < 1:
            raise ModelError(f"{n} filters", element="n", cure="give at least one")
        self.system, self.dt, self.gate, self.n, self.t = s, like.dt, like.gate, n, like.t
        self._like, self._steps = like, RowSteps(s, like.setup.method, like.dt)
        self.x = _rows("x", like.x if x is None else x, (n, len(s.states)))
        self.covariance = _rows("P", like.covariance if P is None else P, (n, *like.covariance.shape))
        self.shares = np.full((n, len(like.sensors)), np.nan)
        self.failures: dict[int, str] = {}
        self._offset = np.tile(like._offset, (n, 1))
        self._u = np.tile(like.u, (n, 1))
        self._T = tangent(s, s.x0)  # the same at all states, without quaternions
        self._Q = like.doubt.over(like.dt)

    @property
    def sigma(self) -> Array:
        """Standard deviations (n, errors) of the states."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2)[:, : self._like._errors]))

    def step(self, u: Any = None, z: Any = None) -> None:
        """Predict one step with inputs u (nu,) or (n, nu); correct by z (n, sensors) if given (NaN: not measured)."""
        self.predict(u)
        if z is not None:
            self.correct(z)

    def predict(self, u: Any = None) -> None:
        """Advance the models and the covariances by one step."""
        like, s = self._like, self.system
        self._u = _rows("u", s.u0 if u is None else u, (self.n, len(s.inputs)))
        self._u[:, like._inputs] += self._offset
        T, back = self._T, inverse_tangent(self._T)
        found = self._linear()
        A = back @ found.A @ T
        G = back @ np.concatenate([found.B[..., like._inputs], found.P[..., like._parameters]], axis=-1)
        F = transition_of(like._stability)(*held(A, G, like._moving), self.dt)
        self.covariance = predicted(self.covariance, F, self._Q)
        after = self._steps.step(self.t, self.x, self._u)
        self.x = self._one_by_one() if after is None else after
        self.t += self.dt

    def _linear(self) -> Any:
        guess = self._steps.dependent(self.t, self.x) if len(self.system.start_guess) else None
        return self.system.linear(self.t, self.x, self._u, guess=guess)

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

    def correct(self, z: Any) -> None:
        """Correct by measurements z (n, sensors), one sensor after the other."""
        like, s = self._like, self.system
        z = _rows("z", z, self.shares.shape)
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
            used = one.nis <= self.gate  # False for NaN
            dz[used] += one.dz[used]
            self.covariance[used] = one.P[used]
        e, m = like._errors, len(like._inputs)
        self.x = self.x + dz[:, :e] @ self._T.T
        self._offset += dz[:, e : e + m]
        self._u[:, like._inputs] += dz[:, e : e + m]

    def __repr__(self) -> str:
        return f"<FilterBatch of {self.system.model.name}: {self.n} filters, t = {self.t:g} s>"


def _rows(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """A copy of an array with a row for each filter; one row is given to all."""
    found = np.asarray(given, dtype=float)
    if found.shape not in (shape, shape[1:]):
        raise ModelError(f"shape {found.shape}", element=name, cure=f"give {shape}, or {shape[1:]} for all filters")
    return np.array(np.broadcast_to(found, shape))
