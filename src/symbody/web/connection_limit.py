"""How many connections there may be: a flood of them uses up neither the files of this process nor the page's place.

A page sends its request at once. So if there are too many connections without a request, the oldest of them is closed:
it is not a page. Some of the places of visitors are reserved for those with the token.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

MOST_CONNECTIONS = 256  # at a time, of all kinds
MOST_VISITORS = 128  # browsers that watch at a time
MOST_FROM_ONE = 32  # of them, from one address and without the token
RESERVED = 16  # places for visitors with the token


def connections_allowed() -> int:
    """How many connections this process can hold: half of the files that it can still open."""
    try:
        import resource

        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        left = files - len(os.listdir("/dev/fd"))
    except (ImportError, OSError):
        return MOST_CONNECTIONS
    return max(4, min(MOST_CONNECTIONS, left // 2))


@dataclass
class ConnectionLimit:
    """Connections without a request yet, and visitors; `most`: connections at a time; `dropped`: counted so far."""

    most: int = field(default_factory=connections_allowed)
    dropped: int = 0
    _waiting: OrderedDict[Hashable, Callable[[], None]] = field(default_factory=OrderedDict)  # how to drop each
    _visitors: dict[Hashable, tuple[str, bool]] = field(default_factory=dict)  # address, has the token

    @property
    def most_visitors(self) -> int:
        """The number of places for visitors: at most half of the connections, so that others can ask for the page."""
        return min(MOST_VISITORS, max(self.most // 2, 1))

    def opened(self, connection: Hashable, drop: Callable[[], None]) -> None:
        """Count a new connection; if there are too many, drop the one that has waited longest without a request."""
        self._waiting[connection] = drop
        while len(self._waiting) + len(self._visitors) > self.most and self._waiting:
            _, drop_oldest = self._waiting.popitem(last=False)
            self.dropped += 1
            drop_oldest()

    def refusal(self, address: str, trusted: bool) -> str:
        """Why there is no place for one more visitor from an address; empty: there is one."""
        reserved = min(RESERVED, self.most_visitors // 2)
        if len(self._visitors) >= self.most_visitors - (0 if trusted else reserved):
            return "too many visitors"
        strangers = Counter(place for place, known in self._visitors.values() if not known)
        if not trusted and strangers[address] >= MOST_FROM_ONE:
            return "too many visitors from one address"
        return ""

    def admit(self, connection: Hashable, address: str, trusted: bool) -> None:
        """Count a connection as a visitor: it has asked for a socket."""
        self._waiting.pop(connection, None)
        self._visitors[connection] = address, trusted

    def closed(self, connection: Hashable) -> None:
        """A connection is over."""
        self._waiting.pop(connection, None)
        self._visitors.pop(connection, None)
