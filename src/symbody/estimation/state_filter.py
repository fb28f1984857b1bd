"""Base of all filters on a system: sensors, gates and counters, steps, and estimates of any output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from symbody.analysis.tangent_coordinates import inverse_tangent, state_sizes, tangent
from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.estimation.kalman import normalised_error
from symbody.estimation.noise import ModelDoubt
from symbody.estimation.output_values import ByName
from symbody.estimation.row_steps import RowSteps
from symbody.stepping.stepper import Stepper, stepper
from symbody.suggestions import nearest_or_first
from symbody.system.linear import Linear
from symbody.system.system import Array, System

FINER, SMALLEST = (1, 4, 16), 64  # subdivisions of a step to try
UNSURE = 0.05  # default initial σ, relative to the sizes of the states


class Followed(NamedTuple):
    """Rows over steps: estimates and their σ, of the states and of the estimated inputs and parameters."""

    mean: Array
    sigma: Array
    shares: Array  # y²/S of each sensor, χ² with one degree of freedom; NaN without a measurement
    nees: Array  # eᵀ P⁻¹ e of the states, χ² with as many degrees of freedom; NaN without a true run


def joined(first: Followed, rest: Followed) -> Followed:
    """The rows of both, one after the other."""
    return Followed(*(np.concatenate(both) for both in zip(first, rest, strict=True)))


@dataclass(frozen=True)
class FilterSetup:
    """What every filter is made from.

    sensors: {output: standard deviation}. dt: step (s). start: standard deviations of states at the start. gate: the
    largest y²/S of a measurement that is used.
    """

    system: System
    sensors: Mapping[str, float]
    doubt: ModelDoubt
    dt: float
    method: str | None = None
    start: Mapping[str, float] | None = None
    gate: float = np.inf


class StateFilter(ABC):
    """The running estimate of a machine; each `step(u, z)` advances it. Made by `sb.estimate`.

    `mean[name]` and `sigma[name]` give any output of the system; `x` and `P` its states and the covariance of their
    errors. `used` gives the result of each sensor's last measurement: 1 used, 0 none, −1 rejected by the gate.
    """

    def __init__(self, setup: FilterSetup):
        s, sensors, doubt, start = setup.system, setup.sensors, setup.doubt, setup.start
        self.setup, self.system, self.dt, self.gate = setup, s, setup.dt, setup.gate
        self.sensors, self.doubt = dict(sensors), doubt
        self.R = np.array([sigma**2 for sigma in sensors.values()])  # variances of the sensors
        self.u, self.t = np.array(s.u0), 0.0
        sigma, unknown = _start_sigma(s, start), doubt.unknown
        self._tangents: tuple[Array, Array] | None = None
        self._last_sigma: tuple[tuple[Any, ...], ByName] | None = None  # of one estimate, for further names
        self._x, self._P = np.array(s.x0), np.diag(np.append(sigma, [one.sigma for one in unknown]) ** 2)
        self._errors, self._considered = len(sigma), len(unknown) - len(doubt.estimated)
        self._inputs = [s.inputs.index(one.name) for one in unknown if one.kind == "input"]
        self._parameters = [list(s.parameters).index(one.name) for one in unknown if one.kind == "parameter"]
        self._offset = np.zeros(len(self._inputs))  # estimated inputs minus the given ones
        self.innovation = np.full(len(sensors), np.nan)  # of the last measurements, in their units
        self.shares = np.full(len(sensors), np.nan)  # y²/S of the last measurements
        self.refused = dict.fromkeys(sensors, 0)  # number of measurements rejected by the gate
        self._rows = np.array([s.outputs.index(name) for name in sensors], dtype=int)
        self._method = setup.method
        self._steppers: dict[int, Stepper] = {}  # by the number of parts of a step
        self._row_steps = RowSteps(s, setup.method, setup.dt)

    @property
    def covariance(self) -> Array:
        """Covariance of all errors, followed by unknown inputs and parameters."""
        return self._P.copy()

    @property
    def x(self) -> Array:
        """The estimate of the states, in the order of `system.states`."""
        return self._x.copy()

    @property
    def P(self) -> Array:
        """Covariance of the errors: of coordinates (for quaternions, rotations in body axes), velocities, states."""
        return self._P[: self._errors, : self._errors].copy()

    @property
    def backend(self) -> str:
        """The back end: "c" or "python"."""
        return "python"

    @property
    def used(self) -> Array:
        """Result of the last measurements: 1 used, 0 none, −1 rejected."""
        return np.where(np.isnan(self.shares), 0, np.where(self.shares <= self.gate, 1, -1))

    @property
    def nis(self) -> float | None:
        """Σ y²/S of the last measurements that were used, χ² with as many degrees of freedom; None without any."""
        return float(self.shares[self.used > 0].sum()) if np.any(self.used > 0) else None

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, u: Any = None, z: Any = None) -> None:
        """Predict one step with constant inputs u, then correct by measurements z if given (NaN: not measured)."""
        self.predict(u)
        if z is not None:
            self.correct(z)

    def predict(self, u: Any = None) -> None:
        """Advance the model and the covariance by one step."""
        self.u = np.array(self.system.u0 if u is None else u, dtype=float)
        self.u[self._inputs] += self._offset
        self._predict()

    def correct(self, z: Any) -> None:
        """Correct by measurements in the order of `sensors`, or by name."""
        z = self.row_of(z)
        self.innovation[:] = self.shares[:] = np.nan
        if not np.isfinite(z).any():
            return
        self._take(self._correct(z)[self._errors :])
        for name, used in zip(self.sensors, self.used, strict=True):
            self.refused[name] += int(used < 0)

    @abstractmethod
    def _predict(self) -> None:
        """One step of the estimate with the inputs `u`."""

    @abstractmethod
    def _correct(self, z: Array) -> Array:
        """Correct by the finite values of z; return the displacement of errors and unknowns."""

    def _take(self, moved: Array) -> None:
        """Move the estimated parameters and inputs; outputs before the next step use the new inputs."""
        self.u[self._inputs] += moved[: len(self._inputs)]
        names = [one.name for one in self.doubt.estimated if one.kind == "parameter"]
        if names:
            steps = moved[len(self._inputs) :][: len(names)]
            self.system.parameters.update({n: self.system.parameters[n] + d for n, d in zip(names, steps, strict=True)})

    def _unknown_slopes(self) -> Array:
        """G = ∂ż/∂(unknown inputs, parameters)."""
        found = self.system.linear(self.t, self._x, self.u)
        both = np.hstack([found.B[:, self._inputs], found.P[:, self._parameters]])
        return np.asarray(self._tangent()[1] @ both)

    def _slopes(self, found: Linear, T: Array) -> Array:
        """∂y/∂(errors, unknown inputs, parameters)."""
        return np.hstack([found.C @ T, found.D[:, self._inputs], found.S[:, self._parameters]])

    def output_slopes(self) -> Array:
        """The same for all outputs, at the estimate."""
        return self._slopes(self.system.linear(self.t, self._x, self.u), self._tangent()[0])

    def _tangent(self) -> tuple[Array, Array]:
        """T of δx = T δz at the estimate, and its inverse; without quaternions they are the same at all states."""
        if self._tangents is None or self.system.quaternions:
            T = tangent(self.system, self._x)
            self._tangents = T, inverse_tangent(T)
        return self._tangents

    def follow(self, u: Array, z: Array, truth: Array | None = None) -> Followed:
        """Steps with one row of inputs and measurements each; truth: true states after them, for NEES."""
        more = len(self.doubt.estimated)
        wide = self._errors + more
        mean, sigma = np.empty((len(z), len(self._x) + more)), np.empty((len(z), wide))
        shares, nees = np.empty((len(z), len(self.sensors))), np.full(len(z), np.nan)
        for k in range(len(z)):
            self.step(u[k], z[k])
            mean[k], sigma[k] = [*self._x, *self._estimated()], np.sqrt(np.diag(self._P)[:wide])
            shares[k] = self.shares
            if truth is not None:
                nees[k] = normalised_error(self.difference(truth[k]), self.P)
        return Followed(mean, sigma, shares, nees)

    def follow_in_c(self, u: Array, z: Array, truth: Array | None = None) -> Followed:
        """The first of these steps, as far as C can make them (here: none)."""
        more = len(self.doubt.estimated)
        mean, sigma, shares = (np.empty((0, n)) for n in (len(self._x) + more, self._errors + more, len(self.sensors)))
        return Followed(mean, sigma, shares, np.empty(0))

    def difference(self, x: Array) -> Array:
        """δz of x = estimate ⊞ δz, for small differences."""
        return np.asarray(self._tangent()[1] @ (x - self._x))

    def row_of(self, z: Any) -> Array:
        """Measurements in the order of `sensors` with NaN for missing ones, from a mapping or a row."""
        if isinstance(z, Mapping):
            for name in z:
                if name not in self.sensors:
                    near = " or ".join(nearest_or_first(name, self.sensors))
                    raise ModelError("unknown sensor", element=name, cure=f"did you mean {near}?")
            z = [z.get(name, np.nan) for name in self.sensors]
        z = np.asarray(z, dtype=float)
        if z.shape != (len(self.sensors),):
            cure = f"give {len(self.sensors)}, in the order of `sensors`; NaN where one is missing"
            raise ModelError(f"measurements of shape {z.shape}", element="z", cure=cure)
        return np.asarray(z)

    def _advanced(self, x: Array, u: Array) -> Array:
        """Advance one state, or rows of states, by a step; a step that fails is divided into smaller ones."""
        together = self._row_steps.step(self.t, x, u) if x.ndim == 2 else None
        if together is not None:
            return together
        for parts in FINER:
            with suppress(DivergenceError, SingularityError):
                return self._substepped(parts, x, u)
        return self._substepped(SMALLEST, x, u)

    def _substepped(self, parts: int, x: Array, u: Array) -> Array:
        if parts not in self._steppers:
            self._steppers[parts] = stepper(self.system, self._method, self.dt, parts)
        walker = self._steppers[parts]
        if x.ndim == 1:
            walker.reset(x, self.t)
        walker.t = self.t
        return walker.step(x, u)

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[Any, ...]:
        """Everything that a step changes, for `restore`."""
        moved = {one.name: self.system.parameters[one.name] for one in self.doubt.estimated if one.kind == "parameter"}
        kept = (self._x, self._P, self._offset, self.u, self.R, self.shares, self.innovation)
        return (self.t, dict(self.refused), moved, *(a.copy() for a in kept))

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Return to a snapshot."""
        self.t, refused, moved, *arrays = kept
        self.refused = dict(refused)
        self.system.parameters.update(moved)
        own = (self._x, self._P, self._offset, self.u, self.R, self.shares, self.innovation)
        for here, then in zip(own, arrays, strict=True):
            here[:] = then

    # -- estimates ---------------------------------------------------------------------------------------------------

    @property
    def mean(self) -> Mapping[str, float]:
        """Estimates of all outputs and of the estimated inputs and parameters, by name."""
        s = self.system
        names = [*s.outputs, *(one.name for one in self.doubt.estimated)]
        return ByName(names, np.append(s.observe(self.t, self._x, self.u), self._estimated()))

    def _estimated(self) -> list[float]:
        """The estimated inputs and parameters."""
        u, places, known = self.u, self.system.inputs, self.system.parameters
        return [u[places.index(one.name)] if one.kind == "input" else known[one.name] for one in self.doubt.estimated]

    @property
    def sigma(self) -> Mapping[str, float]:
        """Standard deviations of these estimates, by name."""
        s = self.system
        known = (self.t, self._x.tobytes(), self._P.tobytes(), self.u.tobytes(), *s.parameters.values())
        if self._last_sigma and self._last_sigma[0] == known:
            return self._last_sigma[1]
        spread = self._spread(self.output_slopes())
        own = np.sqrt(np.diag(self._P)[self._errors :][: len(self.doubt.estimated)])
        found = ByName([*s.outputs, *(one.name for one in self.doubt.estimated)], np.append(spread, own))
        self._last_sigma = known, found
        return found

    def estimated_outputs(self, places: Sequence[int]) -> tuple[Array, Array]:
        """Estimates and standard deviations of some outputs, by their places among all."""
        return self.system.observe(self.t, self._x, self.u)[places], self._spread(self.output_slopes()[places])

    def _spread(self, C: Array) -> Array:
        """Standard deviations of outputs y with slopes C: √diag(C P Cᵀ)."""
        return np.asarray(np.sqrt(np.maximum(np.einsum("ij,ij->i", C @ self._P, C), 0.0)))

    def __repr__(self) -> str:
        count = f"{len(self._x)} states, {len(self.sensors)} sensors"
        return f"<{type(self).__name__} of {self.system.model.name}: {count}, t = {self.t:g} s, {self.backend}>"


def _start_sigma(s: System, told: Mapping[str, float] | None) -> Array:
    """Initial standard deviations of the error coordinates."""
    sigma, nq, nv = UNSURE * state_sizes(s), len(s.layout.coordinates), len(s.layout.velocities)
    errors = {name: k for k, name in enumerate(s.states[:nq])} if nq == nv else {}
    errors |= {name: nv + k for k, name in enumerate(s.states[nq:])}
    for name, value in (told or {}).items():
        if name not in errors:
            near = " or ".join(nearest_or_first(name, errors))
            raise ModelError("unknown state", element=name, cure=f"did you mean {near}?")
        if not (np.isfinite(value) and value >= 0.0):
            raise ModelError(f"a standard deviation of {value}", element=name, cure="give one that is not negative")
        sigma[errors[name]] = value
    return np.asarray(sigma)
