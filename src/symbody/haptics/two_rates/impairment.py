"""A link that loses, delays and reorders packets reproducibly; for simulated or real clocks."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from symbody.haptics.settings import finite

T = TypeVar("T")


@dataclass(frozen=True)
class Impairment:
    """Simulated faults of a link.

    Parameters
    ----------
    delay : float
        Shortest delay (s). Default 0.
    jitter : float
        Further delay, uniform from 0 to this time (s). Default 0.
    loss : float
        Share of lost packets, from 0 to 1. Default 0.
    seed : int
        Of the random numbers. Default 0.
    """

    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        finite("delay", self.delay)
        finite("jitter", self.jitter)
        finite("loss", self.loss, 0.0, 1.0)


class ImpairedLine(Generic[T]):
    """Packets in transit by time of arrival (s); `sent` and `lost` count them."""

    def __init__(self, impairment: Impairment, stream: int = 0):
        self.impairment = impairment
        self._random = np.random.default_rng([impairment.seed, stream])
        self._waiting: list[tuple[float, int, T]] = []
        self.sent = self.lost = 0

    def send(self, t: float, packet: T) -> None:
        """Send a packet at a time (s)."""
        lost, late = self._random.random(2)
        self.sent += 1
        if lost < self.impairment.loss:
            self.lost += 1
            return
        heapq.heappush(self._waiting, (t + self.impairment.delay + self.impairment.jitter * late, self.sent, packet))

    @property
    def waiting(self) -> int:
        """Number of packets in transit."""
        return len(self._waiting)

    def next_arrival(self) -> float:
        """Time of the next arrival (s); infinite if no packet is in transit."""
        return self._waiting[0][0] if self._waiting else float("inf")

    def arrived(self, t: float) -> list[T]:
        """Packets that arrived up to a time (s), in order of arrival."""
        found = []
        while self.next_arrival() <= t:
            found.append(heapq.heappop(self._waiting)[2])
        return found
