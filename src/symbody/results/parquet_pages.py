"""Unpacked sizes of the pages of a Parquet file, from their headers, before anything is unpacked.

A page is a header and packed bytes; the footer of the file tells where pages begin. Both are Thrift structs in the
compact protocol: fields, each a byte (its distance to the field before, its type) and a value; numbers are zigzag
varints. A zero byte ends a struct.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import SEEK_END
from typing import Any, BinaryIO, TypeVar

T = TypeVar("T")

# Types of Thrift's compact protocol.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, _, _, STRUCT = range(1, 13)  # the others: sets, maps
UNPACKED, PACKED = 2, 3  # fields of a page header: sizes of the page in bytes
GROUPS, COLUMNS, CHUNK = 4, 1, 3  # of the footer, of a row group, of a column
LENGTH, DATA, DICTIONARY = 7, 9, 11  # of its description: bytes of all pages, places of the first page of each kind
LONGEST = 1 << 20  # bytes of a header; usual headers have some hundred
DEEPEST = 10  # levels of nested structs
WRONG = ValueError("a header or the footer is damaged")


def page_sizes(file: BinaryIO) -> Iterator[int]:
    """Size of each page after unpacking, in bytes.

    The footer is read here and not by pyarrow, whose description of a column ends the process if its statistics are
    damaged.
    """
    for group in _field(_footer(file), GROUPS, list):
        for column in _field(group, COLUMNS, list):
            chunk = _field(column, CHUNK, dict)
            first, second = _field(chunk, DICTIONARY, int), _field(chunk, DATA, int)
            at = first if 0 < first < second else second
            if at < 0:
                raise WRONG
            yield from _sizes(file, at, at + _field(chunk, LENGTH, int))


def _field(struct: dict[int, Any], field: int, kind: type[T]) -> T:
    """A field of a struct, checked to be of that type; zero or empty if it is missing."""
    value = struct.get(field, kind())
    if not isinstance(value, kind):
        raise WRONG
    return value


def _footer(file: BinaryIO) -> dict[int, Any]:
    """The description of all columns: a struct before its length (4 bytes) and the last 4 bytes of the file."""
    end = file.seek(-8, SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    if length > end:
        raise WRONG
    file.seek(end - length)
    return _Struct(file.read(length)).struct()


def _sizes(file: BinaryIO, at: int, end: int) -> Iterator[int]:
    while at < end:
        file.seek(at)
        header = _Struct(file.read(min(LONGEST, end - at)))
        found = header.struct()
        unpacked, packed = _field(found, UNPACKED, int), _field(found, PACKED, int)
        if unpacked < 0 or packed < 0 or not {UNPACKED, PACKED} <= found.keys():
            raise WRONG
        yield unpacked
        at += header.at + packed


class _Struct:
    """Untrusted bytes of a page header or footer, and the position in them."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The integers, structs and lists of structs of a struct by field; other values are skipped."""
        found: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            value = self._value(head & 15, depth)
            if value is not None:
                found[field] = value
        return found

    def _value(self, kind: int, depth: int) -> int | dict[int, Any] | list[Any] | None:
        if kind in (I16, I32, I64):
            return self._number()
        if kind == BYTE:
            self.at += 1
        elif kind == DOUBLE:
            self.at += 8
        elif kind == BINARY:
            length = self._unsigned()
            self.at += length
        elif kind == STRUCT and depth < DEEPEST:
            return self.struct(depth + 1)
        elif kind == LIST:
            return self._list(depth)
        elif kind not in (TRUE, FALSE):  # Parquet has no other types
            raise WRONG
        return None

    def _list(self, depth: int) -> list[Any] | None:
        """The elements, if they are structs; others are skipped."""
        head = self._byte()
        kind, count = head & 15, head >> 4 if head >> 4 < 15 else self._unsigned()
        if kind in (TRUE, FALSE):  # a byte each
            self.at += count
            return None
        if kind == STRUCT:
            return [self._value(kind, depth) for _ in range(count)]
        for _ in range(count):
            self._value(kind, depth)
        return None

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise WRONG
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise WRONG

    def _number(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
