"""Distributions of round trips between an I/O node and a model node of this computer, over UDP and DDS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from symbody.errors import ModelError
from symbody.links.dds_types import cyclone
from symbody.links.transports import TRANSPORTS
from symbody.realtime.statistics import Histogram, histogram_of
from symbody_bench.realtime_load import busy
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_plots import plot_times
from symbody_bench.round_trips import round_trips

TRIPS = 5000
CASES = {"idle": (False, 0), "under load": (True, 0), "under load, urgent": (True, 10)}  # load; priority of the nodes
PICTURE = "realtime-roundtrip.png"


def round_trips_part(transports: Sequence[str], output: Path, trips: int = TRIPS, progress: bool = False) -> BenchPart:
    """Send frames one by one and time the answers: idle, under load, and under load with real-time priority."""
    part, panels = BenchPart(), dict[str, dict[str, Histogram]]()
    there = [transport for transport in transports if is_there(transport, part)]
    cases = [(case, transport) for case in CASES for transport in there]
    with tqdm(cases, disable=not progress, unit="run") as bar:
        for case, transport in bar:
            bar.set_description(f"{transport.upper()}, {case}")
            load, priority = CASES[case]
            try:
                with busy(load):
                    h = histogram_of(round_trips(transport, trips, priority))
            except ModelError as error:
                part.missing.append(f"{transport}, {case}: {error}")
                continue
            panels.setdefault(case, {})[transport.upper()] = h
            part.rows.append({"line": transport, "nodes": case, "trips": h.total, **h.record("trip")})
            part.histograms[f"{transport}, {case}"] = h
    if panels:
        part.files.append(plot_times(panels, output / PICTURE, "I/O node → model node → I/O node"))
    return part


def is_there(transport: str, part: BenchPart) -> bool:
    """Whether a transport can be used here; otherwise the reason is noted."""
    if transport == "dds":
        try:
            cyclone("core")
        except ModelError as error:
            part.missing.append(str(error))
            return False
    return transport in TRANSPORTS
