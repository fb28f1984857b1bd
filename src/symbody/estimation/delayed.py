"""Delayed measurements: go back to the step of the measurement, correct there, and repeat the later steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.estimation.state_filter import StateFilter
from symbody.system.system import Array


class _Made(NamedTuple):
    """One step: the filter's snapshot before it, the time after it, its inputs and its measurements."""

    before: tuple[Any, ...]
    t: float
    u: Any
    z: list[Array]


class LateMeasurements:
    """A filter that can repeat its last `longest` s: `step` as usual, `late(t, z)` for a measurement taken at t (s).

    Parameters
    ----------
    twin : StateFilter
        A filter from `sb.estimate`.
    longest : float
        Longest delay of a measurement (s); the steps of this time are kept.
    """

    def __init__(self, twin: StateFilter, longest: float):
        if not 0.0 < longest < np.inf:
            raise ModelError(f"a longest delay of {longest} s", element="longest", cure="give a positive number (s)")
        self.twin = twin
        self.too_late = 0  # measurements older than the kept steps
        self._made: deque[_Made] = deque(maxlen=int(np.ceil(longest / twin.dt)) + 1)

    def step(self, u: Any = None, z: Any = None) -> None:
        """Make a step of the filter and keep it."""
        before = self.twin.snapshot()
        self.twin.step(u, z)
        kept = [] if z is None else [self.twin.row_of(z)]
        self._made.append(_Made(before, self.twin.t, u, kept))

    def late(self, t: float, z: Mapping[str, float] | Any) -> bool:
        """Correct by a measurement taken at t (s), at the nearest step; return False and count it if it is too old."""
        if t > self.twin.t + 0.5 * self.twin.dt:
            raise ModelError(
                f"a measurement at {t:g} s", element="t", cure=f"the filter is at {self.twin.t:g} s; step first"
            )
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
