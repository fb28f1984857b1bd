"""What is measured of the clock, and what theory says: period, amplitude, energy of a swing."""

from __future__ import annotations

import numpy as np

from symbody.system.system import System

Array = np.ndarray
GRAVITY = 9.81  # m/s²
DAY = 86400.0  # s


# -- theory ------------------------------------------------------------------------------------------------------------


def reduced_length(s: System) -> float:
    """ℓ = I/(m d) (m), of the simple pendulum that swings alike: from mass and gravity at a small angle."""
    p = s.parameters
    from symbody.machines.pendulum_clock.model import LENS, ROD

    lens, length, (rod, long) = p["lens_mass"], p["length"], ROD
    inertia = rod * long**2 / 3.0 + lens * (length**2 + LENS[1] ** 2 / 2.0)
    return inertia / (rod * long / 2.0 + lens * length)
