"""The last minutes of a running machine, kept in bounded memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from symbody.realtime.loop_layout import HEAD
from symbody.realtime.loop_memory import Shared

Array = np.ndarray
TIME = HEAD.index("loop.time")
LONGEST = 300.0  # s
BYTES = 64e6  # at most; a machine with many channels keeps less
INSTANTS = 60.0  # a second: as many as are drawn


class Memory:
    """The newest of every n-th record of a loop: rows of `loop.names`."""

    def __init__(self, loop: Shared, rate: float):
        self._loop, width = loop, len(loop.names)
        self._every = max(1, round(rate / INSTANTS))
        second = rate / self._every
        self.span = min(LONGEST, BYTES / (8.0 * width * second))  # s
        self._rows = np.empty((max(2, round(self.span * second)), width))
        self._times = np.empty(len(self._rows))  # their times without gaps, for searching
        self._count, self._next = 0, 0  # rows taken so far, and the next record to take
        self._lock = threading.Lock()

    def take(self) -> None:
        """Take the records since the last call; call it more often than the loop's own history is long."""
        with self._lock:
            head, rows = self._loop.records(self._next)
            numbers = np.arange(head - len(rows), head)
            self._next = head
            self._append(rows[numbers % self._every == 0])

    def _append(self, rows: Array) -> None:
        last = self._rows[(self._count - 1) % len(self._rows), TIME] if self._count else -np.inf
        rows = rows[np.diff(np.append(last, rows[:, TIME])) > 0.0][-len(self._rows) :]  # a paused machine is one record
        places = (self._count + np.arange(len(rows))) % len(self._rows)
        self._rows[places], self._times[places] = rows, rows[:, TIME]
        self._count += len(rows)

    def rows(self, columns: Sequence[int] | slice = slice(None)) -> Array:
        """All rows, the oldest first; columns: of these channels only, which costs as much less."""
        with self._lock:
            return np.concatenate([part[:, columns] for part in self._parts(self._rows)])

    def _parts(self, ring: Array) -> tuple[Array, Array]:
        """The rows of a ring in the order of time, in two parts and not copied."""
        if self._count <= len(ring):
            return ring[: self._count], ring[:0]
        first = self._count % len(ring)
        return ring[first:], ring[:first]

    def since(self) -> float:
        """The oldest time (s); NaN if nothing is kept."""
        with self._lock:
            kept = min(self._count, len(self._rows))
            return float(self._rows[(self._count - kept) % len(self._rows), TIME]) if kept else float("nan")

    def around(self, t: float) -> Array:
        """The last row before a time and the first after it: two rows, one row or none."""
        with self._lock:
            after = sum(int(np.searchsorted(part, t)) for part in self._parts(self._times))
            kept = min(self._count, len(self._rows))
            wanted = np.arange(max(after - 1, 0), min(after + 1, kept))
            return self._rows[(self._count - kept + wanted) % len(self._rows)]
