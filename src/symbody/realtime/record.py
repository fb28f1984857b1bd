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
from importlib import import_module
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
from symbody.results.run import Run

Array = np.ndarray

CHUNK = 256_000  # bytes
LOST = 0.5  # s of a recording that a kill loses at most
FLUSH = 0.5 * LOST  # s between writes to the system; the other half is a margin for a busy computer
CLOSING = 5.0  # s that closing a recording may take; a slower disk may never answer
WAITING = 10_000  # samples in the queue at most
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
        mcap("writer")
        try:
            self._file: BinaryIO = open(path, "xb")  # noqa: SIM115
        except OSError as error:
            cure = "choose another name, in a writable folder"
            raise ModelError(
                f"cannot record to this file: {error.strerror}", file=os.fspath(path), cure=cure
            ) from error
        self.path, self.lost, self.failed = os.fspath(path), 0, ""
        self._queue: queue.Queue[tuple[str, Array, int] | None] = queue.Queue(WAITING)
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
        """Write the queue, index and summary; give up after `CLOSING` seconds."""
        told = self._ending.is_set()
        self._ending.set()
        with suppress(queue.Full):
            self._queue.put_nowait(None)  # wakes the thread
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
                for said in self._waiting():
                    if said is not None:
                        begun += 1
                        self._streams.write(*said)
                    if time.monotonic() - flushed > FLUSH:
                        self._streams.writer.flush()
                        flushed, begun = time.monotonic(), 0
                self._streams.writer.finish()
        except Exception as error:  # any error is kept in `failed`: nobody sees exceptions of this thread
            self.failed = f"{type(error).__name__}: {error}"
            self.lost += begun + sum(said is not None for said in self._waiting())

    def _waiting(self) -> Iterator[tuple[str, Array, int] | None]:
        """Samples to write, until the end; None from time to time if there are none."""
        while True:
            try:
                yield self._queue.get(not self._ending.is_set(), FLUSH)
            except queue.Empty:
                if self._ending.is_set():
                    return
                yield None

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
        for t, values in zip(run.t, run.values, strict=True):
            streams.write(run.name, values, round((t - run.t[0]) * SECOND))
        streams.writer.finish()
    return Path(path)


class _Streams:
    """An open recording: for each stream the templates of its messages, the indices of their values, and channels."""

    def __init__(self, file: BinaryIO, streams: Mapping[str, Sequence[str]]):
        self.writer = mcap("writer").Writer(file, chunk_size=CHUNK)
        self.writer.start(profile=PROFILE, library="symbody")
        self._schemas: dict[type[Message], int] = {}
        self._definitions: list[Any] = []  # records of schemas and channels
        self._parts: dict[str, list[tuple[MessageTemplate, list[int], int]]] = {}
        for stream, channels in streams.items():
            place = {channel: k for k, channel in reversed([*enumerate(channels)])}
            named: dict[str, list[Topic]] = {}
            for topic in topics(channels, stream):
                named.setdefault(topic.name, []).append(topic)
            parts = self._parts[stream] = []
            for same in named.values():
                number = self._channel(stream, same)
                parts += [(topic_template(t), [place[channel] for channel in t.channels], number) for t in same]
        self._repeat(file)

    def write(self, stream: str, values: Array, wall_ns: int) -> None:
        for template, slots, number in self._parts[stream]:
            data = template.filled(np.asarray(values)[slots], wall_ns)
            self.writer.add_message(number, log_time=wall_ns, data=data, publish_time=wall_ns)

    def _channel(self, stream: str, same_name: Sequence[Topic]) -> int:
        """An MCAP channel for the topics of one name; its metadata list the exact channel names."""
        first = same_name[0]
        if first.kind not in self._schemas:
            told: dict[str, Any] = {"name": first.kind.ros, "encoding": SCHEMAS}
            told["data"] = definition(first.kind).encode()
            self._schemas[first.kind] = self.writer.register_schema(**told)
            self._definitions.append(mcap("records").Schema(id=self._schemas[first.kind], **told))
        channels = [channel for topic in same_name for channel in topic.channels]
        notes = {"stream": stream, "channels": json.dumps(channels), "site": first.owners[0] if first.owners else ""}
        told = {"topic": f"/{first.name}", "message_encoding": ENCODING, "schema_id": self._schemas[first.kind]}
        number: int = self.writer.register_channel(**told, metadata=notes)
        self._definitions.append(mcap("records").Channel(id=number, **told, metadata=notes))
        return number

    def _repeat(self, file: BinaryIO) -> None:
        """Write schemas and channels also before the first chunk, so that a damaged chunk does not lose them."""
        builder = mcap("data_stream").RecordBuilder()
        for record in self._definitions:
            record.write(builder)
        file.write(builder.end())


def mcap(module: str) -> Any:
    """A module of the package mcap; raises a `ModelError` with the cure if it is missing."""
    try:
        return import_module(f"mcap.{module}")
    except ImportError as error:
        raise ModelError("the package mcap is not installed", cure='pip install "symbody[mcap]"') from error
