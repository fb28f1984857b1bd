"""The shared memory of a loop: its contents and layout."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symbody.codegen.ownership import Distrusted
from symbody.errors import ModelError
from symbody.links.memory_path import memory_path
from symbody.realtime.loop_layout import BINS, FAULTED, HEAD, MAGIC, STATES, UNLIMITED, Mailbox, SharedBlock
from symbody.realtime.sealed_memory import create_file, is_descriptor, open_file
from symbody.realtime.statistics import bin_edges

Array = NDArray[np.float64]
WORD = 8  # bytes
NEW = 4  # as in mailbox.h: flag of a buffer that was not read yet


@dataclass(frozen=True)
class Channels:
    """Names and initial values of the inputs, outputs and states in the memory of a loop."""

    model: str
    given: list[str]  # names of the values of a sample
    start: list[float]  # their values until one is given
    inputs: list[str]  # of the system
    outputs: list[str]
    units: dict[str, str]  # of the outputs
    momentary: list[str] = field(default_factory=list)  # those of `given` that are measurements: they count once


def open_memory(name: str, write: bool) -> tuple[mmap.mmap, int]:
    """The memory of a running loop, and its file; raises if another user made it or if it is damaged."""
    path = memory_path(name)
    try:
        file = open_file(path, os.O_RDWR if write else os.O_RDONLY)
    except Distrusted as error:
        raise ModelError(f"not the memory of your loop: {error}", element=name, cure="choose another name") from error
    except OSError as error:
        cure = f"start a loop with name='{name}' as the same user"
        raise ModelError(f"there is no such loop ({error.strerror})", element=name, cure=cure) from error
    size, why = os.fstat(file).st_size, "it is too short"
    if size >= ctypes.sizeof(SharedBlock):
        memory = mmap.mmap(file, 0, access=mmap.ACCESS_WRITE if write else mmap.ACCESS_READ)
        damage = _damage(SharedBlock.from_buffer_copy(memory), size)
        if damage is None:
            return memory, file
        why = damage
    os.close(file)
    problem = f"not the memory of a loop of this version: {why}"
    raise ModelError(problem, element=str(path), cure="remove the file")


def _damage(b: SharedBlock, size: int) -> str | None:
    """What is wrong with a block in a file of `size` bytes; None if all offsets are inside the file."""
    if b.magic != MAGIC:
        return "it has a wrong magic number"
    record = WORD * (len(HEAD) + b.nu + b.ny)
    parts = {  # their offsets and sizes in bytes
        "text": (b.text, b.length),
        "samples": (b.samples, 3 * WORD * (b.nsample + 1)),
        "efforts": (b.efforts, WORD * b.ny),
        "ring": (b.ring, b.capacity * record),
    }
    if min(b.nsample, b.nu, b.ny, b.length) < 0 or b.capacity < 2 or b.head < 0:
        return "a count is negative"
    for name, (begin, length) in parts.items():
        if begin < ctypes.sizeof(SharedBlock) or begin % WORD or begin + length > size:
            return f"its {name} is outside the file"
    if any(not 0 <= buffer <= 2 for buffer in (b.given.middle & ~NEW, b.given.back, b.given.front)):
        return "its mailbox has a wrong buffer number"
    if not (0 <= b.state < len(STATES) and 0 <= b.fault < FAULTED and -1 <= b.culprit < max(b.nsample, b.ny, 1)):
        return "the state of its loop is unknown"
    return None


def create_memory(
    name: str, channels: Channels, efforts: Array, period: float, watchdog: float, records: int
) -> tuple[mmap.mmap, int]:
    """A new block for these channels, and its file; efforts: the limit of each output, NaN if it is not an effort."""
    path, text = memory_path(name), json.dumps(asdict(channels)).encode()
    _remove_left_over(path)
    begin = ctypes.sizeof(SharedBlock)
    samples = begin + -(-len(text) // WORD) * WORD
    at_efforts = samples + 3 * WORD * (len(channels.given) + 1)
    ring = at_efforts + WORD * len(channels.outputs)
    size = ring + WORD * records * (len(HEAD) + len(channels.inputs) + len(channels.outputs))
    try:
        file = create_file(path, size)
    except (OSError, OverflowError) as error:
        problem = f"cannot create {size:.3g} bytes of memory for a loop ({getattr(error, 'strerror', error)})"
        cure = "choose another name, or a shorter history"
        raise ModelError(problem, element=str(path), cure=cure) from error
    memory = mmap.mmap(file, size)
    memory[:] = bytes(size)  # touches every page before the loop starts
    memory[begin : begin + len(text)] = text
    memory[at_efforts:ring] = efforts.tobytes()
    b = SharedBlock.from_buffer(memory)
    b.size, b.pid, b.born = size, os.getpid(), process_start(os.getpid())
    b.nsample, b.nu, b.ny = len(channels.given), len(channels.inputs), len(efforts)
    b.capacity, b.text, b.length, b.samples, b.efforts, b.ring = records, begin, len(text), samples, at_efforts, ring
    b.period, b.watchdog, b.slow, b.allowed, b.given = period, watchdog, 1.0, UNLIMITED, Mailbox.empty()
    b.edges[:] = bin_edges(BINS).tolist()
    b.magic = MAGIC  # last: another process may attach from now on
    return memory, file


def read_channels(block: SharedBlock, memory: mmap.mmap) -> Channels:
    """Names, sizes and initial values of the channels in the shared memory of a loop."""
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
    """Remove the name of a killed loop; raise if its process is alive or another user owns it."""
    if not os.path.lexists(path):
        return
    try:
        with os.fdopen(open_file(path), "rb") as file:
            block = SharedBlock.from_buffer_copy(file.read(ctypes.sizeof(SharedBlock)))
        pid = block.pid
        lives = pid > 0 and _lives(pid) and block.born in (0, process_start(pid))
    except (OSError, ValueError) as error:  # ValueError: too short
        gone = isinstance(error, ValueError) or (is_descriptor(path) and not isinstance(error, Distrusted))
        if not gone:
            cure = "remove it, or choose another name"
            raise ModelError(f"the file is not ours: {error}", element=str(path), cure=cure) from error
        lives = False
    if lives:
        cure = "stop it, or choose another name"
        raise ModelError(f"process {pid} runs a loop of this name", element=str(path), cure=cure)
    path.unlink(missing_ok=True)


def process_start(pid: int) -> int:
    """Start time of a process in clock ticks since the boot; 0 if it is unknown. A reused number has another one."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return int(text.rpartition(")")[2].split()[19])  # field 22 of proc(5); the name in brackets may contain spaces
    except (OSError, ValueError, IndexError):
        return 0


def _lives(pid: int) -> bool:
    """Whether a process of this user with this number exists."""
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):  # gone, or of another user and therefore not this loop
        return False
    return True
