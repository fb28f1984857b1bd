"""A recording as a device: its channels at the pace of the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from symbody.links.devices.device import Device
from symbody.results.run import Run

Array = np.ndarray


class Replay(Device):
    """Plays channels of a run and holds each value until the next; after the end NaN, or again from the start.

    Commands are stored in `commands`, to compare them with the recorded ones.

    Parameters
    ----------
    run : Run
        The recorded run.
    measures : sequence of str
        Channels to play.
    takes : sequence of str, optional
        Commands to store.
    again : bool
        Whether it starts again after the end. Default False.
    speed : float
        Seconds of the run per second. Default 1.
    clock : function, optional
        Function that returns seconds.
    """

    def __init__(
        self,
        run: Run,
        measures: Sequence[str],
        takes: Sequence[str] = (),
        *,
        again: bool = False,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.measures, self.takes = tuple(measures), tuple(takes)
        self.commands: list[tuple[float, Array]] = []  # (time of the recording in s, values)
        self._t = run.t - run.t[0] if len(run) else np.zeros(0)
        self._values = np.column_stack([run[name] for name in measures]) if measures else np.zeros((len(run), 0))
        self._again, self._speed, self._clock, self._start = again, speed, clock, clock()

    def read(self) -> Array:
        t = self._now()
        if not len(self._t) or t > self._t[-1]:
            return np.full(len(self.measures), np.nan)
        return np.array(self._values[np.searchsorted(self._t, t, side="right") - 1])

    def command(self, values: Array) -> None:
        self.commands.append((self._now(), np.array(values)))

    def safe(self) -> None:
        """Does nothing: a recording has no motors."""

    def close(self) -> None:
        self.safe()

    def _now(self) -> float:
        passed = (self._clock() - self._start) * self._speed
        length = float(self._t[-1]) if len(self._t) else 0.0
        return passed % length if self._again and length > 0.0 else passed
