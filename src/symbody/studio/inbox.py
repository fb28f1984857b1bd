"""Messages of one browser that wait to be obeyed: in order, and of those that say where a hand is only the newest.

A browser speaks as fast as its mouse moves, whether or not the studio has time. What it said is read at once all the
same: unread, it would pile up in the network, hands would act seconds late, and the answer to a ping would come so late
that the browser counts as gone.
"""

from __future__ import annotations

import asyncio

from symbody.realtime.rejected import Rejected
from symbody.studio.messages import Message, Move, Pull, Seek, Set

MOST_WAITING = 64  # messages of one browser


class Inbox:
    """What one browser has asked for and nobody has done yet."""

    def __init__(self) -> None:
        self._waiting: list[Message] = []
        self._came = asyncio.Event()

    def put(self, message: Message) -> None:
        """One more, or the newer instead of the older; `Rejected` where too many wait."""
        place = self._outdated(message)
        if place is not None:
            self._waiting[place] = message
            return
        if len(self._waiting) >= MOST_WAITING:
            raise Rejected("busy")
        self._waiting.append(message)
        self._came.set()

    async def take(self) -> Message:
        """The next one, as soon as there is one."""
        while not self._waiting:
            self._came.clear()
            await self._came.wait()
        return self._waiting.pop(0)

    def _outdated(self, message: Message) -> int | None:
        """Where one waits that this one makes pointless; what is no place of a hand stays between its neighbours."""
        target = _target(message)
        for place in reversed(range(len(self._waiting)) if target is not None else ()):
            waits = _target(self._waiting[place])
            if waits is None:
                return None
            if waits == target:
                return place
        return None


def _target(message: Message) -> tuple[type, str] | None:
    """What a message sets to a value that a later one replaces; None: it counts by itself."""
    match message:
        case Pull() | Seek():
            return type(message), ""
        case Move(name) | Set(name):
            return type(message), name
    return None
