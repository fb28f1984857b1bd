"""Comparison with published tables of a problem."""

from __future__ import annotations

import numpy as np

from symbody_bench.validate.figures import PLACE, Array, Figure, largest


def published(name: str, table: Array, t: Array, ours: Array, seconds: float) -> list[Figure]:
    """The figure for rows of time, x, y …, up to the end of the motion; empty if it ends before the first row."""
    rows = [row for row in table if row[0] <= t[-1] + 1e-9]
    if not rows:
        return []
    error = max(largest(ours[int(np.argmin(np.abs(t - row[0])))] - row[1:]) for row in rows)
    return [Figure(name, "x, y (m)", "the library's table (ADAMS)", error, PLACE, seconds)]
