"""Frames over UDP: needs nothing, on the loopback interface unless a token seals them."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import Counter
from collections.abc import Sequence

from symbody.errors import ModelError
from symbody.realtime.packet import MAX_BYTES, Frame, channel_code, check_count, pack, unpack
from symbody.realtime.refused import Refused

Address = tuple[str, int]

PORT = 47600
TOKEN_BYTES = 16  # shortest shared secret
BATCH = 64  # packets looked at in one call: a flood does not hold the node


class UdpTransport:
    """A socket for frames with the channels `sends` and `hears`.

    bind: address and port to listen at, port 0 for any; partner: where to send; without one, to whoever is believed.
    """

    def __init__(
        self,
        sends: Sequence[str],
        hears: Sequence[str],
        bind: Address = ("127.0.0.1", 0),
        partner: Address | None = None,
        token: bytes = b"",
    ):
        for names in (sends, hears):
            check_count(names)
        for host, _ in filter(None, (bind, partner)):
            _check_open(host, token)
        self.refused: Counter[str] = Counter()
        self._codes = channel_code(sends), channel_code(hears)
        self._count, self._partner, self._token = len(hears), partner, token
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(bind)
        except (OSError, OverflowError) as error:
            self._socket.close()
            problem = f"cannot listen at {bind[0]}:{bind[1]}: {error}"
            raise ModelError(problem, element="udp", cure="choose another address or port") from error

    @property
    def address(self) -> Address:
        """Where it listens."""
        host, port = self._socket.getsockname()
        return host, port

    def send(self, frame: Frame) -> None:
        """To the partner, or to where the frame says; a network that is down is counted."""
        to = self._partner or frame.address
        if to is None:
            return
        try:
            self._socket.sendto(pack(frame, self._codes[0], self._token), to)
        except OSError:
            self.refused["not sent"] += 1

    def receive(self, timeout: float) -> Frame | None:
        """The next frame, or None after `timeout` s."""
        end = time.monotonic() + timeout
        for _ in range(BATCH):
            self._socket.settimeout(max(end - time.monotonic(), 0.0))
            try:
                data, address = self._socket.recvfrom(MAX_BYTES + 1)
                return unpack(data, self._codes[1], self._count, self._token, address)
            except (TimeoutError, BlockingIOError):
                break
            except Refused as refusal:
                self.refused[refusal.reason] += 1
            except OSError:  # an unreachable partner announces itself here
                self.refused["unreachable"] += 1
        return None

    def close(self) -> None:
        self._socket.close()


def _check_open(host: str, token: bytes) -> None:
    """Beyond this machine only with a token that is long enough."""
    if token and len(token) < TOKEN_BYTES:
        problem = f"a token of {len(token)} bytes can be guessed"
        raise ModelError(problem, element="udp", cure=f"use at least {TOKEN_BYTES} bytes, from a random source")
    try:
        local = ipaddress.ip_address(socket.gethostbyname(host)).is_loopback
    except (OSError, ValueError) as error:
        raise ModelError(
            f"no such host '{host}'", element="udp", cure="give a name or an address such as 10.0.0.2"
        ) from error
    if not local and not token:
        problem = f"{host} is beyond this machine, where anybody could command it"
        raise ModelError(problem, element="udp", cure="share a token between the nodes, or use 127.0.0.1")
