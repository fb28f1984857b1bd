"""Records of a running loop by channel: the newest ones, those of the last minutes, and coordinates at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbody.model.model import Model
from symbody.realtime.loop_layout import HEAD
from symbody.realtime.loop_memory import Shared
from symbody.studio.history import TIME, Memory
from symbody.system.motion_names import coordinate_names
from symbody.visual.motion import interpolated

Array = np.ndarray
STEP = HEAD.index("loop.step")


class LoopRecords:
    """Channels of a loop with their units, and their values now and in the past."""

    def __init__(self, loop: Shared, model: Model, rate: float):
        self._loop, self._model = loop, model
        self._columns = {name: k for k, name in enumerate(loop.names)}
        self._q = [loop.outputs.index(name) for name in coordinate_names(model)]
        self._memory = Memory(loop, rate)
        self.units = {name: loop.channels.units.get(name, "") for name in loop.names}

    @property
    def span(self) -> float:
        """Length (s) of the past that is kept."""
        return self._memory.span

    def coordinates(self) -> tuple[float, Array]:
        """The time (s) and the coordinates now."""
        _, t, y = self._loop.latest()
        return t, y[self._q]

    def past_coordinates(self, t: float) -> tuple[float, Array] | None:
        """The same at an earlier time (s), or as near to it as records are kept; None: there are none."""
        self._memory.take()
        rows = self._memory.around(t)
        if not len(rows):
            return None
        at = float(np.clip(t, rows[0, TIME], rows[-1, TIME]))
        first = len(self._loop.names) - len(self._loop.outputs)
        q = rows[:, first:][:, self._q]
        return at, interpolated(self._model, np.array([at]), rows[:, TIME], q)[0]

    def since(self, record: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        """The number of the next record, and times and values (a row each) of those since a number."""
        head, rows = self._loop.records(record)
        return head, rows[:, TIME], rows[:, self._chosen(channels)]

    def steps(self, record: int, channels: Sequence[str]) -> tuple[int, Array, Array, Array, Array]:
        """As `since`, with numbers of the steps and all inputs between: next record, times, steps, inputs, values."""
        head, rows = self._loop.records(record)
        inputs = rows[:, len(HEAD) : len(HEAD) + len(self._loop.channels.inputs)]
        return head, rows[:, TIME], rows[:, STEP], inputs, rows[:, self._chosen(channels)]

    def before(self, until: float, channels: Sequence[str]) -> tuple[Array, Array]:
        """Times and values (a row each) that are kept from before a time (s)."""
        rows = self._memory.rows([TIME, *self._chosen(channels)])
        rows = rows[rows[:, 0] < until]
        return rows[:, 0], rows[:, 1:]

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        """Values now, or of the record nearest to an earlier time (s)."""
        record = self._loop.newest()
        if past is not None and len(rows := self._memory.around(past)):
            record = rows[np.argmin(np.abs(rows[:, TIME] - past))]
        return np.asarray(record[self._chosen(channels)])

    def interpolated_values(self, channels: Sequence[str], past: float) -> Array:
        """Values at an earlier time (s), between two records as the coordinates are; now if none are kept."""
        rows = self._memory.around(past)
        if not len(rows):
            return self.values(channels)
        share = np.interp(past, rows[:, TIME], np.arange(len(rows), dtype=float))
        return np.asarray((rows[0] + share * (rows[-1] - rows[0]))[self._chosen(channels)])

    def oldest(self) -> float | None:
        """The oldest time (s) that is kept, rounded up; None: nothing is kept."""
        self._memory.take()
        since = self._memory.since()
        return float(np.ceil(since)) if np.isfinite(since) else None

    def _chosen(self, channels: Sequence[str]) -> list[int]:
        return [self._columns[name] for name in channels]
