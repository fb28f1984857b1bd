"""Telemetry of a racing game: UDP packets of one of the `FORMS`, read on the loopback interface."""

from __future__ import annotations

import ipaddress
import socket
from collections import Counter

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.links.udp import BATCH, Address
from symbody.motion.data import Array
from symbody.motion.sources.game_packets import FORMS
from symbody.motion.sources.scene_guard import SceneGuard, StreamLimits
from symbody.suggestions import did_you_mean

WRAP = 2**32  # ms: the time begins again
MS = 1e-3  # s


class GameTelemetry:
    """Receives telemetry of a game.

    Packets have no signature, so by default only this computer may send.

    Parameters
    ----------
    bind : (str, int), optional
        Address and port to listen at. Default: the usual port of the form on loopback.
    sender : str, optional
        Address of another computer that may send, on a network that you trust.
    limits : StreamLimits, optional
        Of the samples.
    form : str
        One of `FORMS`. Default "forza".
    """

    def __init__(
        self, bind: Address | None = None, sender: str | None = None, limits: StreamLimits | None = None,
        form: str = "forza",
    ) -> None:  # fmt: skip
        if form not in FORMS:
            raise ModelError("unknown packets", element=str(form), cure=did_you_mean(form, FORMS, "forms"))
        self.form = FORMS[form]
        host, port = bind or ("127.0.0.1", self.form.port)
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
                data, (host, *_) = self._socket.recvfrom(max(self.form.sizes) + 1)
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
            on, ms, values = self.form.sample(data)
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
