"""Objectives of many parameter sets at once, for a swarm: a set in each lane of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.batch.of_system import Batch, batch
from symbody.codegen.compiler import find_compiler
from symbody.errors import AssemblyError, CompileError, DivergenceError, ModelError, SingularityError
from symbody.stepping.fixed_trajectory import step_grid
from symbody.stepping.inputs import Signal, inputs_at
from symbody.stepping.registry import suited_fixed
from symbody.stepping.rk4 import RK4
from symbody.system.sensitivity import Sensitive
from symbody.system.system import Array

FAILURES = (AssemblyError, DivergenceError, SingularityError)


class SwarmObjectives:
    """Values (n, objectives) at places (n, parameters); NaN if a run fails. It can be sent to other processes."""

    def __init__(
        self, s: Sensitive, names: Sequence[str], until: float, dt: float, inputs: Mapping[str, Signal]
    ):  # fmt: skip
        self.s, self.names, self.until, self.dt, self.inputs = s, list(names), until, dt, dict(inputs)
        self._made: Batch | None = None
        self._possible = True

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_made": None}

    def __call__(self, places: Array) -> Array:
        found = self._together(places)
        return np.array([self._alone(place) for place in places]) if found is None else found

    def _together(self, places: Array) -> Array | None:
        """All places in a batch; places where it fails are run alone."""
        s, n = self.s, len(places)
        grid = step_grid(0.0, self.until, self.dt)
        b = None if grid.shortened else self._batch(n)
        if b is None:
            return None
        starts = [self._start(place) for place in places]
        b.set_parameters(dict(zip(self.names, places.T, strict=True)))
        known = [(s.x0, s.start_guess) if at is None else (at.x0, at.start_guess) for at in starts]
        b.reset(np.array([x for x, _ in known]), guess=np.array([guess for _, guess in known]))
        rows = np.broadcast_to(inputs_at(s, self.inputs, grid.times), (grid.steps + 1, len(s.inputs)))
        run = b.rollout(grid.steps, np.ascontiguousarray(rows), every=grid.steps, linear=True)
        values: Array = np.array(run.values[-1])
        for i in run.failures:
            values[i] = self._alone(places[i])
        values[[at is None for at in starts]] = np.nan
        return values

    def _start(self, place: Array) -> Sensitive | None:
        """The system at the initial state of these parameters; None if there is none."""
        s, before = self.s, dict(self.s.parameters)
        try:
            s.parameters.update(dict(zip(self.names, place.tolist(), strict=True)))
            return s.restarted()
        except FAILURES:
            return None
        finally:
            s.parameters.update(before)

    def _batch(self, n: int) -> Batch | None:
        if self._possible and (self._made is None or self._made.n != n):
            self._possible = find_compiler() is not None and suited_fixed(self.s, None).name == RK4.name
            try:
                objectives = list(self.s.objectives)
                self._made = (
                    batch(self.s, n, dt=self.dt, channels=objectives, per_state=True) if self._possible else None
                )
            except (CompileError, ModelError):  # a law in Python
                self._possible = False
        return self._made if self._possible else None

    def _alone(self, place: Array) -> list[float]:
        from symbody.analysis.simulate import simulate

        s, before = self.s, dict(self.s.parameters)
        try:
            s.parameters.update(dict(zip(self.names, place.tolist(), strict=True)))
            run = simulate(s.restarted(), self.until, self.dt, inputs=self.inputs, every=self.until, energy="ignore")
            return [float(run[name][-1]) for name in s.objectives]
        except FAILURES:
            return [np.nan] * len(s.objectives)
        finally:
            s.parameters.update(before)
