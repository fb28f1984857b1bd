"""Recordings in MCAP as runs: ours, or any with joint states, wrenches and arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from symbody.errors import ModelError
from symbody.model.safe_file import FilePath, naming
from symbody.realtime.cdr import decode
from symbody.realtime.link import SECOND
from symbody.realtime.record import ENCODING, mcap
from symbody.realtime.rejected import Rejected
from symbody.realtime.ros_types import MESSAGES, Message
from symbody.realtime.topics import readings
from symbody.results.run import Run
from symbody.results.table import bounded, ordinary

Key = tuple[str, str]  # stream and channel
LARGEST = 64_000_000  # bytes of a record, or of a chunk once unpacked


def load_mcap(path: FilePath) -> Run:
    """A recording as a run: a row for each time, in it the last value of each channel, NaN before there is one.

    Channels of the same name in several streams are told apart as STREAM.CHANNEL. The end of a recording may be
    missing, and some of it may be broken: `run.meta["interrupted"]` says so.
    """
    with naming(path):
        ordinary(path)
        with open(path, "rb") as file:
            recording = _Recording(file)
            said = sorted(recording, key=lambda message: message[0])  # by time; equal ones stay in order
        if not said:
            raise ModelError("no message that can be read", cure="record joint states, wrenches or arrays")
        keys = list(dict.fromkeys(key for _, found in said for key in found))
        times = np.unique([at for at, _ in said])
        bounded(len(times), len(keys))
    place = {key: k for k, key in enumerate(keys)}
    values = np.full((len(times), len(keys)), np.nan)
    row = 0
    for at, found in said:
        if times[row] != at:
            row += 1
            values[row] = values[row - 1]
        for key, value in found.items():
            values[row, place[key]] = value
    meta = {"interrupted": recording.interrupted, "start_ns": int(times[0])}
    return Run(None, (times - times[0]) / SECOND, values, names=_names(keys), meta=meta)


class _Recording:
    """What a file says, message by message, as far as it can be read: time (ns) and values."""

    def __init__(self, file: BinaryIO):
        self._file, self.interrupted = file, False

    def __iter__(self) -> Iterator[tuple[int, dict[Key, float]]]:
        schemas: dict[int, str] = {}
        channels: dict[int, Any] = {}
        for record in self._records():
            match type(record).__name__:
                case "Schema":
                    schemas[record.id] = record.name
                case "Channel":
                    channels[record.id] = record
                case "Message" if (channel := channels.get(record.channel_id)) is not None:
                    kind = MESSAGES.get(schemas.get(channel.schema_id, ""))
                    if kind is not None and channel.message_encoding == ENCODING:
                        yield from self._said(record.log_time, channel, kind, record.data)

    def _said(self, at: int, channel: Any, kind: type[Message], data: bytes) -> Iterator[tuple[int, dict[Key, float]]]:
        """Values by stream and channel; in a recording of others the topic is the stream."""
        notes = channel.metadata
        stream = notes.get("stream", channel.topic.strip("/"))
        site = notes.get("site", stream.removesuffix("/wrench").replace("/", "."))
        try:
            ours = set(json.loads(notes["channels"])) if "channels" in notes else None
            found = {}
            for names, value in readings(decode(kind, data), site):
                if fitting := [name for name in names if ours is None or name in ours]:
                    found[stream, fitting[0]] = value
            yield at, found
        except Rejected as refusal:
            self.interrupted |= refusal.reason != "kind"  # messages of kinds that are no channels are no fault
        except (ValueError, TypeError):
            self.interrupted = True

    def _records(self) -> Iterator[Any]:
        reader = mcap("stream_reader")
        try:
            for record in reader.StreamReader(self._file, emit_chunks=True, record_size_limit=LARGEST).records:
                if type(record).__name__ != "Chunk":
                    yield record
                elif record.uncompressed_size <= LARGEST:
                    yield from reader.breakup_chunk(record, validate_crc=True)
                else:
                    self.interrupted = True
        except Exception:  # of a damaged or hostile file: mcap's own, of its unpackers, of struct
            self.interrupted = True


def _names(keys: list[Key]) -> list[str]:
    channels = [channel for _, channel in keys]
    return [channel if channels.count(channel) == 1 else f"{stream}.{channel}" for stream, channel in keys]
