"""The file behind the memory of a loop: where it lies, what is in it, and how it is laid out."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.realtime.block import BINS, HEAD, MAGIC, UNLIMITED, Mailbox, SharedBlock
from symbody.realtime.statistics import bin_edges
from symbody.safe_name import file_name

Array = NDArray[np.float64]
WORD = 8  # bytes


@dataclass(frozen=True)
class Channels:
    """Names and start values of the inputs, outputs and states in the memory of a loop."""

    model: str
    given: list[str]  # numbers of a sample
    start: list[float]  # their values until one is given
    inputs: list[str]  # of the system
    outputs: list[str]
    units: dict[str, str]  # of the outputs


def memory_path(name: str) -> Path:
    """The file of a loop: in /dev/shm where there is one, which is memory and nothing else."""
    if file_name(name) != name:
        cure = f"use letters, digits, '_', '-' and '.', for example '{file_name(name)}'"
        raise ModelError("no name for a loop", element=name, cure=cure)
    shm = Path("/dev/shm")
    return (shm if shm.is_dir() else Path(tempfile.gettempdir())) / f"symbody-{name}"


def open_memory(name: str, write: bool) -> tuple[mmap.mmap, int]:
    """The memory of a loop that runs, and its file."""
    path = memory_path(name)
    try:
        file = os.open(path, os.O_RDWR if write else os.O_RDONLY)
    except OSError as error:
        cure = f"start one with name='{name}', by the same user"
        raise ModelError(f"no such loop ({error.strerror})", element=name, cure=cure) from error
    if os.fstat(file).st_size >= ctypes.sizeof(SharedBlock):
        memory = mmap.mmap(file, 0, access=mmap.ACCESS_WRITE if write else mmap.ACCESS_READ)
        if int.from_bytes(memory[:WORD], sys.byteorder) == MAGIC:
            return memory, file
    os.close(file)
    raise ModelError("not the memory of a loop of this version", element=str(path), cure="remove the file")


def create_memory(
    name: str, channels: Channels, efforts: Array, period: float, watchdog: float, records: int
) -> tuple[mmap.mmap, int]:
    """A new block for these channels, and its file; efforts: the limit of each output, NaN where it is no effort."""
    path, text = memory_path(name), json.dumps(asdict(channels)).encode()
    _remove_left_over(path)
    begin = ctypes.sizeof(SharedBlock)
    samples = begin + -(-len(text) // WORD) * WORD
    at_efforts = samples + 3 * WORD * (len(channels.given) + 1)
    ring = at_efforts + WORD * len(channels.outputs)
    size = ring + WORD * records * (len(HEAD) + len(channels.inputs) + len(channels.outputs))
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.ftruncate(file, size)
    memory = mmap.mmap(file, size)
    memory[:] = bytes(size)  # every page is there before the loop begins
    memory[begin : begin + len(text)] = text
    memory[at_efforts:ring] = efforts.tobytes()
    b = SharedBlock.from_buffer(memory)
    b.size, b.pid, b.nsample, b.nu, b.ny = size, os.getpid(), len(channels.given), len(channels.inputs), len(efforts)
    b.capacity, b.text, b.length, b.samples, b.efforts, b.ring = records, begin, len(text), samples, at_efforts, ring
    b.period, b.watchdog, b.slow, b.allowed, b.given = period, watchdog, 1.0, UNLIMITED, Mailbox.empty()
    b.edges[:] = bin_edges(BINS).tolist()
    b.magic = MAGIC  # last: whoever attaches now finds everything
    return memory, file


def read_channels(block: SharedBlock, memory: mmap.mmap) -> Channels:
    """Names, sizes and start values of the channels in the shared memory of a loop."""
    return Channels(**json.loads(memory[block.text : block.text + block.length]))


def _remove_left_over(path: Path) -> None:
    """Remove the file of a loop whose process was killed; refuse that of one that lives."""
    try:
        pid = SharedBlock.from_buffer_copy(path.read_bytes()).pid
        os.kill(pid, 0)
    except FileNotFoundError:
        return
    except (ProcessLookupError, ValueError):
        path.unlink()
        return
    raise ModelError(f"process {pid} runs a loop of this name", element=str(path), cure="stop it, or choose another")
