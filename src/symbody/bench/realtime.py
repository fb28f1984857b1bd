"""`symbody bench --realtime`: how punctual the loop is on this machine, alone and beside programs that keep it busy."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import sin, tau
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody.gallery import MODELS, stewart
from symbody.model.model import Model
from symbody.realtime.loop import Loop
from symbody.realtime.picture import plot_statistics
from symbody.realtime.statistics import Statistics
from symbody.system.system import System, system

NAMES = ("quarter-car", "stewart")
RATES = (1000.0, 10000.0)  # Hz
SECONDS = 5.0  # at the first rate; faster loops make as many steps in less time
SETTLED = 100  # steps before anything is compared
FEED = 0.01  # s between samples of the inputs
SWAY = 0.5  # Hz of the inputs
SERVO = (2e5, 1e4)  # N/m and N s/m of the legs of the platform, which would fall without
AMPLITUDE = {"quarter-car": 0.02, "stewart": 50.0}  # m of road, N of legs
BUSY = "x = bytearray(1 << 24)\nwhile True:\n    x[:] = x[::-1]"  # a program that wants processor and memory


def realtime_bench(
    output: Path,
    *,
    seconds: float = SECONDS,
    rates: Sequence[float] = RATES,
    names: Sequence[str] = NAMES,
    progress: bool = True,
) -> dict[str, Any]:
    """Run the models at the rates, idle and under load; write tables and histograms into a folder."""
    output.mkdir(parents=True, exist_ok=True)
    cases = [(name, rate, load) for name in names for rate in rates for load in (False, True)]
    found: dict[tuple[str, str], Statistics] = {}
    rows = []
    systems = {name: system(standing(name)) for name in names}
    with tqdm(cases, disable=not progress, unit="run") as bar:
        for name, rate, load in bar:
            label = f"{rate:g} Hz, {'under load' if load else 'idle'}"
            bar.set_description(f"{name}: {label}")
            statistics, drift = measured(systems[name], rate, round(seconds * rates[0]), AMPLITUDE[name], load)
            found[name, label] = statistics
            rows.append({"model": name, "loop": label, **statistics.record(), "drift": round(1e6 * drift, 1)})
    files = [
        plot_statistics(
            {label: s for (n, label), s in found.items() if n == name}, output / f"realtime-{name}.png", name
        )
        for name in names
    ]
    result = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.release()}",
        "times": "in µs",
        "rights": list(next(iter(found.values())).rights),
        "realtime": rows,
    }
    (output / "realtime.json").write_text(json.dumps(result, indent=2))
    (output / "realtime.txt").write_text("\n\n".join(f"{n}, {label}\n{s}" for (n, label), s in found.items()))
    return result | {"files": [str(output / "realtime.json"), str(output / "realtime.txt"), *map(str, files)]}


def standing(name: str) -> Model:
    """A model that may run for hours."""
    return held_stewart() if name == "stewart" else MODELS[name]()


def held_stewart() -> Model:
    """The platform with a servo on each leg, beside its inputs."""
    m = stewart()
    k, c = SERVO
    for joint in m.joints():
        if joint.name.startswith("rod"):
            name, length = joint.name, joint.q0[0]
            m.coupling(f"servo.{name}", name)(lambda s, p, n=name, at=length: (-k * (s.q[n] - at) - c * s.qd[n],))
    return m


def measured(s: System, rate: float, steps: int, amplitude: float, load: bool) -> tuple[Statistics, float]:
    """What a loop counts over so many steps with swaying inputs, and how far (s) model and wall time part meanwhile."""
    with busy(load), Loop(s, rate, stale=None, overrun=None, history=1.0) as loop:
        loop.wait(SETTLED)
        before = offset(loop)
        while loop.latest().step < steps:
            push = amplitude * sin(tau * SWAY * time.monotonic())
            loop.give([u + push for u in loop.channels.start])
            time.sleep(FEED)
        drift = offset(loop) - before
    return loop.statistics(), drift


def offset(loop: Loop) -> float:
    """Wall time on waking less model time (s), the least of the last second: what is more is lateness."""
    run = loop.history("loop.wake")
    return float((run["loop.wake"] - run.t).min())


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
