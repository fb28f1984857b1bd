"""Motions of a key: the dip of its front (m) over time (s), smooth enough to drive it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from symbody.analysis import minimum_jerk
from symbody.errors import ModelError
from symbody.machines.piano.model import DIP, FRONT, TRAVEL

Array = np.ndarray
Waypoints = Sequence[tuple[float, float]]  # s, m
DT = 2.5e-5  # s: light parts on hard felt want short steps
EASE = 0.1  # s, in which a uniform motion begins
# Double keystrokes as they were measured (Docquier 2021, Figures 14 to 17): two at leisure, two in quick succession.
SLOW: Waypoints = [(0.3, 0.0), (0.45, DIP), (0.9, DIP), (1.1, 0.0), (1.5, 0.0), (1.65, DIP), (2.1, DIP), (2.3, 0.0)]
FAST: Waypoints = [(0.1, 0.0), (0.14, DIP), (0.25, DIP), (0.3, 0.0), (0.5, 0.0), (0.54, DIP), (0.7, DIP), (0.75, 0.0)]


@dataclass(frozen=True)
class Stroke:
    """Dip (m), its rate and acceleration at the times t (s) of the steps, and at one more."""

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
    def inputs(self) -> Mapping[str, Array]:
        """Angle, rate and acceleration of the driven key: dip = ℓ sin q."""
        q = np.arcsin(self.dip / FRONT)
        qd = self.rate / (FRONT * np.cos(q))
        return {"key.q": q, "key.qd": qd, "key.qdd": self.acceleration / (FRONT * np.cos(q)) + qd**2 * np.tan(q)}


def require_travel(t: Array, dip: Array) -> None:
    """Refuse dips (m) that no key can make, with the time (s) of the first."""
    wrong = ~((dip > TRAVEL[0]) & (dip < TRAVEL[1]))  # also where it is no number
    if np.any(wrong):
        k = int(np.argmax(wrong))
        problem = f"a dip of {1e3 * dip[k]:g} mm at t = {t[k]:g} s"
        cure = f"keep it between {1e3 * TRAVEL[0]:g} and {1e3 * TRAVEL[1]:g} mm"
        raise ModelError(problem, element="key", cure=cure)


def instants(until: float, dt: float = DT) -> Array:
    """The times of a run's steps, and one more."""
    return np.arange(round(until / dt) + 2) * dt


def through(waypoints: Waypoints, until: float, dt: float = DT) -> Stroke:
    """From one dip to the next with the least jerk; held between equals."""
    require_travel(*np.transpose(waypoints))
    if any(not b[0] > a[0] for a, b in pairwise(waypoints)):
        raise ModelError("times that do not go forward", element="key", cure="give each dip a later time")
    t = instants(until, dt)
    dip, rate, acceleration = np.full(len(t), float(waypoints[0][1])), np.zeros(len(t)), np.zeros(len(t))
    for (t0, x0), (t1, x1) in pairwise(waypoints):
        inside = slice(*np.searchsorted(t, (t0, t1)))
        tau, T, way = (t[inside] - t0) / (t1 - t0), t1 - t0, x1 - x0
        dip[inside.start :] = x1
        dip[inside] = x0 + way * minimum_jerk.position(tau)
        rate[inside] = way / T * minimum_jerk.rate(tau)
        acceleration[inside] = way / T**2 * minimum_jerk.acceleration(tau)
    return Stroke(t, dip, rate, acceleration)


def uniform(speed: float, depth: float) -> Stroke:
    """Down to a depth at a speed (m/s), which it takes `EASE` to reach."""
    t = instants(EASE / 2.0 + depth / speed)
    tau, beyond = np.clip(t / EASE, 0.0, 1.0), np.maximum(t - EASE, 0.0)
    dip = speed * (EASE * tau**3 * (1.0 - tau / 2.0) + beyond)
    return Stroke(t, dip, speed * tau**2 * (3.0 - 2.0 * tau), speed * 6.0 * tau * (1.0 - tau) / EASE)


@dataclass(frozen=True)
class Staccato:
    """The whole dip as a sine whose frequency rises in proportion to time, from one (Hz) to another."""

    slowest: float = 5.0
    fastest: float = 40.0
    until: float = 8.0

    def cycles(self, t: Array) -> Array:
        """How often the key went down and up again until t: ∫ f dt."""
        return np.asarray(self.slowest * t + self._growth * t**2 / 2.0)

    def frequency(self, t: Array) -> Array:
        """f (Hz)."""
        return np.asarray(self.slowest + self._growth * t)

    @property
    def stroke(self) -> Stroke:
        t = instants(self.until)
        phase, w, wd = 2.0 * np.pi * self.cycles(t), 2.0 * np.pi * self.frequency(t), 2.0 * np.pi * self._growth
        a = DIP / 2.0
        acceleration = a * (w**2 * np.cos(phase) + wd * np.sin(phase))
        return Stroke(t, a * (1.0 - np.cos(phase)), a * w * np.sin(phase), acceleration)

    @property
    def _growth(self) -> float:
        return (self.fastest - self.slowest) / self.until


def at_random(seed: int, until: float) -> Stroke:
    """From dip to dip within 15 to 150 ms, wherever; at the end it is let go."""
    rng = np.random.default_rng(seed)
    waypoints = [(0.0, 0.0)]
    while waypoints[-1][0] < until - 0.5:
        waypoints.append((waypoints[-1][0] + rng.uniform(0.015, 0.15), rng.uniform(0.0, DIP)))
    return through([*waypoints, (waypoints[-1][0] + 0.1, 0.0)], until)
