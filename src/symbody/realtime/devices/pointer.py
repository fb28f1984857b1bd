"""A mouse or a finger as a device: somebody who sees it tells where it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from symbody.realtime.devices.device import Device
from symbody.realtime.link import Limits

Array = np.ndarray


class Pointer(Device):
    """Measures what `feed` was last given, until that is older than `silence` (s); the force is for showing."""

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
        """Where it is; from any thread, and again at least every `silence`, even when it rests."""
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
