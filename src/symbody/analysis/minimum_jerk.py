"""The minimum-jerk trajectory x(τ) = 10τ³ − 15τ⁴ + 6τ⁵ from 0 to 1, at rest at both ends (Flash and Hogan, 1985)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

Array = np.ndarray


def _clipped(share: Array | float) -> Array:
    """0 ≤ τ ≤ 1; `np.clip` is slow for one number."""
    tau: Array = np.minimum(np.maximum(share, 0.0), 1.0)
    return tau


def position(share: Array | float) -> Array:
    """x(τ); at rest before τ = 0 and after τ = 1."""
    tau = _clipped(share)
    return np.asarray(tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2))


def rate(share: Array | float) -> Array:
    """dx/dτ."""
    tau = _clipped(share)
    return np.asarray(30.0 * (tau * (1.0 - tau)) ** 2)


def acceleration(share: Array | float) -> Array:
    """d²x/dτ²."""
    tau = _clipped(share)
    return np.asarray(60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau))


def through(waypoints: Sequence[tuple[float, float]], t: Array) -> tuple[Array, Array, Array]:
    """Position, rate and acceleration (n,) at times t through (time, position) waypoints, at rest at each."""
    x, xd, xdd = np.full(len(t), float(waypoints[0][1])), np.zeros(len(t)), np.zeros(len(t))
    for (t0, x0), (t1, x1) in pairwise(waypoints):
        inside = slice(*np.searchsorted(t, (t0, t1)))
        tau, T, way = (t[inside] - t0) / (t1 - t0), t1 - t0, x1 - x0
        x[inside.start :] = x1
        x[inside] = x0 + way * position(tau)
        xd[inside] = way / T * rate(tau)
        xdd[inside] = way / T**2 * acceleration(tau)
    return x, xd, xdd
