"""A turnstile: in each round of the event loop a few of many tasks pass, so that a crowd never makes a round long.

A message of a browser needs three rounds until a thread carries it out. If all watchers are served in one round, each
of these rounds takes as long as all watchers together.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Turnstile:
    """Tasks pass in the order in which they came, at most `most` in one round."""

    def __init__(self, most: int):
        self._most = most
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._admit, loop)
        mine = loop.create_future()
        self._waiting.append(mine)
        await mine

    def _admit(self, loop: asyncio.AbstractEventLoop) -> None:
        left = self._most
        while self._waiting and left:
            first = self._waiting.popleft()
            if not first.done():  # its task was cancelled
                first.set_result(None)
                left -= 1
        if self._waiting:
            loop.call_soon(self._admit, loop)
