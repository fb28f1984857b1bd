"""Recordings in MCAP with ROS 2 messages, readable by Foxglove and rosbag2."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from symbody.errors import ModelError, printable
from symbody.files.safe_file import FilePath, naming
from symbody.links.link import SECOND
from symbody.links.message_template import MessageTemplate, topic_template
from symbody.links.ros_types import Message, definition
from symbody.links.topics import Topic, topics
from symbody.output_file import replacing
from symbody.realtime.record_chunks import ChunkWriter, RowLayout, mcap
from symbody.results.run import Run

Array = np.ndarray

CHUNK = 256_000  # bytes
LOST = 0.5  # s of a recording that a kill loses at most
FLUSH = 0.5 * LOST  # s between writes to the system; the other half is a margin for a busy computer
CLOSING = 5.0  # s without progress after which closing gives up: such a disk may never answer
WAITING = 10_000  # samples in the queue at most
GATHERED = 0.05  # s until samples that have come together are encoded: one at a time costs more
ROWS = 1000  # samples that are taken from the queue at once at most
Sample = tuple[str, Array, int]  # stream, values, time (ns since 1970)
PROFILE, ENCODING, SCHEMAS = "ros2", "cdr", "ros2msg"


class Recorder:
    """Writes streams of channels from its own thread: a slow disk delays no caller.

    A kill loses at most `LOST` seconds. `lost` counts samples that a slow disk dropped. `failed` is the reason of a
    failure; closing then warns.

    Parameters
    ----------
    path : path
        A .mcap file.
    streams : mapping of str to sequence of str
        Channels by ROS name.
    """

    def __init__(self, path: FilePath, streams: Mapping[str, Sequence[str]]):
        try:
            self._file: BinaryIO = open(path, "xb")  # noqa: SIM115
        except OSError as error:
            cure = "choose another name, in a writable folder"
            raise ModelError(
                f"cannot record to this file: {error.strerror}", file=os.fspath(path), cure=cure
            ) from error
        self.path, self.lost, self.failed = os.fspath(path), 0, ""
        self._queue: queue.Queue[Sample | None] = queue.Queue(WAITING)
        self._ending = threading.Event()
        try:
            self._streams = _Streams(self._file, streams)
        except BaseException:
            self._file.close()
            os.unlink(path)
            raise
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def write(self, stream: str, values: Array, wall_ns: int | None = None) -> None:
        """Record values of a stream at a time (ns since 1970, default now)."""
        if self._ending.is_set():
            self.lost += 1
            return
        try:
            self._queue.put_nowait((stream, np.array(values), time.time_ns() if wall_ns is None else wall_ns))
        except queue.Full:
            self.lost += 1

    def close(self) -> None:
        """Write the queue, index and summary; give up if the disk takes nothing for `CLOSING` seconds."""
        told = self._ending.is_set()
        self._ending.set()
        with suppress(queue.Full):
            self._queue.put_nowait(None)  # wakes the thread
        left = -1
        while self._thread.is_alive() and left != (left := self._queue.qsize()):
            self._thread.join(CLOSING)
        if self._thread.is_alive():
            self.failed = self.failed or f"the disk did not take the rest within {CLOSING:g} s"
        if self.failed and not told:
            problem = f"{self.path}: the recording failed: {self.failed}; up to {self.lost} samples are lost"
            warnings.warn(printable(problem), RuntimeWarning, stacklevel=2)

    def summary(self) -> dict[str, Any]:
        """Path, lost samples and failure."""
        return {"file": self.path, "lost": self.lost, "failed": self.failed}

    def _work(self) -> None:
        begun = 0  # samples not yet flushed to the system
        try:
            with self._file:
                flushed = time.monotonic()
                for samples in self._waiting():
                    begun += len(samples)
                    for stream, group in groupby(samples, itemgetter(0)):
                        _, values, times = zip(*group, strict=True)
                        self._streams.write(stream, np.array(values), np.array(times, np.uint64))
                    if time.monotonic() - flushed > FLUSH:
                        self._streams.writer.flush()
                        flushed, begun = time.monotonic(), 0
                self._streams.writer.finish()
        except Exception as error:  # any error is kept in `failed`: nobody sees exceptions of this thread
            self.failed = f"{type(error).__name__}: {error}"
            self.lost += begun + sum(len(samples) for samples in self._waiting())

    def _waiting(self) -> Iterator[list[Sample]]:
        """Samples to write, until the end: all that have come within a moment; none from time to time."""
        while True:
            samples: list[Sample] = []
            with suppress(queue.Empty):
                first = self._queue.get(not self._ending.is_set(), FLUSH)
                more = (self._queue.get_nowait() for _ in range(min(self._queue.qsize(), ROWS - 1)))
                samples = [sample for sample in (first, *more) if sample is not None]
            if not samples and self._ending.is_set() and self._queue.empty():
                return
            yield samples
            if not self._ending.is_set():
                self._ending.wait(GATHERED)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def save_mcap(run: Run, path: FilePath) -> Path:
    """Write a run as a recording that starts in 1970; an existing file is replaced atomically.

    Parameters
    ----------
    run : Run
        With its channels.
    path : path
        A .mcap file.

    Returns
    -------
    path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import symbody as sb
    >>> from symbody.realtime import Recorder, load_mcap, save_mcap
    >>> folder = Path(tempfile.mkdtemp())
    >>> run = sb.simulate(sb.machines.model("pendulum"), until=0.01, dt=1e-3)
    >>> len(load_mcap(save_mcap(run, folder / "run.mcap"))) == len(run)
    True
    >>> with Recorder(folder / "drive.mcap", {"arm": ["arm.q"]}) as recorder:
    ...     recorder.write("arm", [0.1])
    >>> load_mcap(folder / "drive.mcap")["arm.q"]
    array([0.1])
    """
    with naming(path), replacing(path) as partial, open(partial, "wb") as file:
        streams = _Streams(file, {run.name: run.names})
        times = np.rint((run.t - run.t[0]) * SECOND).astype(np.uint64)
        streams.write(run.name, run.values, times)
        streams.writer.finish()
    return Path(path)


class _Streams:
    """An open recording: the layout of the rows of each stream."""

    def __init__(self, file: BinaryIO, streams: Mapping[str, Sequence[str]]):
        self._schemas: dict[type[Message], Any] = {}
        self._channels: list[Any] = []
        self._layouts: dict[str, RowLayout] = {}
        for stream, channels in streams.items():
            place = {channel: k for k, channel in reversed([*enumerate(channels)])}
            named: dict[str, list[Topic]] = {}
            for topic in topics(channels, stream):
                named.setdefault(topic.name, []).append(topic)
            parts: list[tuple[MessageTemplate, list[int], int]] = []
            for same in named.values():
                number = self._channel(stream, same)
                parts += [(topic_template(t), [place[channel] for channel in t.channels], number) for t in same]
            self._layouts[stream] = RowLayout(parts)
        self.writer = ChunkWriter(file, PROFILE, [*self._schemas.values()], self._channels)

    def write(self, stream: str, values: Array, times: Array) -> None:
        """Append samples (n, channels) at times (n,), ns since 1970; full chunks are written."""
        layout = self._layouts[stream]
        rows = max(1, CHUNK // max(1, layout.size))
        for k in range(0, len(times), rows):
            self.writer.add(layout, values[k : k + rows], times[k : k + rows])
            if self.writer.size + layout.size > CHUNK:  # the next row would not fit
                self.writer.flush()

    def _channel(self, stream: str, same_name: Sequence[Topic]) -> int:
        """An MCAP channel for the topics of one name; its metadata list the exact channel names."""
        first = same_name[0]
        if first.kind not in self._schemas:
            data = definition(first.kind).encode()
            told = {"id": len(self._schemas) + 1, "name": first.kind.ros, "encoding": SCHEMAS, "data": data}
            self._schemas[first.kind] = mcap("records").Schema(**told)
        channels = [channel for topic in same_name for channel in topic.channels]
        notes = {"stream": stream, "channels": json.dumps(channels), "site": first.owners[0] if first.owners else ""}
        told = {"id": len(self._channels) + 1, "topic": f"/{first.name}", "message_encoding": ENCODING}
        self._channels.append(mcap("records").Channel(**told, schema_id=self._schemas[first.kind].id, metadata=notes))
        return len(self._channels)
