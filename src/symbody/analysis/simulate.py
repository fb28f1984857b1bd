"""Time simulation with fixed steps, loops closed at every stage, named channels recorded; all in C."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import DivergenceError, LimitError, ModelError, SingularityError
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.fixed_step import BEYOND_LIMIT, DONE, NEAR_SINGULAR, Steps
from symbody.stepping.implicit_step import METHODS, Monolithic, Newton
from symbody.stepping.repartition import StartState, repartitioned, shrunk, start_state
from symbody.stepping.rk4 import STOP, SWITCH, stepper
from symbody.stepping.rosenbrock import TABLES, implicit_stepper
from symbody.system.programs import limits_program
from symbody.system.recipe import asked_for
from symbody.system.system import Array, System, system

CHUNK = 5000  # steps in C between looks at the progress bar and at Ctrl-C
Signal = float | Array | Callable[[float], float]


def simulate(
    what: System | Model,
    until: float,
    dt: float,
    *,
    method: str | None = None,
    every: int = 1,
    inputs: Mapping[str, Signal] | None = None,
    x0: Array | None = None,
    repartition: bool = False,
    progress: bool = False,
    newton: Newton | None = None,
    **options: Any,
) -> Run:
    """The motion of a system (or of a model, with the options of `system`), recorded every so many steps.

    method: "rk4" (default) or "semi-implicit"; for stiff systems "rodas3" or "rodas4", and "trapezoidal" or
    "generalised-alpha", which take positions and states together; the augmented closure has only the last two.
    inputs: by name, a number, a function of time (sampled at the steps), or a value for each step and one more; of a
    model also "JOINT.Q", "JOINT.q" (with qd, qdd), "SITE.force.x" … without further ado.
    repartition: whether a run that nears a singular position of its coordinates may go on with others.
    newton: how the last two methods solve the equations of a step.
    """
    given = dict(inputs or {})
    s = what if isinstance(what, System) else system(what, inputs=asked_for(what, given), **options)
    if not (dt > 0 and until >= dt and np.isfinite(until / dt) and every >= 1):
        raise ModelError(f"cannot simulate {until} s in steps of {dt} s", cure="give 0 < dt <= until, and every >= 1")
    wanted_steps = round(until / dt)
    course = Course(dt, suited(s, method), every, sampled(s, given, wanted_steps, dt), repartition, newton)
    steps, refusal = course.possible(s, wanted_steps)
    rows: list[Array] = []
    counts: list[Array] = []
    run = course.stepper(start_state(s) if x0 is None else start_state(s, np.asarray(x0, dtype=float), course.u[0]), 0)
    interrupted, began = False, time.perf_counter()
    with tqdm(total=steps, unit="step", disable=not progress, desc=f"simulating {s.model.name}") as bar:
        while run.done <= steps and steps >= 0 and not interrupted:
            before = run.done
            wanted = min(CHUNK, steps - before) or 1  # the state after the last step is the one before the next
            try:
                rows.append(run.run(wanted, every))
                counts.append(getattr(run, "counts", np.zeros(0)))
            except KeyboardInterrupt:
                interrupted = True
            bar.update(min(run.done, steps) - before)
            if run.status != DONE and not interrupted:
                s, run = _continued(s, run, course, rows)
    if interrupted:
        warnings.warn(f"interrupted after t = {run.done * dt:g} s: the run up to there is kept", stacklevel=2)
    if refusal is not None and not interrupted:
        refusal.state = course.recorded(s, rows)
        raise refusal
    meta = {"seconds": time.perf_counter() - began} | _effort(counts)
    return course.recorded(s, rows, meta | ({"interrupted": True} if interrupted else {}))


def suited(s: System, method: str | None) -> str:
    """The method asked for, or the usual one of the closure."""
    augmented = s.recipe.closure == "augmented"
    if augmented and method is not None and method not in METHODS:
        raise ModelError(f"'{method}' for the augmented closure", cure=f"use {' or '.join(METHODS)}")
    return method or ("trapezoidal" if augmented else "rk4")


def _effort(counts: list[Array]) -> dict[str, Any]:
    """Iterations of Newton's method: of each step, their mean and the most."""
    each = np.concatenate([np.zeros(0), *counts])
    if not len(each):
        return {}
    return {
        "iterations_mean": float(each.mean()),
        "iterations_max": int(each.max()),
        "iterations": each.astype(int).tolist(),
    }


