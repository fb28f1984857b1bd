"""Recordings in MCAP with ROS 2 messages, as Foxglove and rosbag2 read them."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from symbody.errors import ModelError
from symbody.model.safe_file import FilePath, naming
from symbody.realtime.cdr import encode
from symbody.realtime.link import SECOND
from symbody.realtime.ros_types import Message, definition
from symbody.realtime.topics import Topic, message, topics
from symbody.results.run import Run
from symbody.results.table import replacing

Array = np.ndarray

CHUNK = 256_000  # bytes
FLUSH = 0.5  # s
WAITING = 10_000  # samples that wait for the disk at most
PROFILE, ENCODING, SCHEMAS = "ros2", "cdr", "ros2msg"


class Recorder:
    """Writes streams of channels, {ROS name: channels}, from a thread of its own: a slow disk delays nobody.

    A kill loses `FLUSH` seconds at most. `lost` counts what a disk was too slow for; `failed` says why it gave up.
    """

    def __init__(self, path: FilePath, streams: Mapping[str, Sequence[str]]):
        mcap("writer")
        try:
            self._file: BinaryIO = open(path, "xb")  # noqa: SIM115
        except OSError as error:
            cure = "choose another name, in a folder that may be written"
            raise ModelError(f"cannot be recorded to: {error.strerror}", file=os.fspath(path), cure=cure) from error
        self.lost, self.failed = 0, ""
        self._queue: queue.Queue[tuple[str, Array, int] | None] = queue.Queue(WAITING)
        self._streams = _Streams(self._file, streams)
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def write(self, stream: str, values: Array, wall_ns: int | None = None) -> None:
        """Values of a stream at a time (ns since 1970, default now)."""
        try:
            self._queue.put_nowait((stream, np.array(values), time.time_ns() if wall_ns is None else wall_ns))
        except queue.Full:
            self.lost += 1

    def close(self) -> None:
        """Write what waits, index and summary."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        try:
            with self._file:
                flushed = time.monotonic()
                while (said := self._queue.get()) is not None:
                    self._streams.write(*said)
                    if time.monotonic() - flushed > FLUSH:
                        self._streams.writer.flush()
                        flushed = time.monotonic()
                self._streams.writer.finish()
        except OSError as error:
            self.failed = str(error)
            while self._queue.get() is not None:
                self.lost += 1

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def save_mcap(run: Run, path: FilePath) -> Path:
    """A run as a recording that starts in 1970, replacing the file in one step."""
    with naming(path), replacing(path) as partial, open(partial, "wb") as file:
        streams = _Streams(file, {run.name: run.names})
        for t, values in zip(run.t, run.values, strict=True):
            streams.write(run.name, values, round((t - run.t[0]) * SECOND))
        streams.writer.finish()
    return Path(path)


class _Streams:
    """An open recording: for each stream its topics, which of its values they carry, and their numbers in the file."""

    def __init__(self, file: BinaryIO, streams: Mapping[str, Sequence[str]]):
        self.writer = mcap("writer").Writer(file, chunk_size=CHUNK)
        self.writer.start(profile=PROFILE, library="symbody")
        self._schemas: dict[type[Message], int] = {}
        self._parts: dict[str, list[tuple[Topic, list[int], int]]] = {}
        for stream, channels in streams.items():
            found = topics(channels, stream)
            names = dict.fromkeys(topic.name for topic in found)
            numbers = {name: self._channel(stream, [t for t in found if t.name == name]) for name in names}
            self._parts[stream] = [(t, [list(channels).index(c) for c in t.channels], numbers[t.name]) for t in found]

    def write(self, stream: str, values: Array, wall_ns: int) -> None:
        for topic, slots, number in self._parts[stream]:
            data = encode(message(topic, np.asarray(values)[slots], wall_ns))
            self.writer.add_message(number, log_time=wall_ns, data=data, publish_time=wall_ns)

    def _channel(self, stream: str, same_name: Sequence[Topic]) -> int:
        """A channel of MCAP for the topics of one name; its notes tell the channels exactly."""
        first = same_name[0]
        if first.kind not in self._schemas:
            text = definition(first.kind).encode()
            self._schemas[first.kind] = self.writer.register_schema(first.kind.ros, SCHEMAS, text)
        channels = [channel for topic in same_name for channel in topic.channels]
        notes = {"stream": stream, "channels": json.dumps(channels), "site": first.owners[0] if first.owners else ""}
        number: int = self.writer.register_channel(f"/{first.name}", ENCODING, self._schemas[first.kind], notes)
        return number


def mcap(module: str) -> Any:
    """A module of the package mcap; a `ModelError` that says how to get it."""
    try:
        return import_module(f"mcap.{module}")
    except ImportError as error:
        raise ModelError("the package mcap is not installed", cure='pip install "symbody[mcap]"') from error
