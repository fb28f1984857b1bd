"""What a model does not know, as white noise: densities of velocities and states, and parameters that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.nearest import nearest_or_first
from symbody.system.system import Array, System

DOUBTED = 0.05  # of each parameter, where nothing is told
MEMORY = 0.1  # s: a parameter that is wrong is wrong for a while, not for an instant


@dataclass(frozen=True)
class ProcessNoise:
    """Q of a step: σ² [[dt³/3, dt²/2], [dt²/2, dt]] for a coordinate and its velocity, σ² dt for other states,
    and (∂ẋ/∂p σ_p)² · 2τ dt for parameters.
    """

    densities: Array  # of error coordinates: σ (rad/s/√s, m/s/√s, unit/√s)
    positions: Array  # per velocity among the error coordinates, the place of its coordinate
    velocities: Array
    doubts: Array  # σ of each parameter
    memory: float = MEMORY

    def over(self, dt: float, slopes: Array) -> Array:
        """Q of a step dt (s); slopes: ∂ż/∂p."""
        effect = slopes * (self.doubts * np.sqrt(2.0 * self.memory))
        rate = np.diag(self.densities**2) + effect @ effect.T
        spread = np.zeros_like(rate)  # white acceleration, summed once to velocity and twice to position
        spread[np.ix_(self.positions, self.positions)] = rate[np.ix_(self.velocities, self.velocities)] * dt**3 / 3.0
        cross = np.zeros_like(rate)
        cross[self.positions] = rate[self.velocities] * dt**2 / 2.0
        return np.asarray(rate * dt + spread + cross + cross.T)


def process_noise(s: System, told: Mapping[str, float] | float | None, memory: float = MEMORY) -> ProcessNoise:
    """Of names of velocities and states (densities) and of parameters (σ); a number: that share of each parameter."""
    nq, nv, n = len(s.layout.coordinates), len(s.layout.velocities), len(s.states)
    densities, doubts = np.zeros(n - nq + nv), np.zeros(len(s.parameters))
    names, parameters = s.states[nq:], list(s.parameters)
    if told is None or isinstance(told, (int, float)):
        share = DOUBTED if told is None else float(told)
        doubts[:] = [share * abs(float(s.parameters[name])) for name in parameters]
        told = {}
    for name, sigma in told.items():
        if not (np.isfinite(sigma) and sigma >= 0.0):
            raise ModelError(f"a model error of {sigma}", element=name, cure="give a number that is not negative")
        if name in names:
            densities[nv + names.index(name)] = sigma
        elif name in parameters:
            doubts[parameters.index(name)] = sigma
        else:
            near = " or ".join(nearest_or_first(name, [*names, *parameters]))
            raise ModelError("no such velocity, state or parameter", element=name, cure=f"did you mean {near}?")
    return ProcessNoise(densities, np.arange(nv), nv + np.arange(nv), doubts, memory)
