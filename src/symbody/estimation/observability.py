"""Observability along a motion: information from the linearised pair (F, H), summed over time.

W = Σ (H Φ)ᵀ R⁻¹ H Φ with Φ = F … F from the start is the information of the measurements on the initial errors. It is
scaled with the initial uncertainty: W ← D W D with D = diag(σ₀).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.state_filter import StateFilter
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System

NOTHING = 1e-12  # eigenvalues of W below this share of the largest are rounding errors
FADED = 1e-3  # an initial error that has decayed to this share does not matter: the state is detectable


@dataclass(frozen=True)
class Observability:
    """Observability of the errors of states and of the estimated inputs and parameters, by name."""

    names: list[str]
    eigenvalues: Array  # of W, largest first: above 1, measurements add more than was known initially
    directions: Array  # eigenvectors as columns
    grown: Array  # Φ over the motion: maps an initial error to the final one
    learnt: Array  # σ of the initial error after the measurements, divided by σ₀: 1 if nothing was learnt

    @property
    def rank(self) -> int:
        """Number of directions that the measurements observe."""
        return int(np.sum(self.eigenvalues > NOTHING * max(self.eigenvalues[0], NOTHING)))

    @property
    def condition(self) -> float:
        """√ of the ratio of the largest eigenvalue to the smallest observable one."""
        return float(np.sqrt(self.eigenvalues[0] / self.eigenvalues[max(self.rank, 1) - 1]))

    @property
    def unobservable(self) -> list[str]:
        """States whose final error depends on unobserved initial errors that do not decay."""
        hidden = self.grown @ self.directions[:, self.rank :]
        return [name for name, row in zip(self.names, hidden, strict=True) if np.abs(row).max(initial=0.0) > FADED]


def observability(twin: StateFilter, u: Array, every: int = 1) -> Observability:
    """Observability of a fresh filter along its model's motion with rows of inputs u, measured every `every` steps."""
    if not isinstance(twin, ErrorStateFilter):
        raise ModelError("this filter has no transition matrix", element="filter", cure="use filter='error-state'")
    s, count = twin.system, len(twin.P) + len(twin.doubt.estimated)
    start = np.sqrt(np.diag(twin.covariance)[:count])
    start[start == 0.0] = 1.0  # forces that are known initially and then change at random
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


def unobserved(twin: StateFilter, u: Array) -> list[str]:
    """One sentence per state that the sensors of a fresh filter do not observe; empty if the motion fails."""
    try:
        found = observability(twin, u)
    except (DivergenceError, SingularityError):
        return []
    return [f"{name}: these sensors do not observe it: its estimate is the model's" for name in found.unobservable]


def error_names(s: System) -> list[str]:
    """Names of the errors of a system: its states; for quaternions, rotations named after the velocities."""
    nq = len(s.layout.coordinates)
    own = [f"turn of {name}" for name in s.states[nq:][: len(s.layout.velocities)]]
    for name, place in zip(s.states, velocity_places(s), strict=False):
        if place >= 0:
            own[place - nq] = name
    return [*own, *s.states[nq:]]
