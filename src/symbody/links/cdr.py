"""XCDR1, little endian: the serialisation of messages in DDS and ROS 2 (OMG DDSI-RTPS 2.5, section 10).

A number is aligned to its size, counted from the end of the four-byte header. A string is its length including the
closing zero, its bytes and the zero. A sequence is its count and its elements. Input is not trusted: every count is
checked against the remaining bytes before anything is allocated.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from math import inf
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from symbody.links.rejected import Rejected

Int32 = Annotated[int, "int32"]
UInt32 = Annotated[int, "uint32"]
UInt64 = Annotated[int, "uint64"]
Float64 = Annotated[float, "float64"]
Bool = Annotated[bool, "bool"]

# letters of struct, and bytes
NUMBERS = {"int32": ("i", 4), "uint32": ("I", 4), "uint64": ("Q", 8), "float64": ("d", 8), "bool": ("?", 1)}
HEADER = b"\x00\x01\x00\x00"  # plain CDR, little endian, no options
ALIGNMENT = 4  # DDS pads payloads to words

M = TypeVar("M")


def layout(kind: type) -> tuple[tuple[str, Any], ...]:
    """Fields of a message in order: name and annotated type."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


def number(hint: Any) -> str:
    """Name of the number type of an annotation; "" if it is not a number."""
    return str(get_args(hint)[1]) if get_origin(hint) is Annotated else ""


def element(hint: Any) -> Any:
    """Element type of a sequence; None if it is not a sequence."""
    return get_args(hint)[0] if get_origin(hint) in (list, tuple) else None


def encode(message: Any) -> bytes:
    """A message as bytes, header included."""
    out, kind = bytearray(HEADER), cast(Any, type(message))
    _writer(kind)(out, message)
    return bytes(out)


class RepeatedTexts:
    """The last sequence of texts of a stream. Messages repeat the names of their joints, so they are decoded once.

    left: number of new texts still allowed; more are rejected.
    """

    def __init__(self, left: float = inf) -> None:
        self.raw, self.left = b"", left
        self.texts: tuple[str, ...] = ()


def decode(kind: type[M], data: bytes, repeated: RepeatedTexts | None = None) -> M:
    """A message of a known type from bytes; raises `Rejected` if they are malformed."""
    if data[:2] != HEADER[:2]:  # the other two bytes are options, which only describe padding
        raise Rejected("encoding")
    place = _Place(data, repeated or RepeatedTexts())
    message: M = _reader(cast(Any, kind))(place)
    if len(data) - place.at >= ALIGNMENT:
        raise Rejected("length")
    return message


# An annotation is analysed once; then nested functions write and read the messages.


@cache
def _writer(hint: Any) -> Callable[[bytearray, Any], None]:
    if name := number(hint):
        return lambda out, value: _write_numbers(out, name, (value,))
    if (inner := element(hint)) is not None:
        return _sequence_writer(inner)
    if hint is str:
        return _write_text
    return _message_writer(hint)


def _sequence_writer(inner: Any) -> Callable[[bytearray, Any], None]:
    name, write_one = number(inner), _writer(inner)

    def write(out: bytearray, value: Any) -> None:
        _write_numbers(out, "uint32", (len(value),))
        if name:
            _write_numbers(out, name, value)
        else:
            for one in value:
                write_one(out, one)

    return write


def _message_writer(kind: type) -> Callable[[bytearray, Any], None]:
    members = [(name, _writer(hint)) for name, hint in layout(kind)]

    def write(out: bytearray, value: Any) -> None:
        for name, write_member in members:
            write_member(out, getattr(value, name))

    return write


def _write_text(out: bytearray, value: str) -> None:
    text = value.encode() + b"\0"
    _write_numbers(out, "uint32", (len(text),))
    out += text


def _write_numbers(out: bytearray, name: str, values: Any) -> None:
    letter, size = NUMBERS[name]
    if len(values):
        out += bytes(-(len(out) - len(HEADER)) % size)
        out += struct.pack(f"<{len(values)}{letter}", *values)


class _Place:
    """A position in untrusted bytes."""

    def __init__(self, data: bytes, repeated: RepeatedTexts):
        self.data, self.at, self.repeated = data, len(HEADER), repeated

    def numbers(self, name: str, count: int) -> tuple[Any, ...]:
        letter, size = NUMBERS[name]
        if count == 0:
            return ()
        start = self.at + -(self.at - len(HEADER)) % size
        if count * size > len(self.data) - start:
            raise Rejected("length")
        self.at = start + count * size
        return struct.unpack_from(f"<{count}{letter}", self.data, start)

    def text(self) -> str:
        count = self.numbers("uint32", 1)[0]
        raw = self.data[self.at : self.at + count]
        self.at += count
        if len(raw) < count or not raw.endswith(b"\0"):
            raise Rejected("length")
        try:
            return raw[:-1].decode()
        except UnicodeDecodeError as error:
            raise Rejected("text") from error


@cache
def _reader(hint: Any) -> Callable[[_Place], Any]:
    if name := number(hint):
        return lambda place: place.numbers(name, 1)[0]
    if (inner := element(hint)) is not None:
        return _read_texts if inner is str else _sequence_reader(inner)
    if hint is str:
        return _Place.text
    members = [(name, _reader(kind)) for name, kind in layout(hint)]
    return lambda place: hint(**{name: read(place) for name, read in members})


def _sequence_reader(inner: Any) -> Callable[[_Place], tuple[Any, ...]]:
    name, read_one = number(inner), _reader(inner)

    def read(place: _Place) -> tuple[Any, ...]:
        count = place.numbers("uint32", 1)[0]
        if name:
            return place.numbers(name, count)
        return _elements(place, count, read_one)

    return read


def _elements(place: _Place, count: int, read_one: Callable[[_Place], Any]) -> tuple[Any, ...]:
    if count > len(place.data) - place.at:  # an element has at least one byte
        raise Rejected("length")
    return tuple(read_one(place) for _ in range(count))


def _read_texts(place: _Place) -> tuple[str, ...]:
    """As any sequence; equal bytes after an equal count are equal texts."""
    known, (count,) = place.repeated, place.numbers("uint32", 1)
    begin = place.at
    if len(known.texts) == count and place.data[begin : begin + len(known.raw)] == known.raw:
        place.at = begin + len(known.raw)
    else:
        known.left -= count
        if known.left < 0:
            raise Rejected("texts")
        known.texts = _elements(place, count, _Place.text)
        known.raw = place.data[begin : place.at]
    return known.texts
