"""A filter as the model of a node: it hears sensors and inputs, and tells estimates with their standard deviations."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.state_filter import StateFilter

Array = np.ndarray
MOST_STEPS = 1000  # that are caught up with at once, after a silence


class RunningEstimate:
    """A `RunningModel` for `model_node`: inputs are sensors, then the machine's inputs; outputs NAME and NAME.sigma."""

    def __init__(self, twin: StateFilter, names: Sequence[str]):
        known = list(twin.mean)
        for name in names:
            if name not in known:
                raise ModelError("no such output", element=name, cure="name outputs of the model, such as crank.q")
        self.twin, self.names = twin, list(names)
        self.given = [*twin.sensors, *twin.system.inputs]
        self.outputs = [*self.names, *(f"{name}.sigma" for name in self.names)]
        self.skipped = 0  # steps that were not caught up with
        self._began: float | None = None
        self._steps, self._heard = 0, 0

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Sensors and inputs at a `time.monotonic()`: the filter goes on to then, and is corrected."""
        now = time.monotonic() if stamp is None else stamp
        if self._began is None:
            self._began = now - self.twin.dt
        due = round((now - self._began) / self.twin.dt) - self._steps
        z, u = np.split(np.asarray(inputs, dtype=float), [len(self.twin.sensors)])
        for _ in range(min(due, MOST_STEPS)):
            self.twin.predict(u)
        self.skipped += max(due - MOST_STEPS, 0)
        self._steps += max(due, 0)
        self.twin.correct(z)
        self._heard += 1

    def latest(self) -> tuple[int, float, Array]:
        """How often it was corrected, its time (s), and estimates, then their σ."""
        mean, sigma = self.twin.mean, self.twin.sigma
        both = [mean[name] for name in self.names] + [sigma[name] for name in self.names]
        return self._heard, self.twin.t, np.array(both)
