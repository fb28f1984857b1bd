"""How long a stepper takes for a tick of a real-time loop."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from symbody.stepping.fixed_step import FixedSteps

SHARES = (50, 99)  # percentiles


def tick_times(stepper: FixedSteps, ticks: int, steps: int = 1) -> Mapping[str, float]:
    """Median and 99th percentile of the time (µs) of a tick of so many steps, with one record each."""
    times = []
    for _ in range(ticks):
        began = time.perf_counter()
        stepper.run(steps, steps)
        times.append(1e6 * (time.perf_counter() - began))
    return {f"p{share}": float(np.percentile(times, share)) for share in SHARES}
