"""`symbody bench --estimation`: a filter step in C, beside a plain one in NumPy with numerical Jacobians.

Both run the same compiled System, so that the ratio is what exact slopes and a filter in C are worth.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody import machines
from symbody.estimation.estimate import estimate
from symbody.estimation.state_filter import StateFilter
from symbody.stepping.stepper import stepper
from symbody.system.system import Array, System, system

NAMES = ("four-bar-hydraulic", "car-suspension")
NOISE = 1e-3  # of the sizes of what is measured
SENSORS = 4  # velocities and states that are measured
SECONDS = 2.0  # of each measurement
NUDGE = 1e-6  # of sizes, for numerical slopes


def estimation_bench(folder: Path, names: Sequence[str] = NAMES, progress: bool = True) -> dict[str, Any]:
    """A row for each machine: µs a step, and their ratio."""
    rows = [_row(name) for name in tqdm(names, desc="filters", disable=not progress)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "estimation.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return {"estimation": rows}


def _row(name: str) -> dict[str, Any]:
    s = system(machines.open(name))
    steps = machines.steps(name)
    method, dt = steps.get("method"), float(steps.get("dt") or 1e-3)
    sensors = [x for x in s.states if not x.endswith(".q")][-SENSORS:]
    sizes = dict(zip(s.states, np.maximum(np.abs(s.x0), 1.0), strict=True))
    noise = {x: NOISE * float(sizes[x]) for x in sensors}
    twin = estimate(s, sensors, noise, {x: noise[x] for x in sensors}, dt=dt, method=method)
    z = np.array([s.observe(0.0, s.x0, s.u0)[s.outputs.index(x)] for x in sensors])
    plain = plain_step(s, twin, method, dt)
    ours = _microseconds(lambda n: twin.follow(np.tile(s.u0, (n, 1)), np.tile(z, (n, 1))), 20)
    theirs = _microseconds(lambda n: [plain(s.u0, z) for _ in range(n)], 2)
    counts = {"states": len(s.states), "sensors": len(sensors), "backend": twin.backend, "tier": s.rates_function.tier}
    return {"machine": name, **counts, "step_us": ours, "numpy_us": theirs, "ratio": theirs / ours}


def _microseconds(run: Callable[[int], object], count: int) -> float:
    """The best of batches, as long as there is time."""
    run(1)
    best, end = np.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begun = time.perf_counter()
        run(count)
        best = min(best, (time.perf_counter() - begun) / count)
    return float(1e6 * best)


def plain_step(s: System, twin: StateFilter, method: str | None, dt: float) -> Callable[[Array, Array], Array]:
    """An extended Kalman filter as one writes it: differences of steps and of outputs, matrices of NumPy."""
    walker, x, P = stepper(s, method, dt), s.x0.copy(), twin.P
    n, rows = len(x), [s.outputs.index(name) for name in twin.sensors]
    Q, R, nudges = twin.doubt.over(dt)[:n, :n], np.diag(twin.R), NUDGE * np.maximum(np.abs(x), 1.0)
    t = 0.0

    def step(u: Array, z: Array) -> Array:
        nonlocal x, P, t

        def onward(x: Array) -> Array:
            walker.t = t
            return np.array(walker.step(x, u))

        def sensed(x: Array) -> Array:
            return np.asarray(s.observe(t, x, u)[rows])

        after = onward(x)
        F = np.column_stack([(onward(x + d) - after) / h for d, h in zip(np.diag(nudges), nudges, strict=True)])
        x, P, t = after, F @ P @ F.T + Q, t + dt
        expected = sensed(x)
        H = np.column_stack([(sensed(x + d) - expected) / h for d, h in zip(np.diag(nudges), nudges, strict=True)])
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
        x, P = x + K @ (z - expected), (np.eye(n) - K @ H) @ P
        return np.asarray(x)

    return step
