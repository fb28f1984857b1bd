"""Frames over UDP, IPv4 or IPv6, without further packages; beyond the loopback interface only with a token."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from symbody.errors import ModelError
from symbody.links.packet import LARGEST, Packet, Transport, channel_code, check_count, pack, unpack
from symbody.links.rejected import Rejected

Address = tuple[str, int]

PORT = 47600
TOKEN_BYTES = 16  # shortest shared secret
BATCH = 64  # packets per call, so that a flood does not block the node
LOOPBACK = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
ANYWHERE = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}


class UdpTransport(Transport):
    """A socket for frames of channels.

    Parameters
    ----------
    sends, hears : sequence of str
        Channels in each direction.
    bind : (str, int), optional
        Address and port to listen at (port 0: any). Default: where the partner can answer, else loopback.
    partner : (str, int), optional
        Where to send. Without one, to the accepted partner.
    token : bytes, optional
        Shared secret that signs the frames.
    varying : bool
        Whether a frame may have any number of values; then the names only identify its meaning. Default False.
    """

    def __init__(
        self,
        sends: Sequence[str],
        hears: Sequence[str],
        bind: Address | None = None,
        partner: Address | None = None,
        token: bytes = b"",
        varying: bool = False,
    ):
        for names in (sends, hears):
            check_count(names)
        self.refused: Counter[str] = Counter()
        self._codes = channel_code(sends), channel_code(hears)
        self._count, self._token = None if varying else len(hears), token
        self._partner = _checked(partner, token)[1] if partner else None
        family, here = _checked(bind or _answers_at(partner), token)
        if partner and _resolved(partner)[0] != family:
            problem = f"{address_text(here[:2])} cannot reach {address_text(partner)}"
            raise ModelError(problem, element="udp", cure="use IPv4 addresses at both ends, or IPv6 at both")
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(here)
        except (OSError, OverflowError) as error:
            self._socket.close()
            problem = f"cannot listen at {address_text(here[:2])}: {error}"
            raise ModelError(problem, element="udp", cure="choose another address or port") from error

    @property
    def address(self) -> Address:
        """Host and port at which it listens."""
        host, port, *_ = self._socket.getsockname()
        return host, port

    def send(self, frame: Packet) -> None:
        """Send to the partner, or to the frame's address; a failure is counted."""
        to = self._partner or frame.address
        if to is None:
            return
        try:
            self._socket.sendto(pack(frame, self._codes[0], self._token), to)
        except OSError:
            self.refused["not sent"] += 1

    def receive(self, timeout: float) -> Packet | None:
        """The next frame, or None after `timeout` s."""
        end = time.monotonic() + timeout
        for _ in range(BATCH):
            self._socket.settimeout(max(end - time.monotonic(), 0.0))
            try:
                data, address = self._socket.recvfrom(LARGEST + 1)
                return unpack(data, self._codes[1], self._count, self._token, address)
            except (TimeoutError, BlockingIOError):
                break
            except Rejected as refusal:
                self.refused[refusal.reason] += 1
            except OSError:  # an unreachable partner causes an error here
                self.refused["unreachable"] += 1
        return None

    def close(self) -> None:
        self._socket.close()


def address_text(address: Address) -> str:
    """HOST:PORT; an IPv6 address is in brackets."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _answers_at(partner: Address | None) -> Address:
    """Any port of the loopback interface; of all interfaces if the partner is on another computer."""
    if partner is None:
        return LOOPBACK[socket.AF_INET], 0
    family, there = _resolved(partner)
    return (LOOPBACK if _is_loopback(there) else ANYWHERE)[family], 0


def _checked(address: Address, token: bytes) -> tuple[socket.AddressFamily, Any]:
    """Family and address for a socket; other computers only with a token that is long enough."""
    if token and len(token) < TOKEN_BYTES:
        problem = f"a token of {len(token)} bytes can be guessed"
        raise ModelError(problem, element="udp", cure=f"use at least {TOKEN_BYTES} random bytes")
    family, found = _resolved(address)
    if not token and not _is_loopback(found):
        problem = f"{address[0]} is not on this computer, so anybody could send commands"
        raise ModelError(problem, element="udp", cure="share a token between the nodes, or use 127.0.0.1 or ::1")
    return family, found


def _resolved(address: Address) -> tuple[socket.AddressFamily, Any]:
    """Resolve a host; if it has both IPv4 and IPv6 addresses, IPv4 is used at both ends."""
    host, port = address
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        cure = "give a name or an address such as 10.0.0.2 or fd00::2"
        raise ModelError(f"unknown host '{host}'", element="udp", cure=cure) from error
    family, _, _, _, (numeric, _, *scope) = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, (numeric, port, *scope)


def _is_loopback(found: Any) -> bool:
    return ipaddress.ip_address(found[0].partition("%")[0]).is_loopback
