"""A log that cannot be filled from outside: a line now and then, and how many were left out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

EVERY = 10.0  # s between two lines


class SeldomFilter(logging.Filter):
    """Lets one record through in `EVERY` seconds, as one line without a trace, with the number left out before it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self._clock, self._next, self._left_out = clock, float("-inf"), 0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return False
        now = self._clock()
        if now < self._next:
            self._left_out += 1
            return False
        why = f": {record.exc_info[1]!r}" if record.exc_info and record.exc_info[1] else ""
        more = f" (and {self._left_out} more before)" if self._left_out else ""
        record.msg, record.args = f"studio: {record.getMessage()}{why[:200]}{more}", ()
        record.exc_info = record.exc_text = None
        self._next, self._left_out = now + EVERY, 0
        return True


def seldom_logger(clock: Callable[[], float] = time.monotonic) -> logging.Logger:
    """A logger of its own, a child of `symbody.studio`, that says little."""
    logger = logging.Logger("symbody.studio.server")
    logger.parent = logging.getLogger("symbody.studio")
    logger.addFilter(SeldomFilter(clock))
    return logger
