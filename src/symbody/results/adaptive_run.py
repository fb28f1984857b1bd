"""A run with variable steps: its events, and its motion at any time."""

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
    """A recorded motion with its events; `dense(t)` gives the motion at any other times."""

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
        self.events, self.segments = events, segments  # segments: empty without dense output

    @property
    def steps(self) -> int:
        """Number of steps of the solver; `meta` has evaluations, jacobians and drift of quaternion norms."""
        return int(self.meta["steps"])

    def _segment(self, t: float) -> DenseSegment:
        if not self.segments:
            raise ModelError("the run has no dense output", cure="use simulate(…, method=sb.VariableStep(dense=True))")
        first, last = self.segments[0].a, self.segments[-1].b
        if not first <= t <= last:
            raise ModelError(f"t = {t:g} s is outside the run", cure=f"give a time from {first:g} s to {last:g} s")
        return self.segments[max(0, bisect_right(self.segments, t, key=lambda segment: segment.a) - 1)]

    def state(self, t: float) -> Array:
        """The state x at a time (s); after the reset if one happens then."""
        return np.asarray(self._segment(t).path(t))

    def dense(self, times: Sequence[float] | Array | float) -> Run:
        """All channels at any times of the run (s)."""
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
        rows = [(found := self._segment(t)).f.observe(t, found.path(t), found.known) for t in wanted]
        return Run(self.system, wanted, np.array(rows).reshape(len(wanted), -1))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: without dense output, which needs the system."""
        return {**super().__getstate__(), "segments": []}
