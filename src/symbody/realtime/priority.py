"""Real-time priority for a Python thread, if the system allows it."""

from __future__ import annotations

import os


def set_realtime_priority(priority: int) -> bool:
    """Give the calling thread SCHED_FIFO with a priority of 1 … 99; return whether the system allowed it."""
    if not priority or not hasattr(os, "sched_setscheduler"):
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        return False
    return True
