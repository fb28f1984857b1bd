"""The file behind the memory of a loop: where it lies, what is in it, and how it is laid out."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symbody.codegen.owned import Distrusted, open_owned
from symbody.errors import ModelError
from symbody.realtime.block import BINS, FAULTED, HEAD, MAGIC, STATES, UNLIMITED, Mailbox, SharedBlock
from symbody.realtime.statistics import bin_edges
from symbody.safe_name import file_name

Array = NDArray[np.float64]
WORD = 8  # bytes
NEW = 4  # as in mailbox.h: beside the number of a buffer that was not read yet


@dataclass(frozen=True)
class Channels:
    """Names and start values of the inputs, outputs and states in the memory of a loop."""

    model: str
    given: list[str]  # numbers of a sample
    start: list[float]  # their values until one is given
    inputs: list[str]  # of the system
    outputs: list[str]
    units: dict[str, str]  # of the outputs
    momentary: list[str] = field(default_factory=list)  # of `given`: measurements, which count once


def memory_path(name: str) -> Path:
    """The file of a loop: in /dev/shm where there is one, which is memory and nothing else."""
    if file_name(name) != name:
        cure = f"use letters, digits, '_', '-' and '.', for example '{file_name(name)}'"
        raise ModelError("no name for a loop", element=name, cure=cure)
    shm = Path("/dev/shm")
    return (shm if shm.is_dir() else Path(tempfile.gettempdir())) / f"symbody-{name}"


def open_memory(name: str, write: bool) -> tuple[mmap.mmap, int]:
    """The memory of a loop that runs, and its file; what another user made, or what is not whole, is refused."""
    path = memory_path(name)
    try:
        file = open_owned(path, os.O_RDWR if write else os.O_RDONLY)
    except Distrusted as error:
        raise ModelError(f"not the memory of a loop of yours: {error}", element=name, cure="choose another") from error
    except OSError as error:
        cure = f"start one with name='{name}', by the same user"
        raise ModelError(f"no such loop ({error.strerror})", element=name, cure=cure) from error
    size, why = os.fstat(file).st_size, "too short"
    if size >= ctypes.sizeof(SharedBlock):
        memory = mmap.mmap(file, 0, access=mmap.ACCESS_WRITE if write else mmap.ACCESS_READ)
        why = _damage(SharedBlock.from_buffer_copy(memory), size)
        if not why:
            return memory, file
    os.close(file)
    problem = f"not the memory of a loop of this version: {why}"
    raise ModelError(problem, element=str(path), cure="remove the file")


def _damage(b: SharedBlock, size: int) -> str:
    """What is wrong with a block in a file of so many bytes; "": every place in it lies inside."""
    if b.magic != MAGIC:
        return "it does not begin as one"
    record = WORD * (len(HEAD) + b.nu + b.ny)
    parts = {  # where they begin, and their bytes
        "text": (b.text, b.length),
        "samples": (b.samples, 3 * WORD * (b.nsample + 1)),
        "efforts": (b.efforts, WORD * b.ny),
        "ring": (b.ring, b.capacity * record),
    }
    if min(b.nsample, b.nu, b.ny, b.length) < 0 or b.capacity < 2 or b.head < 0:
        return "it counts less than nothing"
    for name, (begin, length) in parts.items():
        if begin < ctypes.sizeof(SharedBlock) or begin % WORD or begin + length > size:
            return f"its {name} lies outside"
    if any(not 0 <= buffer <= 2 for buffer in (b.given.middle & ~NEW, b.given.back, b.given.front)):
        return "its mailbox has no such buffer"
    if not (0 <= b.state < len(STATES) and 0 <= b.fault < FAULTED and -1 <= b.culprit < max(b.nsample, b.ny, 1)):
        return "its loop is in no known state"
    return ""


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
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        problem = f"no memory for a loop ({error.strerror})"
        raise ModelError(problem, element=str(path), cure="choose another name") from error
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
    try:
        channels = Channels(**json.loads(memory[block.text : block.text + block.length]))
        given, inputs, outputs, start = channels.given, channels.inputs, channels.outputs, channels.start
        fits = (len(given), len(start), len(inputs), len(outputs)) == (block.nsample, block.nsample, block.nu, block.ny)
        fits = fits and set(channels.momentary) <= set(given)
        names = [channels.model, *channels.units, *given, *inputs, *outputs]
        fits = fits and all(isinstance(name, str) for name in names)
        fits = fits and all(isinstance(value, float | int) for value in start)
    except (ValueError, TypeError, RecursionError):
        fits = False
    if not fits:
        problem = "the names in the memory of this loop do not fit its sizes"
        raise ModelError(problem, element="channels", cure="remove the file, and start the loop again")
    return channels


def _remove_left_over(path: Path) -> None:
    """Remove the file of a loop whose process was killed; refuse that of one that lives, or of another user."""
    try:
        with os.fdopen(open_owned(path), "rb") as file:
            pid = SharedBlock.from_buffer_copy(file.read(ctypes.sizeof(SharedBlock))).pid
        lives = pid > 0 and _lives(pid)
    except FileNotFoundError:
        return
    except ValueError:  # too short
        lives = False
    except OSError as error:
        cure = "remove it, or choose another name"
        raise ModelError(f"something else lies there: {error}", element=str(path), cure=cure) from error
    if lives:
        cure = "stop it, or choose another"
        raise ModelError(f"process {pid} runs a loop of this name", element=str(path), cure=cure)
    path.unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    """Whether there is a process of ours with this number."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):  # gone, or another's: then not of this loop
        return False
    return True
