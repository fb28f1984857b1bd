"""Patches of changing height fields, found once for all visitors: each gets the patches that it lacks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from symbody.studio.stream import height_patch

Array = np.ndarray
LASTS = 0.05  # s between two comparisons
MOST_KEPT = 200  # patches; a visitor that lacks older ones gets whole fields


class HeightPatches:
    """The patches of the last moments; heights: a function that returns the heights of all fields now."""

    def __init__(self, heights: Callable[[], Sequence[Array]], clock: Callable[[], float] = time.monotonic):
        self._heights, self._clock, self._compared = heights, clock, -np.inf
        self._known: dict[int, Array] = {}
        self._patches: deque[bytes] = deque(maxlen=MOST_KEPT)
        self._count = 0

    def since(self, count: int) -> tuple[list[bytes], int]:
        """Patches for a visitor that has so many of them (0: none), and how many it has then."""
        if self._clock() - self._compared >= LASTS:
            self._compare()
        missing = self._count - count
        if count == 0 or missing > len(self._patches):
            fields = [height_patch(k, known, None)[0] for k, known in self._known.items()]
            return [whole for whole in fields if whole], self._count
        return list(self._patches)[len(self._patches) - missing :] if missing else [], self._count

    def _compare(self) -> None:
        for k, heights in enumerate(self._heights()):
            patch, self._known[k] = height_patch(k, heights, self._known.get(k))
            if patch:
                self._patches.append(patch)
                self._count += 1
        self._compared = self._clock()
