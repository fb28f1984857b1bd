"""`symbody bench --estimation`: a filter step in C, compared with filters in Python with numerical Jacobians.

The plain filters are an extended Kalman filter in NumPy, and FilterPy's. Both call the steps and outputs of the same
System. Compiled, the ratio shows the gain of exact derivatives and a filter in C; in Python it corresponds to a model
written in NumPy.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
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
NOISE = 1e-3  # relative to the sizes of the measured quantities
SENSORS = 4  # measured velocities and states
SECONDS = 2.0  # of each measurement
MANY = 200  # steps of ours at once, as in a C loop
NUDGE = 1e-6  # relative to sizes, for numerical derivatives
IN_PYTHON = "rodas4"  # the implicit method that also runs in Python
PlainStep = Callable[[Array], Array]  # measurements → estimate


def estimation_bench(folder: Path, names: Sequence[str] = NAMES, progress: bool = True) -> dict[str, Any]:
    """A row for each machine: µs per step, and their ratio."""
    rows = [_row(name) for name in tqdm(names, desc="filters", disable=not progress)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "estimation.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return {"estimation": rows}


def _row(name: str) -> dict[str, Any]:
    model, steps = machines.open(name), machines.steps(name)
    s, method, dt = system(model), steps.get("method"), float(steps.get("dt") or 1e-3)
    sensors = [x for x in s.states if not x.endswith(".q")][-SENSORS:]
    sizes = dict(zip(s.states, np.maximum(np.abs(s.x0), 1.0), strict=True))
    noise = {x: NOISE * float(sizes[x]) for x in sensors}
    twin = estimate(s, sensors, noise, {x: noise[x] for x in sensors}, dt=dt, method=method)
    z = np.array([s.observe(0.0, s.x0, s.u0)[s.outputs.index(x)] for x in sensors])
    ours = _microseconds(lambda n: twin.follow(np.tile(s.u0, (n, 1)), np.tile(z, (n, 1))), MANY)
    slow = PlainModel(system(model, backend="python"), twin, IN_PYTHON, dt)
    plain = {
        "numpy": plain_step(PlainModel(s, twin, method, dt), twin),
        "filterpy": filterpy_step(PlainModel(s, twin, method, dt), twin),
        "numpy_python_model": plain_step(slow, twin),
    }
    theirs = {key: _microseconds(partial(_repeated, step, z), 2) for key, step in plain.items() if step}
    counts = {"states": len(s.states), "sensors": len(sensors), "backend": twin.backend, "tier": s.rates_function.tier}
    found = {f"{key}_us": time for key, time in theirs.items()}
    ratios = {f"{key}_ratio": time / ours for key, time in theirs.items()}
    return {"machine": name, **counts, "step_us": ours, **found, **ratios}


def _repeated(step: PlainStep, z: Array, n: int) -> None:
    for _ in range(n):
        step(z)


def _microseconds(run: Callable[[int], object], count: int) -> float:
    """The best of several batches within the time limit."""
    run(1)
    best, end = np.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begun = time.perf_counter()
        run(count)
        best = min(best, (time.perf_counter() - begun) / count)
    return float(1e6 * best)


class PlainModel:
    """Steps and outputs of a system as a Python filter calls them, and their derivatives by differences."""

    def __init__(self, s: System, twin: StateFilter, method: str | None, dt: float):
        self.system, self.dt, self.t, self.x0 = s, dt, 0.0, s.x0.copy()
        self._walker, self._rows = stepper(s, method, dt), [s.outputs.index(name) for name in twin.sensors]
        self._nudges = NUDGE * np.maximum(np.abs(s.x0), 1.0)

    def onward(self, x: Array) -> Array:
        """One step."""
        self._walker.t = self.t
        return np.array(self._walker.step(x, self.system.u0))

    def sensed(self, x: Array) -> Array:
        """Expected measurements."""
        return np.asarray(self.system.observe(self.t, x, self.system.u0)[self._rows])

    def slopes(self, f: Callable[[Array], Array], x: Array, at: Array) -> Array:
        """∂f/∂x by forward differences; `at` is f(x)."""
        pairs = zip(np.diag(self._nudges), self._nudges, strict=True)
        return np.column_stack([(f(x + d) - at) / h for d, h in pairs])


def plain_step(model: PlainModel, twin: StateFilter) -> PlainStep:
    """A plain extended Kalman filter: differences of steps and of outputs, NumPy matrices."""
    x, P, n = model.x0, twin.P, len(model.x0)
    Q, R = twin.doubt.over(model.dt)[:n, :n], np.diag(twin.R)

    def step(z: Array) -> Array:
        nonlocal x, P
        after = model.onward(x)
        F = model.slopes(model.onward, x, after)
        x, P, model.t = after, F @ P @ F.T + Q, model.t + model.dt
        expected = model.sensed(x)
        H = model.slopes(model.sensed, x, expected)
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
        x, P = x + K @ (z - expected), (np.eye(n) - K @ H) @ P
        return np.asarray(x)

    return step


def filterpy_step(model: PlainModel, twin: StateFilter) -> PlainStep | None:
    """The same with FilterPy, if it is installed."""
    try:
        from filterpy.kalman import ExtendedKalmanFilter
    except ImportError:
        return None
    n = len(model.x0)
    f = ExtendedKalmanFilter(n, len(twin.sensors))
    f.x, f.P, f.Q, f.R = model.x0, twin.P, twin.doubt.over(model.dt)[:n, :n], np.diag(twin.R)

    def step(z: Array) -> Array:
        after = model.onward(f.x)
        f.F = model.slopes(model.onward, f.x, after)
        f.predict_x = lambda u=0: setattr(f, "x", after)
        f.predict()
        model.t += model.dt
        f.update(z, lambda x: model.slopes(model.sensed, x, model.sensed(x)), model.sensed)
        return np.asarray(f.x)

    return step
