"""A mouse or finger as a device: a page or program feeds its position."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from symbody.links.devices.device import Device
from symbody.links.link import Limits

Array = np.ndarray


class Pointer(Device):
    """Measures the values last given to `feed` until they are older than `silence` (s); `force` is for display only.

    Parameters
    ----------
    measures : sequence of str
        Channels that `feed` sets. Default ("x.q", "y.q").
    takes : sequence of str
        Channels of the force, for display only. Default ("x.Q", "y.Q").
    silence : float
        Time (s) after which fed values are too old. Default 0.1.
    clock : function, optional
        Function that returns seconds.
    """

    def __init__(
        self,
        measures: Sequence[str] = ("x.q", "y.q"),
        takes: Sequence[str] = ("x.Q", "y.Q"),
        *,
        silence: float = Limits.silence,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.measures, self.takes = tuple(measures), tuple(takes)
        self.force = np.zeros(len(takes))  # N
        self._silence, self._clock = silence, clock
        self._fed: tuple[float, Array] = (-np.inf, np.zeros(len(measures)))

    def feed(self, *values: float) -> None:
        """Set the position, from any thread. Repeat it at least every `silence` s, even at rest."""
        self._fed = (self._clock(), np.array(values, dtype=float))

    def read(self) -> Array:
        at, values = self._fed
        fresh = self._clock() - at <= self._silence and values.shape == (len(self.measures),)
        return values.copy() if fresh else np.full(len(self.measures), np.nan)

    def command(self, values: Array) -> None:
        self.force = np.array(values, dtype=float)

    def safe(self) -> None:
        self.force = np.zeros(len(self.takes))

    def close(self) -> None:
        self.safe()
