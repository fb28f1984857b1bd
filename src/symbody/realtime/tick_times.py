"""Durations of a tick of a real-time loop, measured with its stepper, as median and 99th percentile."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from symbody.stepping.fixed_step import FixedSteps, StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System

SHARES = (50, 99)  # percentiles


def tick_times(stepper: FixedSteps, ticks: int, steps: int = 1) -> dict[str, float]:
    """Median and 99th percentile of the time (µs) of a tick of `steps` steps, with one record each."""
    times = np.zeros(ticks)
    for k in range(ticks):
        began = time.perf_counter()
        stepper.run(steps, steps)
        times[k] = time.perf_counter() - began
    return percentiles(times)


def input_tick_times(
    s: System, step: FixedStep, dt: float, u: NDArray[np.float64], steps: int = 1, x0: NDArray[np.float64] | None = None
) -> dict[str, float]:
    """`tick_times` of a system whose inputs are the rows of u, one for each step of dt (s), from its start or x0."""
    settings = StepSettings(dt, u, newton=step.newton)
    stepper = suited_fixed(s, step.method).steps(start_state(s, x0, u[0]), settings)
    return tick_times(stepper, (len(u) - 1) // steps, steps)


def percentiles(times: NDArray[np.float64]) -> dict[str, float]:
    """Median and 99th percentile (µs) of times (s): p50 and p99."""
    return {f"p{share}": 1e6 * float(np.percentile(times, share)) for share in SHARES}
