"""A stream of motion over UDP: the six signals `SCENE` in packets of `links/packet.py`, on the loopback interface.

Other computers need a shared token, as every link of this package does.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Sequence

from symbody.links.packet import Packet
from symbody.links.udp import BATCH, Address, UdpTransport
from symbody.motion.cueing.method import SCENE
from symbody.motion.data import Array
from symbody.motion.sources.scene_guard import SceneGuard, StreamLimits

NS = 1e-9  # s


class UdpScene:
    """Receives a stream of motion.

    While a sender is heard, packets of others are refused. guard: checks of the samples, with their counts; refused:
    malformed packets by reason.

    Parameters
    ----------
    bind : (str, int), optional
        Address and port to listen at. Default: a free port of the loopback interface.
    token : bytes, optional
        Shared secret of the sender.
    limits : StreamLimits, optional
        Of the samples.
    """

    def __init__(self, bind: Address | None = None, token: bytes = b"", limits: StreamLimits | None = None) -> None:
        self.guard = SceneGuard(limits)
        self._transport = UdpTransport((), tuple(SCENE), bind=bind, token=token)
        self._session, self._sequence = 0, -1

    @property
    def address(self) -> Address:
        """Host and port at which it listens."""
        return self._transport.address

    @property
    def refused(self) -> Counter[str]:
        """Packets that were not read, by reason."""
        return self._transport.refused

    def read(self, now: float) -> Array:
        """The six signals at a time (s), with all packets that arrived."""
        for _ in range(BATCH):
            frame = self._transport.receive(0.0)
            if frame is None:
                break
            self._take(frame, now)
        return self.guard.read(now)

    def _take(self, frame: Packet, now: float) -> None:
        if frame.session != self._session:
            if self._session and not self.guard.silent(now):
                self.refused["another sender"] += 1
                return
            self._session, self._sequence = frame.session, -1
            self.guard.restart()
        if frame.sequence <= self._sequence:
            self.refused["late"] += 1
            return
        self._sequence = frame.sequence
        self.guard.offer(frame.values, frame.stamp * NS, now)

    def close(self) -> None:
        """Release the port."""
        self._transport.close()


class SceneSender:
    """Sends the six signals `SCENE` (m/s², rad/s) to a `UdpScene`.

    Parameters
    ----------
    partner : (str, int)
        Address and port of a `UdpScene`.
    token : bytes, optional
        Shared secret that signs the packets.
    """

    def __init__(self, partner: Address, token: bytes = b"") -> None:
        self._transport = UdpTransport(tuple(SCENE), (), partner=partner, token=token)
        self._session, self._sequence = secrets.randbits(63) | 1, 0

    def send(self, values: Sequence[float] | Array) -> None:
        """Send one sample, with the time of this computer's clock."""
        frame = Packet(self._session, None, self._sequence, time.monotonic_ns(), 0, 0, values)  # type: ignore[arg-type]
        self._transport.send(frame)
        self._sequence += 1

    def close(self) -> None:
        """Release the port."""
        self._transport.close()
