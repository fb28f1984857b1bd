"""Model uncertainty: white noise on velocities and states, and constant errors of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.analysis.tangent_coordinates import state_sizes
from symbody.errors import ModelError
from symbody.suggestions import nearest_or_first
from symbody.system.system import Array, System

SHARE = 0.05  # default: of the sizes of velocities and states per √s, and of each parameter


@dataclass(frozen=True)
class Unknown:
    """An uncertain quantity besides the state: an input with a random walk, or a parameter; estimated or considered."""

    kind: str  # "input" or "parameter"
    name: str
    sigma: float  # initial standard deviation
    density: float = 0.0  # of its random walk (unit/√s)
    estimated: bool = True


@dataclass(frozen=True)
class ModelDoubt:
    """Noise densities σ of the error coordinates (unit/√s), and the unknowns; the estimated ones come first."""

    densities: Array
    positions: Array  # indices of coordinates among the errors, and of their velocities
    velocities: Array
    unknown: tuple[Unknown, ...]

    @property
    def estimated(self) -> list[Unknown]:
        """Inputs and parameters to estimate."""
        return [one for one in self.unknown if one.estimated]

    def over(self, dt: float) -> Array:
        """Q of a step: σ² [[dt³/3, dt²/2], [dt²/2, dt]] for a coordinate and its velocity, σ² dt for all else."""
        Q = np.diag(np.append(self.densities, [one.density for one in self.unknown]) ** 2 * dt)
        i, v = self.positions, self.velocities
        rate = self.densities[v] ** 2
        Q[i, i] += rate * dt**3 / 3.0
        Q[i, v] += rate * dt**2 / 2.0
        Q[v, i] += rate * dt**2 / 2.0
        return np.asarray(Q)


def model_doubt(
    s: System,
    told: Mapping[str, float] | float | None,
    forces: Mapping[str, float] | None = None,
    estimated: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
) -> ModelDoubt:
    """Model uncertainty by names of velocities and states (densities) and of parameters (σ); a number: a share of all.

    forces: densities of estimated inputs; start: their initial σ. estimated: initial σ of estimated parameters.
    """
    nq, nv, n = len(s.layout.coordinates), len(s.layout.velocities), len(s.states)
    densities, parameters = np.zeros(n - nq + nv), {}
    names, known = s.states[nq:], dict(s.parameters)
    if told is None or isinstance(told, (int, float)):
        share = SHARE if told is None else _positive("model_error", float(told))
        densities[nv:] = share * state_sizes(s)[nv:]
        parameters = {name: share * abs(value) for name, value in known.items() if value}
        told = {}
    for name, given in told.items():
        sigma = _positive(name, given)
        if name in names:
            densities[nv + names.index(name)] = sigma
        elif name in known:
            parameters[name] = sigma
        else:
            near = " or ".join(nearest_or_first(name, [*names, *known]))
            raise ModelError("unknown velocity, state or parameter", element=name, cure=f"did you mean {near}?")
    unknown = [
        Unknown(
            "input", _known(name, s.inputs, "input"), _positive(name, (start or {}).get(name, 0.0)), _positive(name, d)
        )
        for name, d in (forces or {}).items()
    ]
    for name, sigma in (estimated or {}).items():
        unknown.append(Unknown("parameter", _known(name, list(known), "parameter"), _positive(name, sigma)))
        parameters.pop(name, None)
    unknown += [Unknown("parameter", k, v, estimated=False) for k, v in parameters.items() if v]
    return ModelDoubt(densities, np.arange(nv), nv + np.arange(nv), tuple(unknown))


def _known(name: str, names: list[str], kind: str) -> str:
    if name not in names:
        near = " or ".join(nearest_or_first(name, names))
        raise ModelError(
            f"unknown {kind}", element=name, cure=f"did you mean {near}?" if near else f"the system has no {kind}s"
        )
    return name


def _positive(name: str, sigma: float) -> float:
    if not (np.isfinite(sigma) and sigma >= 0.0):
        raise ModelError(f"a model error of {sigma}", element=name, cure="give a number that is not negative")
    return float(sigma)
