"""The gate between browsers and what runs: messages come through one by one, or are refused and counted."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from symbody.realtime.rejected import Rejected
from symbody.studio.messages import Looking, Message, read_message

RATE = 150.0  # messages in a second from one browser: a mouse gives 60 to 125
BURST = 150.0  # that may come at once


@dataclass
class RateLimit:
    """Messages that one browser may still send; it fills at `RATE` up to `BURST`."""

    clock: Callable[[], float] = time.monotonic
    left: float = BURST
    seen: float = -inf

    def take(self) -> bool:
        now = self.clock()
        self.left, self.seen = min(BURST, self.left + RATE * (now - self.seen)), now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


@dataclass
class Gate:
    """Admits what is well formed, in measure and allowed; `refused` counts the rest by reason."""

    refused: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, reason: str) -> None:
        """One more that was refused, from any thread."""
        with self._lock:
            self.refused[reason] += 1

    def admit(self, raw: str | bytes, touch: bool, rate_limit: RateLimit) -> Message:
        """The message; `Rejected`, and counted, where it is refused."""
        try:
            if not rate_limit.take():
                raise Rejected("too many")
            message = read_message(raw)
            if not touch and not isinstance(message, Looking):
                raise Rejected("not allowed", "who touches gives the token")
        except Rejected as refusal:
            self.count(refusal.reason)
            raise
        return message
