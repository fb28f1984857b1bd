"""A filter as the model of a node: it hears sensors and inputs, and tells estimates with their standard deviations.

In the real-time loop where C runs it; else in Python, from frame to frame.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.from_log import SIGMA
from symbody.estimation.state_filter import StateFilter
from symbody.realtime.filter_loop import ESTIMATED, LiveFilter
from symbody.realtime.loop import Loop

Array = np.ndarray
MOST_STEPS = 1000  # that are caught up with at once, after a silence


class LoopEstimate:
    """A `RunningModel` for `model_node`: the filter in a loop, at rest until the first frame is heard.

    Between frames, and while they are missing, the model goes on alone, and its bands grow.
    """

    def __init__(self, twin: StateFilter, names: Sequence[str]):
        self.loop = Loop(LiveFilter(twin, names), 1.0 / twin.dt, stale=None, overrun=None)
        self.given, self.outputs = self.loop.channels.given, self.loop.outputs
        self.loop.pause()
        self._heard = False

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Sensors and inputs, taken at a `time.monotonic()`."""
        if not self._heard:
            self._heard = True
            self.loop.resume()
        self.loop.give(inputs, stamp)

    def latest(self) -> tuple[int, float, Array]:
        """Number of the newest step, its time (s), and what it tells."""
        return self.loop.latest()


class RunningEstimate:
    """The same in Python: inputs are sensors, then the machine's inputs; outputs est.NAME and est.NAME.sigma."""

    def __init__(self, twin: StateFilter, names: Sequence[str]):
        known = list(twin.mean)
        for name in names:
            if name not in known:
                raise ModelError("no such output", element=name, cure="name outputs of the model, such as crank.q")
        self.twin, self.names = twin, list(names)
        self.given = [*twin.sensors, *twin.system.inputs]
        self.outputs = [f"{ESTIMATED}{name}{end}" for end in ("", SIGMA) for name in self.names]
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
