"""The motion of a scene's seat over time, and a synthetic ski descent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import SCENE
from symbody.motion.data import Array

SLOPE, FRICTION = np.radians(15.0), 0.15  # Houda 2020, section 4.3.1
LARGEST = 100.0  # m/s² and rad/s: more is an error of units


@dataclass(frozen=True, eq=False)
class SceneRecord:
    """Motion of a seat in its frame, at equal steps.

    The acceleration is the specific force less that of a seat at rest: what a passenger who sits upright must feel.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    acceleration : array, shape (n, 3)
        m/s².
    rate : array, shape (n, 3)
        Turn rates (rad/s).
    """

    t: Array
    acceleration: Array
    rate: Array

    def __post_init__(self) -> None:
        n = len(self.t)
        if n < 2 or self.acceleration.shape != (n, 3) or self.rate.shape != (n, 3):
            shapes = f"{self.t.shape}, {self.acceleration.shape}, {self.rate.shape}"
            raise ModelError(
                f"a record of the shapes {shapes}", element="scene", cure="give (n,), (n, 3) and (n, 3), n > 1"
            )
        steps = np.diff(self.t)
        if not (steps > 0.0).all() or np.ptp(steps) > 1e-6 * steps[0]:
            raise ModelError("times that are not at equal steps", element="scene", cure="resample the record")
        for name, unit, values in zip(SCENE, SCENE.values(), self._columns(), strict=True):
            wrong = ~(np.abs(values) <= LARGEST)
            if wrong.any():
                k = int(wrong.argmax())
                problem = f"{values[k]:.4g} {unit} at t = {self.t[k]:.4g} s"
                raise ModelError(problem, element=name, cure=f"give SI units, at most {LARGEST:g} {unit}")

    def _columns(self) -> Array:
        return np.concatenate([self.acceleration.T, self.rate.T])

    @property
    def step(self) -> float:
        """Time between two samples (s)."""
        return float(self.t[-1] - self.t[0]) / (len(self.t) - 1)

    def sampled(self, step: float) -> SceneRecord:
        """The record at another step (s), interpolated linearly."""
        t = np.arange(self.t[0], self.t[-1] + 0.5 * step, step)
        acceleration, rate = (
            np.stack([np.interp(t, self.t, column) for column in values.T], axis=-1)
            for values in (self.acceleration, self.rate)
        )
        return SceneRecord(t, acceleration, rate)

    def until(self, end: float) -> SceneRecord:
        """The record up to a time (s)."""
        n = int(np.searchsorted(self.t, end + 0.5 * self.step))
        return SceneRecord(self.t[:n], self.acceleration[:n], self.rate[:n])

    def at_rest_after(self, rest: float) -> SceneRecord:
        """The record, and then a rest (s)."""
        n = round(rest / self.step)
        t = np.append(self.t, self.t[-1] + self.step * np.arange(1, n + 1))
        still = np.zeros((n, 3))
        return SceneRecord(t, np.vstack([self.acceleration, still]), np.vstack([self.rate, still]))

    def inputs(self) -> Mapping[str, Array]:
        """Values of the inputs `SCENE` at the samples, and once more after the last."""
        return {name: np.append(values, values[-1]) for name, values in zip(SCENE, self._columns(), strict=True)}


def descent(step: float = 1e-3, seed: int | None = None) -> SceneRecord:
    """A ski descent of 60 s on a slope of 15° with friction 0.15: start, two schusses, carved turns, a jump, braking.

    Phases as in Houda 2020, section 4.3.1: strongest acceleration from 2 to 6 s, constant acceleration from 8 to 12 s
    and from 16 to 42 s, then braking to a stop; about 500 m, at most 17 m/s. The document shows the signal as a plot
    only.

    Parameters
    ----------
    step : float
        Time between samples (s). Default 0.001.
    seed : int, optional
        With one, times and heights of the phases vary by up to 15 %.

    Returns
    -------
    SceneRecord
        Accelerations and turn rates of the seat.
    """
    rng = np.random.default_rng(seed)

    def vary() -> float:
        return 1.0 if seed is None else float(rng.uniform(0.85, 1.15))

    t = np.arange(0.0, 60.0 + 0.5 * step, step)
    schuss = GRAVITY * (np.sin(SLOPE) - FRICTION * np.cos(SLOPE))  # 1.12 m/s²
    ahead = 0.0 * t
    for begin, end, height in (
        (2.0, 6.0, 2.3 * vary()), (8.0, 12.0, 0.36 * schuss * vary()), (12.5, 15.5, -1.2 * vary()),
        (16.0, 42.0, 0.36 * schuss * vary()),
    ):  # fmt: skip
        ahead += height * _plateau(t, begin, end)
    brake = _plateau(t, 43.0, 55.0)
    ahead -= ahead.sum() / brake.sum() * brake  # to a stop
    turns = 1.6 * vary() * _plateau(t, 17.0, 41.0) * np.sin(2.0 * np.pi * (t - 17.0) / (6.0 * vary()))
    jump = vary() * (2.5 * _plateau(t, 29.0, 29.4, 0.15) - 2.0 * _plateau(t, 29.6, 30.1, 0.15))
    bumps = 0.15 * _plateau(t, 3.0, 54.0) * np.sin(2.0 * np.pi * 1.7 * t)
    speed = np.maximum(np.cumsum(ahead) * step, 1.0)
    yaw = turns / speed
    roll = np.gradient(0.12 * turns, step)
    pitch = np.gradient(0.05 * ahead, step)
    return SceneRecord(t, np.stack([ahead, turns, jump + bumps], axis=-1), np.stack([roll, pitch, yaw], axis=-1))


def _plateau(t: Array, begin: float, end: float, ramp: float = 0.6) -> Array:
    """1 from `begin` to `end`, 0 outside, with smooth ramps (s)."""

    def rise(at: float) -> Array:
        x = np.clip((t - at) / ramp + 0.5, 0.0, 1.0)
        return x * x * (3.0 - 2.0 * x)

    return rise(begin) - rise(end)
