"""Messages of one browser that wait for their turn, in order; a newer message replaces one that sets the same thing.

A browser sends as fast as its mouse moves, whether or not the server has time. Its messages are read at once all the
same. Unread messages would pile up in the network: hands would act seconds late, and the answer to a ping would come so
late that the browser counts as gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Generic, TypeVar

from symbody.links.rejected import Rejected
from symbody.web.verbs import Verbs

MOST_WAITING = 64  # messages of one browser

M = TypeVar("M")


class Inbox(Generic[M]):
    """Messages of one browser that are admitted and not yet carried out."""

    def __init__(self, verbs: Verbs[M]) -> None:
        self._verbs = {verb.kind: verb for verb in verbs.values()}
        self._waiting: list[M] = []
        self._came = asyncio.Event()

    def put(self, message: M) -> None:
        """Append a message, or put it in the place of an older one; `Rejected` if too many wait."""
        place = self._outdated(message)
        if place is not None:
            self._waiting[place] = message
            return
        if len(self._waiting) >= MOST_WAITING:
            raise Rejected("busy")
        self._waiting.append(message)
        self._came.set()

    async def take(self) -> M:
        """The next message, as soon as there is one."""
        while not self._waiting:
            self._came.clear()
            await self._came.wait()
        return self._waiting.pop(0)

    def _outdated(self, message: M) -> int | None:
        """The place of a message that this one replaces; a message of which every one counts is never overtaken."""
        target = self._target(message)
        for place in reversed(range(len(self._waiting)) if target is not None else ()):
            waits = self._target(self._waiting[place])
            if waits is None:
                return None
            if waits == target:
                return place
        return None

    def _target(self, message: M) -> Hashable | None:
        return self._verbs[type(message)].target(message)
