"""The error-state Kalman filter on a compiled system (Jaiswal 2023, §3): the model runs, errors of it are estimated.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ ⊞ δz;   errors are zero again after each correction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.analysis.equilibrium import displaced, inverse_tangent, state_sizes, tangent, tangent_matrix
from symbody.errors import ModelError
from symbody.estimation.kalman import corrected, predicted
from symbody.estimation.noise import MEMORY, ProcessNoise, process_noise
from symbody.estimation.transition import TRANSITIONS
from symbody.nearest import nearest_or_first
from symbody.stepping.stepper import stepper
from symbody.system.system import Array, System

UNSURE = 0.05  # of the sizes of the states, where nothing is told of the start
Z95 = 1.959963984540054  # 95 % of a normal distribution lie within so many σ


class ByName(Mapping[str, float]):
    """Numbers of all outputs by name, computed when asked for."""

    def __init__(self, names: Sequence[str], values: Array):
        self._places, self._values = {name: k for k, name in enumerate(names)}, values

    def __getitem__(self, name: str) -> float:
        if name not in self._places:
            raise KeyError(f"no output '{name}': did you mean {' or '.join(nearest_or_first(name, self._places))}?")
        return float(self._values[self._places[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ErrorStateFilter:
    """An estimate of a machine that goes on with each `step(u, z)`; made by `sb.estimate`.

    `mean[name]` and `sigma[name]` are of any output of the system; `x` and `P` of its states and their errors.
    """

    def __init__(
        self,
        s: System,
        sensors: Mapping[str, float],
        noise: ProcessNoise,
        dt: float,
        method: str | None,
        start: Mapping[str, float] | None,
        transition: str,
    ):
        self.system, self.dt, self.sensors, self.noise = s, dt, dict(sensors), noise
        self._rows = [s.outputs.index(name) for name in sensors]
        self.R = np.diag([sigma**2 for sigma in sensors.values()])
        self._transition = TRANSITIONS[transition]
        self._stepper = stepper(s, method, dt)
        self.x, self.u, self.t = np.array(s.x0), np.array(s.u0), 0.0
        self.P = np.diag(_start_sigma(s, start) ** 2)
        self.nis: float | None = None  # of the last measurements
        self.innovation = np.zeros(0)

    def step(self, u: Any = None, z: Any = None) -> None:
        """A step on with inputs u held, then corrected by measurements z where there are any (NaN: not measured)."""
        self.predict(u)
        if z is not None:
            self.correct(z)

    def predict(self, u: Any = None) -> None:
        """The model a step on, and how unsure it is then."""
        s = self.system
        self.u = s.u0 if u is None else np.asarray(u, dtype=float)
        F = self._transition(tangent_matrix(s, self.t, self.x, self.u), self.dt)
        slopes = inverse_tangent(tangent(s, self.x)) @ s.linear(self.t, self.x, self.u).P
        self.P = predicted(self.P, F, self.noise.over(self.dt, slopes))
        self._stepper.t = self.t
        self.x = self._stepper.step(self.x, self.u)
        self.t += self.dt

    def correct(self, z: Any) -> None:
        """By measurements in the order of `sensors`, or by name."""
        if isinstance(z, Mapping):
            z = [z.get(name, np.nan) for name in self.sensors]
        z = np.asarray(z, dtype=float)
        if z.shape != (len(self.sensors),):
            raise ModelError(f"{z.shape} measurements", element="z", cure=f"give {len(self.sensors)}, NaN for none")
        there = np.flatnonzero(np.isfinite(z))
        self.innovation, self.nis = np.zeros(0), None
        if not len(there):
            return
        s, rows = self.system, np.array(self._rows)[there]
        self.innovation = z[there] - s.observe(self.t, self.x, self.u)[rows]
        T = tangent(s, self.x)
        H = s.linear(self.t, self.x, self.u).C[rows] @ T
        dz, self.P, self.nis = corrected(self.P, self.innovation, H, self.R[np.ix_(there, there)])
        self.x = displaced(s, self.x, T @ dz)

    @property
    def mean(self) -> Mapping[str, float]:
        """The estimate of each output."""
        return ByName(self.system.outputs, self.system.observe(self.t, self.x, self.u))

    @property
    def sigma(self) -> Mapping[str, float]:
        """The standard deviation of each output's estimate."""
        s = self.system
        C = s.linear(self.t, self.x, self.u).C @ tangent(s, self.x)
        return ByName(s.outputs, np.sqrt(np.einsum("ij,jk,ik->i", C, self.P, C)))


def estimate(
    s: System,
    sensors: Sequence[str],
    noise: Mapping[str, float],
    model_error: Mapping[str, float] | float | None = None,
    *,
    dt: float = 1e-3,
    method: str | None = None,
    start: Mapping[str, float] | None = None,
    transition: str = "exact",
    memory: float = MEMORY,
) -> ErrorStateFilter:
    """A filter on a system: `twin = sb.estimate(s, ["crank.q", "p1"], noise={"crank.q": 0.01, "p1": 1e4})`.

    sensors: outputs that are measured; noise: their standard deviations. model_error: densities of velocities and
    states (unit/√s) and standard deviations of parameters, or one share of every parameter (0.05). start: standard
    deviations of states at the start. transition: "exact" or "trapezoidal".
    """
    for name in sensors:
        if name not in s.outputs:
            near = " or ".join(nearest_or_first(name, s.outputs))
            raise ModelError("no such sensor", element=name, cure=f"sensors are outputs: did you mean {near}?")
        if not (name in noise and np.isfinite(noise[name]) and noise[name] > 0.0):
            raise ModelError("its noise is not told", element=name, cure=f"give noise={{'{name}': σ}}, above 0")
    if transition not in TRANSITIONS:
        raise ModelError(f"no transition '{transition}'", element="transition", cure=f"use {', '.join(TRANSITIONS)}")
    known = {name: float(noise[name]) for name in sensors}
    return ErrorStateFilter(s, known, process_noise(s, model_error, memory), dt, method, start, transition)


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
