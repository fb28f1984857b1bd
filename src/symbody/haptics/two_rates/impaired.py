"""A transport whose frames are lost, delayed and reordered reproducibly, to test real links."""

from __future__ import annotations

import time
from collections import Counter, deque

from symbody.haptics.two_rates.impairment import ImpairedLine, Impairment
from symbody.links.packet import Packet, Transport

WAITING = 10_000  # delayed frames at most


class ImpairedTransport(Transport):
    """Impairs the frames that another transport receives; `stream`: the two ends use different random numbers."""

    def __init__(self, inner: Transport, impairment: Impairment, stream: int = 0):
        self._inner, self.line = inner, ImpairedLine[Packet](impairment, stream)
        self._here: deque[Packet] = deque()

    @property
    def refused(self) -> Counter[str]:  # type: ignore[override]
        """Frames that the link rejected, and frames lost on purpose."""
        return self._inner.refused + Counter({"dropped": self.line.lost})

    def send(self, frame: Packet) -> None:
        self._inner.send(frame)

    def receive(self, timeout: float) -> Packet | None:
        """The next frame that is due, or None after `timeout` s."""
        end = time.monotonic() + timeout
        while True:
            now = time.monotonic()
            self._here.extend(self.line.arrived(now))
            if self._here:
                return self._here.popleft()
            came = self._inner.receive(max(min(end, self.line.next_arrival()) - now, 0.0))
            if came is not None and self.line.waiting < WAITING:
                self.line.send(time.monotonic(), came)
            elif came is None and time.monotonic() >= end:
                self._here.extend(self.line.arrived(time.monotonic()))
                return self._here.popleft() if self._here else None

    def close(self) -> None:
        self._inner.close()
