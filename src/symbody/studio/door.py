"""How many connections there may be: a flood of them takes neither the files of this process nor the place of a page.

Of connections that have not asked for anything yet, the oldest goes when there are too many: a page asks at once, so
what waits longest is no page. Of the places for those who watch, some are kept for those who bear the token.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

MOST_CONNECTIONS = 256  # at a time, of all kinds
MOST_VISITORS = 128  # browsers that watch at a time
MOST_FROM_ONE = 32  # of them, from one address and without the token
KEPT = 16  # places for those who bear the token


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
class Door:
    """Who is coming in, and who is inside; `most`: connections at a time."""

    most: int = field(default_factory=connections_allowed)
    turned_away: int = 0
    _opening: OrderedDict[Hashable, Callable[[], None]] = field(default_factory=OrderedDict)  # how to drop each
    _inside: dict[Hashable, tuple[str, bool]] = field(default_factory=dict)  # address, bears the token

    @property
    def visitors(self) -> int:
        """The number of places for browsers that watch: half of the connections at most, so that others can ask."""
        return min(MOST_VISITORS, max(self.most // 2, 1))

    def knock(self, who: Hashable, drop: Callable[[], None]) -> None:
        """A new connection, and how to drop it: the one that has waited longest goes where there are too many."""
        self._opening[who] = drop
        while len(self._opening) + len(self._inside) > self.most and self._opening:
            _, drop_oldest = self._opening.popitem(last=False)
            self.turned_away += 1
            drop_oldest()

    def refusal(self, address: str, trusted: bool) -> str:
        """Why no one more may watch from an address; empty: there is a place."""
        kept = min(KEPT, self.visitors // 2)
        if len(self._inside) >= self.visitors - (0 if trusted else kept):
            return "too many visitors"
        strangers = Counter(place for place, known in self._inside.values() if not known)
        if not trusted and strangers[address] >= MOST_FROM_ONE:
            return "too many visitors from one address"
        return ""

    def enter(self, who: Hashable, address: str, trusted: bool) -> None:
        """It has asked for the socket, and may watch."""
        self._opening.pop(who, None)
        self._inside[who] = address, trusted

    def leave(self, who: Hashable) -> None:
        """Its connection is over."""
        self._opening.pop(who, None)
        self._inside.pop(who, None)
