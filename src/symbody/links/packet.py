"""The frame that two nodes exchange, and its bytes: the same over UDP and over a serial line.

| bytes | field | |
|---|---|---|
| 4 | magic | `SYMB` |
| 1, 1 | version, seal | 1; 0: CRC-32 of all before it, 1: first 16 bytes of HMAC-SHA-256 with the shared token |
| 2 | count | number of values |
| 4, 4 | channels, 0 | CRC-32 of their names, joined by line feeds; reserved |
| 8, 8 | session, heard | of the sender, and of the partner as last heard (0: none yet) |
| 8 | sequence | of the sender, from 0 |
| 8, 8, 8 | stamp, echo, held | ns: sender's clock; the partner's last stamp; the time since it was received |
| 8 × count | values | float64 |
| 4 or 16 | seal | |

All little endian.
"""

from __future__ import annotations

import hmac
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.links.rejected import Rejected

Array = np.ndarray

MAGIC, VERSION = b"SYMB", 1
HEAD = struct.Struct("<4sBBHI4xQQQqqq")
CRC, HMAC = 0, 1
SEAL_SIZES = {CRC: 4, HMAC: 16}
MAX_BYTES = 1400  # a datagram that usual networks do not fragment
MAX_VALUES = (MAX_BYTES - HEAD.size - max(SEAL_SIZES.values())) // 8
LARGEST = 60_000  # bytes of the largest datagram: networks fragment it, and one lost fragment loses it


@dataclass(frozen=True)
class Packet:
    """The message of one node to another at one instant; times in ns."""

    session: int
    heard: int | None  # None: from a partner that does not answer, such as a plain ROS node
    sequence: int
    stamp: int
    echo: int
    held: int
    values: Array
    address: Any = None  # source or destination; not part of the bytes


class Transport(Protocol):
    """A transport of frames; malformed input is counted and never raises."""

    refused: Counter[str]

    def send(self, frame: Packet) -> None:
        """Send a frame; a failure is counted and does not raise."""

    def receive(self, timeout: float) -> Packet | None:
        """The next frame, or None after `timeout` s."""

    def close(self) -> None:
        """Release the port."""


def channel_code(names: Sequence[str]) -> int:
    """CRC-32 of the channel names: partners with different channels detect it."""
    return zlib.crc32("\n".join(names).encode())


def check_count(names: Sequence[str]) -> None:
    """Raise if there are more channels than a packet holds."""
    if len(names) > MAX_VALUES:
        cure = f"choose at most {MAX_VALUES} inputs and outputs each, or use DDS"
        raise ModelError(f"{len(names)} values do not fit in a packet", element=names[MAX_VALUES], cure=cure)


def pack(frame: Packet, code: int, token: bytes = b"") -> bytes:
    """A frame as bytes, with its CRC or HMAC at the end."""
    head = HEAD.pack(
        MAGIC, VERSION, HMAC if token else CRC, len(frame.values), code, frame.session, frame.heard or 0,
        frame.sequence, frame.stamp, frame.echo, frame.held,
    )  # fmt: skip
    body = head + np.asarray(frame.values, dtype="<f8").tobytes()
    return body + _seal(body, token)


def unpack(data: bytes, code: int, count: int | None, token: bytes = b"", address: Any = None) -> Packet:
    """A frame of `count` values of the channels `code` from bytes; raises `Rejected` if they are malformed.

    count None: any number of values, up to the size of a datagram.
    """
    seal_size = SEAL_SIZES[HMAC if token else CRC]
    if not HEAD.size + seal_size <= len(data) <= (LARGEST if count is None else MAX_BYTES):
        raise Rejected("length")
    magic, version, kind, n, channels, session, heard, sequence, stamp, echo, held = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise Rejected("magic")
    if version != VERSION:
        raise Rejected("version")
    if len(data) != HEAD.size + 8 * n + seal_size:
        raise Rejected("length")
    if kind != (HMAC if token else CRC) or not hmac.compare_digest(data[-seal_size:], _seal(data[:-seal_size], token)):
        raise Rejected("seal")
    if channels != code or count not in (None, n):
        raise Rejected("channels")
    values = np.frombuffer(data, "<f8", n, HEAD.size).astype(float)
    return Packet(session, heard, sequence, stamp, echo, held, values, address)


def _seal(body: bytes, token: bytes) -> bytes:
    if token:
        return hmac.digest(token, body, "sha256")[: SEAL_SIZES[HMAC]]
    return zlib.crc32(body).to_bytes(SEAL_SIZES[CRC], "little")
