"""The minimum-jerk trajectory x(τ) = 10τ³ − 15τ⁴ + 6τ⁵ from 0 to 1, at rest at both ends (Flash and Hogan, 1985)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def position(share: Array | float) -> Array:
    """x(τ); before τ = 0 and after τ = 1 it rests."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2))


def rate(share: Array | float) -> Array:
    """dx/dτ."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(30.0 * (tau * (1.0 - tau)) ** 2)


def acceleration(share: Array | float) -> Array:
    """d²x/dτ²."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau))
