"""Time simulation: one verb for every method of `stepping`, named channels recorded."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.energy_account import TOLERANCE, EnergyAccount, OnDrift
from symbody.analysis.given import Inputs, given_system
from symbody.errors import DivergenceError, IdleWarning, ModelError, SingularityError
from symbody.model.idle_parts import idle_parts
from symbody.model.model import Model
from symbody.results.adaptive_run import AdaptiveRun
from symbody.results.run import Run
from symbody.stepping.events import Event, check_events
from symbody.stepping.fixed_trajectory import FixedTrajectory, step_grid
from symbody.stepping.inputs import bends, inputs_at, inputs_over_time
from symbody.stepping.method import FixedStepMethod, Method, VariableStepMethod
from symbody.stepping.newton import Newton
from symbody.stepping.registry import FIXED, VARIABLE, suited
from symbody.stepping.start_state import start_state
from symbody.stepping.variable_trajectory import Tolerances, VariableTrajectory, record_times
from symbody.system.by_name import State, state_vector
from symbody.system.system import Array, System


def simulate(
    what: System | Model,
    until: float,
    dt: float | None = None,
    *,
    method: str | Method | None = None,
    every: float | None = None,
    inputs: Inputs | None = None,
    x0: State | None = None,
    outputs: Sequence[str] | str | None = None,
    start: float = 0.0,
    at: Sequence[float] | Array | None = None,
    events: Sequence[Event] = (),
    dense: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    repartition: bool = False,
    progress: bool = False,
    newton: Newton | None = None,
    energy: OnDrift = "warn",
    energy_tolerance: float = TOLERANCE,
    **options: Any,
) -> Run:
    """The motion of a system (or of a model, with the options of `system`) from `start` to `until` (s), recorded.

    method: see docs/stepping.md. Those with fixed steps need dt (s); the last step is shortened where they do not fit.
    Without a method: rk4 where dt is given (trapezoidal for the augmented closure), else dop853.
    every: seconds between records, for fixed steps a whole multiple of dt; or at: the times of the records (s).
    Without both every step is recorded; with steps chosen by their error, states before and after resets as well.
    inputs: by name, a number, a function of time, (times, values) interpolated linearly, a Series, or with fixed steps
    a value for each step and one more; or a DataFrame, or a .csv or .parquet, with a column for each (docs/inputs.md).
    A model gets inputs "JOINT.Q", "JOINT.q" (with qd, qdd), "SITE.force.x" … by that alone.
    x0: the state at the start, by name {"crank.q": 0.3} (the rest as the model has it), or in the order of `s.states`.
    outputs: what is recorded, patterns such as "*.q"; default: as of `system`.
    repartition: whether a run that nears a singular position of its coordinates may go on with others.
    newton: how the trapezoidal rule and generalised-α solve the equations of a step.
    energy: what happens where nothing feeds or takes energy, and it drifts by more than `energy_tolerance` of the
    largest exchange: "warn", "error" or "ignore"; `run.meta["energy"]` has the numbers, or says what exchanges energy.

    Only with steps chosen by their error: rtol, atol (the error of a step is kept below rtol·|x| + atol; 1e-7, 1e-9),
    max_step (s), events (see `Event`), dense (keep what `run.dense(t)` needs). The result is an `AdaptiveRun`.
    """
    s, given = given_system(what, inputs, outputs, **options)
    chosen = suited(s, method, dt)
    if not np.isfinite(until) or not np.isfinite(start) or not until > start:
        raise ModelError(f"cannot simulate from {start:g} s to {until:g} s", cure="give `start` < `until`")
    if at is not None and every is not None:
        raise ModelError("records both at times and every so many seconds", element="at", cure="give one of the two")
    numbers = {"rtol": rtol, "atol": atol, "max_step": max_step}
    _check(chosen, dt, newton, {**numbers, "events": events or None, "dense": dense or None})
    _warn_of_idle(s)
    x = state_vector(s, x0)
    account = EnergyAccount(s, energy, energy_tolerance, any(event.action for event in events))
    see = account.see if account.looks else None
    if isinstance(chosen, FixedStepMethod):
        grid = step_grid(start, until, float(dt or 0.0))
        rows = inputs_at(s, given, grid.times)
        marks = None if at is None else grid.numbers(at)
        fixed = FixedTrajectory(
            start_state(s, x, rows[0], start), chosen, grid, rows,
            every=grid.every(every), marks=marks, repartition=repartition, newton=newton, see=see,
        )  # fmt: skip
        return _run_fixed(fixed, chosen, account, progress)
    assert isinstance(chosen, VariableStepMethod)
    check_events(s, events)
    u = inputs_over_time(s, given)
    variable = VariableTrajectory(
        start_state(s, x, u(start), start), start, u, chosen,
        tolerances=Tolerances(**{name: value for name, value in numbers.items() if value is not None}),
        times=record_times(start, until, at, every), events=events, dense=dense, repartition=repartition,
        see=see, bends=bends(s, given),
    )  # fmt: skip
    return _run_variable(variable, chosen, account, start, until, progress)


def _check(method: Method, dt: float | None, newton: Newton | None, adaptive: dict[str, Any]) -> None:
    """Refuse what a method would ignore."""
    if isinstance(method, FixedStepMethod):
        if dt is None:
            cure = f"give `dt` (s), or use one of {', '.join(VARIABLE)}, which choose their steps"
            raise ModelError(f"'{method.name}' has fixed steps", element="dt", cure=cure)
        given = [name for name, value in adaptive.items() if value is not None]
        if given:
            cure = f"use one of {', '.join(VARIABLE)}, without `dt`"
            raise ModelError(f"'{method.name}' has fixed steps", element=given[0], cure=cure)
    elif dt is not None:
        cure = f"leave `dt` out, and give `every` or `max_step` (s); or use one of {', '.join(FIXED)}"
        raise ModelError(f"'{method.name}' chooses its steps", element="dt", cure=cure)
    if newton is not None and not (isinstance(method, FixedStepMethod) and method.newton):
        able = " or ".join(name for name, m in FIXED.items() if m.newton)
        raise ModelError(f"'{method.name}' has no Newton's method to be set", element="newton", cure=f"use {able}")


def _warn_of_idle(s: System) -> None:
    """Say what of the model has no law and no input, and thus does nothing."""
    for sentence in idle_parts(s.model, s.inputs):
        warnings.warn(IdleWarning(f"{s.model.name}: {sentence}"), stacklevel=3)


def _run_fixed(trajectory: FixedTrajectory, method: FixedStepMethod, account: EnergyAccount, progress: bool) -> Run:
    interrupted, began, s = False, time.perf_counter(), trajectory.system
    with tqdm(total=trajectory.grid.steps, unit="step", disable=not progress, desc=f"simulating {s.model.name}") as bar:
        try:
            trajectory.run(lambda done: bar.update(done - bar.n))
        except KeyboardInterrupt:
            interrupted = True
        except (DivergenceError, SingularityError) as error:
            error.state = kept = _recorded(trajectory, method)
            account.close(kept, method, ended=True)
            raise
    if interrupted:
        warnings.warn(f"interrupted after t = {trajectory.now:g} s: the run up to there is kept", stacklevel=3)
    meta = {"seconds": time.perf_counter() - began} | _effort(trajectory.counts)
    run = _recorded(trajectory, method, meta | ({"interrupted": True} if interrupted else {}))
    account.close(run, method)
    return run


def _recorded(trajectory: FixedTrajectory, method: Method, meta: Mapping[str, Any] | None = None) -> Run:
    about = {"dt": trajectory.grid.dt, "method": method.name, **(meta or {})}
    return Run(trajectory.system, trajectory.t, trajectory.values, meta=about)


def _effort(counts: Array) -> dict[str, Any]:
    """Iterations of Newton's method: of each step, their mean and the most."""
    if not len(counts):
        return {}
    return {
        "iterations_mean": float(counts.mean()),
        "iterations_max": int(counts.max()),
        "iterations": counts.astype(int).tolist(),
    }


def _run_variable(
    trajectory: VariableTrajectory,
    method: Method,
    account: EnergyAccount,
    start: float,
    until: float,
    progress: bool,
) -> AdaptiveRun:
    s = trajectory.system
    with tqdm(total=1.0, disable=not progress, desc=f"simulating {s.model.name}", bar_format="{l_bar}{bar}|") as bar:
        try:
            trajectory.run(until, lambda t: bar.update((t - start) / (until - start) - bar.n))
        except (DivergenceError, SingularityError) as error:
            error.state = kept = _adaptive(trajectory)
            account.close(kept, method, ended=True)
            raise
    run = _adaptive(trajectory)
    account.close(run, method)
    return run


def _adaptive(trajectory: VariableTrajectory) -> AdaptiveRun:
    t, values = trajectory.records()
    return AdaptiveRun(trajectory.system, t, values, trajectory.events, trajectory.segments, trajectory.meta)


def integrate_adaptive(what: System | Model, until: float, **more: Any) -> Run:
    """Deprecated: `simulate(what, until)` takes every method."""
    warnings.warn("integrate_adaptive is now simulate(what, until, method=…)", DeprecationWarning, stacklevel=2)
    return simulate(what, until, **more)
