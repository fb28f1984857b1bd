"""Fixed-step integration in C, with named channels recorded: a million steps never leave compiled code."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np

from symbody.codegen import Function
from symbody.codegen.native import runtime_library
from symbody.errors import ModelError
from symbody.system.programs import limits_program
from symbody.system.repartition import Onward
from symbody.system.system import Array, System

ORDERS = {"rk4": 4, "semi-implicit": 1}
DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT = range(5)  # as in runtime/steps.h
STOP = 0.02  # share of its first value at which a pivot of the loops ends a run
SWITCH = 0.3  # where other coordinates may be taken, they are taken sooner: accuracy goes with the square of the pivot
_FUNCTIONS = ("rates", "outputs", "limits")
_SIZES = ("nx", "nq", "nv", "nu", "nd", "ny", "nl", "nballs")
_POINTERS = ("velocity", "balls", "pivots", "u", "x", "guess", "work")


class _System(ctypes.Structure):
    """system_t of runtime/integrate.c."""

    _fields_ = (
        *((f"{name}{part}", ctypes.c_void_p) for name in _FUNCTIONS for part in ("", "_h")),
        *((name, ctypes.c_long) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_double) for name in ("watch", "t0", "dt")),
        ("row", ctypes.c_long),
    )


class Steps(Protocol):
    """A system on its way: `x` is its state after `done` steps."""

    x: Array
    guess: Array  # dependent coordinates at the last evaluation
    done: int
    status: int

    def run(self, steps: int, every: int = 1) -> Array:
        """Make steps; rows of outputs before every `every`-th of them. Fewer are made where `status` is not DONE."""
        ...


def stepper(at: Onward, dt: float, method: str, u: Array, first: int = 0, watch: float = STOP) -> Steps:
    """A stepper from a state: in C, or in Python where there is no compiler; time is zero at step zero.

    u holds the inputs: one row, or a row before each step (counted from 0) and one after the last.
    """
    if method not in ORDERS:
        raise ModelError(f"no method '{method}'", cure=f"use {' or '.join(ORDERS)}; augmented systems have their own")
    made = InC if at.system.rates_function.backend == "c" else InPython
    return made(at, dt, method, u, first, watch)


def recorded(integrate: Any, first: Any, done: int, steps: int, every: int, ny: int) -> tuple[Array, int, int]:
    """Rows recorded, steps made and status of steps in C, called with its first arguments and what all of them take."""
    rows = len(range(-done % every, steps, every))
    path, status = np.full((rows, ny), np.nan), ctypes.c_int()
    counts = (ctypes.c_long(n) for n in (done, steps, every))
    made = integrate(*first, *counts, ctypes.c_void_p(path.ctypes.data), ctypes.byref(status))
    return path[: len(range(-done % every, made, every))], made, status.value


def entry(function: Function | None) -> tuple[int | None, int | None]:
    """How C calls a function: its address and its hoisted numbers; nothing where there is none."""
    return (None, None) if function is None else (function.address, function.hoisted.ctypes.data)


def limits_of(system: System) -> dict[str, Function]:
    """The function that watches the model's limits, where it has any."""
    return {"limits": system.function("limits", limits_program)} if system.model.limits else {}


class InC:
    """Steps in C."""

    def __init__(self, at: Onward, dt: float, method: str, u: Array, first: int, watch: float):
        self._order, self.done, self.status, system = ORDERS[method], first, DONE, at.system
        self.x, self.guess = np.array(at.x, dtype=float), np.array(at.guess, dtype=float)
        layout, nl = system.layout, len(system.model.limits)
        functions = {"rates": system.rates_function, "outputs": system.outputs_function, **limits_of(system)}
        nx, nq, nd, nu = len(self.x), len(layout.coordinates), len(self.guess), len(system.inputs)
        self._ny = len(system.outputs)
        arrays: dict[str, Array] = {
            "velocity": np.array(velocity_places(system), dtype=np.int64),
            "balls": np.array(system.quaternions, dtype=np.int64).ravel(),
            "pivots": np.array(at.pivots, dtype=float),
            "u": np.ascontiguousarray(u, dtype=float),
            "x": self.x,
            "guess": self.guess,
            "work": np.zeros(6 * nx + 2 * nd + nu + nl),
        }
        self._arrays, self._functions = arrays, functions  # the C structure points into them
        sizes = (nx, nq, len(layout.velocities), nu, nd, self._ny, nl, len(system.quaternions))
        entries = [x for name in _FUNCTIONS for x in entry(functions.get(name))]
        pointers = (arrays[name].ctypes.data for name in _POINTERS)
        row = nu if arrays["u"].ndim == 2 and len(arrays["u"]) > 1 else 0
        self._system = _System(*entries, *sizes, *pointers, watch, 0.0, dt, row)
        self._integrate: Any = runtime_library("integrate.c")["integrate"]
        self._integrate.restype = ctypes.c_long

    def run(self, steps: int, every: int = 1) -> Array:
        first = ctypes.byref(self._system), ctypes.c_int(self._order)
        path, made, self.status = recorded(self._integrate, first, self.done, steps, every, self._ny)
        for function in self._functions.values():
            function.raise_pending()
        self.done += made
        return path


class InPython:
    """The same steps in Python, for machines without a C compiler."""

    def __init__(self, at: Onward, dt: float, method: str, u: Array, first: int, watch: float):
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


def velocity_places(system: System) -> list[int]:
    """Per coordinate in x, the place in x of its velocity; −1 within a quaternion."""
    layout, found, q, v = system.layout, [], 0, 0
    place = {dof: len(layout.coordinates) + k for k, dof in enumerate(layout.velocities)}
    own: dict[int, int] = {}
    for joint in system.model.joints():
        slides = min(joint.nq, joint.nv) if joint.type != "ball" else 0
        slides = 3 if joint.type == "free" else slides
        own |= {q + k: v + k for k in range(slides)}
        q, v = q + joint.nq, v + joint.nv
    for i in layout.coordinates:
        found.append(place[own[i]] if i in own else -1)
    return found
