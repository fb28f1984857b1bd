"""Latency of loops: several models at some rates, idle and with programs that keep the computer busy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sin, tau
from pathlib import Path

from tqdm import tqdm

from symbody import machines
from symbody.model.model import Model
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety
from symbody.realtime.statistics import Statistics
from symbody.system.system import System, system
from symbody_bench.realtime_load import LOADS, await_all, busy, stolen
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_plots import plot_statistics

RATES = (1000.0, 10000.0)  # Hz
SECONDS = 5.0  # at the first rate; faster loops make as many steps in less time
SETTLED = 100  # steps before the comparison of times
FEED = 0.01  # s between samples of the inputs
SWAY = 0.5  # Hz of the inputs
SERVO = (2e5, 1e4)  # N/m and N s/m of the legs of the platform, which would fall without them
AMPLITUDE = {"quarter-car": 0.02, "stewart": 50.0}  # m of road, N of legs


def loops_part(names: Sequence[str], output: Path, seconds: float, rates: Sequence[float], progress: bool) -> BenchPart:
    """Run the models in parallel at the rates, idle and under load."""
    cases = [(rate, load) for rate in rates for load in LOADS]
    found: dict[tuple[str, str], tuple[Statistics, dict[str, float]]] = {}
    systems = {name: system(standing(name)) for name in names}
    steps = round(seconds * rates[0])
    total = round(sum(steps / rate for rate, _ in cases))
    with tqdm(total=total, disable=not progress, unit="s") as bar, ThreadPoolExecutor(len(names)) as beside:
        for rate, load in cases:
            label = f"{rate:g} Hz, {load}"
            bar.set_description(label)
            with busy(LOADS[load]):
                before = stolen()
                works = [beside.submit(measured, systems[n], rate, steps, AMPLITUDE[n]) for n in names]
                for name, (statistics, drift) in zip(names, await_all(works, bar), strict=True):
                    apart = {"drift": drift, "stolen": stolen() - before}
                    found[name, label] = statistics, {key: round(1e6 * x, 1) for key, x in apart.items()}
    part = BenchPart()
    for name in names:
        loops = {label: statistics for (n, label), (statistics, _) in found.items() if n == name}
        for label, statistics in loops.items():
            part.rows.append({"model": name, "loop": label, **statistics.record(), **found[name, label][1]})
            part.texts.append(f"{name}, {label}\n{statistics}")
            part.rights = statistics.rights
            part.histograms[f"{name}, {label}, latency"] = statistics.latency
            part.histograms[f"{name}, {label}, step"] = statistics.duration
        part.files.append(plot_statistics(loops, output / f"realtime-{name}.png", name))
    return part


def standing(name: str) -> Model:
    """A model that can run for hours."""
    return held_stewart() if name == "stewart" else machines.model(name)


def held_stewart() -> Model:
    """The platform with a servo on each leg, in addition to its inputs."""
    m = machines.model("stewart")
    k, c = SERVO
    for joint in m.joints():
        if joint.name.startswith("rod"):
            name, length = joint.name, joint.q0[0]
            m.coupling(f"servo.{name}", name)(lambda s, p, n=name, at=length: (-k * (s.q[n] - at) - c * s.qd[n],))
    return m


def measured(s: System, rate: float, steps: int, amplitude: float) -> tuple[Statistics, float]:
    """Statistics of a loop over some steps with oscillating inputs, and the drift (s) between model and wall time."""
    with Loop(s, rate, history=1.0, safety=Safety(stale=None, overrun=None)) as loop:
        loop.wait(SETTLED)
        before = offset(loop)
        while loop.latest().step < steps:
            push = amplitude * sin(tau * SWAY * time.monotonic())
            loop.give([u + push for u in loop.channels.start])
            time.sleep(FEED)
        drift = offset(loop) - before
    return loop.statistics(), drift


def offset(loop: Loop) -> float:
    """Wall time at wake-up minus model time (s), the smallest of the last second: larger values are latency."""
    run = loop.history("loop.wake")
    return float((run["loop.wake"] - run.t).min())
