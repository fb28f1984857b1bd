"""The last minutes of a running machine in bounded memory, to be looked at again while it goes on."""

from __future__ import annotations

import threading

import numpy as np

from symbody.realtime.block import HEAD
from symbody.realtime.shared import Shared

Array = np.ndarray
TIME = HEAD.index("loop.time")
LONGEST = 300.0  # s
BYTES = 64e6  # at most; a machine of many channels remembers less
INSTANTS = 60.0  # in a second: as many as are drawn


class Memory:
    """Every so many-th record of a loop, the newest of them: rows of `loop.names`."""

    def __init__(self, loop: Shared, rate: float):
        self._loop, width = loop, len(loop.names)
        self._every = max(1, round(rate / INSTANTS))
        second = rate / self._every
        self.span = min(LONGEST, BYTES / (8.0 * width * second))  # s
        self._rows = np.empty((max(2, round(self.span * second)), width))
        self._count, self._next = 0, 0  # rows that were taken, and the record to go on with
        self._lock = threading.Lock()

    def take(self) -> None:
        """Remember what happened since the last time; to be called more often than the loop's own history is long."""
        with self._lock:
            head, rows = self._loop.records(self._next)
            numbers = np.arange(head - len(rows), head)
            self._next = head
            self._append(rows[numbers % self._every == 0])

    def _append(self, rows: Array) -> None:
        last = self._rows[(self._count - 1) % len(self._rows), TIME] if self._count else -np.inf
        rows = rows[np.diff(np.append(last, rows[:, TIME])) > 0.0][
            -len(self._rows) :
        ]  # what stands still is one instant
        self._rows[(self._count + np.arange(len(rows))) % len(self._rows)] = rows
        self._count += len(rows)

    def rows(self) -> Array:
        """All that is remembered, the oldest first."""
        with self._lock:
            kept = min(self._count, len(self._rows))
            return self._rows[(self._count - kept + np.arange(kept)) % len(self._rows)]

    def since(self) -> float:
        """The oldest instant (s); not a number where there is none."""
        with self._lock:
            kept = min(self._count, len(self._rows))
            return float(self._rows[(self._count - kept) % len(self._rows), TIME]) if kept else float("nan")

    def around(self, t: float) -> Array:
        """The last row before a time and the first after it: one where there is no other, none where there are none."""
        with self._lock:
            kept = min(self._count, len(self._rows))
            order = (self._count - kept + np.arange(kept)) % len(self._rows)
            after = int(np.searchsorted(self._rows[order, TIME], t))
            return self._rows[order[max(after - 1, 0) : after + 1]]
