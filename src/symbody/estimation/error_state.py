"""The error-state Kalman filter on a compiled system (Jaiswal 2023, §3): it estimates the errors of the running model.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ ⊞ δz;   errors are zero again after each correction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.analysis.tangent_coordinates import displaced, tangent, tangent_matrix
from symbody.errors import DivergenceError, ModelError
from symbody.estimation.compiled import CompiledFilter, can_compile
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.state_filter import FilterSetup, Followed, StateFilter, joined
from symbody.estimation.transition import held, stability_of, transition_of
from symbody.stepping.fixed_step import DONE
from symbody.stepping.newton import Newton
from symbody.system.system import Array


class ErrorStateFilter(StateFilter):
    """Filter of the model's errors with exact derivatives; in C if the system has no quaternions."""

    def __init__(self, setup: FilterSetup, *, transition: str = "step", backend: str = "auto"):
        super().__init__(setup)
        self._stability = stability_of(setup.system, setup.method) if transition != "exact" else None
        self._moving = 2 * len(setup.system.layout.velocities) if transition == "held" else self._errors
        self._last: Array | None = None  # F of the last step, if it was made in Python
        self._compiled: CompiledFilter | None = None
        if backend != "python" and can_compile(setup.system):
            self._compiled = CompiledFilter(setup, self.R, self._P, self._stability, moving=self._moving)
            found = self._compiled.arrays
            self._x, self._P, self._offset, self.R = (found[name] for name in ("x", "P", "offset", "R"))

    @property
    def backend(self) -> str:
        """The back end: "c" or "python"."""
        return "c" if self._compiled else "python"

    def compiled(self, newton: Newton | None = None) -> CompiledFilter:
        """A copy in C that continues from here, for callers in C; raises if the filter needs Python."""
        if not self._compiled or len(self.doubt.estimated) > len(self._inputs):
            cure = "use a system without quaternions, and consider parameters (model_error) instead of estimating them"
            raise ModelError("this filter cannot run in C alone", element=self.system.model.name, cure=cure)
        made = CompiledFilter(self.setup, self.R, self._P.copy(), self._stability, newton, self._moving)
        made.arrays["x"][:], made.arrays["offset"][:] = self._x, self._offset
        made.move_to(self._x, self.t)
        made.refresh()
        return made

    def _predict(self) -> None:
        if self._compiled:
            self._compiled.at(self.t, self.u)
            if self._compiled.predict() == DONE:
                self.t, self._last = self.t + self.dt, None
                return
        self._predict_in_python()

    def _predict_in_python(self) -> None:
        """The same in Python: it raises the reason of a failed step, or closes the loops again."""
        A = tangent_matrix(self.system, self.t, self._x, self.u)
        F = transition_of(self._stability)(*held(A, self._unknown_slopes(), self._moving), self.dt)
        P = predicted(self._P, F, self.doubt.over(self.dt))
        self._x[:] = self._advanced(self._x, self.u)
        self._P[:], self._last = P, F
        self.t += self.dt
        if self._compiled:
            self._compiled.move_to(self._x, self.t)

    def _correct(self, z: Array) -> Array:
        if not self._compiled:
            return self._correct_in_python(z)
        self._compiled.at(self.t, self.u)
        if self._compiled.correct(z) != DONE:
            name = self.system.model.name
            raise DivergenceError(f"{name}: the covariance of its estimate is not positive", time=self.t)
        found = self._compiled.arrays
        self.innovation[:], self.shares[:] = found["innovation"], found["share"]
        return found["d"]

    def _correct_in_python(self, z: Array) -> Array:
        """Process the measurements one by one (their noises are independent); return the total displacement."""
        s, T = self.system, tangent(self.system, self._x)
        self.innovation[:] = z - s.observe(self.t, self._x, self.u)[self._rows]
        H = self._slopes(s.linear(self.t, self._x, self.u), T)[self._rows]
        dz = np.zeros(len(self._P))
        for k in np.flatnonzero(np.isfinite(z)):
            found = corrected(self._P, self.innovation[k] - H[k] @ dz, H[k], self.R[k], self._considered)
            self.shares[k] = found.nis
            if found.nis <= self.gate:
                dz, self._P[:] = dz + found.dz, found.P
        self._x[:] = displaced(s, self._x, T @ dz[: self._errors])
        self._offset += dz[self._errors :][: len(self._inputs)]
        return dz

    def follow(self, u: Array, z: Array, truth: Array | None = None) -> Followed:
        """Steps with one row of inputs and measurements each: in C up to a failure, then in Python."""
        first = self.follow_in_c(u, z, truth)
        done = len(first.mean)
        if done == len(z):
            return first
        return joined(first, super().follow(u[done:], z[done:], None if truth is None else truth[done:]))

    def follow_in_c(self, u: Array, z: Array, truth: Array | None = None) -> Followed:
        """The first of these steps, up to one that fails in C; filters may do this in parallel threads."""
        if not self._compiled or len(self.doubt.estimated) > len(self._inputs):
            return super().follow_in_c(u, z, truth)
        self._compiled.at(self.t, self.u)
        mean, variance, shares, nees = self._compiled.run(u, z, truth)
        self.t = float(self._compiled.structure.t)
        if len(mean):  # outputs are then evaluated with the last inputs
            self.u = np.array(u[len(mean) - 1], dtype=float)
            self.u[self._inputs] += self._offset
        for k, name in enumerate(self.sensors):
            self.refused[name] += int(np.sum(shares[:, k] > self.gate))
        return Followed(mean, np.sqrt(variance), shares, nees)

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Return to a snapshot; its loops are closed again."""
        super().restore(kept)
        if self._compiled:
            self._compiled.move_to(self._x, self.t)

    def transition(self) -> Array:
        """F of the last step, for all errors and unknowns; call it before the correction."""
        if self._last is not None:
            return self._last
        assert self._compiled is not None
        n, m = self._errors, len(self.doubt.unknown)
        whole = np.eye(n + m)
        whole[:n, :n] = self._compiled.arrays["F"].reshape(n, n)
        whole[:n, n:] = self._compiled.arrays["G"].reshape(n, m)
        return whole
