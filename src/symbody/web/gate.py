"""The gate between browsers and an application: each message is admitted, or refused and counted by its reason."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic, TypeVar

from symbody.links.rejected import Rejected
from symbody.web.verbs import Verb, Verbs, read_message

RATE = 150.0  # messages a second from one browser: a mouse sends 60 to 125
BURST = 150.0  # messages at once

M = TypeVar("M")


@dataclass
class RateLimit:
    """A token bucket: the messages that one browser may still send; it fills at `rate` (1/s) up to `burst`."""

    clock: Callable[[], float] = time.monotonic
    rate: float = field(default_factory=lambda: RATE)
    burst: float = field(default_factory=lambda: BURST)
    left: float = 0.0
    seen: float = -inf  # so that it is full at first
    _of: dict[type, RateLimit] = field(default_factory=dict)  # of verbs with a rate of their own, by their messages

    def take_of(self, verb: Verb[Any]) -> bool:
        """Whether one more message of a verb is within the rate of that verb."""
        if verb.rate is None:
            return True
        if verb.kind not in self._of:
            self._of[verb.kind] = RateLimit(self.clock, verb.rate, max(verb.rate, 1.0))
        return self._of[verb.kind].take()

    def take(self) -> bool:
        """Whether one more message is within the rate."""
        now = self.clock()
        self.left, self.seen = min(self.burst, self.left + self.rate * (now - self.seen)), now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


@dataclass
class Gate(Generic[M]):
    """Admits messages that are well formed, within the rate and allowed; `refused` counts the others by reason."""

    verbs: Verbs[M]
    refused: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, reason: str) -> None:
        """Count one more refusal, from any thread."""
        with self._lock:
            self.refused[reason] += 1

    def admit(self, raw: str | bytes, touch: bool, rate_limit: RateLimit) -> M:
        """The message; a refused one is counted and raises `Rejected`. touch: the browser has given the token."""
        try:
            if not rate_limit.take():
                raise Rejected("too many")
            verb, message = read_message(raw, self.verbs)
            if verb.touches and not touch:
                raise Rejected("not allowed", "to touch, give the token")
            if not rate_limit.take_of(verb):
                raise Rejected("too often", "wait a moment")
        except Rejected as refusal:
            self.count(refusal.reason)
            raise
        return message
