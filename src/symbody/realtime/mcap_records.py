"""Untrusted MCAP files, record by record (mcap.dev/spec): damage is skipped, and the unpacked size is limited.

A record is an opcode, the length of its content (uint64) and the content; a chunk holds packed records with a CRC-32.
After an implausible length, reading continues at the next place from which several records follow one another.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, LAST = 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0F
OWN = 0x80  # opcodes from here on belong to applications
LARGEST = 64_000_000  # bytes of an unpacked chunk; usual ones have some hundred thousand
CUT_OFF = 1 << 32  # bytes: longest record at the end of a truncated file; damaged lengths are nearly always larger
IN_A_ROW = 3  # records that must follow one another where reading continues after damage

_HEAD = struct.Struct("<BQ")
_CHUNK = struct.Struct(
    "<QQQII"
)  # times of the first and last message, unpacked bytes, CRC, length of the name of the compression
_MESSAGE = struct.Struct("<HIQQ")  # channel, sequence, times of logging and publishing
_LIKE_A_HEAD = re.compile(rb"(?=[\x01-\x0f].{4}\x00{4})", re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """A channel of a recording: topic, encoding, number of its schema, and notes."""

    topic: str
    encoding: str
    schema: int
    notes: dict[str, str]


class Records:
    """The records of a file; `skipped` counts damaged ones, `complete` says whether the file has its end."""

    def __init__(self, data: bytes):
        self.data, self.skipped = data, 0
        self.complete = data[-len(MAGIC) :] == MAGIC

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Opcode, begin and end of the content of each record outside chunks."""
        at, last = len(MAGIC), len(self.data)
        if self.data[:at] != MAGIC:
            self.skipped += 1
            at = self._resumed(0)
        while at < last and not (self.complete and at == last - len(MAGIC)):
            opcode, end = self._head(at)
            if self._whole(at):
                yield opcode, at + _HEAD.size, end
                at = end
            else:
                self.skipped += 1
                at = self._resumed(at + 1)

    def chunk(self, begin: int, end: int, budget: ReadBudget) -> bytes | None:
        """The records in a chunk; None if they are damaged (counted)."""
        *_, size, crc, length = _CHUNK.unpack_from(self.data, begin)
        name = begin + _CHUNK.size
        packed = name + length + 8
        try:
            unpacked = unpack(self.data[name : name + length], self.data[packed:end], min(size, LARGEST))
        except ModelError:
            raise
        except Exception:  # each compression library has its own errors
            unpacked = b""
        budget.spend("bytes", len(unpacked))
        if len(unpacked) == size and crc in (0, zlib.crc32(unpacked)):
            return unpacked
        self.skipped += 1
        return None

    def _head(self, at: int) -> tuple[int, int]:
        opcode, length = _HEAD.unpack_from(self.data, at) if at + _HEAD.size <= len(self.data) else (0, 0)
        return opcode, at + _HEAD.size + length

    def _whole(self, at: int) -> bool:
        """Whether a record begins here: its lengths add up, or another record or the end follows."""
        opcode, end = self._head(at)
        if not _known(opcode) or end > len(self.data):
            return False
        begin = at + _HEAD.size
        if opcode == CHUNK:
            packed = begin + _CHUNK.size + 8
            packed += _CHUNK.unpack_from(self.data, begin)[-1] if packed <= end else 0
            return packed <= end and struct.unpack_from("<Q", self.data, packed - 8) == (end - packed,)
        if opcode == MESSAGE_INDEX:  # a channel, and the size of its entries in bytes
            return begin + 6 <= end and struct.unpack_from("<I", self.data, begin + 2) == (end - begin - 6,)
        return self._begins(end)

    def _begins(self, at: int) -> bool:
        """Whether another record, the end, or the rest of a truncated record begins here."""
        if at + _HEAD.size > len(self.data):
            return True
        opcode, end = self._head(at)
        return _known(opcode) and end - at < CUT_OFF

    def _resumed(self, at: int) -> int:
        """The next place from which several records follow one another, or the end."""
        for found in _LIKE_A_HEAD.finditer(self.data, at):
            place, rows = found.start(), 0
            while rows < IN_A_ROW and place < len(self.data) - len(MAGIC) and self._whole(place):
                place, rows = self._head(place)[1], rows + 1
            if rows and (rows == IN_A_ROW or place >= len(self.data) - len(MAGIC)):
                return found.start()
        return len(self.data)


def _known(opcode: int) -> bool:
    return 0 < opcode <= LAST or opcode >= OWN


def in_chunk(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Opcode, begin and end of the records in an unpacked chunk, up to any damage."""
    at = 0
    while at + _HEAD.size <= len(data):
        opcode, length = _HEAD.unpack_from(data, at)
        begin = at + _HEAD.size
        if length > len(data) - begin:
            return
        at = begin + length
        yield opcode, begin, at


def unpack(packer: bytes, data: bytes, most: int) -> bytes:
    """At most `most` unpacked bytes, whatever size the data claim."""
    if packer == b"zstd":
        limits = {"max_window_size": 1 << LARGEST.bit_length()}
        return bytes(_package("zstandard").ZstdDecompressor(**limits).stream_reader(data).read(most))
    if packer == b"lz4":
        return bytes(_package("lz4.frame").LZ4FrameDecompressor().decompress(data, max_length=most)) if most else b""
    return data if packer == b"" and len(data) <= most else b""


def schema_of(data: bytes, begin: int, end: int) -> tuple[int, str]:
    """Number and name of a schema."""
    name, _ = _text(data, begin + 2, end)
    return struct.unpack_from("<H", data, begin)[0], name


def channel_of(data: bytes, begin: int, end: int) -> tuple[int, Definition]:
    """Number of a channel, and its definition."""
    number, schema = struct.unpack_from("<HH", data, begin)
    topic, at = _text(data, begin + 4, end)
    encoding, at = _text(data, at, end)
    notes, at = {}, at + 4
    while at < end:
        key, at = _text(data, at, end)
        notes[key], at = _text(data, at, end)
    return number, Definition(topic, encoding, schema, notes)


def message_of(data: bytes, begin: int, end: int) -> tuple[int, int, bytes]:
    """Number of the channel, time (ns), and the message."""
    if end - begin < _MESSAGE.size:
        raise ValueError("a message is too short for its times")
    channel, _, logged, _ = _MESSAGE.unpack_from(data, begin)
    return channel, logged, data[begin + _MESSAGE.size : end]


def _text(data: bytes, at: int, end: int) -> tuple[str, int]:
    """A text and the position after it; raises ValueError or struct.error if there is none."""
    last = at + 4 + struct.unpack_from("<I", data, at)[0]
    if last > end:
        raise ValueError("a text extends beyond its record")
    return data[at + 4 : last].decode(), last


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        cure = 'pip install "symbody[mcap]"'
        raise ModelError(f"the package {name.partition('.')[0]} is not installed", cure=cure) from error
