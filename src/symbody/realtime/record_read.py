"""Recordings in MCAP as runs: those of symbody, or any with joint states, wrenches and arrays."""

from __future__ import annotations

import json
import os
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.files.read_budget import TABLE, ReadBudget
from symbody.files.safe_file import FilePath, naming
from symbody.links.cdr import RepeatedTexts, decode
from symbody.links.link import SECOND
from symbody.links.rejected import Rejected
from symbody.links.ros_types import MESSAGES, Message
from symbody.links.topics import readings, said_by
from symbody.realtime.mcap_records import (
    CHANNEL,
    CHUNK,
    CHUNK_INDEX,
    MESSAGE,
    SCHEMA,
    Definition,
    Records,
    channel_of,
    in_chunk,
    message_of,
    schema_of,
)
from symbody.realtime.record import ENCODING
from symbody.results.run import Run
from symbody.results.table import MAX_BYTES, NUMBER, bounded, reading

Array = np.ndarray
Key = tuple[str, str]  # stream and channel
READ = (SCHEMA, CHANNEL, MESSAGE, CHUNK, CHUNK_INDEX)


def load_mcap(path: FilePath) -> Run:
    """A recording as a run: one row per time with the last value of each channel; NaN before the first.

    Channels of the same name in several streams become STREAM.CHANNEL. The end of a recording may be missing
    (`run.meta["interrupted"]`), and parts of it may be damaged: `run.meta["skipped"]` counts them.

    Parameters
    ----------
    path : path
        A .mcap file.

    Returns
    -------
    Run
        Times from 0 (s).

    Raises
    ------
    ModelError
        If the file has no readable message.
    """
    with naming(path):
        with reading(path), open(path, "rb") as file:
            # Not mapped: truncating a mapped file ends the process (SIGBUS). `read` reserves what it is asked for.
            data = file.read(min(os.fstat(file.fileno()).st_size, MAX_BYTES) + 1)
        recording = _Recording(data)
        said = sorted(recording.messages(), key=lambda message: message[0])  # by time; equal ones stay in order
        if not said:
            raise ModelError("the file has no readable message", cure="record joint states, wrenches or arrays")
        times, row = np.unique(np.array([at for at, *_ in said], dtype=np.uint64), return_inverse=True)
        bounded(len(times), len(recording.place))
        recording.budget.spend("bytes", NUMBER * len(times) * len(recording.place))
    values = np.full((len(times), len(recording.place)), np.nan)
    newest = np.full(len(recording.place), np.nan)
    last = np.append(np.diff(row) > 0, True)  # last message of its time
    for k, over, (_, places, numbers) in zip(row, last, said, strict=True):
        newest[places] = numbers
        if over:
            values[k] = newest
    interrupted = not recording.records.complete or recording.skipped > 0
    meta = {"interrupted": interrupted, "skipped": recording.skipped, "start_ns": int(times[0])}
    return Run(None, (times - times[0]) / SECOND, values, names=_names(list(recording.place)), meta=meta)


@dataclass(frozen=True)
class _Layout:
    """Columns in the table of the numbers of a message."""

    places: Array
    kept: Array


class _Recording:
    """The readable messages of a file."""

    def __init__(self, data: bytes):
        self.records, self.budget = Records(data), ReadBudget.of(len(data), TABLE)
        self.place: dict[Key, int] = {}  # columns, in the order of first occurrence
        self._bad = self._chunks = self._indexed = 0
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, Definition] = {}
        self._ours: dict[int, frozenset[str] | None] = {}  # by channel: its exact channel names, if it lists them
        self._layouts: dict[int, dict[object, _Layout]] = {}  # by channel, and by the names in a message
        self._texts: dict[int, RepeatedTexts] = {}

    @property
    def skipped(self) -> int:
        """Number of damaged chunks and messages."""
        return self._bad + max(self.records.skipped, self._indexed - self._chunks)

    def messages(self) -> Iterator[tuple[int, Array, Array]]:
        """Time (ns), columns and values of each message."""
        data, outside = self.records.data, [record for record in self.records if record[0] in READ]
        # Records outside chunks have no checksum. They are read first, so that those in chunks override them.
        for record in outside:
            self._define(data, record)
        self._indexed = sum(opcode == CHUNK_INDEX for opcode, *_ in outside)
        for opcode, begin, end in outside:
            if opcode == MESSAGE:
                yield from self._said(data, begin, end)
            elif opcode == CHUNK and (chunk := self.records.chunk(begin, end, self.budget)) is not None:
                self._chunks += 1
                for record in in_chunk(chunk):
                    self.budget.spend("records")
                    self._define(chunk, record)
                    if record[0] == MESSAGE:
                        yield from self._said(chunk, *record[1:])

    def _define(self, data: bytes, record: tuple[int, int, int]) -> None:
        opcode, begin, end = record
        try:
            if opcode == SCHEMA:
                number, name = schema_of(data, begin, end)
                self._schemas[number] = name
            elif opcode == CHANNEL:
                number, self._channels[number] = channel_of(data, begin, end)
                self._ours.pop(number, None)
                self._layouts.pop(number, None)
        except (ValueError, struct.error):
            self._bad += 1

    def _said(self, data: bytes, begin: int, end: int) -> Iterator[tuple[int, Array, Array]]:
        """Values by stream and channel; in other tools' recordings the topic is the stream."""
        try:
            number, at, body = message_of(data, begin, end)
            channel = self._channels.get(number)
            kind = MESSAGES.get(self._schemas.get(channel.schema, "")) if channel else None
            if channel is None or kind is None or channel.encoding != ENCODING:
                return
            texts = self._texts.setdefault(number, RepeatedTexts())
            before = texts.left = self.budget.left("names")
            try:
                said = decode(kind, body, texts)
            finally:
                self.budget.spend("names", int(before - texts.left))
            names, values = said_by(said)
            layouts = self._layouts.setdefault(number, {})
            if names not in layouts:
                layouts[names] = self._layout(number, channel, said)
            layout = layouts[names]
        except Rejected as refusal:
            self._bad += refusal.reason != "kind"  # message types without channels are not an error
            return
        except (ValueError, TypeError, RecursionError, struct.error):
            self._bad += 1
            return
        yield at, layout.places, np.array(values)[layout.kept]

    def _layout(self, number: int, channel: Definition, said: Message) -> _Layout:
        """Columns of the numbers of a message, by the names in it."""
        stream = channel.notes.get("stream", channel.topic.strip("/"))
        site = channel.notes.get("site", stream.removesuffix("/wrench").replace("/", "."))
        ours, found = self._carried(number, channel), dict[Key, int]()
        for k, (names, _) in enumerate(readings(said, site)):
            if fitting := [name for name in names if ours is None or name in ours]:
                found[stream, fitting[0]] = k  # of two with one name, the last
            self.budget.spend("names")
        places = [self.place.setdefault(key, len(self.place)) for key in found]
        bounded(1, len(self.place))
        return _Layout(np.array(places, dtype=np.int32), np.array(list(found.values()), dtype=np.int32))

    def _carried(self, number: int, channel: Definition) -> frozenset[str] | None:
        if number not in self._ours:
            text = channel.notes.get("channels")
            self._ours[number] = None if text is None else frozenset(json.loads(text))
        return self._ours[number]


def _names(keys: list[Key]) -> list[str]:
    count = Counter(channel for _, channel in keys)
    return [channel if count[channel] == 1 else f"{stream}.{channel}" for stream, channel in keys]
