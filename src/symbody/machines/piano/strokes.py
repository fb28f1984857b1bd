"""Strokes: smooth motions of a key, as the dip of its front (m) over time (s)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from symbody.analysis import minimum_jerk
from symbody.analysis.chirp import Chirp
from symbody.errors import ModelError
from symbody.machines.piano.model import DIP, FRONT, TRAVEL

Array = np.ndarray
Waypoints = Sequence[tuple[float, float]]  # s, m
DT = 5e-5  # s: light parts on hard felt need short steps
EASE = 0.1  # s, acceleration phase of a uniform motion
# Measured double keystrokes (Docquier 2021, Figures 14 to 17): two slow ones, and two in quick succession.
SLOW: Waypoints = [(0.3, 0.0), (0.45, DIP), (0.9, DIP), (1.1, 0.0), (1.5, 0.0), (1.65, DIP), (2.1, DIP), (2.3, 0.0)]
FAST: Waypoints = [(0.1, 0.0), (0.14, DIP), (0.25, DIP), (0.3, 0.0), (0.5, 0.0), (0.54, DIP), (0.7, DIP), (0.75, 0.0)]


@dataclass(frozen=True)
class Stroke:
    """Motion of a key at the times of the steps, and one step more.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    dip : array, shape (n,)
        m.
    rate : array, shape (n,)
        m/s.
    acceleration : array, shape (n,)
        m/s².
    """

    t: Array
    dip: Array
    rate: Array
    acceleration: Array

    def __post_init__(self) -> None:
        require_travel(self.t, np.where(np.isfinite(self.rate) & np.isfinite(self.acceleration), self.dip, np.nan))

    @property
    def until(self) -> float:
        """The time at which it ends (s)."""
        return float(self.t[-2])

    @property
    def dt(self) -> float:
        """The step of its run (s)."""
        return float(self.t[1])

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Angle, rate and acceleration of the driven key: dip = ℓ sin q."""
        q = np.arcsin(self.dip / FRONT)
        qd = self.rate / (FRONT * np.cos(q))
        return {"key.q": q, "key.qd": qd, "key.qdd": self.acceleration / (FRONT * np.cos(q)) + qd**2 * np.tan(q)}


def require_travel(t: Array, dip: Array) -> None:
    """Raise ModelError for a dip (m) outside the travel of the key, with its time (s)."""
    wrong = ~((dip > TRAVEL[0]) & (dip < TRAVEL[1]))  # also for NaN
    if np.any(wrong):
        k = int(np.argmax(wrong))
        problem = f"a dip of {1e3 * dip[k]:g} mm at t = {t[k]:g} s"
        cure = f"keep it between {1e3 * TRAVEL[0]:g} and {1e3 * TRAVEL[1]:g} mm"
        raise ModelError(problem, element="key", cure=cure)


def instants(until: float, dt: float = DT) -> Array:
    """The times of the steps of a run, and one more."""
    return np.arange(round(until / dt) + 2) * dt


def through(waypoints: Waypoints, until: float, dt: float = DT) -> Stroke:
    """A minimum-jerk motion through waypoints.

    Parameters
    ----------
    waypoints : Waypoints
        Times (s) and dips (m).
    until : float
        End (s).
    dt : float
        Step (s). Default 5e-5.

    Returns
    -------
    Stroke
        For `played`.

    Raises
    ------
    ModelError
        If times do not increase.
    """
    require_travel(*np.transpose(waypoints))
    if any(not b[0] > a[0] for a, b in pairwise(waypoints)):
        raise ModelError("times do not increase", element="key", cure="give each dip a later time")
    t = instants(until, dt)
    return Stroke(t, *minimum_jerk.through(waypoints, t))


def uniform(speed: float, depth: float) -> Stroke:
    """Down to a depth (m) at a speed (m/s), after an acceleration phase of `EASE`."""
    t = instants(EASE / 2.0 + depth / speed)
    tau, beyond = np.clip(t / EASE, 0.0, 1.0), np.maximum(t - EASE, 0.0)
    dip = speed * (EASE * tau**3 * (1.0 - tau / 2.0) + beyond)
    return Stroke(t, dip, speed * tau**2 * (3.0 - 2.0 * tau), speed * 6.0 * tau * (1.0 - tau) / EASE)


@dataclass(frozen=True)
class Staccato(Chirp):
    """A sine of the dip whose frequency (Hz) increases; `depth` is from peak to peak, `deepest` its largest dip (m)."""

    slowest: float = 5.0
    fastest: float = 40.0
    until: float = 8.0
    depth: float = DIP
    deepest: float = DIP
    dt: float = DT

    @property
    def stroke(self) -> Stroke:
        """The motion of the key."""
        t = instants(self.until, self.dt)
        lift, rate, acceleration = self.lift(t)
        return Stroke(t, self.deepest - self.depth * (1.0 - lift), self.depth * rate, self.depth * acceleration)
