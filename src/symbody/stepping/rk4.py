"""Fixed-step integration in C, with named channels recorded: a million steps never leave compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.stepping.fixed_step import (
    BEYOND_LIMIT,
    DONE,
    NEAR_SINGULAR,
    NOT_FINITE,
    CompiledSteps,
    Steps,
    limits_of,
    structure_of,
    velocity_places,
)
from symbody.stepping.repartition import StartState
from symbody.system.system import Array

ORDERS = {"rk4": 4, "semi-implicit": 1}
STOP = 0.02  # share of its first value at which a pivot of the loops ends a run
SWITCH = 0.3  # where other coordinates may be taken, they are taken sooner: accuracy goes with the square of the pivot
SYSTEM_T = structure_of(  # of runtime/integrate.c
    ("rates", "outputs", "limits"),
    "nx nq nv nu nd ny nl nballs",
    "velocity balls pivots u x guess work",
    "watch t0 dt",
    "row order",
)


def stepper(at: StartState, dt: float, method: str, u: Array, first: int = 0, watch: float = STOP) -> Steps:
    """A stepper from a state: in C, or in Python where there is no compiler; time is zero at step zero.

    u holds the inputs: one row, or a row before each step (counted from 0) and one after the last.
    """
    if method not in ORDERS:
        raise ModelError(f"no method '{method}'", cure=f"use {' or '.join(ORDERS)}; augmented systems have their own")
    made = InC if at.system.rates_function.backend == "c" else InPython
    return made(at, dt, method, u, first, watch)


class InC(CompiledSteps):
    """Steps in C."""

    def __init__(self, at: StartState, dt: float, method: str, u: Array, first: int, watch: float):
        super().__init__(at, u, first, "rk4.c", {"rates": at.system.rates_function})
        nx, nd, nu, nl = (self.sizes[name] for name in ("nx", "nd", "nu", "nl"))
        self.arrays["work"] = np.zeros(6 * nx + 2 * nd + nu + nl)
        self.structure = self.bound(SYSTEM_T, watch=watch, dt=dt, order=ORDERS[method])


class InPython:
    """The same steps in Python, for machines without a C compiler."""

    def __init__(self, at: StartState, dt: float, method: str, u: Array, first: int, watch: float):
        self._system, self._dt, self._order, self._watch = at.system, dt, ORDERS[method], watch
        self.x, self._u, self.done, self.status = np.array(at.x, dtype=float), np.atleast_2d(u), first, DONE
        self.guess, self._pivots = np.array(at.guess, dtype=float), np.array(at.pivots)
        self._velocity = np.array(velocity_places(at.system), dtype=int)

    def _inputs(self, step: int, share: float) -> Array:
        if len(self._u) == 1:
            return np.asarray(self._u[0])
        after = self._u[min(step + 1, len(self._u) - 1)]
        return np.asarray(self._u[step] + share * (after - self._u[step]))

    def _slope(self, step: int, share: float, x: Array) -> Any:
        t = (step + share) * self._dt
        found = self._system.rates_function(np.array([t]), x, self._inputs(step, share), self.guess)
        if np.all(np.isfinite(found.v)):
            self.guess = found.v
        return found

    def run(self, steps: int, every: int = 1) -> Array:
        rows: list[Array] = []
        self.status = DONE
        for step in range(self.done, self.done + steps):
            found = self._slope(step, 0.0, self.x)
            if not np.all(np.isfinite(found.xd)):
                self.status = NOT_FINITE
                break
            if len(self._pivots) and not np.all(found.pivots / self._pivots > self._watch):
                self.status = NEAR_SINGULAR
                break
            t = np.array([step * self._dt])
            now = (t, self.x, self._inputs(step, 0.0), self.guess)
            if not all(np.all(limits(*now) > 0) for limits in limits_of(self._system).values()):
                self.status = BEYOND_LIMIT
                break
            y = self._system.outputs_function(*now)
            after = self._stepped(step, found.xd)
            if not np.all(np.isfinite(after)):
                self.status = NOT_FINITE
                break
            rows += [y] if step % every == 0 else []
            self.x, self.done = after, step + 1
        return np.array(rows).reshape(len(rows), len(self._system.outputs))

    def _stepped(self, step: int, d: Array) -> Array:
        x, dt, nq = self.x, self._dt, len(self._velocity)
        if self._order == 4:
            b = self._slope(step, 0.5, x + dt / 2 * d).xd
            c = self._slope(step, 0.5, x + dt / 2 * b).xd
            e = self._slope(step, 1.0, x + dt * c).xd
            new = x + dt / 6 * (d + 2 * b + 2 * c + e)
        else:
            new = x + dt * np.r_[np.zeros(nq), d[nq:]]
            speeds = self._slope(step, 1.0, new).xd[:nq]  # only those of quaternions differ from the velocities
            new[:nq] += dt * np.where(self._velocity >= 0, new[self._velocity], speeds)
        for q, _ in self._system.quaternions:
            new[q : q + 4] /= np.linalg.norm(new[q : q + 4])
        return np.asarray(new)
