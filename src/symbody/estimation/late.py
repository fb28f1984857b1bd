"""Measurements that come late: back to the step when they were taken, corrected there, and on again."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.state_filter import StateFilter
from symbody.system.system import Array


class _Made(NamedTuple):
    """A step: the filter before it, its time after it, inputs, and what was measured then."""

    before: tuple[Any, ...]
    t: float
    u: Any
    z: list[Array]


class LateMeasurements:
    """A filter whose last `longest` s can be made again; `step` as ever, `late(t, z)` for what was taken at t."""

    def __init__(self, twin: StateFilter, longest: float):
        if not 0.0 < longest < np.inf:
            raise ModelError(f"measurements {longest} s late", element="longest", cure="give a positive number (s)")
        self.twin = twin
        self.too_late = 0  # measurements that were older than what is kept
        self._made: deque[_Made] = deque(maxlen=int(np.ceil(longest / twin.dt)) + 1)

    def step(self, u: Any = None, z: Any = None) -> None:
        """A step of the filter, which is kept."""
        before = self.twin.snapshot()
        self.twin.step(u, z)
        kept = [] if z is None else [self.twin.row_of(z)]
        self._made.append(_Made(before, self.twin.t, u, kept))

    def late(self, t: float, z: Mapping[str, float] | Any) -> bool:
        """Correct by what was measured at t (s), at the nearest step; False, and counted, where that is gone."""
        if t > self.twin.t + 0.5 * self.twin.dt:
            raise ModelError(f"a measurement at {t:g} s", element="t", cure=f"it is only {self.twin.t:g} s")
        if not self._made or t < self._made[0].t - 0.5 * self.twin.dt:
            self.too_late += 1
            return False
        steps = list(self._made)
        first = int(np.argmin([abs(one.t - t) for one in steps]))
        steps[first].z.append(self.twin.row_of(z))
        self.twin.restore(steps[first].before)
        for k in range(first, len(steps)):
            steps[k] = steps[k]._replace(before=self.twin.snapshot())
            self.twin.predict(steps[k].u)
            for measured in steps[k].z:
                self.twin.correct(measured)
        self._made.clear()
        self._made.extend(steps)
        return True
