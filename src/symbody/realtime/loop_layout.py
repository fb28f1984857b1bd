"""Mirrors of the structures of the real-time loop (loop_memory.h, loop.h), and the library that works on them."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library
from symbody.errors import ModelError

MAGIC = 0x53594D424F445935
BINS, REFUSED, FAULTED, HISTOGRAMS = 160, 3, 12, 3
STATES = ("stopped", "running", "paused", "safe")
HEAD = ("loop.step", "loop.time", "loop.wake", "loop.late", "loop.took", "loop.state")  # of a record; times in s
CLEAR, BEGIN_AGAIN = 1, 2  # commands
UNLIMITED = -1  # steps
PRIORITY, LOCKED, PINNED = 1, 2, 4  # rights


def _integers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, ctypes.c_int64) for name in names)


class Mailbox(Mirror):
    """mailbox_t of mailbox.h: three buffers that writer and loop exchange."""

    c_type = "mailbox_t"
    _fields_ = _integers("middle", "back", "front")

    @classmethod
    def empty(cls) -> Mailbox:
        """An empty mailbox: buffer 0 is in the middle, 1 belongs to the writer, 2 to the reader."""
        return cls(0, 1, 2)


class Histograms(Mirror):
    """histogram_t of loop_memory.h."""

    c_type = "histogram_t"
    _fields_ = (("count", ctypes.c_uint64 * (BINS + 1)), ("sum", ctypes.c_double), ("largest", ctypes.c_double))


class SharedBlock(Mirror):
    """block_t of loop_memory.h: the memory that a loop shares with its readers and writers."""

    c_type = "block_t"
    _fields_ = (
        *_integers("magic", "size", "pid", "born", "thread", "rights"),
        *_integers("nsample", "nu", "ny", "capacity"),
        *_integers("text", "length", "samples", "efforts", "ring"),
        ("period", ctypes.c_double),
        ("watchdog", ctypes.c_double),
        *_integers("state", "fault", "culprit"),
        ("blamed", ctypes.c_double),
        *_integers("heartbeat", "head", "steps", "restarts", "begun", "allowed", "command", "stop"),
        ("slow", ctypes.c_double),
        ("given", Mailbox),
        *_integers("received"),
        ("refused", ctypes.c_int64 * REFUSED),
        ("faults", ctypes.c_int64 * FAULTED),
        *_integers("clamped", "capped", "doubted", "page_faults"),
        ("edges", ctypes.c_double * (BINS + 1)),
        ("histogram", Histograms * HISTOGRAMS),
    )


_COUNTS = ("nkept", "nfields", "nhoisted", "ntracked", "substeps", "policy", "patience", "priority", "core")
_POINTERS = (
    "block", "stepper", "of", "u", "kept", "sizes", "start", "hoisted", "fields", "places", "low", "high", "least",
    "most", "target", "momentary", "tracked", "filters", "measured", "followed", "sample", "y", "record", "capped",
    "doubted",
)  # fmt: skip


class LoopOf(Mirror):
    """loop_t of loop.h: the data of the loop's thread."""

    c_type = "loop_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *_integers(*_COUNTS),
        *((name, ctypes.c_double) for name in ("stale", "slack", "spin")),
        ("parameters", Mailbox),
        *_integers("stamp", "begun", "anew", "refusal", "suspect"),
        ("suspected", ctypes.c_double),
        *_integers("calm"),
        ("thread", ctypes.c_uint64),
    )


@cache
def library() -> Any:
    """The library of loop.c."""
    if sys.platform == "win32":
        raise ModelError("the real-time loop needs the threads and clocks of POSIX", cure="run it on Linux or macOS")
    made = runtime_library("loop.c", SharedBlock, LoopOf, package="symbody.realtime")
    for name, arguments, result in (
        ("loop_start", "p", ctypes.c_int),
        ("loop_stop", "p", None),
        ("loop_parameters", "pp", None),
        ("block_give", "ppi", None),
        ("block_records", "p", ctypes.c_int64),
        ("block_read", "piip", ctypes.c_int64),
        ("block_latest", "pp", ctypes.c_int),
        ("block_alive", "p", ctypes.c_int),
    ):
        function = getattr(made, name)
        function.restype = result
        function.argtypes = [ctypes.c_void_p if kind == "p" else ctypes.c_int64 for kind in arguments]
    return made
