"""The governor: a reference that follows a target as well as the limits allow, and can always stop.

Each sample it proposes new rates of the axes: the target's, corrected towards it (`servo.pursuit`), within speed,
acceleration, and the speed from which the axis can still stop before its end,

    w ≤ A (√(dt² + 2 h/A) − dt),  h = high − r − v dt/2,

which keeps r' + w²/(2A) + w dt/2 ≤ high. Proposals between this and one sample of the fast stop are tried in the order
of `SHARES`; the first from which the platform can stop within all limits is taken. The last one is the stop itself,
which the sample before has checked: by induction no reference leaves the limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbody.motion.data import Array, PlatformData
from symbody.motion.safety.fast_stop import ROUNDING, stop_time, stoppable
from symbody.motion.servo import pursuit

SHARES = (1.0, 0.7, 0.4, 0.15)  # of the way from the stop to the proposal
FOLLOW = 240.0  # 1/s, gain of the rates; less if samples are far apart
PER_SAMPLE = 0.3  # largest FOLLOW · dt
CLIPPED = 1e-6  # relative to the speed limits: a smaller difference of rates counts as followed


class Target(NamedTuple):
    """Wanted axes and their rates (n, 8)."""

    axes: Array
    rates: Array


class Governed(NamedTuple):
    """The next references (n, 8): axes, rates, accelerations of the sample, and whether a limit changed them (n,)."""

    axes: Array
    rates: Array
    second: Array
    clipped: NDArray[np.bool_]


def governed(r: Array, v: Array, target: Target, data: PlatformData, dt: float) -> Governed:
    """One sample of n references r, v (n, 8) that are stoppable, towards targets (n, 8)."""
    free, proposal = proposed(r, v, target, data, dt)
    stop = stopped_rates(v, data, dt)
    rates, waiting = stop.copy(), np.arange(len(r))
    for share in SHARES:
        w = stop[waiting] + share * (proposal[waiting] - stop[waiting])
        good = allowed(r[waiting], v[waiting], w, data, dt)
        rates[waiting[good]], waiting = w[good], waiting[~good]
        if not len(waiting):
            break
    far = np.abs(rates - free) > CLIPPED * np.maximum(data.ends("speed"), ROUNDING)
    return Governed(r + 0.5 * dt * (v + rates), rates, (rates - v) / dt, np.asarray(far.any(axis=-1)))


def proposed(r: Array, v: Array, target: Target, data: PlatformData, dt: float) -> tuple[Array, Array]:
    """Rates (…, 8) at the end of a sample that the target asks for, and the same within the limits of each axis."""
    low, high, speed, A = map(data.ends, ("low", "high", "speed", "acceleration"))
    follow = min(FOLLOW, PER_SAMPLE / dt)
    goal = target.axes + dt * target.rates  # where the target will be at the end of the sample
    push = pursuit(goal - r - dt * v, v - target.rates, speed, A, 0.25 * follow, follow)
    free = v + dt * push
    w = np.clip(free, np.maximum(v - A * dt, -speed), np.minimum(v + A * dt, speed))
    stop = stopped_rates(v, data, dt)
    up = np.maximum(_fastest(high - r - 0.5 * dt * v, A, dt), stop)
    down = np.minimum(-_fastest(r - low + 0.5 * dt * v, A, dt), stop)
    return free, np.clip(w, down, up)


def _fastest(room: Array, A: Array, dt: float) -> Array:
    """Largest w ≥ 0 with w²/(2A) + w dt ≤ room; 0 without room."""
    A = np.where(A > 0.0, A, 1.0)
    room = np.maximum(room, 0.0)
    return np.asarray(A * (np.sqrt(dt * dt + 2.0 * room / A) - dt))


def stopped_rates(v: Array, data: PlatformData, dt: float) -> Array:
    """Rates (…, 8) after one sample of the fast stop."""
    whole = stop_time(v, data, dt)
    return np.asarray(np.where(whole > 0.0, v * (1.0 - dt / np.where(whole > 0.0, whole, dt)), 0.0))


def allowed(r: Array, v: Array, w: Array, data: PlatformData, dt: float) -> NDArray[np.bool_]:
    """Whether a sample from rates v to w (…, 8) keeps the shared limits, and the platform can stop after it."""
    after, second = r + 0.5 * dt * (v + w), (w - v) / dt
    ends = np.stack([r, after], axis=-2), np.stack([v, w], axis=-2), np.stack([second, second], axis=-2)
    return stoppable(after, w, data, dt, before=ends)
