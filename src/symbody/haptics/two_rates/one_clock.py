"""Two rates on one clock: a slow world and its fast local model, with delayed and lost packets.

both = TwoRates(world, local, world_rate=30.0, line=Impairment(delay=0.02, loss=0.2, seed=1))
log = both.run(2.0, push=(0.0, -0.5, 0.0))
"""

from __future__ import annotations

from math import ceil

import numpy as np

from symbody.haptics import structures as of
from symbody.haptics.scene import Log, Push
from symbody.haptics.settings import ContactModel, finite
from symbody.haptics.two_rates.impairment import ImpairedLine, Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.packet import ProxyPacket, WorldPacket
from symbody.haptics.two_rates.world import World
from symbody.haptics.two_rates.world_end import WorldEnd

EARLY = 1e-9  # s: rounding of times


class TwoRates:
    """World and local model advanced together: packets go over one impaired link, acknowledgements over another.

    Parameters
    ----------
    world : World
        The slow simulation.
    local : LocalModel
        The fast one, at the rate of the device.
    world_rate : float
        Hz. Default 30.
    line : Impairment, optional
        Delay, jitter and loss each way. Default: none.
    computing : float
        Time from the world's input pose to its packet (s). Default 0.
    contact : ContactModel, optional
        Wall parameters in packets. Default: those of the local model.
    passive : bool
        Whether the world's tool gives no energy that the proxy has not supplied; the other end needs
        `Port(passive=True)`. Default False.
    """

    def __init__(
        self,
        world: World,
        local: LocalModel,
        world_rate: float = 30.0,
        line: Impairment | None = None,
        *,
        computing: float = 0.0,
        contact: ContactModel | None = None,
        passive: bool = False,
    ):
        line = line or Impairment()
        self.world, self.local, self.computing = world, local, finite("computing", computing)
        self.end = WorldEnd(world, contact or local.scene.rendering.contact, world_rate, passive=passive)
        self.period = self.end.period
        self.down: ImpairedLine[WorldPacket] = ImpairedLine(line, 0)
        self.up: ImpairedLine[ProxyPacket] = ImpairedLine(line, 1)

    @property
    def work(self) -> float:
        """What the world's tool did on bodies (J)."""
        return -self.end.account.entered

    @property
    def t(self) -> float:
        """Time of both (s)."""
        return self.local.t

    def _world_step(self, t: float) -> None:
        for proxy in self.up.arrived(t + EARLY):
            self.end.hear(proxy)
        self.down.send(t + self.computing, self.end.step())

    def _events(self, t: float) -> None:
        """Make the world steps and deliver the packets that are due."""
        while self.end.t <= t + EARLY:
            self._world_step(self.end.t)
        for packet in self.down.arrived(t + EARLY):
            if self.local.update(packet) == "taken":
                self.up.send(t, self.local.acknowledgement())

    def run(self, seconds: float, push: Push | None = None, pose: Push | None = None, *, strict: bool = True) -> Log:
        """Run both for a time (s); return a record of each tick of the local model."""
        scene = self.local.scene
        n = max(0, round(seconds * scene.rate))
        inputs, log = scene.inputs(n, push, pose), np.zeros(n, dtype=of.RECORD)
        done = 0
        while done < n:
            self._events(self.t)
            due = min(self.end.t, self.down.next_arrival())
            ahead = min(n - done, max(1, ceil((due - self.t - EARLY) * scene.rate)))
            scene.advance(inputs[done : done + ahead], log[done : done + ahead])
            done += ahead
        if strict:
            scene.refuse_faults(log)
        return log

    @property
    def counts(self) -> dict[str, int]:
        """Packets and acknowledgements sent and lost, and the counters of the local model."""
        lines = {"sent": self.down.sent, "lost": self.down.lost, "acks": self.up.sent, "acks_lost": self.up.lost}
        return {**lines, **self.local.counts}
