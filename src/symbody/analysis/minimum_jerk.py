"""From place to place with the least jerk: 10τ³ − 15τ⁴ + 6τ⁵, its rate and acceleration (Flash and Hogan, 1985)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def way(share: Array | float) -> Array:
    """How far it is at a share τ of the time; before and after that it rests."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2))


def rate(share: Array | float) -> Array:
    """The derivative of the way by τ."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(30.0 * (tau * (1.0 - tau)) ** 2)


def acceleration(share: Array | float) -> Array:
    """Its second derivative by τ."""
    tau = np.clip(share, 0.0, 1.0)
    return np.asarray(60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau))
