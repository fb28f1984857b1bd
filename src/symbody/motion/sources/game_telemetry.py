"""Telemetry of a racing game: the UDP packets "Data Out" of Forza, read on the loopback interface.

Layout (published by the maker, little endian): int32 race on, uint32 time (ms), three float32 of engine speed, then
float32 acceleration (m/s²), velocity (m/s) and turn rate (rad/s) with x to the right, y up and z ahead. Further fields
follow; the sizes of the four forms tell the game. The axes are left-handed: turn rates change their sign.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
from collections import Counter

import numpy as np

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.links.udp import BATCH, Address
from symbody.motion.data import Array
from symbody.motion.sources.scene_guard import SceneGuard, StreamLimits

SIZES = {
    232: "Forza Motorsport 7, sled",
    311: "Forza Motorsport 7, dash",
    324: "Forza Horizon",
    331: "Forza Motorsport",
}
HEAD = struct.Struct("<iI3f9f")
WRAP = 2**32  # ms: the time begins again
PORT = 5607
MS = 1e-3  # s


def forza_sample(data: bytes) -> tuple[bool, int, Array]:
    """Whether a race is on, the time (ms), and the six signals `SCENE` of a packet; raises `Rejected`."""
    if len(data) not in SIZES:
        raise Rejected("length", f"{len(data)} bytes")
    on, ms, *numbers = HEAD.unpack_from(data)
    if on not in (0, 1):
        raise Rejected("race flag", f"{on}")
    (right, up, ahead), (wx, wy, wz) = numbers[3:6], numbers[9:12]
    # ahead, left, up; a left-handed turn rate is the opposite of a right-handed one about the same axis
    return bool(on), ms, np.array([ahead, -right, up, -wz, wx, -wy])


class GameTelemetry:
    """Receives telemetry of a game.

    bind: address and port to listen at. Packets have no signature, so by default only this computer may send; another
    computer needs its own address here as `sender`, and a network that you trust.
    """

    def __init__(
        self, bind: Address = ("127.0.0.1", PORT), sender: str | None = None, limits: StreamLimits | None = None
    ) -> None:
        host, port = bind
        if not _loopback(host) and sender is None:
            problem = f"{host} is not only for this computer, and packets of games have no signature"
            raise ModelError(problem, element="telemetry", cure="bind 127.0.0.1, or name the sender's address")
        self.guard = SceneGuard(limits)
        self.refused: Counter[str] = Counter()
        self._sender = None if sender is None else _address(sender)
        self._last, self._turns = 0, 0
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            problem = f"cannot listen at {host}:{port}: {error}"
            raise ModelError(problem, element="telemetry", cure="choose another address or port") from error
        self._socket.setblocking(False)

    @property
    def address(self) -> Address:
        """Host and port at which it listens."""
        host, port, *_ = self._socket.getsockname()
        return host, port

    def read(self, now: float) -> Array:
        """The six signals at a time (s), with all packets that arrived; zero while no race is on."""
        for _ in range(BATCH):
            try:
                data, (host, *_) = self._socket.recvfrom(max(SIZES) + 1)
            except BlockingIOError:
                break
            except OSError:
                self.refused["unreachable"] += 1
                continue
            self._take(data, host, now)
        return self.guard.read(now)

    def _take(self, data: bytes, host: str, now: float) -> None:
        if self._sender is not None and _address(host) != self._sender:
            self.refused["another sender"] += 1
            return
        try:
            on, ms, values = forza_sample(data)
        except Rejected as refusal:
            self.refused[refusal.reason] += 1
            return
        if not on:
            self.guard.rest()
            self.guard.restart()
            self._last = 0
            return
        if self._last - ms > WRAP // 2:
            self._turns += 1
        elif self.guard.silent(now):  # after a pause the time may begin anywhere
            self.guard.restart()
        self._last = ms
        self.guard.offer(values, MS * (ms + WRAP * self._turns), now)

    def close(self) -> None:
        """Release the port."""
        self._socket.close()


def _loopback(host: str) -> bool:
    return _address(host).is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError as error:
        raise ModelError(f"'{host}' is not an address", element="telemetry", cure="give it as 192.168.1.20") from error
