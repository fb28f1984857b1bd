"""Time simulation with every method of `stepping`; records named channels."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.energy_account import FEWEST, EnergyAccount, EnergyCheck, OnDrift, with_energies
from symbody.analysis.penalty_watch import PenaltyWatch
from symbody.errors import DivergenceError, IdleWarning, ModelError, SingularityError
from symbody.model.idle_parts import idle_parts
from symbody.model.model import Model
from symbody.results.adaptive_run import AdaptiveRun
from symbody.results.run import Run
from symbody.stepping.events import check_events
from symbody.stepping.fixed_trajectory import FixedTrajectory, See, step_grid
from symbody.stepping.inputs import bends, inputs_at, inputs_over_time
from symbody.stepping.method import FixedStepMethod, Method, VariableStepMethod
from symbody.stepping.registry import FIXED, VARIABLE, suited, suited_fixed
from symbody.stepping.start_state import StartState, start_state, with_own_work
from symbody.stepping.step_options import FixedStep, VariableStep, belongs_to, step_options
from symbody.stepping.variable_trajectory import VariableTrajectory, record_times
from symbody.suggestions import either
from symbody.system.named_values import State, listed, state_vector
from symbody.system.power import UNACCOUNTED
from symbody.system.system import Array, System
from symbody.units import quantity


def simulate(
    what: System | Model,
    until: float | str,
    dt: float | str | None = None,
    *,
    method: str | Method | FixedStep | VariableStep | None = None,
    rtol: float | None = None,
    start: float | str = 0.0,
    x0: State | None = None,
    inputs: Inputs | None = None,
    outputs: Sequence[str] | str | None = None,
    every: float | str | None = None,
    at: Sequence[float] | Array | None = None,
    repartition: bool = False,
    energy: OnDrift | EnergyCheck = "warn",
    progress: bool = False,
    **options: Any,
) -> Run:
    """Simulate a system (or a model, with the options of `system`) from `start` to `until` (s).

        run = sb.simulate(s, until=10.0, dt=1e-3)                  # fixed steps
        run = sb.simulate(s, until=10.0, rtol=1e-8)                # steps chosen by their error
        run = sb.simulate(s, 10.0, method=sb.VariableStep("radau", rtol=1e-9, events=[landing]))

    Parameters
    ----------
    what : System or Model
        A model is compiled first, with the options of `system`. Inputs such as "JOINT.Q", "JOINT.q" (with qd, qdd) and
        "SITE.force.x" are added if `inputs` names them.
    until : float or str
        End of the run, s; or text with a unit, such as "200 ms".
    dt : float or str, optional
        Size of fixed steps, s. The last step is shortened if they do not fit. Default: variable steps.
    method : str, Method, FixedStep or VariableStep, optional
        A name from https://symbody.github.io/symbody/stable/stepping.html, or `FixedStep` or `VariableStep` with the
        options of the method. Default: rk4 if dt is given (trapezoidal for the augmented closure), else dop853.
    rtol : float, optional
        Relative tolerance of variable steps. Default 1e-7.
    start : float or str
        Time at the start, s. Default 0.
    x0 : mapping or array, shape (nx,), optional
        State at the start, by name {"crank.q": 0.3} (the others as in the model), or in the order of `s.states`.
    inputs : mapping, DataFrame, Run or path, optional
        By name, a number, a function of time, (times, values) interpolated linearly, a Series, or with fixed steps an
        array with one value before each step and one after the last; or a DataFrame, .csv or .parquet with a column for
        each. https://symbody.github.io/symbody/stable/inputs.html
    outputs : sequence of str or str, optional
        Channels to record, patterns such as "*.q". Default: those of `system`.
    every : float or str, optional
        Time between records, s; with fixed steps a multiple of dt. Default: every step; with variable steps also the
        states before and after each reset.
    at : array, shape (n,), optional
        Times of the records, s.
    repartition : bool
        Whether a run near a singular position may continue with other independent coordinates. Default False.
    energy : str or EnergyCheck
        What happens if energy changes by more or less than the work of laws, inputs and driven joints: "warn"
        (default), "error", "ignore" (no check), or an `EnergyCheck` with its tolerance. `run["energy.unaccounted"]` is
        the difference (J); `run.meta["energy"]` has the numbers.
    progress : bool
        Whether a progress bar is shown. Default False.
    **options
        Options of `system`, for a model.

    Returns
    -------
    Run
        The recorded channels; with variable steps an `AdaptiveRun`, which also has the events.

    Raises
    ------
    ModelError
        If an argument is invalid.
    DivergenceError, LimitError
        If the motion is not finite, or a limit is passed; `state` has the run up to there.
    SingularityError
        If the coordinates do not determine the motion any more.
    EnergyError
        If `energy` asks for it.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, until=1.0, dt=1e-3)
    >>> run["bob.q"].shape
    (1001,)
    >>> fine = sb.simulate(m, "1 s", rtol=1e-10)
    >>> bool(abs(fine["bob.q"][-1] - run["bob.q"][-1]) < 1e-8)
    True
    """
    _check_moved(options)
    if isinstance(until, Sequence | np.ndarray) and not isinstance(until, str) and len(until) == 2:
        cure = f"write start={until[0]}, until={until[1]}"
        raise ModelError(f"expected the end (s), got {until!r:.60}", element="until", cure=cure)
    until, start = quantity(until, "s", "until"), quantity(start, "s", "start")
    dt = None if dt is None else quantity(dt, "s", "dt")
    every = None if every is None else quantity(every, "s", "every")
    asked = UNACCOUNTED in (listed(outputs) or ())
    s, given = given_system(what, inputs, with_energies(outputs), **options)
    steps = step_options(method, dt, rtol)
    if not np.isfinite(until) or not np.isfinite(start) or not until > start:
        raise ModelError(
            f"cannot simulate from {start:g} s to {until:g} s", cure="give an `until` that is later than the start"
        )
    if at is not None and every is not None:
        raise ModelError("records both at times and every so many seconds", element="at", cure="give one of the two")
    check, penalties = energy if isinstance(energy, EnergyCheck) else EnergyCheck(energy), PenaltyWatch(s)
    if isinstance(steps, FixedStep):
        fixed = suited_fixed(s, steps.method)
        grid = step_grid(start, until, _step_size(fixed, steps, dt, rtol))
        _warn_of_idle(s)
        enough = at is None and grid.steps >= FEWEST * grid.every(every)
        x, account = state_vector(s, x0), EnergyAccount(s, check, enough, asked)
        rows = inputs_at(s, given, grid.times)
        marks = None if at is None else grid.numbers(at)
        trajectory = FixedTrajectory(
            _begun(s, x, rows[0], start), fixed, grid, rows, every=grid.every(every), marks=marks,
            repartition=repartition, newton=steps.newton, see=_seen_by(account, penalties), power=account.watches,
        )  # fmt: skip
        run: Run = _run_fixed(trajectory, fixed, account, progress)
        penalties.close()
        return run
    variable = suited(s, steps.method)
    assert isinstance(variable, VariableStepMethod)
    if dt is not None:
        cure = f"leave `dt` out, and give `every` or sb.VariableStep(max_step=…); or use {either(FIXED)}"
        raise ModelError(f"'{variable.name}' is a variable-step method", element="dt", cure=cure)
    _warn_of_idle(s)
    x, account = state_vector(s, x0), EnergyAccount(s, check, at is None and every is None, asked)
    check_events(s, steps.events)
    u = inputs_over_time(s, given)
    chosen = VariableTrajectory(
        _begun(s, x, u(start), start), start, u, variable, options=steps,
        times=record_times(start, until, at, every), repartition=repartition,
        see=_seen_by(account, penalties), bends=bends(s, given), power=account.watches,
    )  # fmt: skip
    run = _run_variable(chosen, variable, account, start, until, progress)
    penalties.close()
    return run


def _begun(s: System, x: Array | None, u: Array, t: float) -> StartState:
    """The start of a run, with no unaccounted energy yet."""
    return with_own_work(start_state(s, x, u, t), t, u)


def _seen_by(*watches: EnergyAccount | PenaltyWatch) -> See | None:
    """A function that shows states of a run to those who need them; None if nobody does."""
    looking = [watch.see for watch in watches if watch.looks]

    def see(s: System, t: float, x: Array, u: Array, guess: Array) -> None:
        for look in looking:
            look(s, t, x, u, guess)

    return see if looking else None


def _check_moved(options: Mapping[str, Any]) -> None:
    """Refuse options of a method, which belong to `FixedStep` or `VariableStep`."""
    for name in options:
        owner = belongs_to(name)
        if owner:
            raise ModelError("an option of the method", element=name, cure=f"give method=sb.{owner}({name}=…)")


def _step_size(method: FixedStepMethod, steps: FixedStep, dt: float | None, rtol: float | None) -> float:
    """dt (s); refuses options that the method does not use."""
    if rtol is not None:
        cure = f"use {either(VARIABLE)}, without `dt`"
        raise ModelError(f"'{method.name}' is a fixed-step method", element="rtol", cure=cure)
    if dt is None:
        cure = f"give `dt` (s), or use {either(VARIABLE)}"
        raise ModelError(f"'{method.name}' is a fixed-step method", element="dt", cure=cure)
    if steps.newton is not None and not method.newton:
        able = either(name for name, m in FIXED.items() if m.newton)
        raise ModelError(f"'{method.name}' does not use Newton's method", element="newton", cure=f"use {able}")
    return float(dt)


def _warn_of_idle(s: System) -> None:
    """Warn of parts of the model that have no law and no input, and thus no effect."""
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
            account.close(kept, method, trajectory.work(), ended=True)
            raise
    if interrupted:
        warnings.warn(f"interrupted after t = {trajectory.now:g} s: the run up to there is kept", stacklevel=3)
    meta = {"seconds": time.perf_counter() - began} | _effort(trajectory.counts)
    run = _recorded(trajectory, method, meta | ({"interrupted": True} if interrupted else {}))
    account.close(run, method, trajectory.work())
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
            account.close(kept, method, trajectory.work(), ended=True)
            raise
    run = _adaptive(trajectory)
    account.close(run, method, trajectory.work())
    return run


def _adaptive(trajectory: VariableTrajectory) -> AdaptiveRun:
    t, values = trajectory.records()
    return AdaptiveRun(trajectory.system, t, values, trajectory.events, trajectory.segments, trajectory.meta)
