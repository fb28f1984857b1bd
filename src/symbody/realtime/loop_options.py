"""Options of the real-time loop: when it goes to its safe state, and how its thread is scheduled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from symbody.errors import ModelError
from symbody.realtime.loop_arrays import Ranges

RECOVERIES = ("hold", "restart", "latch")  # in the order of `policy` in loop.h


@dataclass(frozen=True)
class Safety:
    """When the loop goes to its safe state, where the model stands still and efforts are zero, and how it leaves it.

    Parameters
    ----------
    limits : mapping of str to (float, float), optional
        {output: (low, high)}. The loop is safe as soon as an output is outside.
    effort_limits : mapping of str to float, optional
        {output: largest magnitude}. Efforts are clamped. Outputs "….effort" are always efforts.
    stale : float or None
        Time without a valid sample of the inputs (s) after which the loop is safe; None: never. Default 0.05.
    overrun : float or None
        Lateness (s) up to which missed steps are caught up. If it is later, the loop is safe. None: no limit. Default
        0.02.
    calm : float
        Time without a fault (s) after which the loop recovers. Default 0.1.
    recovery : str
        "hold" continues from the last state, but faults of the model wait for `resume()`; "restart" continues from the
        first state; "latch" always waits for `resume()`. Default "hold".
    watchdog : float
        Time without a heartbeat (s) after which readers treat the loop as dead and its efforts as zero. Default 0.1.
    """

    limits: Ranges = field(default_factory=dict)
    effort_limits: Mapping[str, float] = field(default_factory=dict)
    stale: float | None = 0.05
    overrun: float | None = 0.02
    calm: float = 0.1
    recovery: str = "hold"
    watchdog: float = 0.1

    def __post_init__(self) -> None:
        if self.recovery not in RECOVERIES:
            raise ModelError(f"unknown recovery '{self.recovery}'", cure=f"use one of {', '.join(RECOVERIES)}")


@dataclass(frozen=True)
class Scheduling:
    """How the loop's thread is scheduled.

    Parameters
    ----------
    priority : int
        1 … 99 of SCHED_FIFO, 0 for an ordinary thread. Default 80.
    core : int, optional
        Processor that the thread stays on; None: any.
    spin : float
        Time before a deadline (s) in which the thread polls the clock instead of sleeping. Default 0.
    """

    priority: int = 80
    core: int | None = None
    spin: float = 0.0

    def __post_init__(self) -> None:
        if self.core is not None and hasattr(os, "sched_getaffinity") and self.core not in os.sched_getaffinity(0):
            cure = f"this process may use {sorted(os.sched_getaffinity(0))}"
            raise ModelError(f"no processor {self.core} for this process", cure=cure)
