"""Frames over a serial line: the UDP packet, COBS-encoded and ended by a zero byte (Cheshire & Baker 1999)."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from symbody.errors import ModelError
from symbody.links.packet import MAX_BYTES, Packet, Transport, channel_code, check_count, pack, unpack
from symbody.links.rejected import Rejected

END = b"\0"
RUN = 254  # longest run of bytes after one length byte
LONGEST = MAX_BYTES + MAX_BYTES // RUN + 1  # of an encoded packet
WRITE_TIMEOUT = 0.05  # s
REOPEN = 0.5  # s between attempts to open a line that was unplugged


class SerialTransport(Transport):
    """A serial port for frames with the channels `sends` and `hears`; it reopens automatically.

    Parameters
    ----------
    sends, hears : sequence of str
        Channels in each direction.
    port : str
        Of the system, such as "/dev/ttyUSB0".
    baud : int
        Bits per second. Default 921600.
    token : bytes, optional
        Shared secret that signs the frames.

    Examples
    --------
    >>> from symbody.links import SerialTransport
    >>> line = SerialTransport(["x.Q"], ["x.q"], "/dev/ttyUSB99")  # opened when it is plugged in
    >>> line.close()
    """

    def __init__(self, sends: Sequence[str], hears: Sequence[str], port: str, baud: int = 921_600, token: bytes = b""):
        for names in (sends, hears):
            check_count(names)
        self.refused: Counter[str] = Counter()
        self._codes, self._count, self._token = (channel_code(sends), channel_code(hears)), len(hears), token
        self._where, self._port, self._next = (port, baud), None, 0.0
        self._rest, self._packets = b"", deque[bytes]()
        _pyserial()

    def send(self, frame: Packet) -> None:
        """Send a COBS-encoded frame; a failure is counted."""
        if port := self._opened():
            try:
                port.write(cobs_encode(pack(frame, self._codes[0], self._token)) + END)
                return
            except OSError:  # the base class of pyserial's errors
                self._drop()
        self.refused["not sent"] += 1

    def receive(self, timeout: float) -> Packet | None:
        """The next frame, or None after `timeout` s; continuous noise adds at most the time of one read."""
        end = time.monotonic() + timeout
        while (frame := self._next_frame()) is None and (left := end - time.monotonic()) > 0.0:
            self._read(left)
        if frame is None and self._read(0.0):
            frame = self._next_frame()
        return frame

    def close(self) -> None:
        self._drop()
        self._next = float("inf")

    def _next_frame(self) -> Packet | None:
        """The first valid frame among the received packets; malformed ones are rejected."""
        while self._packets:
            try:
                return unpack(cobs_decode(self._packets.popleft()), self._codes[1], self._count, self._token)
            except Rejected as refusal:
                self.refused[refusal.reason] += 1
        return None

    def _read(self, timeout: float) -> bool:
        """Whether more bytes came within the time (s)."""
        if (port := self._opened()) is None:
            time.sleep(min(timeout, REOPEN))
            return False
        try:
            port.timeout = timeout
            data = port.read(max(1, min(port.in_waiting, LONGEST)))
        except OSError:
            self._drop()
            return False
        self._split(data)
        return bool(data)

    def _split(self, data: bytes) -> None:
        """Divide received bytes into packets: each byte is handled once, whatever it is."""
        *ended, rest = (self._rest + data).split(END)
        self._packets += (packet for packet in ended if packet)
        if empty := ended.count(b""):
            self.refused["framing"] += empty
        if len(rest) > LONGEST:  # noise without a frame end
            self.refused["length"] += 1
            rest = b""
        self._rest = rest

    def _opened(self) -> Any:
        if self._port is None and time.monotonic() >= self._next:
            self._next = time.monotonic() + REOPEN
            try:
                self._port = _pyserial().Serial(*self._where, timeout=0.0, write_timeout=WRITE_TIMEOUT)
            except OSError:
                self.refused["unreachable"] += 1
        return self._port

    def _drop(self) -> None:
        if self._port is not None:
            self._port.close()
        self._port = None
        self._rest = b""
        self._packets.clear()


def cobs_encode(data: bytes) -> bytes:
    """COBS: data without zeros; each run up to a zero, or of 254 bytes, follows its length plus one."""
    out = bytearray()
    for run in data.split(END):
        while len(run) >= RUN:
            out += bytes([RUN + 1]) + run[:RUN]
            run = run[RUN:]
        out += bytes([len(run) + 1]) + run
    return bytes(out)


def cobs_decode(data: bytes) -> bytes:
    """The inverse of cobs_encode; raises `Rejected` if the lengths do not fit."""
    out, at = bytearray(), 0
    while at < len(data):
        count = data[at]
        if count == 0 or at + count > len(data):
            raise Rejected("framing")
        out += data[at + 1 : at + count]
        at += count
        if count <= RUN and at < len(data):
            out += END
    return bytes(out)


def _pyserial() -> Any:
    try:
        return import_module("serial")
    except ImportError as error:
        raise ModelError("pyserial is not installed", element="serial", cure='pip install "symbody[serial]"') from error
