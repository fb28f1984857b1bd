"""The error-state Kalman filter on a compiled system (Jaiswal 2023, §3): the model runs, errors of it are estimated.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ ⊞ δz;   errors are zero again after each correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.analysis.tangent_coordinates import displaced, tangent, tangent_matrix
from symbody.errors import DivergenceError, ModelError
from symbody.estimation.compiled import CompiledFilter, can_compile
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.noise import ModelDoubt
from symbody.estimation.state_filter import Followed, StateFilter, joined
from symbody.estimation.transition import TRANSITIONS, with_parameters
from symbody.stepping.fixed_step import DONE
from symbody.stepping.newton import Newton
from symbody.system.system import Array, System


class ErrorStateFilter(StateFilter):
    """Errors of the model's own motion, by exact slopes; in C where the system has no quaternions."""

    def __init__(
        self,
        s: System,
        sensors: Mapping[str, float],
        doubt: ModelDoubt,
        dt: float,
        method: str | None = None,
        start: Mapping[str, float] | None = None,
        gate: float = np.inf,
        transition: str = "exact",
        backend: str = "auto",
    ):
        super().__init__(s, sensors, doubt, dt, method, start, gate)
        self._transition = TRANSITIONS[transition]
        self._last: Array | None = None  # F of the last step, where it was made in Python
        self._compiled: CompiledFilter | None = None
        if backend != "python" and transition == "exact" and can_compile(s):
            self._compiled = CompiledFilter(s, list(sensors), self.R, doubt, dt, method, self._P, gate)
            found = self._compiled.arrays
            self._x, self._P, self._offset, self.R = (found[name] for name in ("x", "P", "offset", "R"))

    @property
    def backend(self) -> str:
        """What runs it: "c" or "python"."""
        return "c" if self._compiled else "python"

    def compiled(self, newton: Newton | None = None) -> CompiledFilter:
        """Another one in C that goes on from here, for those who call it there; refused where it is Python's."""
        if not self._compiled or len(self.doubt.estimated) > len(self._inputs):
            cure = "filter a system without quaternions by its exact transition, and consider parameters (model_error)"
            raise ModelError("a filter that C cannot run alone", element=self.system.model.name, cure=cure)
        s, sensors = self.system, list(self.sensors)
        made = CompiledFilter(s, sensors, self.R, self.doubt, self.dt, self._method, self._P.copy(), self.gate, newton)
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
        """The same; and what ends a step that C could not make is named, or its loops are closed anew."""
        A = tangent_matrix(self.system, self.t, self._x, self.u)
        F = with_parameters(self._transition(A, self.dt), A, self._unknown_slopes(), self.dt)
        P = predicted(self._P, F, self.doubt.over(self.dt))
        self._x[:] = self._onward(self._x, self.u)
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
        """One measurement after the other, as their noises are independent; by how much all is moved."""
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
        """Steps with a row of inputs and of measurements each: in C as far as it comes, then in Python."""
        first = self.follow_in_c(u, z, truth)
        done = len(first.mean)
        if done == len(z):
            return first
        return joined(first, super().follow(u[done:], z[done:], None if truth is None else truth[done:]))

    def follow_in_c(self, u: Array, z: Array, truth: Array | None = None) -> Followed:
        """The first of these steps, up to one that C cannot make; it may run in a thread beside other filters."""
        if not self._compiled or len(self.doubt.estimated) > len(self._inputs):
            return super().follow_in_c(u, z, truth)
        self._compiled.at(self.t, self.u)
        mean, variance, shares, nees = self._compiled.run(u, z, truth)
        self.t = float(self._compiled.structure.t)
        if len(mean):  # outputs that are asked for now are those of the last inputs
            self.u = np.array(u[len(mean) - 1], dtype=float)
            self.u[self._inputs] += self._offset
        for k, name in enumerate(self.sensors):
            self.refused[name] += int(np.sum(shares[:, k] > self.gate))
        return Followed(mean, np.sqrt(variance), shares, nees)

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Back to what it was, loops closed there."""
        super().restore(kept)
        if self._compiled:
            self._compiled.move_to(self._x, self.t)

    def transition(self) -> Array:
        """F of the last step, of all errors and unknowns; asked for before measurements are taken."""
        if self._last is not None:
            return self._last
        assert self._compiled is not None
        n, m = self._errors, len(self.doubt.unknown)
        whole = np.eye(n + m)
        whole[:n, :n] = self._compiled.arrays["F"].reshape(n, n)
        whole[:n, n:] = self._compiled.arrays["G"].reshape(n, m)
        return whole
