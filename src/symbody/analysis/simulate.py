"""Time simulation of a tree: Runge–Kutta of fourth order around the compiled direct dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from symbody.equations.compile import compile
from symbody.errors import DivergenceError, ModelError
from symbody.model.formula import evaluate
from symbody.model.model import QUATERNION, Model

Array = np.ndarray
Forces = Callable[[float, Array, Array], Array]  # t, q, q̇ → Q
LOOK_EVERY = 100  # steps between looks at the numbers and at the progress bar


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


def initial_state(model: Model) -> tuple[Array, Array]:
    """Initial coordinates and velocities that the model's joints name."""
    joints = list(model.joints())
    q = [evaluate(x, model.values) for joint in joints for x in joint.q0]
    v = [evaluate(x, model.values) for joint in joints for x in joint.v0]
    return np.array(q, dtype=float), np.array(v, dtype=float)


def _quaternion_places(model: Model) -> list[slice]:
    """Where in q the unit quaternions are."""
    places, start = [], 0
    for joint in model.joints():
        start += joint.nq
        if joint.type in QUATERNION:
            places.append(slice(start - 4, start))
    return places


def simulate(model: Model, until: float, dt: float, *, forces: Forces | None = None, progress: bool = False) -> Motion:
    """Motion from the model's initial state, under joint forces Q(t, q, q̇) (default: none)."""
    if not (dt > 0 and until >= dt and np.isfinite(until / dt)):
        raise ModelError(f"cannot simulate {until} s in steps of {dt} s", cure="give 0 < dt <= until")
    steps = round(until / dt)
    direct, rates = compile(model, "direct", loads=False), compile(model, "rates", loads=False)
    quaternions = _quaternion_places(model)
    still = np.zeros(model.nv)

    def slope(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return rates(q, v), direct(q, v, still if forces is None else forces(t, q, v))

    q, v = initial_state(model)
    path_q, path_v = np.empty((steps + 1, model.nq)), np.empty((steps + 1, model.nv))
    path_q[0], path_v[0] = q, v
    with tqdm(total=steps, unit="step", disable=not progress, desc=f"simulating {model.name}") as bar:
        for n in range(steps):
            t = n * dt
            a1, b1 = slope(t, q, v)
            a2, b2 = slope(t + dt / 2, q + dt / 2 * a1, v + dt / 2 * b1)
            a3, b3 = slope(t + dt / 2, q + dt / 2 * a2, v + dt / 2 * b2)
            a4, b4 = slope(t + dt, q + dt * a3, v + dt * b3)
            q, v = q + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
            for place in quaternions:
                q[place] /= np.linalg.norm(q[place])
            path_q[n + 1], path_v[n + 1] = q, v
            if n % LOOK_EVERY == LOOK_EVERY - 1 or n == steps - 1:
                bar.update(n % LOOK_EVERY + 1)
                if not np.all(np.isfinite(v)):
                    raise DivergenceError(f"the motion diverged before t = {t + dt:g} s", time=t, state=path_q[: n + 1])
    energy = compile(model, "energy", loads=False)(path_q, path_v)
    return Motion(model, np.arange(steps + 1) * dt, path_q, path_v, energy.kinetic, energy.potential)
