"""A recorded motion with its forces, filtered without delay, with rates and accelerations by differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symbody.analysis.low_pass import derivatives, low_pass

Array = NDArray[np.float64]
EDGE = 0.1  # s at both ends of a record that the filter distorts


@dataclass(frozen=True, eq=False)
class SmoothRecord:
    """Times (n,), coordinates with first and second derivatives, and forces, each (n, k)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    forces: Array
    cutoff: float | None  # Hz, of the filter

    def filtered(self, signals: Array) -> Array:
        """Other signals (n, …) of the same times through the same filter."""
        return low_pass(signals, float(self.t[1] - self.t[0]), self.cutoff)


def smooth_record(t: Array, q: Array, forces: Array, cutoff: float | None) -> SmoothRecord:
    """Coordinates q and forces (n, k) at equal steps, low-pass filtered at `cutoff` (Hz), without both ends.

    None as cutoff: no filter.
    """
    dt = float(np.median(np.diff(t)))
    smooth = low_pass(q, dt, cutoff)
    edge = max(1, round(EDGE / dt))
    inside, (first, second) = slice(edge, -edge), derivatives(smooth, dt)
    filtered = low_pass(forces, dt, cutoff)
    return SmoothRecord(t[inside], smooth[inside], first[inside], second[inside], filtered[inside], cutoff)
