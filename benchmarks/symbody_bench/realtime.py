"""`symbody bench --realtime`: latency of loops, round trips of frames, and times until nodes are safe."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.links.transports import TRANSPORTS
from symbody.realtime.statistics import Histogram
from symbody_bench.realtime_faults import CUT, KILLS, faults_part
from symbody_bench.realtime_loops import AMPLITUDE, RATES, SECONDS, loops_part
from symbody_bench.realtime_machines import MACHINES, machines_part
from symbody_bench.realtime_machines import SECONDS as PLAYED
from symbody_bench.realtime_output import NAME as OUTPUT
from symbody_bench.realtime_output import SECONDS as SENT
from symbody_bench.realtime_output import output_part
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_roundtrip import TRIPS, round_trips_part

LOOPS, FAULTS = tuple(AMPLITUDE), "faults"
NAMES = (*LOOPS, *TRANSPORTS, FAULTS, *MACHINES, OUTPUT)
QUICKER = 10.0  # times shorter with --quick


def realtime_bench(
    output: Path,
    *,
    only: Sequence[str] = (),
    seconds: float | None = None,
    rates: Sequence[float] | None = None,
    quick: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Measure some parts or all; write tables, histograms and pictures into a folder."""
    check_names(only)
    rates = rates or RATES
    check_positive([*rates, *([] if seconds is None else [seconds])])
    output.mkdir(parents=True, exist_ok=True)
    less = QUICKER if quick else 1.0
    lines = chosen(TRANSPORTS, only)
    parts: dict[str, BenchPart] = {}
    beside = os.getloadavg()[0]
    if names := chosen(LOOPS, only):
        parts["loops"] = loops_part(names, output, seconds or SECONDS / less, rates, progress)
    if lines:
        parts["round_trips"] = round_trips_part(lines, output, round(TRIPS / less), progress)
    if not only or FAULTS in only:
        parts["faults"] = faults_part(lines or TRANSPORTS, round(KILLS / less), CUT / less, progress)
    if names := chosen(tuple(MACHINES), only):
        parts["machines"] = machines_part(names, output, seconds or PLAYED / less, progress)
    if not only or OUTPUT in only:
        parts["output"] = output_part(output, seconds or SENT / less)
    return _written(parts, output, beside)


def check_names(only: Sequence[str]) -> None:
    """Raise if a name is not a part of this benchmark."""
    for name in only:
        if name not in NAMES:
            raise ModelError("not a part of this benchmark", element=name, cure=f"use one of {', '.join(NAMES)}")


def check_positive(numbers: Sequence[float]) -> None:
    """Raise if a rate or duration is not positive."""
    for number in numbers:
        if not 0.0 < number < inf:
            raise ModelError(f"a rate or duration of {number:g}", element="bench", cure="give a positive number")


def chosen(names: Sequence[str], only: Sequence[str]) -> list[str]:
    """The selected names; all if `only` is empty."""
    return [name for name in names if not only or name in only]


def _written(parts: dict[str, BenchPart], output: Path, beside: float) -> dict[str, Any]:
    """The tables of all parts, and their files; histograms are in the file only."""
    every = list(parts.values())
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.release()}",
        "beside": f"{beside:.1f} other programs ran before it began (load average)",
        "times": "in µs",
        "rights": next((list(part.rights) for part in every if part.rights), []),
        "missing": list(dict.fromkeys(line for part in every for line in part.missing)),
        **{name: part.rows for name, part in parts.items()},
    }
    histograms = {name: bins(h) for part in every for name, h in part.histograms.items()}
    texts = [text for part in every for text in part.texts]
    files = [output / "realtime.json", *([output / "realtime.txt"] if texts else [])]
    files[0].write_text(json.dumps(result | {"histograms": histograms}, indent=2))
    if texts:
        files[1].write_text("\n\n".join(texts) + "\n")
    return result | {"files": [*map(str, files), *(str(file) for part in every for file in part.files)]}


def bins(h: Histogram) -> dict[str, Any]:
    """The bins that are not empty: lower edges (µs), and counts."""
    filled = np.flatnonzero(h.counts)
    return {"from_us": np.round(1e6 * h.edges[filled], 3).tolist(), "number": h.counts[filled].tolist()}
