"""Control and safety of the motion platform as a ride (Houda 2020, chapters 5 and 6): items 8 to 11."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.machines.platform.data import platform_data
from symbody.motion.control import SWARM, LoopOptions, Pid, SlidingMode, loop_figures, run_loop
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import DT
from symbody.motion.data import AXES
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.redundancy import DirectionMotion, alpha_split, share_of
from symbody.motion.safety.margins import with_margins
from symbody.motion.safety.stream import REFUSED, StreamGuard
from symbody.motion.safety.vetting import motion_of, vet
from symbody.motion.tracking import LOADS, tracked, tracking_figures
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number, ordered

SOURCE = "Houda 2020"
DATA = platform_data()
SEEDS = range(10)
EXAMPLE = (1.276, 0.313, 0.798)  # m, m/s, m/s²: largest travel, speed and acceleration of section 5.2
STREAM = 1e-2  # s between samples of a stream
MODES = {"swarm": SWARM, "hand": SlidingMode()}


def split_travel(part: str, printed: float) -> Outcome:
    """Travel of a part for a sine with the travel of the example."""
    t = np.linspace(0.0, 1.0, 401)
    x = 0.5 * EXAMPLE[0] * np.sin(2.0 * np.pi * t)
    found = alpha_split(DirectionMotion(x, 0.0 * x, 0.0 * x), DATA.limits["table.x"])
    return number(float(np.ptp(getattr(found, part).x)), printed, "m", 1e-3)


@cache
def figures(name: str, seed: int, load: float = 0.0) -> dict[str, float]:
    return loop_figures(run_loop(MODES[name], descent_motion(DATA, seed), DATA, LoopOptions(load)).settled)


def modes(what: str, unit: str, load: float = 0.0) -> Outcome:
    return ordered({name: [figures(name, seed, load)[what] for seed in SEEDS] for name in MODES}, unit)


def loads(template: str) -> Outcome:
    """Largest over smallest tracking error of PID without and with loads."""
    errors = [tracking_figures(tracked("PID", template, load, DATA))["rms_mm"] for load in LOADS]
    return at_most(max(errors) / min(errors), 1.5, "times the smallest error", len(LOADS))


def figure_of_eight() -> Outcome:
    """Both sliders, with PID; the error relative to the size of the figure."""
    t = np.linspace(0.0, 5.0, round(5.0 / DT) + 1)
    axes = np.tile(DATA.neutral_axes, (len(t), 1))
    soft = 1.0 - np.exp(-((t / 1.5) ** 3))
    for k, (far, w) in enumerate(((0.3, 1.0), (0.15, 2.0))):
        axes[:, k] = far * np.sin(w * t) * soft
    motion = motion_of(t, axes, DATA)
    found = loop_figures(run_loop(Pid(), motion, DATA).settled)
    return at_most(found["largest_mm"], 3.0, "mm")


@cache
def streamed(seed: int) -> tuple[bool, float, float]:
    """A descent as a live stream: whether its reference passes vetting, largest yaw (°), delay (ms)."""
    every = round(STREAM / DT)
    motion = descent_motion(DATA, seed, 0.0, 20.0)
    data = with_margins(DATA)
    guard = StreamGuard(data, STREAM)
    rows = []
    for t, axes in zip(motion.t[::every], motion.axes[::every], strict=True):
        guard.offer(float(t), axes)
        guard.advance()
        rows.append((guard.axes, guard.rates, guard.second))
    t, axes, rates, second = motion.t[::every], *(np.array(column) for column in zip(*rows, strict=True))
    passed = vet(PlatformMotion(t, axes, rates, second, data), STREAM)
    good = (passed.ok or passed.quantity == "rest") and guard.counts[REFUSED] == 0
    wanted, x = motion.axes[every::every, 0], axes[:-1, 0]  # a reference belongs to the end of its sample
    slope = np.gradient(wanted, STREAM)
    late = float(np.sum(slope * (wanted - x)) / np.sum(slope**2))  # s, by least squares
    return good, float(np.degrees(np.abs(axes[:, AXES.index("yaw")]).max())), 1e3 * late


def stream_limits() -> Outcome:
    return holds([streamed(seed)[0] for seed in SEEDS], "every reference passes vetting")


ROWS = [
    Row(
        SOURCE,
        "8",
        "share of the hexapod, 1.276 m of travel",
        "α = 0.216",
        lambda: number(share_of(EXAMPLE, (1.0, 1.2, 1.7)), 0.276 / 1.276, "", 1e-12),
    ),
    Row(SOURCE, "8", "travel of the table after the split", "1 m", lambda: split_travel("table", 1.0)),
    Row(SOURCE, "8", "travel of the hexapod after the split", "0.276 m", lambda: split_travel("hexapod", 0.276)),
    Row(
        SOURCE,
        "9",
        "acceleration error of sliding mode, gains by a swarm and by hand",
        "lower by a swarm",
        lambda: modes("acceleration_error", "m/s²"),
    ),
    Row(
        SOURCE,
        "9",
        "chattering of the forces, gains by a swarm and by hand",
        "none by a swarm",
        lambda: modes("chatter_N", "N"),
    ),
    Row(
        SOURCE,
        "9",
        "acceleration error with an unknown load of 16 kg",
        "better disturbance rejection by a swarm",
        lambda: modes("acceleration_error", "m/s²", 16.0),
    ),
    Row(
        SOURCE,
        "10",
        "PID with 0, 8 and 16 kg, template 1",
        "tracking despite the load",
        lambda: loads("constant speed"),
    ),
    Row(SOURCE, "10", "PID with 0, 8 and 16 kg, template 2", "tracking despite the load", lambda: loads("triangular")),
    Row(SOURCE, "10", "figure of eight of both sliders with PID", "operates", figure_of_eight),
    Row(SOURCE, "11", "stream of a descent within the platform's limits", "within the limits", stream_limits),
    Row(
        SOURCE,
        "11",
        "largest yaw of the stream",
        "below 20°",
        lambda: at_most(max(streamed(seed)[1] for seed in SEEDS), 20.0, "°", len(SEEDS)),
    ),
    Row(
        SOURCE,
        "11",
        "delay from the stream to the reference",
        "small",
        lambda: at_most(max(streamed(seed)[2] for seed in SEEDS), 1e3 * STREAM, "ms", len(SEEDS)),
    ),
]
