"""Frames over UDP, IPv4 or IPv6: needs nothing, on the loopback interface unless a token seals them."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from symbody.errors import ModelError
from symbody.realtime.packet import LARGEST, Packet, Transport, channel_code, check_count, pack, unpack
from symbody.realtime.rejected import Rejected

Address = tuple[str, int]

PORT = 47600
TOKEN_BYTES = 16  # shortest shared secret
BATCH = 64  # packets looked at in one call: a flood does not hold the node
LOOPBACK = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
ANYWHERE = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}


class UdpTransport(Transport):
    """A socket for frames with the channels `sends` and `hears`.

    bind: address and port to listen at, port 0 for any; default: where the partner's answers come in, else loopback.
    partner: where to send; without one, to whoever is believed. varying: a frame has any number of values, and the
    names only say what is meant by them.
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
            raise ModelError(problem, element="udp", cure="give both ends addresses of one kind, IPv4 or IPv6")
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
        """To the partner, or to where the frame says; a network that is down is counted."""
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
            except OSError:  # an unreachable partner announces itself here
                self.refused["unreachable"] += 1
        return None

    def close(self) -> None:
        self._socket.close()


def address_text(address: Address) -> str:
    """HOST:PORT, an IPv6 address in brackets."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _answers_at(partner: Address | None) -> Address:
    """Any port of the loopback interface, or of all where the partner is beyond this machine."""
    if partner is None:
        return LOOPBACK[socket.AF_INET], 0
    family, there = _resolved(partner)
    return (LOOPBACK if _is_loopback(there) else ANYWHERE)[family], 0


def _checked(address: Address, token: bytes) -> tuple[socket.AddressFamily, Any]:
    """Family and address for a socket; beyond this machine only with a token that is long enough."""
    if token and len(token) < TOKEN_BYTES:
        problem = f"a token of {len(token)} bytes can be guessed"
        raise ModelError(problem, element="udp", cure=f"use at least {TOKEN_BYTES} bytes, from a random source")
    family, found = _resolved(address)
    if not token and not _is_loopback(found):
        problem = f"{address[0]} is beyond this machine, where anybody could command it"
        raise ModelError(problem, element="udp", cure="share a token between the nodes, or use 127.0.0.1 or ::1")
    return family, found


def _resolved(address: Address) -> tuple[socket.AddressFamily, Any]:
    """A name that has addresses of both families means that of IPv4, at both ends alike."""
    host, port = address
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        cure = "give a name or an address such as 10.0.0.2 or fd00::2"
        raise ModelError(f"no such host '{host}'", element="udp", cure=cure) from error
    family, _, _, _, (numeric, _, *scope) = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, (numeric, port, *scope)


def _is_loopback(found: Any) -> bool:
    return ipaddress.ip_address(found[0].partition("%")[0]).is_loopback
