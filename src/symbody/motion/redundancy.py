"""Two ways to make the same translation: how much the hexapod does, and how much the table.

`split_share` is the α of Houda 2020, section 5.2: the table moves alone up to its limits; beyond them the hexapod takes
the lacking part of the whole motion, α = min(max(L_x, L_v, L_a), cap) with L = (M − limit)/M.
"""

from __future__ import annotations

import numpy as np

from symbody.motion.data import Array, AxisLimit

CAP = 0.285  # largest share of the hexapod: 0.4 m of 1.4 m of stroke together, as printed


def split_share(x: Array, v: Array, a: Array, table: AxisLimit, cap: float = CAP) -> float:
    """Share α of the hexapod in a motion with positions x (m), velocities v (m/s) and accelerations a (m/s²).

    Positions count from one end to the other, as the table's stroke does.
    """
    reach = (float(np.ptp(x)), float(np.abs(v).max()), float(np.abs(a).max()))
    return share_of(reach, (table.high - table.low, table.speed, table.acceleration), cap)


def share_of(reach: tuple[float, float, float], limits: tuple[float, float, float], cap: float = CAP) -> float:
    """α from the largest travel, speed and acceleration, and the limits of the table."""
    lacks = [max(0.0, (most - limit) / most) if most > 0.0 else 0.0 for most, limit in zip(reach, limits, strict=True)]
    return min(max(lacks), cap)
