"""A stepper for controllers, estimators and learning: `step(x, u)` in C, for one state or many, without a new run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.errors import AssemblyError, DivergenceError, ModelError, SingularityError
from symbody.stepping.failure import after_stop
from symbody.stepping.fixed_step import DONE, NEAR_SINGULAR, TOWARDS_SINGULAR, CompiledSteps, FixedSteps, StepSettings
from symbody.stepping.method import FixedStepMethod, Method
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import StartState, check_given, closed_at, start_state
from symbody.stepping.step_options import FixedStep, fixed_step
from symbody.system.named_values import State, require_known, state_vector
from symbody.system.system import Array, System


class Stepper:
    """A system that is stepped from outside: `x = stepper.step(x, u)`. `sb.stepper` makes it.

    It remembers the dependent coordinates of loops, so that successive steps cost as much as in `simulate` and give the
    same numbers. Changed live parameters take effect at the next step.

    Parameters
    ----------
    system : System
    method : FixedStepMethod
    dt : float
        s, of a step.
    substeps : int
        Parts of a step.
    newton : Newton or None
        How implicit methods solve the equations of a step.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> walker = sb.stepper(sb.system(m), dt=1e-3)
    >>> x = walker.step(walker.reset())
    >>> x.shape, walker.t
    ((2,), 0.001)
    """

    def __init__(self, system: System, method: FixedStepMethod, dt: float, substeps: int, newton: Newton | None):
        self.system, self.method, self.dt, self.substeps = system, method, dt, substeps
        self._newton, self._shape, self._wide = newton, system.x0.shape, system.u0.shape
        self._usual = self._size = dt / substeps  # s, of one substep
        self._u = np.array([system.u0], dtype=float)  # steps read their inputs here
        self._held = self._u[0]
        self._given = np.array(system.x0, dtype=float)
        self._many: _ManyStates | None = None
        self._begin(start_state(system), 0.0)

    def _begin(self, at: StartState, t: float) -> None:
        """Start steps from a state, with the coordinates of its system."""
        self._at = at
        settings = StepSettings(self._size, self._u, t, foresee=True, newton=self._newton)
        self._steps: FixedSteps = self.method.steps(at, settings)
        self._advance: Any = lambda: self._steps.advance_from(self._given, self.substeps)
        if isinstance(self._steps, CompiledSteps):
            for function in self._steps.functions.values():
                if at.system is not self.system:
                    self.system.parameters.follow(function)
                function.when_optimised(self._bind)
            self._bind()

    def _bind(self) -> None:
        """Call the best build that is ready now."""
        if isinstance(self._steps, CompiledSteps):
            self._advance = self._steps.bound_advance(self._given, self.substeps)

    # -- state -------------------------------------------------------------------------------------------------------

    @property
    def x(self) -> Array:
        """The state after the last step; for many states, one row each."""
        return self._many.x if self._many else np.array(self._steps.x)

    @property
    def t(self) -> float:
        """The time (s). It advances with each step and can be set."""
        return self._steps.t

    @t.setter
    def t(self, t: float) -> None:
        self._steps.retime(float(t), self._size, self._u)

    def reset(self, x0: State | None = None, t: float = 0.0) -> Array:
        """Start again at the system's start, or at another state (its loops are closed again), at a time t (s).

        x0: by name (others keep their initial values), or in the order of `system.states`. Returns the state (nx,).
        """
        x = state_vector(self.system, x0)
        self._many = None
        self._u[0] = self.system.u0
        start = start_state(self.system, None if x is None else self._state(x), t=t)
        if self._at.system is self.system:
            self._at = start
            self._steps.move_to(start, t)
        else:
            self._begin(start, t)
        return self.x

    def observe(self) -> Array:
        """The outputs after the last step, in the order of `system.outputs`; for many states, one row each."""
        if self._many:
            return self._many.observe(self.t)
        y = self._steps.observe()
        while self._steps.status != DONE:
            self._recover(self._steps.status)
            y = self._steps.observe()
        return y

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, x: Array, u: Array | None = None, dt: float | None = None, *, out: Array | None = None) -> Array:
        """The state after one step.

        Parameters
        ----------
        x : array, shape (nx,) or (n, nx)
            One state, or many, in the order of `system.states`.
        u : array, shape (nu,) or (n, nu), or mapping, optional
            Inputs, constant over the step, in the order of `system.inputs`; or by name (slower), others as in the
            system. Default: the system's inputs.
        dt : float, optional
            s; default: the stepper's.
        out : array, optional
            An array for the result.

        Returns
        -------
        array
            Of the shape of x.
        """
        if dt is not None or self._size != self._usual:
            self._resize((self.dt if dt is None else dt) / self.substeps)
        if getattr(x, "shape", None) != self._shape:
            if np.ndim(x) == 2:
                return _into(out, self._step_many(np.asarray(x, dtype=float), u))
            x = self._state(x)
        self._many = None
        self._given[:] = x
        self._held[:] = (
            self.system.u0 if u is None else u if getattr(u, "shape", None) == self._wide else self._inputs(u)
        )
        status = self._advance()
        if status != DONE:
            self._again(self._now(), status)
        return _into(out, self._steps.x)

    def _state(self, x: Any) -> Array:
        state: Array = np.asarray(x, dtype=float)
        if state.shape != self._shape:
            cure = f"use {self._shape[0]} numbers, in the order of system.states, or rows of them"
            raise ModelError(f"the state has shape {state.shape}", element=self.system.model.name, cure=cure)
        return state

    def _inputs(self, u: Any) -> Any:
        if isinstance(u, Mapping):
            require_known(u, self.system.inputs, "input")
            return [float(u.get(name, x)) for name, x in zip(self.system.inputs, self.system.u0, strict=True)]
        if np.shape(u) != self._wide:
            cure = f"use {self._wide[0]} numbers, one for each of {', '.join(self.system.inputs) or 'none'}"
            raise ModelError(f"the inputs have shape {np.shape(u)}", element=self.system.model.name, cure=cure)
        return u

    def _resize(self, size: float) -> None:
        if size == self._size:
            return
        if not 0.0 < size < np.inf:
            raise ModelError(f"the step is {size * self.substeps} s", element="dt", cure="use a positive number")
        self._size = size
        self._steps.retime(self._steps.t, size, self._u)

    def _again(self, last: StartState, status: int) -> None:
        """Retry a failed step with loops closed on the path from the last state; then `_recover`."""
        s, t, x, u = self._at.system, self._steps.t, self._given.copy(), self._held
        if isinstance(self._steps, CompiledSteps):
            self._steps.raise_pending()
        check_given(s, x, u, t)
        try:
            start = closed_at(last, x, u, t)
        except (AssemblyError, SingularityError):
            start = start_state(s, x, u, t)
        self._steps.move_to(start, t)
        if status in (NEAR_SINGULAR, TOWARDS_SINGULAR):
            self._at = start
            self._recover(status)
        for _ in range(self.substeps):
            while (status := self._steps.advance_from(np.array(self._steps.x), 1)) != DONE:
                self._recover(status)

    def _now(self) -> StartState:
        """The last good state."""
        return StartState(self._at.system, np.array(self._steps.x), np.array(self._steps.guess), self._at.pivots)

    def _recover(self, status: int) -> None:
        """Continue with another order of the coordinates if that helps; else raise an error with time and state."""
        here, t = self._now(), self._steps.t
        try:
            onward = after_stop(here, status, t, self._size, self._u[0], False, self.method)
            if onward.system.states != self.system.states:
                raise SingularityError(f"{here.system.model.name}: other coordinates are needed at t = {t:g} s", time=t)
        except (DivergenceError, SingularityError) as error:
            error.state = here.x
            raise
        self._begin(onward, t)

    # -- many states -------------------------------------------------------------------------------------------------

    def _step_many(self, x: Array, u: Any) -> Array:
        """One step of each row."""
        u = self.system.u0 if u is None else self._inputs(u) if isinstance(u, Mapping) else u
        rows = np.asarray(u, dtype=float)
        self._inputs(rows[0] if rows.ndim == 2 and 0 < len(rows) == len(x) else rows)
        if x.shape[1:] != self._shape:
            self._state(x[0] if len(x) else x)
        if self._many is None or len(self._many.memory) != len(x):
            if not isinstance(self._steps, CompiledSteps):
                cure = "install a C compiler, or step one state at a time"
                raise ModelError(
                    "stepping many states at once needs a C compiler", element=self.system.model.name, cure=cure
                )
            self._many = _ManyStates(self._steps, x, rows, self.t)
        t, many = self.t, self._many
        failed = many.step(x, rows, self.substeps, t, self._size)
        for row, status in failed:  # stepped like a single state; its error names the row
            self._given[:], self._u[0] = x[row], many.inputs(row)
            try:
                self._again(many.last(row), status)
            except (DivergenceError, SingularityError) as error:
                error.args = (f"state {row} of {len(x)}: {error}",)
                raise
            many.keep(row, self._steps)
            self._steps.retime(t, self._size, self._u)
        self._steps.retime(t + self.substeps * self._size, self._size, self._u)
        return many.x

    def __repr__(self) -> str:
        return f"<Stepper of {self.system.model.name}: {self.method.name}, {self.dt:g} s, t = {self.t:g} s>"


def _into(out: Array | None, x: Array) -> Array:
    """A copy of x, or `out` with its values."""
    if out is None:
        return x.copy()
    out[:] = x
    return out


class _ManyStates:
    """The memory of steps for each of many states; the working arrays are shared."""

    def __init__(self, steps: CompiledSteps, x: Array, u: Array, t: float):
        self._steps, self._u = steps, u
        self._kept = [steps.arrays[name] for name in steps.KEPT]
        ends = np.cumsum([0, *map(len, self._kept)])
        self._place = {name: slice(a, b) for name, a, b in zip(steps.KEPT, ends, ends[1:], strict=False)}
        self.memory = np.zeros((len(x), ends[-1]))
        for row in range(len(x)):
            steps.arrays["u"][0] = self.inputs(row)
            steps.move_to(start_state(steps.system, x[row], self.inputs(row), t), t)
            self.memory[row] = np.concatenate(self._kept)

    @property
    def x(self) -> Array:
        """The states."""
        return self.memory[:, self._place["x"]].copy()

    def inputs(self, row: int) -> Array:
        """The inputs of a row."""
        return self._u[row] if self._u.ndim == 2 else self._u

    def observe(self, t: float) -> Array:
        """The outputs of each state."""
        s, n = self._steps.system, len(self.memory)
        guess, u = self.memory[:, self._place["guess"]], np.broadcast_to(self._u, (n, len(s.inputs)))
        found: Array = s.outputs_function(np.full((n, 1), t), self.x, u, guess)
        return found

    def last(self, row: int) -> StartState:
        """The last good state of a row."""
        parts = {name: self.memory[row, place] for name, place in self._place.items()}
        return StartState(self._steps.system, parts["x"], parts["guess"], parts["pivots"])

    def keep(self, row: int, steps: FixedSteps) -> None:
        """Store a row that was stepped separately."""
        if steps is self._steps:
            self.memory[row] = np.concatenate(self._kept)
        else:  # with another order of its coordinates only the state is the same
            self.memory[row, self._place["x"]] = steps.x

    def step(self, x: Array, u: Array, n: int, t: float, dt: float) -> list[tuple[int, int]]:
        """n steps of dt from the time t for all rows; returns the rows that failed, each with its status."""
        if dt != self._steps.structure.dt:
            for name in ("past", "trail"):
                self.memory[:, self._place[name]] = np.nan  # their extrapolation needs equal steps
        self._u, status = np.ascontiguousarray(u), np.zeros(len(x), dtype=np.int32)
        self._steps.retime(t, dt, self._steps.arrays["u"])
        self._steps.advance_each(n, np.ascontiguousarray(x), self._u, self.memory, status)
        return [(int(row), int(status[row])) for row in np.flatnonzero(status)]


def stepper(
    s: System,
    method: str | Method | FixedStep | None = None,
    dt: float = 1e-3,
    substeps: int = 1,
) -> Stepper:
    """A stepper of a system, for controllers and learning: `x = stepper.step(x, u)`, at the speed of C.

        walker = sb.stepper(s, "rk4", dt=1e-3)
        x = walker.reset()
        for k in range(1000):
            x = walker.step(x, controller(x))

    Parameters
    ----------
    s : System
    method : str or FixedStep, optional
        Any fixed-step method, or `FixedStep` with its options; default: as in `simulate`. The methods:
        https://symbody.github.io/symbody/stable/stepping.html
    dt : float
        s, of a step, default 1e-3.
    substeps : int
        Parts into which a step is divided, default 1.

    Returns
    -------
    Stepper

    Raises
    ------
    ModelError
        If the method, the step or the number of substeps is invalid.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> walker = sb.stepper(sb.system(m), "rk4", dt=1e-3)
    >>> x = walker.reset()
    >>> for k in range(100):
    ...     x = walker.step(x)
    >>> round(walker.t, 12)
    0.1
    """
    if not (0.0 < dt < np.inf and substeps >= 1 and substeps == int(substeps)):
        cure = "use a positive dt and at least one substep"
        raise ModelError(f"invalid steps of {dt} s in {substeps} parts", element="dt", cure=cure)
    options = fixed_step(method)
    return Stepper(s, suited_fixed(s, options.method), float(dt), int(substeps), options.newton)
