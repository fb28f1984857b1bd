"""The runs of a fit with many logs as one batch: a log in each lane, with its own inputs and initial states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.analysis.fit_log import Measured
from symbody.analysis.sweep_batch import FEWEST
from symbody.batch.of_system import Batch, batch
from symbody.codegen.compiler import find_compiler
from symbody.errors import CompileError, ModelError
from symbody.results.run import Run
from symbody.stepping.fixed_trajectory import step_grid
from symbody.stepping.inputs import Signal, inputs_at
from symbody.stepping.registry import suited_fixed
from symbody.stepping.rk4 import RK4
from symbody.system.sensitivity import Sensitive


class FitBatch:
    """Runs of many logs with the same times and fixed steps of rk4; None instead of runs where a batch cannot do it."""

    def __init__(self, s: Sensitive, logs: Sequence[Measured], method: str | None, dt: float | None):
        """dt: the step that hits the times of the logs (s)."""
        self._s, self._logs, self._dt = s, logs, dt
        self._possible = (
            dt is not None
            and len(logs) >= FEWEST
            and find_compiler() is not None
            and suited_fixed(s, method).name == RK4.name
            and all(np.array_equal(log.t, logs[0].t) for log in logs)
        )
        self._made: Batch | None = None

    def runs(self, values: Sequence[Mapping[str, float]], inputs: Mapping[str, Signal]) -> list[Run] | None:
        """The run of each log with its own values of the parameters."""
        b = self._batch()
        if b is None or self._dt is None:
            return None
        s, logs = self._s, self._logs
        grid = step_grid(float(logs[0].t[0]), float(logs[0].t[-1]), self._dt)
        starts = []
        for own in values:
            s.parameters.update(own)
            starts.append(s.restarted())
        b.set_parameters({name: np.array([own[name] for own in values]) for name in values[0]})
        b.reset(np.array([at.x0 for at in starts]), grid.start, np.array([at.start_guess for at in starts]))
        rows = [inputs_at(s, {**log.inputs(s), **inputs}, grid.times) for log in logs]
        u = np.stack([np.broadcast_to(row, (grid.steps + 1, row.shape[1])) for row in rows], axis=1)
        every = grid.steps // (len(logs[0].t) - 1)
        found = b.rollout(grid.steps, np.ascontiguousarray(u), every=every, linear=True)
        if found.failures:
            return None
        return [Run(s, log.t, found.values[:, k], names=found.channels) for k, log in enumerate(logs)]

    def _batch(self) -> Batch | None:
        if self._made is None and self._possible:
            try:
                self._made = batch(
                    self._s, len(self._logs), dt=self._dt or 0.0, channels=self._s.outputs, per_state=True
                )
            except (CompileError, ModelError):  # a law in Python
                self._possible = False
        return self._made
