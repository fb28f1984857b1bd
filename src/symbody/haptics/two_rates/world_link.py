"""The link from a local model in a loop to its world: a thread receives, checks and passes packets to the ticks.

with Loop(SceneSource(local.scene), 1000.0) as loop, WorldLink(local, transport):
    ...

Ticks never wait for it: packets go through mailboxes (port.h). If the world is silent, its surfaces remain and age as
described in `Port`. A restarted world is accepted once the old one has been silent for a while.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from symbody.haptics.two_rates.local_model import LocalModel, local_library
from symbody.haptics.two_rates.packet import ProxyPacket, WorldPacket
from symbody.haptics.two_rates.port import Port, port_counts
from symbody.haptics.two_rates.port_account import Total
from symbody.haptics.two_rates.wire import proxy_values, world_of
from symbody.haptics.two_rates.world_end import SILENCE
from symbody.links.link import Limits, LinkEnd
from symbody.links.packet import Transport
from symbody.links.rejected import Rejected
from symbody.realtime.background_thread import BackgroundThread
from symbody.realtime.nodes import Node

PERIOD = 1.0 / 60.0  # s between messages of the proxy while the world is silent
REMOTE = Port(passive=True, still=0.1, patience=1.0, fading=0.5)  # for a remote world


class WorldLink(BackgroundThread):
    """Receives until `close()`; `summary()`: frames by result, packets, energies, silences.

    Parameters
    ----------
    local : LocalModel
        The local model that gets the packets.
    transport : Transport
        The link to the world.
    limits : Limits, optional
        When frames are rejected.
    period : float
        Time between two looks at the link (s). Default 0.01667.
    """

    def __init__(
        self, local: LocalModel, transport: Transport, *, limits: Limits | None = None, period: float = PERIOD
    ):
        self.local = local
        self.link = LinkEnd(limits or Limits(silence=SILENCE))
        self._node = Node(transport, self.link, self._tell, self._hear, self._be_silent, period, answers=True)
        self._posted, self._before, self._session, self._paid = 0, 0, 0, Total()
        self._newest = local.acknowledgement()
        packets, proxies = (WorldPacket * 3)(), (ProxyPacket * 3)()
        local.kept = packets, proxies  # the ticks use this memory
        local.c.port.packets, local.c.port.proxies = ctypes.addressof(packets), ctypes.addressof(proxies)
        self.silences = 0
        self._silent = True
        super().__init__("world")

    def close(self) -> None:
        """Stop receiving, and release the port."""
        super().close()
        self._node.transport.close()

    @property
    def is_silent(self) -> bool:
        """Whether the world has sent nothing for a while."""
        return self._silent

    def summary(self) -> dict[str, Any]:
        """Frames by result; packets and constraints; energies (J); how often the world became silent."""
        return {
            **self._node.summary(), "silences": self.silences, "packets": self.local.counts,
            "energy": port_counts(self.local.c.port),
        }  # fmt: skip

    def _run(self) -> None:
        self._node.run(stop=self._end)

    def _hear(self, values: np.ndarray) -> None:
        """Pass a packet to the ticks; sequence numbers continue when a restarted world begins at one again."""
        self._silent = False
        try:
            packet = world_of(values)
        except Rejected as refusal:
            self.link.counts[refusal.reason] += 1
            return
        if self.link.partner != self._session:
            self._session, self._before = self.link.partner, self._posted
        packet.sequence = self._posted = self._before + packet.sequence
        packet.paid = self._paid.hear(packet.paid, self._session)
        local_library().local_post(ctypes.byref(self.local.c), ctypes.byref(packet))

    def _tell(self) -> np.ndarray:
        local_library().local_proxy(ctypes.byref(self.local.c), ctypes.byref(self._newest))
        packet = ProxyPacket.from_buffer_copy(self._newest)
        packet.acknowledged = max(packet.acknowledged - self._before, 0)
        return proxy_values(packet)

    def _be_silent(self) -> None:
        self.silences += not self._silent
        self._silent = True
