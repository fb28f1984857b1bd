"""The check of a live stream: each sample is accepted, clipped or refused, and the reference stays within all limits.

A sample is refused if it is not finite, if its time does not increase, if it is so far outside the range that its unit
must be wrong, or if it jumps. Everything else goes through the governor, which clips what the platform cannot do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import degrees

import numpy as np

from symbody.motion.data import AXES, TURNS, Array, PlatformData
from symbody.motion.safety.fast_stop import stopping
from symbody.motion.safety.governor import Target, governed
from symbody.motion.safety.watchdog import Watchdog

ACCEPTED, CLIPPED, REFUSED = "accepted", "clipped", "refused"


@dataclass(frozen=True)
class StreamRules:
    """When samples are refused, and how long the platform waits for a good one before it stops.

    Parameters
    ----------
    beyond : float
        Half ranges from the middle of an axis beyond which its unit must be wrong. Default 4.
    jump : float
        Largest speed between samples, in speed limits. Default 5.
    patience : float
        Longest time without an accepted sample (s). Default 0.1.
    """

    beyond: float = 4.0
    jump: float = 5.0
    patience: float = 0.1


@dataclass(frozen=True)
class StreamVerdict:
    """What became of a sample.

    Parameters
    ----------
    status : str
        Such as "accepted".
    reason : str, optional
        Why it was refused.
    """

    status: str
    reason: str = ""


@dataclass
class StreamGuard:
    """The reference of the axes behind a live stream; `axes` and `rates` (8,) are its state, which is stoppable.

    counts: samples by what became of them.

    Parameters
    ----------
    data : PlatformData
        The platform with its limits.
    dt : float
        Time between ticks (s).
    rules : StreamRules, optional
        When samples are refused.
    """

    data: PlatformData
    dt: float
    rules: StreamRules = field(default_factory=StreamRules)
    axes: Array = field(init=False)
    rates: Array = field(init=False)
    second: Array = field(init=False)

    def __post_init__(self) -> None:
        self.counts = dict.fromkeys((ACCEPTED, CLIPPED, REFUSED), 0)
        self.place(self.data.neutral_axes)

    def place(self, axes: Array) -> None:
        """Rest at a position (8,)."""
        self.axes, self.rates, self.second = np.array(axes, dtype=float), np.zeros(len(AXES)), np.zeros(len(AXES))
        self.target = Target(self.axes.copy(), self.rates.copy())
        self._time: float | None = None
        self._last = self.axes.copy()
        self._waiting = Watchdog(self.rules.patience)

    @property
    def still(self) -> bool:
        """Whether the reference is at rest."""
        return not self.rates.any()

    def offer(self, now: float, sample: Array) -> StreamVerdict:
        """Take a sample (8,), positions of the axes at a time (s), as the target; or refuse it."""
        verdict = self._screened(now, sample)
        if verdict.status == REFUSED:
            self.counts[REFUSED] += 1
            self.target = Target(self.target.axes, np.zeros(len(AXES)))
            return verdict
        axes = np.array(sample, dtype=float)
        low, high, speed = map(self.data.ends, ("low", "high", "speed"))
        rates = np.zeros(len(AXES))
        if self._time is not None:
            rates = np.clip((axes - self._last) / (now - self._time), -speed, speed)
        inside = np.clip(axes, low, high)
        self.target = Target(inside, np.where(inside == axes, rates, 0.0))
        self._time, self._last = now, axes
        self._waiting.feed(now)
        return verdict

    def _screened(self, now: float, sample: Array) -> StreamVerdict:
        try:
            axes = np.asarray(sample, dtype=float)
        except (TypeError, ValueError):
            return StreamVerdict(REFUSED, "the sample does not consist of numbers")
        if axes.shape != (len(AXES),):
            return StreamVerdict(REFUSED, f"{axes.size} numbers in a sample (give eight: {', '.join(AXES)})")
        if not np.isfinite(axes).all():
            return StreamVerdict(REFUSED, f"{AXES[int((~np.isfinite(axes)).argmax())]} is not a number")
        if not np.isfinite(now) or (self._time is not None and now <= self._time):
            return StreamVerdict(REFUSED, f"the time {now:.6g} s does not increase")
        low, high, speed = map(self.data.ends, ("low", "high", "speed"))
        half = np.maximum(0.5 * (high - low), 1e-9)
        far = np.abs(axes - 0.5 * (low + high)) / half
        if (far > self.rules.beyond).any():
            return StreamVerdict(REFUSED, self._wrong_unit(int(far.argmax()), axes))
        if self._time is not None:
            pace = np.abs(axes - self._last) / (now - self._time) / np.maximum(speed, 1e-9)
            if (pace > self.rules.jump).any():
                k = int(pace.argmax())
                words = f"{AXES[k]} jumps by {abs(axes[k] - self._last[k]):.3g} {self.data.unit(AXES[k])}"
                return StreamVerdict(REFUSED, f"{words} in {now - self._time:.3g} s")
        return StreamVerdict(ACCEPTED)

    def _wrong_unit(self, k: int, axes: Array) -> str:
        axis, value = AXES[k], float(axes[k])
        unit, low, high = self.data.unit(axis), self.data.limits[axis].low, self.data.limits[axis].high
        hint = "degrees" if axis in TURNS else "mm"
        scale = degrees(1.0) if axis in TURNS else 1e3
        cure = f"; is it in {hint}?" if low <= value / scale <= high else ""
        return f"{axis} = {value:.4g} {unit} is far outside {low:.4g} … {high:.4g} {unit}{cure}"

    def starved(self, now: float) -> bool:
        """Whether no sample was accepted for longer than the patience of the rules."""
        if self._waiting.last is None:
            self._waiting.feed(now)
        return self._waiting.expired(now)

    def advance(self) -> bool:
        """One sample of the reference towards the target; returns whether a limit clipped it."""
        found = governed(
            self.axes[None],
            self.rates[None],
            Target(self.target.axes[None], self.target.rates[None]),
            self.data,
            self.dt,
        )
        self.axes, self.rates, self.second = found.axes[0], found.rates[0], found.second[0]
        self.target = Target(self.target.axes + self.dt * self.target.rates, self.target.rates)
        return bool(found.clipped[0])

    def brake(self) -> None:
        """One sample of the fast stop."""
        axes, rates, _ = stopping(self.axes, self.rates, np.array([self.dt]), self.data, self.dt)
        self.second = (rates[0] - self.rates) / self.dt
        self.axes, self.rates = axes[0], rates[0]