@dataclass(frozen=True)
class Course:
    """How a run goes: step, method, what is recorded, inputs, whether coordinates may change."""

    dt: float
    method: str
    every: int
    u: Array
    repartition: bool
    newton: Newton | None = None

    def stepper(self, at: StartState, first: int) -> Steps:
        """Steps from a state on."""
        watch = SWITCH if self.repartition else STOP
        if self.method in METHODS:
            return Monolithic(at, self.dt, self.method, self.u, first, watch, self.newton)
        make = implicit_stepper if self.method in TABLES else stepper
        return make(at, self.dt, self.method, self.u, first, watch)

    def possible(self, s: System, steps: int) -> tuple[int, DivergenceError | None]:
        """Steps before an input is no longer a number, and the error that says so."""
        bad = np.argwhere(~np.isfinite(self.u[: steps + 1]))
        if not len(bad):
            return steps, None
        row, column = bad[0]
        t, value = row * self.dt, self.u[row, column]
        problem = f"the input {s.inputs[column]} of {s.model.name} is {value} at t = {t:g} s"
        return int(row) - 2, DivergenceError(problem, time=t)

    def inputs(self, step: int) -> Array:
        """The inputs before a step."""
        row: Array = self.u[0] if len(self.u) == 1 else self.u[step]
        return row

    def recorded(self, s: System, rows: list[Array], meta: Mapping[str, Any] | None = None) -> Run:
        """What was recorded so far."""
        path = np.vstack([np.zeros((0, len(s.outputs))), *rows])
        times = np.arange(len(path)) * self.dt * self.every
        return Run(s, times, path, meta={"dt": self.dt, "method": self.method, **(meta or {})})


def _continued(s: System, run: Steps, course: Course, rows: list[Array]) -> tuple[System, Steps]:
    """After a stop: other coordinates where that helps and is allowed; else the error that says what happened."""
    t, now = run.done * course.dt, course.inputs(run.done)
    last = s.outputs_function(np.array([t]), run.x, now, run.guess)
    good = run.done % course.every == 0 and np.all(np.isfinite(last))
    kept = course.recorded(s, [*rows, last[None]] if good else rows)
    if run.status == BEYOND_LIMIT:
        raise _beyond(s, run, t, now, kept)
    culprit = None
    for share in (0.0, 0.5, 1.0) if run.status != NEAR_SINGULAR else ():
        culprit = culprit or s.culprit(t + share * course.dt, run.x, now)
    at = StartState(s, run.x, run.guess, s.pivots)
    if culprit is None and shrunk(at, t, now, SWITCH):
        try:
            onward = repartitioned(at, t, now, course.repartition)
        except SingularityError as error:
            raise SingularityError(str(error), time=t, state=kept) from error
        if run.status == NEAR_SINGULAR or onward.system is not s:
            return onward.system, course.stepper(onward, run.done)
    cause = f": the law of {culprit[0]} gives {culprit[1]}" if culprit else ""
    raise DivergenceError(f"the motion of {s.model.name} diverged after t = {t:g} s{cause}", time=t, state=kept)


def _beyond(s: System, run: Steps, t: float, u: Array, kept: Run) -> LimitError:
    """The limit that a state has passed."""
    room = np.atleast_1d(s.function("limits", limits_program)(np.array([t]), run.x, u, run.guess))
    k = int(np.argmax(~(room > 0)))
    name, value = list(s.model.limits)[k], float(room[k])
    problem = f"{s.model.name}: {name} must stay positive and is {value:g} at t = {t:g} s"
    return LimitError(problem, limit=name, value=value, time=t, state=kept)


def sampled(s: System, inputs: Mapping[str, Signal], steps: int, dt: float) -> Array:
    """Inputs over a run: one row where they are constant, else a row for each step and two more."""
    for name in inputs:
        if name not in s.inputs:
            raise ModelError("no such input", element=name, cure=f"the inputs are {', '.join(s.inputs) or 'none'}")
    if all(np.isscalar(x) for x in inputs.values()):
        return np.array([[float(inputs.get(name, x)) for name, x in zip(s.inputs, s.u0, strict=True)]])
    t = np.arange(steps + 2) * dt
    columns = [_column(name, inputs.get(name, float(x)), t) for name, x in zip(s.inputs, s.u0, strict=True)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _column(name: str, signal: Signal, t: Array) -> Array:
    if callable(signal):
        return np.array([float(signal(x)) for x in t])
    values = np.asarray(signal, dtype=float)
    if values.ndim == 0:
        return np.full(len(t), float(values))
    if values.ndim != 1 or len(values) < len(t) - 1:
        cure = f"give {len(t) - 1} values, one for each step and one more"
        raise ModelError(f"an input of shape {values.shape}", element=name, cure=cure)
    return np.append(values, values[-1])[: len(t)]
