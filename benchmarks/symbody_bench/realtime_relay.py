"""A bad network between two UDP ends of this computer: loss, delay and cuts in both directions, to test nodes."""

from __future__ import annotations

import heapq
import random
import socket
import threading
import time
from select import select
from types import TracebackType

from symbody.links.udp import LOOPBACK, Address

WAITING = 10_000  # packets in transit at most
LOOK = 0.001  # s between checks for due packets


class Relay:
    """Listens at `address`; forwards packets to `target`, and its answers back.

    loss: share of the packets; delay: s in each direction; `is_cut` may be set at any time.
    """

    def __init__(self, target: Address, loss: float = 0.0, delay: float = 0.0, seed: int = 1):
        self.target, self.loss, self.delay, self.is_cut = target, loss, delay, False
        self.passed = self.dropped = 0
        self._random = random.Random(seed)
        self._front, self._back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for end in (self._front, self._back):
            end.bind((LOOPBACK[socket.AF_INET], 0))
        self.address: Address = self._front.getsockname()
        self._client: Address | None = None
        self._on_their_way: list[tuple[float, int, socket.socket, bytes, Address]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def __enter__(self) -> Relay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._front.close()
        self._back.close()

    def _work(self) -> None:
        while not self._stop.is_set():
            for end in select([self._front, self._back], [], [], LOOK)[0]:
                self._take(end)
            while self._on_their_way and self._on_their_way[0][0] <= time.monotonic():
                _, _, end, data, to = heapq.heappop(self._on_their_way)
                end.sendto(data, to)

    def _take(self, end: socket.socket) -> None:
        try:
            data, address = end.recvfrom(65536)
        except OSError:
            return  # the target is not running
        if end is self._front:
            self._client = address
        to = self.target if end is self._front else self._client
        if self.is_cut or to is None or self._random.random() < self.loss or len(self._on_their_way) > WAITING:
            self.dropped += 1
            return
        self.passed += 1
        way = self._back if end is self._front else self._front
        heapq.heappush(self._on_their_way, (time.monotonic() + self.delay, self.passed, way, data, to))
