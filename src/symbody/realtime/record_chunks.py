"""Chunks of an MCAP file from arrays: a row holds all messages of one sample of a stream.

The messages of a topic have one size, so many rows are filled at once. The writer of the package mcap takes one message
at a time, which needs four times the processor time.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from symbody.errors import ModelError
from symbody.links.message_template import MessageTemplate

Array = np.ndarray
COMPRESSION = "zstd"
MESSAGE = np.dtype(  # the head of a message; its data follow
    [
        ("opcode", "u1"),
        ("length", "<u8"),
        ("channel", "<u2"),
        ("sequence", "<u4"),
        ("logged", "<u8"),
        ("published", "<u8"),
    ]
)
BEFORE = 9  # bytes of a record that its length does not count: opcode and length
ENTRY = np.dtype([("time", "<u8"), ("offset", "<u8")])  # of an index of messages
INDEX = struct.Struct("<BQHI")  # opcode, length, channel, bytes of the entries
FOOTER = struct.Struct("<BQQQ")  # opcode, length, start of the summary and of its offsets: what its checksum covers


class RowLayout:
    """The messages of a row: template, places of their values in a sample, number of the channel."""

    def __init__(self, parts: Sequence[tuple[MessageTemplate, list[int], int]]):
        ends = np.cumsum([0, *(MESSAGE.itemsize + template.size for template, _, _ in parts)])
        self.size = int(ends[-1])  # bytes
        self.parts = [(*part, int(at)) for part, at in zip(parts, ends[:-1], strict=True)]

    def filled(self, values: Array, times: Array) -> Array:
        """Bytes (n, size) of samples (n, channels) at times (n,), ns since 1970."""
        out, head = np.empty((len(times), self.size), np.uint8), np.zeros(len(times), MESSAGE)
        head["opcode"], head["logged"], head["published"] = _opcode("MESSAGE"), times, times
        for template, slots, number, at in self.parts:
            data = at + MESSAGE.itemsize
            head["length"], head["channel"] = MESSAGE.itemsize - BEFORE + template.size, number
            out[:, at:data] = head.view(np.uint8).reshape(len(times), MESSAGE.itemsize)
            out[:, data : data + template.size] = template.filled_rows(values[:, slots], times)
        return out


class ChunkWriter:
    """Writes rows as compressed chunks with an index of each channel; `finish` writes the summary."""

    def __init__(self, file: BinaryIO, profile: str, schemas: Sequence[Any], channels: Sequence[Any]):
        self._file, self._groups = file, {"SCHEMA": schemas, "CHANNEL": channels}
        definitions = _bytes(*schemas, *channels)
        self._rows = [definitions]  # also in the first chunk: a damaged byte never loses both
        self._index: dict[int, list[Array]] = {}
        self._chunks: list[Any] = []
        self._counts = dict.fromkeys((channel.id for channel in channels), 0)
        self.size = len(definitions)  # bytes of the chunk under way
        file.write(mcap("writer").MCAP0_MAGIC + _bytes(_records().Header(profile, "symbody")) + definitions)

    def add(self, layout: RowLayout, values: Array, times: Array) -> None:
        """Append samples (n, channels) with their times (ns since 1970) to the chunk."""
        starts = self.size + layout.size * np.arange(len(times))
        self._rows.append(layout.filled(values, times).tobytes())
        for _, _, number, at in layout.parts:
            entries = np.empty(len(times), ENTRY)
            entries["time"], entries["offset"] = times, starts + at
            self._index.setdefault(number, []).append(entries)
            self._counts[number] += len(times)
        self.size += layout.size * len(times)

    def flush(self) -> None:
        """Write the chunk to the system."""
        if self._index:
            self._write_chunk(b"".join(self._rows), {n: np.concatenate(parts) for n, parts in self._index.items()})
            self._rows, self._index, self.size = [], {}, 0
        self._file.flush()

    def _write_chunk(self, data: bytes, index: dict[int, Array]) -> None:
        times = np.concatenate([entries["time"] for entries in index.values()])
        told: dict[str, Any] = {"message_start_time": int(times.min()), "message_end_time": int(times.max())}
        told |= {"compression": COMPRESSION, "uncompressed_size": len(data)}
        packed, start = import_module("zstandard").compress(data), self._file.tell()
        self._file.write(_bytes(_records().Chunk(**told, data=packed, uncompressed_crc=zlib.crc32(data))))
        end, places = self._file.tell(), dict[int, int]()
        for number, entries in index.items():
            places[number] = self._file.tell()
            size = entries.nbytes
            self._file.write(INDEX.pack(_opcode("MESSAGE_INDEX"), INDEX.size - BEFORE + size, number, size))
            self._file.write(entries.tobytes())
        told |= {"chunk_start_offset": start, "chunk_length": end - start, "compressed_size": len(packed)}
        told |= {"message_index_offsets": places, "message_index_length": self._file.tell() - end}
        self._chunks.append(_records().ChunkIndex(**told))

    def finish(self) -> None:
        """Write the last chunk and the summary: schemas, channels, statistics, and where each chunk is."""
        self.flush()
        self._file.write(_bytes(_records().DataEnd(0)))
        start, summary, offsets = self._file.tell(), _builder(), []
        groups = self._groups | {"STATISTICS": [self._statistics()], "CHUNK_INDEX": self._chunks}
        for name, members in groups.items():
            before = summary.count
            for member in members:
                member.write(summary)
            told = {"group_start": start + before, "group_length": summary.count - before}
            offsets.append(_records().SummaryOffset(group_opcode=_opcode(name), **told))
        there = start + summary.count
        for offset in offsets:
            offset.write(summary)
        data = summary.end()
        crc = zlib.crc32(FOOTER.pack(_opcode("FOOTER"), FOOTER.size - BEFORE + 4, start, there), zlib.crc32(data))
        self._file.write(data)
        self._file.write(_bytes(_records().Footer(summary_start=start, summary_offset_start=there, summary_crc=crc)))
        self._file.write(mcap("writer").MCAP0_MAGIC)

    def _statistics(self) -> Any:
        return _records().Statistics(
            attachment_count=0, metadata_count=0, chunk_count=len(self._chunks),
            schema_count=len(self._groups["SCHEMA"]), channel_count=len(self._groups["CHANNEL"]),
            channel_message_counts=self._counts, message_count=sum(self._counts.values()),
            message_start_time=min((chunk.message_start_time for chunk in self._chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in self._chunks), default=0),
        )  # fmt: skip


def _bytes(*records: Any) -> bytes:
    builder = _builder()
    for record in records:
        record.write(builder)
    written: bytes = builder.end()
    return written


def _records() -> Any:
    return mcap("records")


def _builder() -> Any:
    return mcap("data_stream").RecordBuilder()


def _opcode(name: str) -> int:
    return int(mcap("opcode").Opcode[name])


def mcap(module: str) -> Any:
    """A module of the package mcap; raises a `ModelError` with the cure if it is missing."""
    try:
        return import_module(f"mcap.{module}")
    except ImportError as error:
        raise ModelError("the package mcap is not installed", cure='pip install "symbody[mcap]"') from error
