"""Random, hostile streams and trajectories for the supervisor's checks, many at once.

`make rides N=10000` counts what docs/ride-control.md reports, on all processors: streams by the guard in C, fast stops,
trajectories, and rides of the whole supervisor.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from math import inf
from multiprocessing import get_context

import numpy as np

from c_stage import CStage
from symbody.codegen import wait_optimised
from symbody.codegen.native import optimised_runtime
from symbody.machines.platform.data import platform_data
from symbody.motion.data import AXES
from symbody.motion.drives import leg_speed
from symbody.motion.limits import NEAREST, clearance_of
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.fast_stop import stop_end, stop_time, stoppable, stopping
from symbody.motion.safety.governor import Target, governed
from symbody.motion.safety.loop_supervisor import (
    LoopSupervisor,
    SupervisorMemoryOf,
    SupervisorOf,
    reference_names,
)
from symbody.motion.safety.margins import with_margins
from symbody.motion.safety.slack import slack_names, slack_of
from symbody.motion.safety.stream import StreamRules
from symbody.motion.safety.supervisor import SupervisorRules
from symbody.motion.safety.vetting import vet
from symbody.motion.workspace import margins

DT = 5e-3  # s
MACHINE = platform_data()
MACHINE = replace(MACHINE, legs=replace(MACHINE.legs, speed=leg_speed(MACHINE)))  # limits of the machine itself
INDEPENDENT = 10  # of so many samples one is checked by NumPy, too, not by the compiled function that the guard uses
DATA = with_margins(MACHINE)
KINDS = ("steps", "noise", "ramps into the ends", "fast sines", "wrong units", "hundred times")


def targets(kind, n, ticks, rng, data=DATA):
    """Targets (ticks, n, 8) of one kind, from neutral; they obey nothing."""
    low, high, speed, push = map(data.ends, ("low", "high", "speed", "acceleration"))
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    t = DT * np.arange(ticks)[:, None, None]
    corner = rng.choice([-1.0, 1.0], (n, 8)) * rng.uniform(0.5, 3.0, (n, 8))
    if kind == "steps":
        held = rng.integers(2, 60)
        places = rng.uniform(-2.0, 2.0, (ticks // held + 1, n, 8))
        return middle + half * np.repeat(places, held, axis=0)[:ticks]
    if kind == "noise":
        return middle + half * rng.normal(0.0, 1.0, (ticks, n, 8))
    if kind == "ramps into the ends":
        return middle + np.sign(corner) * speed * rng.uniform(0.3, 3.0, (n, 8)) * t
    if kind == "fast sines":
        return middle + half * corner * np.sin(2.0 * np.pi * rng.uniform(0.1, 20.0, (n, 8)) * t)
    if kind == "wrong units":
        return 1e3 * (middle + half * rng.uniform(-1.0, 1.0, (ticks, n, 8)))
    w = 2.0 * np.pi * rng.uniform(0.5, 5.0, (n, 8))
    return middle + 100.0 * push / w**2 * np.sin(w * t)  # a hundred times the acceleration


def of_kind(kind, n, seconds, rng, data=DATA):
    """Governed references of n streams of a kind: violations of each limit, and states (m, 8) for stops."""
    ticks = round(seconds / DT)
    wanted = targets(kind, n, ticks, rng, data)
    r, v = np.tile(data.neutral_axes, (n, 1)), np.zeros((n, 8))
    found, kept = np.zeros(n, dtype=bool), []
    worst: dict[str, float] = {}
    for k in range(ticks):
        rates = (wanted[k] - wanted[max(k - 1, 0)]) / DT
        speed = data.ends("speed")
        out = governed(r, v, Target(wanted[k], np.clip(rates, -speed, speed)), data, DT)
        found |= broken(out.axes, out.rates, out.second, worst, independent=k % INDEPENDENT == 0)
        r, v = out.axes, out.rates
        if k % 20 == 7:
            kept.append((r, v))
    return found, worst, kept


@cache
def c_guard():
    """`guard_sample` of supervisor.c: one sample of the guard."""
    library = optimised_runtime("supervisor.c", SupervisorOf, SupervisorMemoryOf, package="symbody.motion.safety")
    library.guard_sample.restype, library.guard_sample.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]
    return library.guard_sample


METHODS = ("one, hexapod", "one, table", "two, hexapod", "two, table")
ALL_IN = SupervisorRules(stream=StreamRules(beyond=inf, jump=inf))  # nothing is refused: the governor gets everything


def guarded(kind, n, seconds, rng, rules=None):
    """References (n, ticks, 24) by the guard in C for n streams of a kind: axes, rates, second derivatives.

    rules: of the supervisor. Before each stream the guard is at rest at the neutral position.
    """
    ticks = round(seconds / DT)
    wanted = np.ascontiguousarray(targets(kind, n, ticks, rng).transpose(1, 0, 2))
    part = LoopSupervisor(MACHINE, METHODS, rules or SupervisorRules()).structure(DT)
    memory, size = ctypes.addressof(part.memory), ctypes.sizeof(part.memory)
    begin, now = bytes(part.memory), np.frombuffer(part.memory, dtype=float)[: 3 * len(AXES)]
    guard, where, rows = c_guard(), ctypes.addressof(part.structure), np.empty((n, ticks, 3 * len(AXES)))
    for stream, found in zip(wanted, rows, strict=True):
        ctypes.memmove(memory, begin, size)
        first, step = stream.ctypes.data, stream.strides[0]
        for k in range(ticks):
            guard(where, first + k * step)
            found[k] = now
    return rows


def broken(axes, rates, second, worst, machine=MACHINE, independent=True):
    """Whether motions (n, 8) break a limit of the machine itself, without software margins; `worst`: shares used."""
    low, high, speed, push = map(machine.ends, ("low", "high", "speed", "acceleration"))
    used = {
        "position": np.abs(axes - 0.5 * (low + high)) / (0.5 * (high - low)), "speed": np.abs(rates) / speed,
        "acceleration": np.abs(second) / push,
    }  # fmt: skip
    slack = slack_of(axes[:, 2:], rates[:, 2:], second[:, 2:], machine)
    wrong = ~(slack >= 0.0).all(axis=1)
    for name, share in used.items():
        worst[name] = max(worst.get(name, 0.0), float(share.max()))
        wrong |= ~(share <= 1.0).all(axis=1)
    fastest = 1.0 - slack[:, slack_names(machine).index("leg speed")].min() / machine.legs.speed
    worst["leg speed"] = max(worst.get("leg speed", 0.0), float(fastest))
    if independent:
        legs = PlatformMotion(np.zeros(len(axes)), axes, rates, second, machine).legs
        clear = clearance_of(axes[:, 2:], machine)
        wrong |= ~(np.abs(legs.q3d) <= machine.legs.speed).all(axis=1)
        wrong |= ~(np.min(margins(axes[:, 2:], machine), axis=0) >= 0.0) | ~(clear >= NEAREST)
        worst["nearest singular pose (m)"] = min(worst.get("nearest singular pose (m)", np.inf), float(clear.min()))
    return wrong


def stops(states, data=DATA, instants=40):
    """How many fast stops from states break a limit of the machine, or do not end at rest inside."""
    r, v = (np.concatenate([one[i] for one in states]) for i in (0, 1))
    last = stop_time(v, data, DT).max(axis=1)
    wrong = ~stoppable(stop_end(r, v, data, DT), 0.0 * v, data, DT)
    for share in np.linspace(0.0, 1.0, instants):
        axes, rates, second = (x[:, 0] for x in stopping(r, v, (share * last)[:, None], data, DT))
        wrong |= broken(axes, rates, second, {}, independent=share in (0.0, 1.0))
    wrong |= np.abs(rates).max(axis=1) > 0.0
    return int(wrong.sum()), len(r)


def random_stoppable(n, rng, data=DATA):
    """n random states, fast ones too, that are stoppable."""
    found_r, found_v = [], []
    low, high, speed = map(data.ends, ("low", "high", "speed"))
    while sum(map(len, found_r)) < n:
        r = rng.uniform(low, high, (2000, len(AXES)))
        v = rng.uniform(-1.0, 1.0, (2000, len(AXES))) * speed * rng.uniform(0.0, 1.0, (2000, 1))
        good = stoppable(r, v, data, DT)
        found_r.append(r[good])
        found_v.append(v[good])
    return np.concatenate(found_r)[:n], np.concatenate(found_v)[:n]


def there_and_back(axis="table.x", far=0.1, lasts=2.0, data=DATA, dt=DT):
    """An axis that goes away and comes back, at rest at both ends: sin⁴."""
    t = dt * np.arange(round(lasts / dt) + 1)
    s = np.sin(np.pi * t / t[-1])
    w = np.pi / t[-1]
    axes, rates, second = (np.zeros((len(t), 8)) for _ in range(3))
    axes += data.neutral_axes
    k = AXES.index(axis)
    axes[:, k] += far * s**4
    rates[:, k] = far * w * 4.0 * s**3 * np.cos(np.pi * t / t[-1])
    second[:, k] = far * w * w * (12.0 * s**2 - 16.0 * s**4)
    return PlatformMotion(t, axes, rates, second, data)


def trajectory(rng, data=DATA):
    """A random trajectory of 1 s: smooth and slow, or spoiled in one way."""
    t = DT * np.arange(201)
    low, high = data.ends("low"), data.ends("high")
    middle, half = data.neutral_axes, 0.5 * (high - low)
    s = np.sin(np.pi * t / t[-1])[:, None] ** 4
    rise = np.pi / t[-1] * 4.0 * np.sin(np.pi * t / t[-1])[:, None] ** 3 * np.cos(np.pi * t / t[-1])[:, None]
    far = rng.uniform(-1.0, 1.0, 8) * half * rng.choice([0.05, 0.2, 0.6, 4.0])
    axes, rates = middle + s * far, rise * far
    second = np.gradient(rates, DT, axis=0)
    spoiled = rng.integers(0, 9)
    row, axis = rng.integers(1, len(t) - 1), rng.integers(0, 8)
    if spoiled == 1:
        axes[row, axis] = np.nan
    if spoiled == 2:
        axes[row:, axis] += rng.uniform(0.01, 1.0)
    if spoiled == 3:
        rates = 0.0 * rates  # it claims to be at rest
    if spoiled == 4:
        axes *= 1e3
    return PlatformMotion(t, axes, rates, second, data)


def vetted(n, rng, data=DATA):
    """Trajectories that vetting accepts, and how many of them break a limit of the machine or cannot stop."""
    accepted = wrong = 0
    for _ in range(n):
        motion = trajectory(rng, data)
        if vet(motion, DT).ok:
            accepted += 1
            # true derivatives of the positions, whatever the trajectory claims
            rates = np.gradient(motion.axes, DT, axis=0)
            bad = broken(motion.axes[1:-1], rates[1:-1], np.diff(motion.axes, 2, axis=0) / DT**2, {}).any()
            wrong += bool(bad or not stoppable(motion.axes, rates, data, DT).all())
    return accepted, wrong


EVENTS = (  # what happens to a ride, besides its streams
    {"method": 0.0}, {"method": 1.0}, {"table": 0.0}, {"table": 1.0}, {"halt": 1.0}, {"halt": 0.0}, {"wish": 0.0},
    {"wish": 1.0}, {"wish": 2.0}, {"drive_fault": 2.0}, {"drive_fault": 0.0}, {"output_fault": 1.0},
    {"output_fault": 0.0}, {"tracking_error": np.nan}, {"tracking_error": 0.0}, {"homed": 0.0}, {"homed": 1.0},
)  # fmt: skip


def loop_ride(rng, seconds=4.0, every=100):
    """A ride of the supervisor in C with hostile methods and random events; states seen, broken limits, `worst`."""
    stage, ticks, worst = CStage(LoopSupervisor(MACHINE, METHODS)), round(seconds / 1e-3), {}
    cues = [targets(KINDS[rng.integers(len(KINDS))], 1, ticks, rng)[:, 0] - DATA.neutral_axes for _ in METHODS]
    t = 1e-3 * np.arange(ticks)[:, None]  # the first two methods move within reach, and beyond what legs can do
    reach = 0.5 * (DATA.ends("high") - DATA.ends("low"))
    cues[:2] = [0.6 * reach * np.sin(2.0 * np.pi * rng.uniform(0.3, 2.0, 8) * t) for _ in range(2)]
    cues[0][rng.integers(ticks, size=5), rng.integers(8, size=5)] = np.nan
    first = stage.model.inputs.index(f"{METHODS[0]}.{AXES[0]}")
    u, wanted = np.frombuffer(stage._u)[first : first + len(METHODS) * len(AXES)], np.concatenate(cues, axis=1)
    at = {name: k for k, name in enumerate(stage.model.outputs)}
    axes, rates, second = ([at[name] for name in reference_names(end)] for end in ("", ".rate", ".second"))
    begin, rows, states = round(1.6 / 1e-3), [], set()  # it homes and starts in peace
    for k in range(ticks):
        u[:] = wanted[k] if k > begin else 0.0
        given = {}
        if k > begin and k % every == 0:
            given |= EVENTS[rng.integers(len(EVENTS))]
            given |= {"wish": 2.0, "halt": 0.0} if rng.random() < 0.3 else {}
        row = stage.step(**given)
        rows.append(row)
        states.add(int(row[at["ride.state"]]))
    found = np.array(rows)
    wrong = broken(found[:, axes], found[:, rates], found[:, second], worst, independent=False)
    jumps = np.abs(np.diff(found[:, axes], axis=0)) > 1e-3 * MACHINE.ends("speed") * (1.0 + 1e-9)
    unknown = np.isin(found[1:, at["ride.state"]], (0, 1))  # after a fault the position counts as unknown
    return states, int(wrong.sum() + (jumps.any(axis=1) & ~unknown).sum()), worst


# -- counts ------------------------------------------------------------------------------------------------------------

CHUNK = {"streams": 200, "trajectories": 200, "rides": 5}  # of a task of a process
RIDES = 50  # one ride of the whole supervisor for so many streams


def counted_streams(task):
    """Streams of a kind: tried, broken, states (m, 8) for stops, shares used; every second task without refusals."""
    k, n = task
    rows = guarded(KINDS[k % len(KINDS)], n, 1.0, np.random.default_rng(k), ALL_IN if k // len(KINDS) % 2 else None)
    worst: dict[str, float] = {}
    flat = [rows[..., a : a + 8].reshape(-1, 8) for a in (0, 8, 16)]
    found = broken(*flat, worst, independent=False)
    found[::INDEPENDENT] |= broken(*(one[::INDEPENDENT] for one in flat), worst)
    return n, int(found.reshape(n, -1).any(axis=1).sum()), (rows[:, 107, :8], rows[:, 107, 8:16]), worst


def counted_stops(task):
    """Fast stops: tried, and wrong; from random states, or from states of streams."""
    k, n, states = task
    wrong, tried = stops([states or random_stoppable(n, np.random.default_rng(k))])
    return tried, wrong


def counted_trajectories(task):
    """Trajectories: tried, wrong, and accepted by vetting."""
    k, n = task
    accepted, wrong = vetted(n, np.random.default_rng(k))
    return n, wrong, accepted


def counted_rides(task):
    """Rides of the supervisor: tried, samples with a broken limit, and states that they reached."""
    k, n = task
    rides = [loop_ride(np.random.default_rng([k, j])) for j in range(n)]
    return n, sum(wrong for _, wrong, _ in rides), set.union(*(seen for seen, _, _ in rides))


def chunks(count, size):
    """(number, size) of tasks with `count` items in all."""
    return [(k, min(size, count - k * size)) for k in range(-(-count // size))]


def row(name, tried, wrong, begun, note=""):
    """Print a row of the table, with the seconds that it took."""
    print(f"| {name} | {tried} | {wrong} | {time.monotonic() - begun:.0f} | {note} |", flush=True)


def main(count):
    """Print the table; returns how many limits were broken."""
    guarded(KINDS[0], 1, 0.1, np.random.default_rng(0))
    wait_optimised(120.0)  # compiled once, for all processes
    print("| what | tried | broken limits | s | |\n|---|--:|--:|--:|---|", flush=True)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        begun = time.monotonic()
        streams = list(pool.map(counted_streams, chunks(count, CHUNK["streams"])))
        worst = [one[3] for one in streams]
        used = ", ".join(
            f"{name} {100.0 * max(w[name] for w in worst):.0f} %" for name in worst[0] if "near" not in name
        )
        near = min(w["nearest singular pose (m)"] for w in worst)
        broke = [sum(one[1] for one in streams)]
        row("hostile streams", sum(one[0] for one in streams), broke[-1], begun,
            f"used: {used}; nearest singular pose {1e3 * near:.0f} mm")  # fmt: skip
        for name, tasks in (
            ("fast stops from their states", [(k, 0, one[2]) for k, one in enumerate(streams)]),
            ("fast stops from random states", [(k, n, None) for k, n in chunks(count, CHUNK["streams"])]),
        ):
            begun = time.monotonic()
            found = list(pool.map(counted_stops, tasks))
            broke.append(sum(wrong for _, wrong in found))
            row(name, sum(tried for tried, _ in found), broke[-1], begun)
        for name, work, size, said in (
            ("trajectories", counted_trajectories, CHUNK["trajectories"], lambda found: f"{sum(found)} accepted"),
            ("rides of 4 s", counted_rides, CHUNK["rides"], lambda found: f"{len(set.union(*found))} states reached"),
        ):
            begun, number = time.monotonic(), count if work is counted_trajectories else -(-count // RIDES)
            found = list(pool.map(work, chunks(number, size)))
            broke.append(sum(one[1] for one in found))
            row(name, sum(one[0] for one in found), broke[-1], begun, said([one[2] for one in found]))
    return sum(broke)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300) > 0)
