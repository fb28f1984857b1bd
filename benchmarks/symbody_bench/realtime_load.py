"""Programs that keep a machine busy while something is measured, and a bar that goes on with the seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOADS = {"idle": False, "under load": True}
BUSY = "x = bytearray(1 << 24)\nwhile True:\n    x[:] = x[::-1]"  # a program that wants processor and memory


@contextmanager
def busy(load: bool) -> Iterator[None]:
    """A program beside for every processor that keeps it busy."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(load * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def await_all(works: Sequence[Future[Any]], bar: Any) -> list[Any]:
    """The results of works; meanwhile a bar goes on by a second each second."""
    while wait(works, timeout=1.0).not_done:
        bar.update()
    return [work.result() for work in works]


def stolen() -> float:
    """Time (s) that whoever runs this virtual machine gave to others since its start, of all processors; Linux only."""
    try:
        ticks = int(Path("/proc/stat").read_text().split()[8])
    except (OSError, IndexError):
        return 0.0
    return ticks / os.sysconf("SC_CLK_TCK")
