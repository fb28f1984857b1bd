"""A filter as the model of a node: it receives sensor values and inputs, and sends estimates with standard deviations.

It runs in the real-time loop if the filter is compiled to C; otherwise in Python, from frame to frame.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

import numpy as np

from symbody.errors import ModelError, SymbodyError
from symbody.estimation.from_log import SIGMA
from symbody.estimation.state_filter import StateFilter
from symbody.realtime.filter_loop import ESTIMATED, LiveFilter
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety

Array = np.ndarray
MOST_STEPS = 1000  # steps to catch up at once after a silence


class LoopEstimate:
    """A `RunningModel` for `model_node`: the filter in a loop, paused until the first frame arrives.

    Between frames, and while they are missing, the model continues alone and its standard deviations grow.
    """

    def __init__(self, twin: StateFilter, names: Sequence[str]):
        self.loop = Loop(LiveFilter(twin, names), 1.0 / twin.dt, safety=Safety(stale=None, overrun=None))
        self.given, self.outputs = self.loop.channels.given, self.loop.outputs
        self.loop.pause()
        self._heard = False

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Sensor values and inputs, measured at a `time.monotonic()`."""
        if not self._heard:
            self._heard = True
            self.loop.resume()
        self.loop.give(inputs, stamp)

    def latest(self) -> tuple[int, float, Array]:
        """Number of the newest step, its time (s), and its outputs."""
        return self.loop.latest()


class RunningEstimate:
    """The same in Python. Inputs: sensors, then the machine's inputs. Outputs: est.NAME and est.NAME.sigma.

    After inputs with which the model diverges, all outputs are NaN, as those of a loop in its safe state; `failed` is
    the reason.
    """

    def __init__(self, twin: StateFilter, names: Sequence[str]):
        known = list(twin.mean)
        for name in names:
            if name not in known:
                raise ModelError("unknown output", element=name, cure="name outputs of the model, such as crank.q")
        self.twin, self.names = twin, list(names)
        self.given = [*twin.sensors, *twin.system.inputs]
        self.outputs = [f"{ESTIMATED}{name}{end}" for end in ("", SIGMA) for name in self.names]
        self.skipped = 0  # steps skipped after a long silence
        self.failed = ""
        self._began: float | None = None
        self._steps, self._heard = 0, 0

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Sensor values and inputs at a `time.monotonic()`: the filter steps to that time and is corrected."""
        if self.failed:
            return
        now = time.monotonic() if stamp is None else stamp
        if self._began is None:
            self._began = now - self.twin.dt
        due = round((now - self._began) / self.twin.dt) - self._steps
        z, u = np.split(np.asarray(inputs, dtype=float), [len(self.twin.sensors)])
        try:
            for _ in range(min(due, MOST_STEPS)):
                self.twin.predict(u)
            self.twin.correct(z)
        except (SymbodyError, np.linalg.LinAlgError) as error:  # a partner's values must not end the node
            self.failed = str(error)
            warnings.warn(f"the estimate is NaN from now on: {error}", RuntimeWarning, stacklevel=2)
        self.skipped += max(due - MOST_STEPS, 0)
        self._steps += max(due, 0)
        self._heard += 1

    def latest(self) -> tuple[int, float, Array]:
        """Number of corrections, the filter's time (s), and estimates followed by their σ."""
        if self.failed:
            return self._heard, self.twin.t, np.full(len(self.outputs), np.nan)
        mean, sigma = self.twin.mean, self.twin.sigma
        both = [mean[name] for name in self.names] + [sigma[name] for name in self.names]
        return self._heard, self.twin.t, np.array(both)
