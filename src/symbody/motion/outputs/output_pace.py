"""Instants at which an output sends: a grid of equal periods that a late or a missed one does not move.

The k-th sample is due at t₀ + k·T. A late sample leaves at once, and the next one at its own instant again. Periods
that passed without a sample are counted and not made up for: drives would get several set points in one period.
"""

from __future__ import annotations

from collections import deque
from math import floor
from typing import Any

import numpy as np

LONGEST = 100_000  # times that are kept


class OutputPace:
    """Instants of an output. due: the next one (s). late: how late samples began (s). skipped: missed periods.

    Parameters
    ----------
    period : float
        Between two samples (s).
    begin : float
        The first instant (s).

    Examples
    --------
    >>> from symbody.motion.outputs import OutputPace
    >>> pace = OutputPace(0.01, begin=0.0)
    >>> pace.begin(0.025)  # two periods late
    >>> pace.skipped, round(pace.due, 3)
    (2, 0.03)
    """

    def __init__(self, period: float, begin: float) -> None:
        self.period, self.due, self.skipped = period, begin, 0
        self.late: deque[float] = deque(maxlen=LONGEST)

    def begin(self, now: float) -> None:
        """A sample leaves now, at its instant or later; the next one is due at the first instant after now."""
        self.late.append(max(0.0, now - self.due))
        missed = max(0, floor((now - self.due) / self.period))
        self.skipped += missed
        self.due += (missed + 1) * self.period

    def figures(self) -> dict[str, Any]:
        """How late samples left (ms, 99 % and largest), and missed periods."""
        late = 1e3 * np.array(self.late or [0.0])
        shares = {"p99": float(np.quantile(late, 0.99)), "max": float(late.max())}
        return {"output_late_ms": shares, "output_missed": self.skipped}

    def wait(self, now: float) -> float:
        """Time (s) until the next sample is due."""
        return max(0.0, self.due - now)
