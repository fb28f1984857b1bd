"""The error-state Kalman filter on a compiled system (Jaiswal 2023, §3): the model runs, errors of it are estimated.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ ⊞ δz;   errors are zero again after each correction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from symbody.analysis.equilibrium import displaced, inverse_tangent, state_sizes, tangent, tangent_matrix
from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.estimation.by_name import ByName
from symbody.estimation.compiled import CompiledFilter, can_compile
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.noise import ModelDoubt, model_doubt
from symbody.estimation.transition import TRANSITIONS, with_parameters
from symbody.nearest import nearest_or_first
from symbody.stepping.fixed_step import DONE
from symbody.stepping.stepper import Stepper, stepper
from symbody.system.linear import Linear
from symbody.system.system import Array, System, system_of

FINER, SMALLEST = (1, 4, 16), 64  # parts of a step that are tried
UNSURE = 0.05  # of the sizes of the states, where nothing is told of the start


class ErrorStateFilter:
    """An estimate of a machine that goes on with each `step(u, z)`; made by `sb.estimate`.

    `mean[name]` and `sigma[name]` are of any output of the system; `x` and `P` of its states and their errors.
    `used` says of each sensor how its last measurement was taken: 1 used, 0 none came, −1 refused by the gate.
    """

    def __init__(
        self,
        s: System,
        sensors: Mapping[str, float],
        doubt: ModelDoubt,
        dt: float,
        method: str | None = None,
        start: Mapping[str, float] | None = None,
        transition: str = "exact",
        gate: float = np.inf,
        backend: str = "auto",
    ):
        self.system, self.dt, self.sensors, self.doubt, self.gate = s, dt, dict(sensors), doubt, gate
        self.R = np.diag([sigma**2 for sigma in sensors.values()])
        self.u, self.t = np.array(s.u0), 0.0
        sigma, unknown = _start_sigma(s, start), doubt.unknown
        self._x, self._P = np.array(s.x0), np.diag(np.append(sigma, [one.sigma for one in unknown]) ** 2)
        self._errors, self._considered = len(sigma), len(unknown) - len(doubt.estimated)
        self._inputs = [s.inputs.index(one.name) for one in unknown if one.kind == "input"]
        self._parameters = [list(s.parameters).index(one.name) for one in unknown if one.kind == "parameter"]
        self._offset = np.zeros(len(self._inputs))  # of inputs that are estimated, to what is told of them
        self.used = np.zeros(len(sensors), dtype=np.int64)
        self.innovation = np.full(len(sensors), np.nan)  # of the last measurements, in their units
        self.nis: float | None = None  # Σ y²/S of those that were used; None where there were none
        self.refused = dict.fromkeys(sensors, 0)  # measurements that the gate refused, so far
        self._rows = np.array([s.outputs.index(name) for name in sensors], dtype=int)
        self._transition, self._method = TRANSITIONS[transition], method
        self._steppers: dict[int, Stepper] = {}  # by the parts that they make of a step
        self._last: Array | None = None  # F of the last step, where it was made in Python
        self._compiled: CompiledFilter | None = None
        if backend != "python" and transition == "exact" and can_compile(s):
            self._compiled = CompiledFilter(s, list(sensors), np.diag(self.R), doubt, dt, method, self._P, gate)
            self._x, self._P, self._offset = (self._compiled.arrays[name] for name in ("x", "P", "offset"))

    @property
    def covariance(self) -> Array:
        """Of all errors, and of unknown inputs and parameters behind them."""
        return self._P.copy()

    @property
    def x(self) -> Array:
        """The estimate of the states, in the order of `system.states`."""
        return self._x.copy()

    @property
    def P(self) -> Array:
        """The covariance of the errors: of coordinates (of quaternions, turns in the body), velocities, states."""
        return self._P[: self._errors, : self._errors].copy()

    @property
    def backend(self) -> str:
        """What runs it: "c" or "python"."""
        return "c" if self._compiled else "python"

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, u: Any = None, z: Any = None) -> None:
        """A step on with inputs u held, then corrected by measurements z where there are any (NaN: not measured)."""
        self.predict(u)
        if z is not None:
            self.correct(z)

    def predict(self, u: Any = None) -> None:
        """The model a step on, and how unsure it is then."""
        self.u = np.array(self.system.u0 if u is None else u, dtype=float)
        self.u[self._inputs] += self._offset
        if self._compiled:
            self._compiled.at(self.t, self.u)
            status = self._compiled.predict()
            if status == DONE:
                self.t, self._last = self.t + self.dt, None
                return
        self._predict_in_python()

    def _predict_in_python(self) -> None:
        """The same; and what ends a step that C could not make is named, or its loops are closed anew."""
        s = self.system
        A = tangent_matrix(s, self.t, self._x, self.u)
        slopes = s.linear(self.t, self._x, self.u)
        G = inverse_tangent(tangent(s, self._x)) @ np.hstack([slopes.B[:, self._inputs], slopes.P[:, self._parameters]])
        F = with_parameters(self._transition(A, self.dt), A, G, self.dt)
        P = predicted(self._P, F, self.doubt.over(self.dt))
        self._x[:] = self._stepped()
        self._P[:], self._last = P, F
        self.t += self.dt
        if self._compiled:
            self._compiled.move_to(self._x, self.t)

    def correct(self, z: Any) -> None:
        """By measurements in the order of `sensors`, or by name."""
        z = self._measured(z)
        self.innovation[:], self.nis = np.nan, None
        if not np.isfinite(z).any():
            self.used[:] = 0
            return
        if self._compiled:
            self._compiled.at(self.t, self.u)
            status = self._compiled.correct(z)
            if status != DONE:
                raise DivergenceError(
                    f"{self.system.model.name}: the covariance of its estimate is not positive", time=self.t
                )
            found = self._compiled.arrays
            self.used[:], self.innovation[:] = found["used"], found["innovation"]
            self.nis = float(self._compiled.structure.nis) if (self.used > 0).any() else None
            moved = found["d"]
        else:
            moved = self._correct_in_python(z)
        self._take(moved[self._errors :])
        for name, used in zip(self.sensors, self.used, strict=True):
            self.refused[name] += int(used < 0)

    def _correct_in_python(self, z: Array) -> Array:
        """One measurement after the other, as their noises are independent; by how much all is moved."""
        s, T = self.system, tangent(self.system, self._x)
        expected = s.observe(self.t, self._x, self.u)[self._rows]
        slopes = s.linear(self.t, self._x, self.u)
        H = self._slopes(slopes, T)[self._rows]
        dz, nis = np.zeros(len(self._P)), 0.0
        self.used[:] = 0
        self.innovation[:] = z - expected
        for k in np.flatnonzero(np.isfinite(z)):
            found = corrected(self._P, self.innovation[k] - H[k] @ dz, H[k], self.R[k, k], self._considered)
            self.used[k] = 1 if found.nis <= self.gate else -1
            if self.used[k] > 0:
                dz, self._P[:], nis = dz + found.dz, found.P, nis + found.nis
        self.nis = nis if (self.used > 0).any() else None
        self._x[:] = displaced(s, self._x, T @ dz[: self._errors])
        self._offset += dz[self._errors :][: len(self._inputs)]
        return dz

    def _take(self, moved: Array) -> None:
        """The parameters that are estimated are moved; the inputs, for outputs asked for before the next step."""
        self.u[self._inputs] += moved[: len(self._inputs)]
        names = [one.name for one in self.doubt.estimated if one.kind == "parameter"]
        if names:
            steps = moved[len(self._inputs) :][: len(names)]
            self.system.parameters.update({n: self.system.parameters[n] + d for n, d in zip(names, steps, strict=True)})

    def _slopes(self, found: Linear, T: Array) -> Array:
        """∂y/∂(errors, unknown inputs, parameters)."""
        return np.hstack([found.C @ T, found.D[:, self._inputs], found.S[:, self._parameters]])

    def follow(self, u: Array, z: Array) -> tuple[Array, Array]:
        """Steps with a row of inputs and of measurements each: rows of estimates, and of their σ.

        Of the states, then of inputs and parameters that are estimated.
        """
        names, count = [one.name for one in self.doubt.estimated], len(self._x)
        wide = self._errors + len(names)
        mean, sigma, done = np.empty((len(z), count + len(names))), np.empty((len(z), wide)), 0
        if self._compiled and len(names) == len(self._inputs):
            self._compiled.at(self.t, self.u)
            found, variance, _ = self._compiled.run(u, z)
            done = len(found)
            mean[:done], sigma[:done] = found, np.sqrt(variance)
            self.t = float(self._compiled.structure.t)
        for k in range(done, len(z)):  # what could not be stepped in C is stepped or named in Python
            self.step(u[k], z[k])
            here = self.mean
            mean[k], sigma[k] = [*self._x, *(here[name] for name in names)], np.sqrt(np.diag(self._P)[:wide])
        return mean, sigma

    def _measured(self, z: Any) -> Array:
        if isinstance(z, Mapping):
            for name in z:
                if name not in self.sensors:
                    near = " or ".join(nearest_or_first(name, self.sensors))
                    raise ModelError("no such sensor", element=name, cure=f"did you mean {near}?")
            z = [z.get(name, np.nan) for name in self.sensors]
        z = np.asarray(z, dtype=float)
        if z.shape != (len(self.sensors),):
            cure = f"give {len(self.sensors)}, in the order of `sensors`; NaN where one is missing"
            raise ModelError(f"measurements of shape {z.shape}", element="z", cure=cure)
        return np.asarray(z)

    def _stepped(self) -> Array:
        """The model a step on; where a correction left it too far from its balance for one step, in smaller ones."""
        for parts in FINER:
            with suppress(DivergenceError, SingularityError):
                return self._walked(parts)
        return self._walked(SMALLEST)

    def _walked(self, parts: int) -> Array:
        if parts not in self._steppers:
            self._steppers[parts] = stepper(self.system, self._method, self.dt, parts)
        walker = self._steppers[parts]
        walker.reset(self._x, self.t)
        return walker.step(self._x, self.u)

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

    # -- what it knows -----------------------------------------------------------------------------------------------

    @property
    def mean(self) -> Mapping[str, float]:
        """The estimate of each output, and of inputs and parameters that are estimated."""
        s, estimated = self.system, self.doubt.estimated
        own = [self.u[s.inputs.index(one.name)] if one.kind == "input" else s.parameters[one.name] for one in estimated]
        names = [*s.outputs, *(one.name for one in estimated)]
        return ByName(names, np.append(s.observe(self.t, self._x, self.u), own))

    @property
    def sigma(self) -> Mapping[str, float]:
        """The standard deviation of each of these estimates."""
        s = self.system
        slopes = s.linear(self.t, self._x, self.u)
        C = self._slopes(slopes, tangent(s, self._x))
        spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", C, self._P, C), 0.0))
        own = np.sqrt(np.diag(self._P)[self._errors :][: len(self.doubt.estimated)])
        return ByName([*s.outputs, *(one.name for one in self.doubt.estimated)], np.append(spread, own))

    def __repr__(self) -> str:
        count = f"{len(self._x)} states, {len(self.sensors)} sensors"
        return f"<ErrorStateFilter of {self.system.model.name}: {count}, t = {self.t:g} s, {self.backend}>"


def estimate(
    s: System,
    sensors: Sequence[str],
    noise: Mapping[str, float],
    model_error: Mapping[str, float] | float | None = None,
    *,
    forces: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    dt: float = 1e-3,
    method: str | None = None,
    start: Mapping[str, float] | None = None,
    transition: str = "exact",
    gate: float = np.inf,
    backend: str = "auto",
) -> ErrorStateFilter:
    """A filter on a system: `twin = sb.estimate(s, ["crank.q", "p1"], noise={"crank.q": 0.01, "p1": 1e4})`.

    sensors: outputs that are measured; noise: their standard deviations. model_error: densities of velocities and
    states (unit/√s) and standard deviations of parameters, which are considered but not estimated; or one share of
    all of them (0.05). forces: inputs that nobody knows, with the densities with which they wander (unit/√s);
    parameters: those to be estimated, with their standard deviations at the start. start: standard deviations of
    states at the start. transition: "exact" or "trapezoidal". gate: measurements whose square by its expected size is
    larger are refused and counted. backend: "auto" or "python".
    """
    for name in sensors:
        if name not in s.outputs:
            near = " or ".join(nearest_or_first(name, s.outputs))
            raise ModelError("no such sensor", element=name, cure=f"sensors are outputs: did you mean {near}?")
        if not (name in noise and np.isfinite(noise[name]) and noise[name] > 0.0):
            raise ModelError("its noise is not told", element=name, cure=f"give noise={{'{name}': σ}}, above 0")
    if transition not in TRANSITIONS:
        raise ModelError(f"no transition '{transition}'", element="transition", cure=f"use {', '.join(TRANSITIONS)}")
    if not gate > 0.0:
        raise ModelError(f"a gate of {gate}", element="gate", cure="give one above 0: 9 refuses beyond 3 σ")
    known = {name: float(noise[name]) for name in sensors}
    doubt = model_doubt(s, model_error, forces, parameters)
    if parameters:
        s = _with_own_parameters(s)
    return ErrorStateFilter(s, known, doubt, dt, method, start, transition, gate, backend)


def _with_own_parameters(s: System) -> System:
    """The same system with live parameters of its own, which a filter may move."""
    own = system_of(s.definition, s.backend).starting(s.start)
    own.parameters.update(dict(s.parameters))
    return own


def _start_sigma(s: System, told: Mapping[str, float] | None) -> Array:
    """Of error coordinates at the start."""
    sigma, nq, nv = UNSURE * state_sizes(s), len(s.layout.coordinates), len(s.layout.velocities)
    errors = {name: k for k, name in enumerate(s.states[:nq])} if nq == nv else {}
    errors |= {name: nv + k for k, name in enumerate(s.states[nq:])}
    for name, value in (told or {}).items():
        if name not in errors:
            near = " or ".join(nearest_or_first(name, errors))
            raise ModelError("no such state", element=name, cure=f"did you mean {near}?")
        if not (np.isfinite(value) and value >= 0.0):
            raise ModelError(f"a standard deviation of {value}", element=name, cure="give one that is not negative")
        sigma[errors[name]] = value
    return np.asarray(sigma)
