"""Unpacked sizes of the pages of a Parquet file, from their headers, before anything is unpacked.

A page is a header and packed bytes. The header is a Thrift struct in the compact protocol: fields, each a byte (its
distance to the field before, its type) and a value; numbers are zigzag varints. A zero byte ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

# Types of Thrift's compact protocol.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, _, _, _, STRUCT = range(1, 13)  # the others: lists, sets, maps
UNPACKED, PACKED = 2, 3  # fields of a page header: sizes of the page in bytes
LONGEST = 1 << 20  # bytes of a header; usual headers have some hundred
DEEPEST = 10  # levels of nested structs
WRONG = ValueError("a page header is damaged")


def page_sizes(file: BinaryIO, metadata: Any) -> Iterator[int]:
    """Size of each page after unpacking, in bytes."""
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for k in range(row_group.num_columns):
            chunk = row_group.column(k)
            at = chunk.data_page_offset
            if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
                at = chunk.dictionary_page_offset
            yield from _sizes(file, at, at + chunk.total_compressed_size)


def _sizes(file: BinaryIO, at: int, end: int) -> Iterator[int]:
    while at < end:
        file.seek(at)
        header = _Header(file.read(min(LONGEST, end - at)))
        found = header.struct()
        unpacked, packed = found.get(UNPACKED, -1), found.get(PACKED, -1)
        if unpacked < 0 or packed < 0:
            raise WRONG
        yield unpacked
        at += header.at + packed


class _Header:
    """Untrusted bytes of a page header, and the position in them."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def struct(self, depth: int = 0) -> dict[int, int]:
        """The integers of a struct by field; other values are skipped."""
        found, field = {}, 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            value = self._value(head & 15, depth)
            if value is not None:
                found[field] = value
        return found

    def _value(self, kind: int, depth: int) -> int | None:
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
            self.struct(depth + 1)
        elif kind not in (TRUE, FALSE):  # page headers hold no other types
            raise WRONG
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
