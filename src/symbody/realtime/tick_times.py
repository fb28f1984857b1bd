"""How long a tick of a real-time loop takes: by its stepper, and in two numbers."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from symbody.stepping.fixed_step import FixedSteps

SHARES = (50, 99)  # percentiles


def tick_times(stepper: FixedSteps, ticks: int, steps: int = 1) -> dict[str, float]:
    """Median and 99th percentile of the time (µs) of a tick of so many steps, with one record each."""
    times = np.zeros(ticks)
    for k in range(ticks):
        began = time.perf_counter()
        stepper.run(steps, steps)
        times[k] = time.perf_counter() - began
    return percentiles(times)


def percentiles(times: NDArray[np.float64]) -> dict[str, float]:
    """Median and 99th percentile (µs) of times (s): p50 and p99."""
    return {f"p{share}": 1e6 * float(np.percentile(times, share)) for share in SHARES}
