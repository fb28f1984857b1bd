"""Pilots of the piano key: repeated strokes of a finger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbody.machines.piano.model import DIP, FRONT
from symbody.machines.piano.strokes import Waypoints
from symbody.studio.machine import Pilot

DEEP = DIP + 0.15e-3  # m: a finger presses the key into its felt
FINE = 1e-3  # s between the points of a stroke
PAUSE = 0.5  # s, before a repetition
RELEASE = 0.08  # s
SOFT, LOUD = 0.1, 0.035  # s for the dip
CRESCENDO = tuple(np.geomspace(SOFT, LOUD, 8).tolist())


def pressed(seconds: float, at: float, hold: float) -> Waypoints:
    """A finger presses with x = (t/T)², which pushes the hammer up to the let-off; then it releases the key."""
    tau = np.linspace(0.0, 1.0, 1 + round(seconds / FINE))
    down = [(at + seconds * float(x), DEEP * float(x) ** 2) for x in tau]
    up = at + seconds + hold
    return [*down, (up, DEEP), (up + RELEASE, 0.0)]


def beats(touches: Sequence[float], beat: float = 0.5, hold: float = 0.15) -> Waypoints:
    """One press after the other, each within its time (s)."""
    return [point for k, seconds in enumerate(touches) for point in pressed(seconds, beat * k + 0.1, hold)]


def half_way(notes: int = 10, every: float = 0.14) -> Waypoints:
    """Notes repeated from half the dip, which needs a double escapement."""
    begins = [0.1 + every * k for k in range(notes)]
    points = [(t + x * every, dip) for t in begins for x, dip in ((0.0, DIP / 2.0), (0.35, DEEP), (0.6, DEEP))]
    return [(0.0, 0.0), *points, (points[-1][0] + RELEASE, 0.0)]


def over_and_over(waypoints: Waypoints) -> Pilot:
    """A pilot that moves the key along dips (m) over time (s), repeated after a pause."""
    t, dip = np.transpose(waypoints)
    q, period = np.arcsin(dip / FRONT), t[-1] + PAUSE
    return lambda since, channels: {"key.q": float(np.interp(since % period, t, q))}


def pilots() -> dict[str, Pilot]:
    """Pilots by name."""
    return {
        "slow double stroke": over_and_over(beats((SOFT, SOFT), beat=1.2, hold=0.45)),
        "repetition": over_and_over(half_way()),
        "crescendo": over_and_over(beats(CRESCENDO)),
    }
