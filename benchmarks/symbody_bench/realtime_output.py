"""Set points of a ride on a CANopen bus against the clock: SYNC leaves at its period, also on a busy processor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symbody.machines.ride import ridden, ride_chain
from symbody.motion.built_in_platform import platform_data
from symbody.motion.outputs import opened_output
from symbody.realtime.statistics import Histogram, histogram_of
from symbody_bench.realtime_load import LOADS, busy
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_plots import plot_times

NAME = "ride-output"
LINE = "can:simulated"
SECONDS = 20.0
PICTURE = "realtime-output.png"


def output_part(output: Path, seconds: float = SECONDS, loads: Sequence[str] = tuple(LOADS)) -> BenchPart:
    """Rides with eight simulated drives on a virtual bus, without and with programs that keep all processors busy."""
    part, panels = BenchPart(), dict[str, Histogram]()
    for load in loads:
        row, late = sent(seconds, LOADS[load])
        part.rows.append({"output": LINE, "loop": load, **row})
        panels[load] = part.histograms[f"{NAME}, {load}, late"] = late
    part.files.append(plot_times({"late": panels}, output / PICTURE, "set points on the bus, after their instants"))
    return part


def sent(seconds: float, loaded: bool) -> tuple[dict[str, Any], Histogram]:
    """A ride of some seconds: how late samples left (µs), missed periods, steps of the loop that began late."""
    data = platform_data()
    moved = opened_output(LINE, data)
    with busy(loaded):
        found = ridden(ride_chain(data, parked=False, output=moved), seconds)
    late = histogram_of(np.array(moved.pace.late))
    counts = {
        "period": 1e6 * moved.output.period, "samples": len(moved.pace.late), "missed": moved.pace.skipped,
        "steps": found.statistics.steps, "overruns": found.statistics.overruns, "state": found.state,
        "urgent": moved.urgent,
    }  # fmt: skip
    return counts | late.record("late"), late
