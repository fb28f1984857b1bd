"""A log that nobody can fill from outside: one line in ten seconds, with the number of lines left out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

EVERY = 10.0  # s between two lines


class RateLimitFilter(logging.Filter):
    """Passes one record in `EVERY` seconds, as one line without a traceback, with the number left out before it."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self._prefix, self._clock, self._next, self._left_out = name, clock, float("-inf"), 0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return False
        now = self._clock()
        if now < self._next:
            self._left_out += 1
            return False
        why = f": {record.exc_info[1]!r}" if record.exc_info and record.exc_info[1] else ""
        more = f" (and {self._left_out} more before)" if self._left_out else ""
        record.msg, record.args = f"{self._prefix}: {record.getMessage()}{why[:200]}{more}", ()
        record.exc_info = record.exc_text = None
        self._next, self._left_out = now + EVERY, 0
        return True


def rate_limited_logger(name: str, clock: Callable[[], float] = time.monotonic) -> logging.Logger:
    """A child of the logger `symbody.web` whose lines begin with a name and are rate limited."""
    logger = logging.Logger("symbody.web.server")
    logger.parent = logging.getLogger("symbody.web")
    logger.addFilter(RateLimitFilter(name, clock))
    return logger
