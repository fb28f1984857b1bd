"""A noisy sensor: it turns true values into measurements, in twin experiments, filters and the real-time loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.system.system import Array


@dataclass(frozen=True)
class NoisySensor:
    """A measured channel with noise σ, bias, drift (unit/√s), quantisation, sampling rate (Hz) and delay (s).

    Parameters
    ----------
    channel : str
        The output that is measured.
    sigma : float
        Standard deviation of the noise, in the channel's unit.
    bias : float
        Constant error. Default 0.
    drift : float
        Of a random walk, unit/√s. Default 0.
    step : float
        Quantisation. Default 0: none.
    rate : float
        Samples per second, Hz. Default: each step.
    delay : float
        s. Default 0.
    low, high : float
        Range of the sensor; values outside are cut off. Default: no limit.

    Examples
    --------
    >>> import symbody as sb
    >>> sensor = sb.NoisySensor("rocker.q", sigma=0.01, bias=0.002)
    >>> sensor.channel
    'rocker.q'
    """

    channel: str  # output of the system
    sigma: float  # standard deviation of the noise, in the channel's unit
    bias: float = 0.0  # in the channel's unit
    drift: float = 0.0  # density of the bias' random walk (unit/√s)
    step: float = 0.0  # of its quantisation; 0: none
    rate: float | None = None  # Hz; None: at every step
    delay: float = 0.0  # s
    low: float = -np.inf  # ends of its range, where it saturates
    high: float = np.inf

    def __post_init__(self) -> None:
        numbers = {"sigma": self.sigma, "drift": self.drift, "step": self.step, "delay": self.delay}
        for name, value in numbers.items():
            if not (np.isfinite(value) and value >= 0.0):
                raise ModelError(f"{name} = {value}", element=self.channel, cure="give a number that is not negative")
        if self.rate is not None and not (np.isfinite(self.rate) and self.rate > 0.0):
            raise ModelError(f"a rate of {self.rate} Hz", element=self.channel, cure="give a rate above 0")
        if not self.low < self.high:
            raise ModelError(f"a range from {self.low} to {self.high}", element=self.channel, cure="give low < high")

    @property
    def spread(self) -> float:
        """σ of its noise together with its quantisation: √(σ² + step²/12)."""
        return float(np.hypot(self.sigma, self.step / np.sqrt(12.0)))

    def measured(self, t: Array, truth: Array, rng: np.random.Generator) -> Array:
        """Measurements of a true signal at times t (equidistant, s); NaN if there is none."""
        dt = float(t[1] - t[0]) if len(t) > 1 else 0.0
        late = np.interp(t - self.delay, t, truth) if self.delay else truth
        wandering = self.drift * np.sqrt(dt) * np.cumsum(rng.normal(size=len(t))) if self.drift else 0.0
        seen = late + self.bias + wandering + self.sigma * rng.normal(size=len(t))
        seen = np.clip(seen, self.low, self.high)
        if self.step:
            seen = self.step * np.round(seen / self.step)
        if self.rate is not None and dt:
            last = np.floor((t - dt) * self.rate + 1e-9)
            seen = np.where(np.floor(t * self.rate + 1e-9) > last, seen, np.nan)
        return np.asarray(seen)
