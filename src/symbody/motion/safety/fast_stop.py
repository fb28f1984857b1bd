"""The fast stop: each axis brakes at a constant rate to rest, within whole samples, at no more than its preset rate.

    n = ⌈|v| / (a dt)⌉,    r(t) = r + v t − v t²/(2 n dt)  until n dt,    stopping distance D(v) = |v| n dt / 2.

After a sample of the stop, the stop from the new state is the rest of the old one. A state is `stoppable` if its stop
keeps all limits; a motion that only enters stoppable states can therefore stop at any sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbody.motion.data import Array, PlatformData
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.slack import slack_of

FRACTIONS = np.linspace(0.0, 1.0, 12)  # of a stop, at which its limits are checked; also where an axis comes to rest
ROUNDING = 1e-9  # of a sample, and of positions (m, rad)


def stop_time(v: Array, data: PlatformData, dt: float) -> Array:
    """Duration (…, 8) (s) of the stop of each axis from rates v (…, 8): n dt."""
    a = data.ends("acceleration")
    samples = np.abs(v) / np.where(a > 0.0, a * dt, 1.0)
    return np.asarray(dt * np.ceil(samples - ROUNDING))


def stopping(r: Array, v: Array, t: Array, data: PlatformData, dt: float) -> tuple[Array, Array, Array]:
    """Axes, rates and second derivatives (…, k, 8) at times t (…, k) of the stop from states r, v (…, 8)."""
    whole = stop_time(v, data, dt)[..., None, :]
    r, v, t = r[..., None, :], v[..., None, :], np.asarray(t)[..., None]
    moving = t < whole - ROUNDING * dt
    least = np.where(whole > 0.0, whole, 1.0)
    tau = np.minimum(t, whole)
    rate = np.where(moving, v * (1.0 - tau / least), 0.0)
    return r + v * tau * (1.0 - 0.5 * tau / least), rate, np.where(moving, -v / least, 0.0)


def stop_end(r: Array, v: Array, data: PlatformData, dt: float) -> Array:
    """Where a stop ends (…, 8): r + v n dt/2."""
    return np.asarray(r + 0.5 * v * stop_time(v, data, dt))


def within_axes(r: Array, v: Array, data: PlatformData) -> NDArray[np.bool_]:
    """Whether positions and speeds (…, 8) keep the limits of the axes."""
    low, high, speed = map(data.ends, ("low", "high", "speed"))
    inside = (r >= low - ROUNDING) & (r <= high + ROUNDING) & (np.abs(v) <= speed * (1.0 + ROUNDING))
    return np.asarray(inside.all(axis=-1))


def stoppable(
    r: Array, v: Array, data: PlatformData, dt: float, before: tuple[Array, Array, Array] | None = None
) -> NDArray[np.bool_]:
    """Whether the stop from states keeps all limits of the axes, the legs and the workspace.

    Parameters
    ----------
    r, v : array, shape (…, 8)
        Axes and rates (m, rad, s).
    data : PlatformData
        The platform.
    dt : float
        Time between checked instants (s).
    before : (array, array, array), optional
        Axes, rates and second derivatives (…, k, 8) of instants before the stop, for the shared limits.

    Returns
    -------
    array of bool
        One for each state.
    """
    r, v = np.asarray(r, dtype=float), np.asarray(v, dtype=float)
    whole = stop_time(v, data, dt)
    last = whole.max(axis=-1, keepdims=True)
    t = np.concatenate([last * FRACTIONS, whole], axis=-1)
    axes, rates, second = stopping(r, v, t, data, dt)
    inside = within_axes(r, v, data) & within_axes(stop_end(r, v, data, dt), 0.0 * v, data)
    if before is not None:
        earlier = zip(before, (axes, rates, second), strict=True)
        axes, rates, second = (np.concatenate(pair, axis=-2) for pair in earlier)
    slack = slack_of(axes[..., 2:], rates[..., 2:], second[..., 2:], data)
    return np.asarray(inside & (slack > 0.0).all(axis=(-2, -1)))  # NaN is not


def stop_motion(r: Array, v: Array, data: PlatformData, dt: float) -> PlatformMotion:
    """The fast stop from a state as a motion, until rest.

    Parameters
    ----------
    r, v : array, shape (8,)
        Axes and rates (m, rad, s).
    data : PlatformData
        The platform.
    dt : float
        Time between samples (s).

    Returns
    -------
    PlatformMotion
        Until rest.
    """
    count = round(float(stop_time(v, data, dt).max()) / dt)
    t = np.asarray(dt * np.arange(count + 1), dtype=np.float64)
    return PlatformMotion(t, *stopping(np.asarray(r), np.asarray(v), t, data, dt), data)
