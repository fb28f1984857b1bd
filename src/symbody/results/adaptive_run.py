"""A run with steps chosen by their error: its events, and its motion at any time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.results.run import Run
from symbody.stepping.events import EventRecord
from symbody.stepping.variable_trajectory import DenseSegment
from symbody.system.system import Array, System


class AdaptiveRun(Run):
    """A recorded motion with its events; `dense(t)` is the motion at any other times."""

    def __init__(
        self,
        s: System,
        t: Array,
        values: Array,
        events: list[EventRecord],
        segments: list[DenseSegment],
        meta: dict[str, Any],
    ):
        super().__init__(s, t, values, meta={**meta, "dt": None})
        self.events, self.segments = events, segments  # segments: none unless dense output was asked for

    @property
    def steps(self) -> int:
        """Steps of the solver; evaluations, jacobians and drift (of quaternions' lengths from one) are in `meta`."""
        return int(self.meta["steps"])

    def _segment(self, t: float) -> DenseSegment:
        if not self.segments:
            raise ModelError("no dense output was kept", cure="simulate(…, dense=True)")
        first, last = self.segments[0].a, self.segments[-1].b
        if not first <= t <= last:
            raise ModelError(
                f"t = {t:g} s is outside of the run", cure=f"it begins at {first:g} s and ends at {last:g} s"
            )
        return self.segments[max(0, bisect_right(self.segments, t, key=lambda segment: segment.a) - 1)]

    def state(self, t: float) -> Array:
        """The state x at a time (s); after a reset where one happened then."""
        return np.asarray(self._segment(t).path(t))

    def dense(self, times: Sequence[float] | Array | float) -> Run:
        """All channels at any times of the run (s)."""
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
        rows = [(found := self._segment(t)).f.observe(t, found.path(t), found.known) for t in wanted]
        return Run(self.system, wanted, np.array(rows).reshape(len(wanted), len(self.names)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: without dense output, which needs the system."""
        return {**super().__getstate__(), "segments": []}
