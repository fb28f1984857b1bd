"""The ensemble Kalman filter on a compiled system (Evensen 1994; perturbed measurements: Burgers et al. 1998).

Members x_i go through the model, each with its own noise; K = cov(x, y)/(var(y) + σ²), x_i ← x_i + K (z + ε_i − y_i).
P is the members' covariance; with n members its error is about 1/√n, and a step costs n steps of the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.kalman import square_root
from symbody.estimation.sampled import SampledFilter
from symbody.estimation.state_filter import FilterSetup
from symbody.system.system import Array


class EnsembleFilter(SampledFilter):
    """Members about their mean, which is the estimate; all are stepped together in C."""

    def __init__(self, setup: FilterSetup, *, members: int = 100, seed: int = 0):
        super().__init__(setup)
        if members < 10:
            raise ModelError(f"{members} members", element="members", cure="give 10 or more; 100 is usual")
        self._rng, self._count = np.random.default_rng(seed), members
        self._members = self._drawn(self._P)
        self._noise = square_root(setup.doubt.over(setup.dt))

    def _predict(self) -> None:
        centre, moved = self._stepped(self._members)
        moved += self._centred(len(moved[0])) @ self._noise.T
        self._gather(centre, moved)

    def _correct(self, z: Array) -> Array:
        members, sensed = self._members.copy(), self._sensed(self._members)
        gaining = members.shape[1] - self._considered
        self.innovation[:] = z - sensed.mean(axis=0)
        for k in np.flatnonzero(np.isfinite(z)):
            dy = sensed[:, k] - sensed[:, k].mean()
            S = dy @ dy / (self._count - 1) + self.R[k]
            self.shares[k] = (z[k] - sensed[:, k].mean()) ** 2 / S
            if self.shares[k] > self.gate:
                continue
            wrong = z[k] + np.sqrt(self.R[k]) * self._centred(1)[:, 0] - sensed[:, k]
            gain_z, gain_y = (dy @ (a - a.mean(axis=0)) / (self._count - 1) / S for a in (members, sensed))
            gain_z[gaining:] = 0.0
            members += np.outer(wrong, gain_z)
            sensed += np.outer(wrong, gain_y)
        return self._gather(self._x.copy(), members)

    def snapshot(self) -> tuple[Any, ...]:
        """Everything that a step changes, including members and the random generator."""
        return (self._members.copy(), self._rng.bit_generator.state, *super().snapshot())

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Return to a snapshot."""
        self._members, self._rng.bit_generator.state = kept[0].copy(), kept[1]
        super().restore(kept[2:])

    def _gather(self, x: Array, members: Array) -> Array:
        """Set the estimate to the mean of the members about x; return its displacement."""
        mean = members.mean(axis=0)
        self._members = members - mean
        self._P[:] = self._members.T @ self._members / (self._count - 1)
        self._move(x, mean)
        return np.asarray(mean)

    def _drawn(self, P: Array) -> Array:
        return np.asarray(self._centred(len(P)) @ square_root(P).T)

    def _centred(self, width: int) -> Array:
        """Normal random numbers, one row per member, with column means of exactly zero."""
        drawn = self._rng.normal(size=(self._count, width))
        return np.asarray(drawn - drawn.mean(axis=0))
