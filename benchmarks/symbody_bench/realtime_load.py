"""Programs that keep the computer busy during a measurement, and a progress bar in seconds."""

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
BUSY = "x = bytearray(1 << 24)\nwhile True:\n    x[:] = x[::-1]"  # a program that uses processor and memory


@contextmanager
def busy(load: bool) -> Iterator[None]:
    """One busy program per processor, if `load`."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(load * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def await_all(works: Sequence[Future[Any]], bar: Any) -> list[Any]:
    """The results of futures; meanwhile a bar advances by one each second."""
    while wait(works, timeout=1.0).not_done:
        bar.update()
    return [work.result() for work in works]


def stolen() -> float:
    """CPU time (s) that the host of this virtual machine gave to others since boot, over all processors; Linux only."""
    try:
        ticks = int(Path("/proc/stat").read_text().split()[8])
    except (OSError, IndexError):
        return 0.0
    return ticks / os.sysconf("SC_CLK_TCK")
