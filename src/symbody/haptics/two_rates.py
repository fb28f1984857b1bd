"""Two rates on one clock: a slow world and the fast local model in front of it, with packets that are late or lost.

both = TwoRates(world, local, world_rate=30.0, line=Impairment(delay=0.02, loss=0.2, seed=1))
log = both.run(2.0, push=(0.0, -0.5, 0.0))
"""

from __future__ import annotations

from math import ceil
from typing import Protocol

import numpy as np

from symbody.haptics import structures as of
from symbody.haptics.impairment import ImpairedLine, Impairment
from symbody.haptics.local_model import LocalModel
from symbody.haptics.packet import Array, ProxyPacket, WorldPacket, WorldStep, world_packet
from symbody.haptics.scene import Log, Push
from symbody.haptics.settings import ContactModel, finite

EARLY = 1e-9  # s: rounding of times


class SteppedWorld(Protocol):
    """What two rates need of a world: a step in which its tool goes to where the proxy was."""

    def tool_pose(self) -> Array:
        """q of the tool now."""
        ...

    def advance(self, q: Array, dt: float) -> WorldStep:
        """Move the tool to q within dt (s); what is near it then."""
        ...


class TwoRates:
    """World and local model advanced together: packets go over one impaired line, acknowledgements over another.

    world_rate: Hz. line: delay, jitter and loss each way. computing: seconds from the pose that the world takes to the
    packet that it sends. contact: the numbers of walls in packets; those of the local model unless given.
    """

    def __init__(
        self,
        world: SteppedWorld,
        local: LocalModel,
        world_rate: float = 30.0,
        line: Impairment | None = None,
        *,
        computing: float = 0.0,
        contact: ContactModel | None = None,
    ):
        line = line or Impairment()
        self.world, self.local = world, local
        self.period, self.computing = 1.0 / finite("world_rate", world_rate, 0.1), finite("computing", computing)
        self.contact = contact or local.scene.rendering.contact
        self.down: ImpairedLine[WorldPacket] = ImpairedLine(line, 0)
        self.up: ImpairedLine[ProxyPacket] = ImpairedLine(line, 1)
        self._q, self._heard = world.tool_pose(), 0
        self._steps = 0
        self.work = 0.0  # J, that the world's tool did on bodies

    @property
    def t(self) -> float:
        """Time of both (s)."""
        return self.local.t

    def _world_step(self, t: float) -> None:
        for packet in self.up.arrived(t + EARLY):
            if packet.sequence > self._heard:
                self._heard, self._q = packet.sequence, np.array(packet.q[: packet.nq])
        step = self.world.advance(self._q, self.period)
        self.work += step.work
        self._steps += 1
        made = self.contact
        packet = world_packet(
            self._steps, t, step.constraints, step.tool, made.stiffness, made.damping, made.restitution
        )
        self.down.send(t + self.computing, packet)

    def _events(self, t: float) -> None:
        """World steps and packets that are due."""
        while self._steps * self.period <= t + EARLY:
            self._world_step(self._steps * self.period)
        for packet in self.down.arrived(t + EARLY):
            if self.local.update(packet) == "taken":
                self.up.send(t, self.local.acknowledgement())

    def run(self, seconds: float, push: Push | None = None, pose: Push | None = None, *, strict: bool = True) -> Log:
        """Both for a time; a record of each tick of the local model."""
        scene = self.local.scene
        n = max(0, round(seconds * scene.rate))
        inputs, log = scene.inputs(n, push, pose), np.zeros(n, dtype=of.RECORD)
        done = 0
        while done < n:
            self._events(self.t)
            due = min(self._steps * self.period, self.down.next_arrival())
            ahead = min(n - done, max(1, ceil((due - self.t - EARLY) * scene.rate)))
            scene.advance(inputs[done : done + ahead], log[done : done + ahead])
            done += ahead
        if strict:
            scene.refuse_faults(log)
        return log

    @property
    def counts(self) -> dict[str, int]:
        """Packets and acknowledgements sent and lost, and what the local model counts."""
        lines = {"sent": self.down.sent, "lost": self.down.lost, "acks": self.up.sent, "acks_lost": self.up.lost}
        return {**lines, **self.local.counts}
