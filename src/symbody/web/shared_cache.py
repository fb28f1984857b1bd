"""A short-lived shared cache: a value that many ask for at the same time is computed once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class SharedCache(Generic[Made]):
    """The result of a function, computed again if it is older than `span` seconds."""

    def __init__(self, make: Callable[[], Made], span: float, clock: Callable[[], float] = time.monotonic):
        self._make, self._span, self._clock = make, span, clock
        self._until = float("-inf")
        self._made: Made

    def __call__(self) -> Made:
        now = self._clock()
        if now >= self._until:
            self._made, self._until = self._make(), now + self._span
        return self._made
