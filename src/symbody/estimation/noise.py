"""What a model does not know: white noise on velocities and states, and parameters that are wrong by a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.analysis.tangent_coordinates import state_sizes
from symbody.errors import ModelError
from symbody.nearest import nearest_or_first
from symbody.system.system import Array, System

SHARE = 0.05  # of the sizes of velocities and states, in a second, and of each parameter: where nothing is told


@dataclass(frozen=True)
class Unknown:
    """What is not known besides the state: an input that wanders, or a parameter; estimated, or only considered."""

    kind: str  # "input" or "parameter"
    name: str
    sigma: float  # of what is thought of it at the start
    density: float = 0.0  # with which it wanders (unit/√s)
    estimated: bool = True


@dataclass(frozen=True)
class ModelDoubt:
    """Densities σ of error coordinates (unit/√s), and what is unknown besides them: those that are estimated first."""

    densities: Array
    positions: Array  # of coordinates among the errors, and of their velocities
    velocities: Array
    unknown: tuple[Unknown, ...]

    @property
    def estimated(self) -> list[Unknown]:
        """Inputs and parameters that are estimated."""
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
) -> ModelDoubt:
    """Of names of velocities and states (densities) and of parameters (σ); a number: that share of everything.

    forces: densities of inputs that are estimated; estimated: σ at the start of parameters that are.
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
            raise ModelError("no such velocity, state or parameter", element=name, cure=f"did you mean {near}?")
    unknown = [
        Unknown("input", _known(name, s.inputs, "input"), 0.0, _positive(name, d)) for name, d in (forces or {}).items()
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
            f"no such {kind}", element=name, cure=f"did you mean {near}?" if near else f"it has no {kind}s"
        )
    return name


def _positive(name: str, sigma: float) -> float:
    if not (np.isfinite(sigma) and sigma >= 0.0):
        raise ModelError(f"a model error of {sigma}", element=name, cure="give a number that is not negative")
    return float(sigma)
