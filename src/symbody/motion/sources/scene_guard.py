"""A guard between a live stream of motion and a passenger: samples are accepted, clipped or refused, with a reason.

The output follows the accepted samples with a limited slope, so a jump of the stream becomes a ramp. When samples stop,
the output goes to zero: the passenger comes to rest softly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from symbody.errors import ModelError
from symbody.motion.cueing.method import SCENE
from symbody.motion.cueing.scene_record import LARGEST
from symbody.motion.data import Array

ACCEPTED, CLIPPED, REFUSED = "accepted", "clipped", "refused"
COUNT = 3  # accelerations, and turn rates


@dataclass(frozen=True)
class StreamLimits:
    """Limits of the samples of a stream.

    Samples beyond the largest values are clipped. Samples beyond `LARGEST` of records are refused: their unit is wrong.

    Parameters
    ----------
    acceleration : float
        Largest acceleration (m/s²). Default 20.
    rate : float
        Largest turn rate (rad/s). Default 3.
    acceleration_slope : float
        Largest change of the acceleration (m/s³). Default 100.
    rate_slope : float
        Largest change of the turn rate (rad/s²). Default 20.
    gap : float
        Longest time between samples (s). Default 0.1.
    """

    acceleration: float = 20.0
    rate: float = 3.0
    acceleration_slope: float = 100.0
    rate_slope: float = 20.0
    gap: float = 0.1

    def __post_init__(self) -> None:
        numbers = (self.acceleration, self.rate, self.acceleration_slope, self.rate_slope, self.gap)
        if not all(isfinite(x) and x > 0.0 for x in numbers):
            raise ModelError(f"limits {numbers}", element="stream", cure="give finite numbers above zero")

    @property
    def largest(self) -> Array:
        """Largest values of the six signals."""
        return np.repeat([self.acceleration, self.rate], COUNT)

    @property
    def slopes(self) -> Array:
        """Largest slopes of the six signals (per s)."""
        return np.repeat([self.acceleration_slope, self.rate_slope], COUNT)


class SceneGuard:
    """Checks samples of a stream and returns signals that a platform may follow.

    counts: samples by verdict and by reason. reason: the last reason of a sample that was not accepted as it was.

    Parameters
    ----------
    limits : StreamLimits, optional
        Default: `StreamLimits()`.
    """

    def __init__(self, limits: StreamLimits | None = None) -> None:
        self.limits = limits or StreamLimits()
        self.counts: Counter[str] = Counter()
        self.reason = ""
        self._wanted = self._value = np.zeros(len(SCENE))
        self._stamp = -np.inf  # of the last accepted sample, by the sender's clock
        self._arrived: float | None = None  # its arrival, by our clock
        self._now: float | None = None

    def offer(self, values: Sequence[float] | Array, stamp: float, now: float) -> str:
        """Judge a sample of the six signals `SCENE`; stamp: the sender's time (s), now: ours (s).

        Returns "accepted", "clipped" or "refused".
        """
        sample = np.asarray(values, dtype=float)
        verdict, reason = self._judged(sample, stamp)
        self.counts[verdict] += 1
        if reason:
            self.counts[reason] += 1
            self.reason = reason
        if verdict != REFUSED:
            largest = self.limits.largest
            self._wanted = np.clip(sample, -largest, largest)
            self._stamp, self._arrived = stamp, now
        return verdict

    def _judged(self, sample: Array, stamp: float) -> tuple[str, str]:
        if sample.shape != (len(SCENE),):
            return REFUSED, f"not {len(SCENE)} values"
        for name, value in zip(SCENE, sample, strict=True):
            if not isfinite(value):
                return REFUSED, f"{name} is not a number"
            if abs(value) > LARGEST:
                return REFUSED, f"{name} is beyond {LARGEST:g} {SCENE[name]}: wrong unit?"
        if not isfinite(stamp):
            return REFUSED, "the time is not a number"
        if stamp <= self._stamp:
            return REFUSED, "the time decreases or repeats"
        beyond = np.abs(sample) > self.limits.largest
        if beyond.any():
            return CLIPPED, f"{list(SCENE)[int(beyond.argmax())]} is beyond its limit"
        return ACCEPTED, ""

    def silent(self, now: float) -> bool:
        """Whether no sample was accepted for longer than the gap."""
        return self._arrived is None or now - self._arrived > self.limits.gap

    def restart(self) -> None:
        """Forget the sender's clock: another sender may begin at any time."""
        self._stamp = -np.inf

    def rest(self) -> None:
        """Go to zero until the next accepted sample."""
        self._wanted = np.zeros(len(SCENE))

    def read(self, now: float) -> Array:
        """The six signals at a time (s): they follow the last sample, or go to zero after a gap."""
        if self._now is not None and now < self._now:
            raise ModelError(
                f"the time goes back to {now:g} s", element="stream", cure="use a clock that never goes back"
            )
        if self.silent(now) and self._wanted.any():
            self.counts["gap"] += 1
            self.reason = f"no sample for more than {self.limits.gap:g} s"
            self.rest()
        step = 0.0 if self._now is None else now - self._now
        reach = self.limits.slopes * step
        self._value = self._value + np.clip(self._wanted - self._value, -reach, reach)
        self._now = now
        return self._value.copy()
