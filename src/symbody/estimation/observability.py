"""What sensors can tell of the states along a motion: the linearised pair (F, H), gathered over time.

W = Σ (H Φ)ᵀ R⁻¹ H Φ with Φ = F … F from the start on is the information that measurements hold on errors at the start;
in units of what was known at the start, W ← D W D with D = diag(σ₀).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.state_filter import StateFilter
from symbody.system.places import velocity_places
from symbody.system.system import Array, System

NOTHING = 1e-12  # of the largest eigenvalue of W: rounding
FADED = 1e-3  # of an error at the start: what is left of it does not matter, and such a state is detectable


@dataclass(frozen=True)
class Observability:
    """Of errors of the states and of what is estimated besides them, by name."""

    names: list[str]
    eigenvalues: Array  # of W, largest first: beyond 1, measurements tell more than was known
    directions: Array  # columns
    grown: Array  # Φ over the motion: what an error at the start has become at its end
    learnt: Array  # σ at the start, known afterwards, by σ₀: 1 where nothing was learnt of it

    @property
    def rank(self) -> int:
        """Directions of which measurements tell anything."""
        return int(np.sum(self.eigenvalues > NOTHING * max(self.eigenvalues[0], NOTHING)))

    @property
    def condition(self) -> float:
        """Of what is told: √ of the largest eigenvalue by the smallest that is more than rounding."""
        return float(np.sqrt(self.eigenvalues[0] / self.eigenvalues[max(self.rank, 1) - 1]))

    @property
    def unobservable(self) -> list[str]:
        """States that are wrong, at the end, by errors at the start of which nothing is told: those do not fade."""
        hidden = self.grown @ self.directions[:, self.rank :]
        return [name for name, row in zip(self.names, hidden, strict=True) if np.abs(row).max(initial=0.0) > FADED]


def observability(twin: StateFilter, u: Array, every: int = 1) -> Observability:
    """Of a filter that is fresh, along its model's motion with rows of inputs u; measured every so many steps."""
    if not isinstance(twin, ErrorStateFilter):
        raise ModelError("it has no transition", element="filter", cure="use filter='error-state'")
    s, count = twin.system, len(twin.P) + len(twin.doubt.estimated)
    start = np.sqrt(np.diag(twin.covariance)[:count])
    start[start == 0.0] = 1.0  # forces that are known at the start, and then wander
    phi, W = np.diag(start), np.zeros((count, count))
    rows = [s.outputs.index(name) for name in twin.sensors]
    for k, inputs in enumerate(u):
        twin.predict(inputs)
        phi = twin.transition()[:count, :count] @ phi
        if (k + 1) % every == 0:
            H = twin.output_slopes()[rows, :count] @ phi / np.sqrt(twin.R)[:, np.newaxis]
            W += H.T @ H
    values, vectors = np.linalg.eigh(0.5 * (W + W.T))
    after = np.sqrt(np.diag((vectors / (1.0 + np.maximum(values, 0.0))) @ vectors.T))
    names = [*error_names(s), *(one.name for one in twin.doubt.estimated)]
    grown = phi / start[:, np.newaxis]
    return Observability(names, np.maximum(values[::-1], 0.0), vectors[:, ::-1], grown, after)


def untold(twin: StateFilter, u: Array) -> list[str]:
    """Of a fresh filter, in words: what its sensors tell nothing of along this motion; nothing where it cannot go."""
    try:
        found = observability(twin, u)
    except (DivergenceError, SingularityError):
        return []
    return [f"{name}: these sensors tell nothing of it: its estimate is the model's" for name in found.unobservable]


def error_names(s: System) -> list[str]:
    """Of the errors of a system: its states; of joints with quaternions, turns by the names of their velocities."""
    nq = len(s.layout.coordinates)
    own = [f"turn of {name}" for name in s.states[nq:][: len(s.layout.velocities)]]
    for name, place in zip(s.states, velocity_places(s), strict=False):
        if place >= 0:
            own[place - nq] = name
    return [*own, *s.states[nq:]]
