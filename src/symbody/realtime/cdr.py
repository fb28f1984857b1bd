"""XCDR1, little endian: messages as the bytes that DDS and ROS 2 put on the wire (OMG DDSI-RTPS 2.5, section 10).

A number stands at a multiple of its size counted from the end of the four-byte header; a string is its length with the
closing zero, its bytes and the zero; a sequence is its count and its elements. Nothing read is believed: every count is
held against the bytes that are left before anything is made of it.
"""

from __future__ import annotations

import struct
from dataclasses import fields
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from symbody.realtime.refused import Refused

Int32 = Annotated[int, "int32"]
UInt32 = Annotated[int, "uint32"]
UInt64 = Annotated[int, "uint64"]
Float64 = Annotated[float, "float64"]
Bool = Annotated[bool, "bool"]

NUMBERS = {"int32": "i", "uint32": "I", "uint64": "Q", "float64": "d", "bool": "?"}  # struct's letters
HEADER = b"\x00\x01\x00\x00"  # plain CDR, little endian, no options
ALIGNMENT = 4  # DDS pads what it carries to words

M = TypeVar("M")
_layouts: dict[type, tuple[tuple[str, Any], ...]] = {}


def layout(kind: type) -> tuple[tuple[str, Any], ...]:
    """Fields of a message in order: name and type as annotated."""
    if kind not in _layouts:
        hints = get_type_hints(kind, include_extras=True)
        _layouts[kind] = tuple((field.name, hints[field.name]) for field in fields(kind))
    return _layouts[kind]


def number(hint: Any) -> str:
    """Name of the number that an annotation means, "" for anything else."""
    return str(get_args(hint)[1]) if get_origin(hint) is Annotated else ""


def element(hint: Any) -> Any:
    """What a sequence holds, None for anything else."""
    return get_args(hint)[0] if get_origin(hint) in (list, tuple) else None


def encode(message: Any) -> bytes:
    """A message as bytes, header included."""
    out = bytearray(HEADER)
    _write(out, type(message), message)
    return bytes(out)


def decode(kind: type[M], data: bytes) -> M:
    """A message of a known kind from bytes; `Refused` where they cannot be one."""
    if data[:2] != HEADER[:2]:  # the rest are options, which tell of padding only
        raise Refused("encoding")
    reader = _Reader(data)
    message: M = reader.read(kind)
    if len(data) - reader.at >= ALIGNMENT:
        raise Refused("length")
    return message


def _pad(out: bytearray, size: int) -> None:
    out += bytes(-(len(out) - len(HEADER)) % size)


def _write(out: bytearray, hint: Any, value: Any) -> None:
    if name := number(hint):
        _write_numbers(out, name, (value,))
    elif (inner := element(hint)) is not None:
        _write_numbers(out, "uint32", (len(value),))
        if name := number(inner):
            _write_numbers(out, name, value)
        else:
            for one in value:
                _write(out, inner, one)
    elif hint is str:
        text = value.encode() + b"\0"
        _write_numbers(out, "uint32", (len(text),))
        out += text
    else:
        for name, kind in layout(hint):
            _write(out, kind, getattr(value, name))


def _write_numbers(out: bytearray, name: str, values: Any) -> None:
    letter = NUMBERS[name]
    if len(values):
        _pad(out, struct.calcsize(letter))
        out += struct.pack(f"<{len(values)}{letter}", *values)


class _Reader:
    """A place in bytes that are not believed."""

    def __init__(self, data: bytes):
        self.data, self.at = data, len(HEADER)

    def read(self, hint: Any) -> Any:
        if name := number(hint):
            return self.numbers(name, 1)[0]
        if (inner := element(hint)) is not None:
            count = self.numbers("uint32", 1)[0]
            if name := number(inner):
                return self.numbers(name, count)
            if count > len(self.data) - self.at:  # an element has a byte at least
                raise Refused("length")
            return tuple(self.read(inner) for _ in range(count))
        if hint is str:
            return self.text()
        return hint(**{name: self.read(kind) for name, kind in layout(hint)})

    def numbers(self, name: str, count: int) -> tuple[Any, ...]:
        letter = NUMBERS[name]
        size = struct.calcsize(letter)
        if count == 0:
            return ()
        start = self.at + -(self.at - len(HEADER)) % size
        if count * size > len(self.data) - start:
            raise Refused("length")
        self.at = start + count * size
        return struct.unpack_from(f"<{count}{letter}", self.data, start)

    def text(self) -> str:
        count = self.numbers("uint32", 1)[0]
        raw = self.data[self.at : self.at + count]
        self.at += count
        if len(raw) < count or not raw.endswith(b"\0"):
            raise Refused("length")
        try:
            return raw[:-1].decode()
        except UnicodeDecodeError as error:
            raise Refused("text") from error
