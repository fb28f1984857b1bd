"""Time simulation with fixed steps, loops closed at every stage; in C unless forces are given as Python functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.equations.compile import compile
from symbody.errors import DivergenceError, ModelError
from symbody.model.model import Model
from symbody.system.flow import Array, Flow, Forces, Trajectory, flow
from symbody.system.integrate import Stepper

CHUNK = 5000  # steps in C between looks at the numbers and at the progress bar


@dataclass(frozen=True)
class Motion:
    """A simulated motion: times (s), coordinates, velocities, and kinetic and potential energy (J) at each time."""

    model: Model
    t: Array
    q: Array
    qd: Array
    kinetic: Array
    potential: Array

    @property
    def energy_drift(self) -> float:
        """Largest change of the total energy, relative to the largest kinetic energy."""
        total = self.kinetic + self.potential
        return float(np.max(np.abs(total - total[0])) / max(float(np.max(self.kinetic)), np.finfo(float).tiny))


def simulate(
    model: Model,
    until: float,
    dt: float,
    *,
    method: str = "rk4",
    every: int = 1,
    forces: Forces | None = None,
    driven: Trajectory | None = None,
    progress: bool = False,
) -> Motion:
    """Motion from the model's initial state, recorded every so many steps; `method` is "rk4" or "semi-implicit".

    Joint forces Q(t, q, q̇) and trajectories of driven joints (else held) may be given as Python functions; without
    them the whole simulation runs in C.
    """
    if not (dt > 0 and until >= dt and np.isfinite(until / dt) and every >= 1):
        raise ModelError(f"cannot simulate {until} s in steps of {dt} s", cure="give 0 < dt <= until, and every >= 1")
    steps = round(until / dt)
    system = flow(model, forces, driven)
    in_c = forces is None and driven is None and system.function.backend == "c"
    if not in_c and method != "rk4":
        raise ModelError(f"'{method}' with forces or trajectories in Python", cure='use "rk4"')
    with tqdm(total=steps, unit="step", disable=not progress, desc=f"simulating {model.name}") as bar:
        run = (
            _steps_in_c(system, steps, dt, every, bar, method)
            if in_c
            else _steps_in_python(system, steps, dt, every, bar)
        )
        path_q, path_v = _recorded(model, run, dt * every)
    energy = compile(model, "energy", loads=False)(path_q, path_v)
    return Motion(model, np.arange(len(path_q)) * dt * every, path_q, path_v, energy.kinetic, energy.potential)


Rows = Iterator[tuple[Array, Array]]  # coordinates and velocities, some recorded instants at a time


def _recorded(model: Model, run: Rows, interval: float) -> tuple[Array, Array]:
    """All rows in one; what came before a number that is not finite is kept in the error."""
    parts_q: list[Array] = []
    parts_v: list[Array] = []
    for q, v in run:
        good = int(np.argmin(np.r_[np.isfinite(v).all(axis=1), False]))
        parts_q.append(q[:good])
        parts_v.append(v[:good])
        if good < len(v):
            kept = np.vstack(parts_q)
            time = max(len(kept) - 1, 0) * interval
            raise DivergenceError(f"the motion of {model.name} diverged after t = {time:g} s", time=time, state=kept)
    return np.vstack(parts_q), np.vstack(parts_v)


def _steps_in_c(system: Flow, steps: int, dt: float, every: int, bar: Any, method: str) -> Rows:
    stepper = Stepper(system, method)
    while stepper.done < steps:
        chunk = min(CHUNK, steps - stepper.done)
        made, q, v = stepper.run(chunk, dt, every)
        bar.update(made)
        yield q, v
        if made < chunk:
            yield np.full((1, stepper.nq), np.nan), np.full((1, stepper.nv), np.nan)
    yield stepper.run(1, dt, every)[1:]  # the state after the last step is the one before the next


def _steps_in_python(system: Flow, steps: int, dt: float, every: int, bar: Any) -> Rows:
    q, v = system.start
    for n in range(steps + 1):
        t = n * dt
        if n % every == 0:
            whole_q, whole_v = system.whole(t, q, v)
            yield whole_q[None], whole_v[None]
        if n == steps:
            break
        a1, b1 = system.slope(t, q, v)
        a2, b2 = system.slope(t + dt / 2, q + dt / 2 * a1, v + dt / 2 * b1)
        a3, b3 = system.slope(t + dt / 2, q + dt / 2 * a2, v + dt / 2 * b2)
        a4, b4 = system.slope(t + dt, q + dt * a3, v + dt * b3)
        q, v = q + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
        for place in system.quaternions:
            q[place] /= np.linalg.norm(q[place])
        bar.update()
