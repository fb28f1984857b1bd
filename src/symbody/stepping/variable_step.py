"""Integration with steps chosen by their error: SciPy's solvers and CVODE, exact Jacobian, events, dense output."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.events import Event, Happened, Watch, check_events
from symbody.stepping.repartition import StartState, repartitioned, shrunk, start_state
from symbody.stepping.rk4 import STOP, SWITCH
from symbody.stepping.rosenbrock import slopes
from symbody.system.recipe import asked_for
from symbody.system.system import Array, System, system

Signal = float | Callable[[float], float] | tuple[Array, Array]
EXPLICIT = {"dop853": "DOP853", "rk45": "RK45"}
IMPLICIT = {"radau": "Radau", "bdf": "BDF", "lsoda": "LSODA", "cvode": "CVODE"}
UNIT = 10.0  # 1/s: how fast quaternions are drawn back to unit length; vanishes on the true motion
SHORTEST = 1e-12  # s: below, no step helps
PATIENCE = 1000  # evaluations in a row that are not finite; LSODA would go on for ever


class _StuckError(Exception):
    """A solver that finds no numbers."""


# -- what solvers see ------------------------------------------------------------------------------------------------


class Flow:
    """dx/dt = f(t, x) and ∂f/∂x of a system; dependent coordinates are sought near those of the last good step."""

    def __init__(self, at: StartState, inputs: Callable[[float], Array], spent: Counter[str]):
        self.system, self.inputs, self.guess, self.pivots = at.system, inputs, at.guess, at.pivots
        self.balls = [q for q, _ in at.system.quaternions]
        self.spent, self._bad = spent, 0

    def evaluated(self, t: float, x: Array) -> Any:
        """xd, v, pivots."""
        return self.system.rates_function(np.array([t]), x, self.inputs(t), self.guess)

    def rates(self, t: float, x: Array) -> Array:
        """dx/dt, unit quaternions being attractive."""
        self.spent["evaluations"] += 1
        found: Array = self.evaluated(t, x).xd
        for q in self.balls:
            e = x[q : q + 4]
            found[q : q + 4] += UNIT * (1.0 - e @ e) * e
        self._bad = 0 if np.isfinite(found.sum()) else self._bad + 1
        if self._bad > PATIENCE:
            raise _StuckError("no step leads to numbers")
        return found

    def jacobian(self, t: float, x: Array) -> Array:
        """∂(dx/dt)/∂x, exact."""
        self.spent["jacobians"] += 1
        found = slopes(self.system, t, x, self.inputs(t), self.guess).fx
        for q in self.balls:
            e = x[q : q + 4]
            found[q : q + 4, q : q + 4] += UNIT * ((1.0 - e @ e) * np.eye(4) - 2.0 * np.outer(e, e))
        return found if np.isfinite(found.sum()) else np.zeros_like(found)  # Newton's method fails, and steps shrink

    def tidy(self, x: Array) -> Array:
        """The same state with unit quaternions."""
        if self.balls:
            x = np.array(x)
            for q in self.balls:
                x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        return x

    def drift(self, x: Array) -> float:
        """How far the length of a quaternion is from one."""
        return max((abs(float(np.linalg.norm(x[q : q + 4])) - 1.0) for q in self.balls), default=0.0)

    def observe(self, t: float, x: Array, guess: Array | None = None) -> Array:
        """The outputs."""
        near = self.guess if guess is None else guess
        found: Array = self.system.outputs_function(np.array([t]), self.tidy(x), self.inputs(t), near)
        return found


class Cvode:
    """CVODE of SUNDIALS (backward differentiation, orders 1 to 5) behind the face of SciPy's solvers."""

    def __init__(self, fun: Any, t0: float, y0: Array, t_bound: float, **options: Any):
        try:
            made = import_module("sksundae.cvode").CVODE
        except ImportError as error:
            cure = 'pip install "scikit-sundae", or use method="bdf" or "radau"'
            raise ModelError("CVODE needs the package scikit-sundae", element="method", cure=cure) from error

        def rhs(t: float, y: Array, yp: Array) -> None:
            yp[:] = fun(t, y)

        def jacobian(t: float, y: Array, yp: Array, J: Array) -> None:
            J[:] = jac(t, y)

        jac, longest = options.pop("jac"), options.pop("max_step")
        longest = longest if np.isfinite(longest) else 0.0
        self._solver: Any = made(rhs, jacfn=jacobian, max_step=longest, **options)
        self._solver.init_step(t0, y0)
        self.t, self.y, self.t_old, self._before = t0, y0, t0, y0
        self.t_bound, self.status = t_bound, "running"

    def step(self) -> str | None:
        """One step of the solver's own."""
        found = self._solver.step(self.t_bound, "onestep", self.t_bound)
        if not found.success:
            self.status = "failed"
            return str(found.message)
        self.t_old, self._before = self.t, self.y
        self.t, self.y = float(found.t), found.y
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def dense_output(self) -> Callable[[float], Array]:
        """The solver's polynomial over the last step; it is of degree five at most, so six values determine it."""
        shares = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, 6) / 5)
        width = self.t - self.t_old
        times = [self.t_old + width * float(c) for c in shares[:-1]] + [self.t]  # its end last: steps go on from there
        values = [self._before, *(self._solver.step(t, "normal").y for t in times)]
        from scipy.interpolate import (
            BarycentricInterpolator,
        )  # here, because it takes longer to import than all of symbody

        through = BarycentricInterpolator(np.r_[0.0, shares], np.array(values))
        t_old = self.t_old
        return lambda t: np.asarray(through((t - t_old) / width))


def _solver(flow: Flow, method: str, t: float, x: Array, until: float, options: dict[str, Any]) -> Any:
    from scipy import integrate  # here, because it takes longer to import than all of symbody

    if method in EXPLICIT:
        return getattr(integrate, EXPLICIT[method])(flow.rates, t, x, until, **options)
    made = Cvode if method == "cvode" else getattr(integrate, IMPLICIT[method])
    return made(flow.rates, t, x, until, jac=flow.jacobian, **options)


# -- what comes out --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """The motion between two instants: x(t), near which dependent coordinates."""

    flow: Flow
    a: float
    b: float
    path: Callable[[float], Array]
    guess: Array


class AdaptiveRun(Run):
    """A recorded motion with its events; `dense(t)` is the motion at any other times."""

    def __init__(self, s: System, t: Array, values: Array, events: list[Happened], pieces: list[Piece], **meta: Any):
        super().__init__(s, t, values, meta={**meta, "dt": None})
        self.events, self.pieces = events, pieces  # pieces: none unless dense output was asked for

    @property
    def steps(self) -> int:
        """Steps of the solver; evaluations, jacobians and drift (of quaternions' lengths from one) are in `meta`."""
        return int(self.meta["steps"])

    def _piece(self, t: float) -> Piece:
        if not self.pieces:
            raise ModelError("no dense output was kept", cure="integrate_adaptive(…, dense=True)")
        if not self.pieces[0].a <= t <= self.pieces[-1].b:
            raise ModelError(f"t = {t:g} s is outside of the run", cure=f"it ends at {self.pieces[-1].b:g} s")
        return self.pieces[max(0, bisect_right(self.pieces, t, key=lambda piece: piece.a) - 1)]

    def state(self, t: float) -> Array:
        """The state x at a time (s); after a reset where one happened then."""
        piece = self._piece(t)
        return np.asarray(piece.path(t))

    def dense(self, times: Sequence[float] | Array | float) -> Run:
        """All channels at any times of the run (s)."""
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
        rows = [(p := self._piece(t)).flow.observe(t, p.path(t), p.guess) for t in wanted]
        return Run(self.system, wanted, np.array(rows).reshape(len(wanted), len(self.names)))


# -- the run ---------------------------------------------------------------------------------------------------------


def integrate_adaptive(
    what: System | Model,
    until: float,
    *,
    method: str = "dop853",
    rtol: float = 1e-7,
    atol: float = 1e-9,
    inputs: Mapping[str, Signal] | None = None,
    x0: Array | None = None,
    start: float = 0.0,
    at: Sequence[float] | Array | None = None,
    every: float | None = None,
    events: Sequence[Event] = (),
    dense: bool = False,
    max_step: float = np.inf,
    repartition: bool = False,
    progress: bool = False,
    **options: Any,
) -> AdaptiveRun:
    """The motion of a system (or of a model, with the options of `system`), steps chosen by their error.

    method: "dop853", "rk45" (explicit); "radau", "bdf", "cvode" (for stiff systems, with the exact Jacobian; cvode
    needs scikit-sundae); "lsoda" (changes between both). The error of a step is kept below rtol·|x| + atol.
    inputs: by name, a number, a function of time, or (times, values) that are interpolated.
    Recorded at the times `at` (s), or `every` so many seconds, else at the solver's own steps, before and after resets.
    events: see `Event`. dense: keep what `run.dense(t)` needs. repartition: as in `simulate`.
    """
    given = dict(inputs or {})
    s = what if isinstance(what, System) else system(what, inputs=asked_for(what, given), **options)
    if method not in {**EXPLICIT, **IMPLICIT}:
        raise ModelError(f"no method '{method}'", cure=f"use {', '.join({**EXPLICIT, **IMPLICIT})}")
    if s.recipe.closure == "augmented":
        raise ModelError("the augmented closure has fixed steps of its own", cure="use partitioning or penalty")
    if not (until > start and np.isfinite(until)):
        raise ModelError(f"cannot integrate from {start:g} s to {until:g} s", cure="give start < until")
    check_events(s, events)
    times = _times(start, until, at, every)
    u = inputs_of(s, given)
    here = start_state(s, s.x0) if x0 is None else _beginning(s, np.array(x0, dtype=float), start, u(start))
    tolerances = {"rtol": rtol, "atol": atol, "max_step": max_step}
    journey = _Journey(here, start, u, method, tolerances, times, events, dense)
    with tqdm(total=1.0, disable=not progress, desc=f"integrating {s.model.name}", bar_format="{l_bar}{bar}|") as bar:
        while journey.t < until and not journey.ended:
            journey.leg(until, repartition, lambda t: bar.update((t - start) / (until - start) - bar.n))
    return journey.result()


def _times(start: float, until: float, at: Sequence[float] | Array | None, every: float | None) -> Array | None:
    """When to record; None: at the solver's steps."""
    if at is None and every is None:
        return None
    if every is not None:
        if not 0.0 < every <= until - start:
            raise ModelError(f"a record every {every:g} s", element="every", cure=f"up to {until - start:g} s")
        times = np.minimum(start + every * np.arange(int((until - start) / every * (1 + 1e-12)) + 1), until)
    else:
        times = np.asarray(at, dtype=float)
    if len(times) and np.all(np.diff(times) > 0) and start <= times[0] and times[-1] <= until:
        return np.asarray(times)
    cure = f"give increasing times between {start:g} s and {until:g} s"
    raise ModelError("times that cannot be recorded", element="at", cure=cure)


def _beginning(s: System, x: Array, t: float, u: Array) -> StartState:
    """At any other state."""
    guess = s.near(t, x, u)
    return StartState(s, x, guess, s.rates_function(np.array([t]), x, u, guess).pivots)


def inputs_of(s: System, given: Mapping[str, Signal]) -> Callable[[float], Array]:
    """All inputs as a function of time."""
    for name in given:
        if name not in s.inputs:
            raise ModelError("no such input", element=name, cure=f"the inputs are {', '.join(s.inputs) or 'none'}")
    numbers = {name: float(g) for name, g in given.items() if isinstance(g, int | float | np.number)}
    fixed = np.array([numbers.get(name, float(x)) for name, x in zip(s.inputs, s.u0, strict=True)])
    moving = [(s.inputs.index(name), _signal(name, g)) for name, g in given.items() if name not in numbers]

    def inputs(t: float) -> Array:
        if not moving:
            return fixed
        u = fixed.copy()
        for k, signal in moving:
            u[k] = signal(t)
        return u

    return inputs


def _signal(name: str, given: Any) -> Callable[[float], float]:
    if callable(given):
        return lambda t: float(given(t))
    if not (isinstance(given, tuple) and len(given) == 2 and len(given[0]) == len(given[1])):
        cure = "give a number, a function of time, or (times, values)"
        raise ModelError("an input that is not known between its values", element=name, cure=cure)
    times, values = np.asarray(given[0], dtype=float), np.asarray(given[1], dtype=float)
    return lambda t: float(np.interp(t, times, values))


class _Journey:
    """A run on its way: legs of one solver each, which end at resets and where other coordinates are taken."""

    def __init__(
        self, at: StartState, t: float, inputs: Callable[[float], Array], method: str, tolerances: dict[str, float],
        times: Array | None, events: Sequence[Event], dense: bool,
    ):  # fmt: skip
        self._spent = Counter(steps=0, evaluations=0, jacobians=0)
        self.flow, self.t, self.x = Flow(at, inputs, self._spent), t, np.array(at.x, dtype=float)
        self._method, self._tolerances, self._longest = method, tolerances, tolerances["max_step"]
        self._times, self._dense, self._watch = times, dense, Watch(events)
        self._rows: list[tuple[float, Array]] = []
        self._pieces: list[Piece] = []
        self._drift = 0.0
        self._record()

    @property
    def ended(self) -> bool:
        """Whether a terminal event did."""
        return self._watch.ended

    @property
    def _slowed(self) -> bool:
        return self._longest < self._tolerances["max_step"]

    def leg(self, until: float, repartition: bool, show: Callable[[float], Any]) -> None:
        """From here to the end, a reset, or a change of coordinates."""
        flow, watch, first = self.flow, SWITCH if repartition else STOP, True
        options = {**self._tolerances, "max_step": self._longest}
        solver = _solver(flow, self._method, self.t, flow.tidy(self.x), until, options)
        while solver.status == "running" and not self.ended:
            try:
                with np.errstate(all="ignore"):
                    message = solver.step()
            except _StuckError as error:
                message, solver.status = str(error), "failed"
            forward = solver.status != "failed" and solver.t > self.t
            found = flow.evaluated(solver.t, solver.y) if forward else None
            if found is None or not np.all(np.isfinite(found.xd)):
                self._failed(message or "its steps became too small", solver.t - self.t, repartition)
                return
            ratio = float(np.min(found.pivots / flow.pivots, initial=np.inf))
            if ratio < watch / 2 and solver.t - self.t > SHORTEST:  # too far into a singular position: approach slowly
                self._longest = (solver.t - self.t) / 4
                break
            self._spent["steps"] += 1
            self._drift = max(self._drift, flow.drift(solver.y))
            if self._stepped(solver, self._path(solver), first) or self.ended:
                break
            first = False
            show(self.t)
            flow.guess = found.v
            if ratio <= watch and self._other_coordinates(repartition):
                break
            if self._slowed and ratio > 2 * watch:
                self._longest = self._tolerances["max_step"]
                break
        show(self.t)

    def _path(self, solver: Any) -> Callable[[float], Array]:
        """The motion over the last step; only its end where nothing else is needed."""
        y, tidy = solver.y, self.flow.tidy
        if not (self._dense or self._watch or self._times is not None):
            return lambda t: tidy(y)
        path = solver.dense_output()
        return lambda t: tidy(path(t))

    def _stepped(self, solver: Any, path: Callable[[float], Array], first: bool) -> bool:
        """Take a step over, up to the first event that ends the leg; whether there was one."""
        a, b = self.t, float(solver.t)
        try:
            b, after = self._watch.step(self.flow.system, self.flow.observe, path, a, b, first)
        except DivergenceError as error:
            error.state = self.result()
            raise
        if self._dense:
            self._pieces.append(Piece(self.flow, a, b, path, self.flow.guess))
        if self._times is not None:
            while len(self._rows) < len(self._times) and self._times[len(self._rows)] < b:
                t = float(self._times[len(self._rows)])
                self._rows.append((t, self.flow.observe(t, path(t))))
        self.t, self.x = b, np.array(path(b) if b < solver.t else solver.y)
        if self._times is None:
            self._record()
        if after is not None:
            self.x = self.flow.tidy(after)
            self.flow.guess = self.flow.evaluated(self.t, self.x).v
            if self._times is None:
                self._record()
        return after is not None

    def _other_coordinates(self, allowed: bool) -> bool:
        """Near a singular position of the coordinates: whether another leg begins, mostly over other coordinates."""
        flow = self.flow
        at = StartState(flow.system, flow.tidy(self.x), flow.guess, flow.pivots)
        try:
            onward = repartitioned(at, self.t, flow.inputs(self.t), allowed)
        except SingularityError as error:
            raise SingularityError(str(error), time=self.t, state=self.result()) from error
        slowed, self._longest = self._slowed, self._tolerances["max_step"]
        if onward.system is flow.system:
            flow.guess, flow.pivots = onward.guess, onward.pivots
            return slowed
        self.flow, self.x = Flow(onward, flow.inputs, self._spent), np.array(onward.x)
        return True

    def _failed(self, message: str, width: float, repartition: bool) -> None:
        """A step that could not be made: other coordinates where that helps, else the error that says what happened."""
        flow, t = self.flow, self.t
        s, u = flow.system, flow.inputs(t)
        at = StartState(s, self.x, flow.guess, flow.pivots)
        s.near(t, self.x, u)
        culprit = None
        for share in (0.0, 0.5, 1.0):
            culprit = culprit or s.culprit(t + share * width, self.x, u)
        if culprit is None and shrunk(at, t, u, SWITCH) and self._other_coordinates(repartition):
            return
        cause = f": the law of {culprit[0]} gives {culprit[1]}" if culprit else f" ({message.rstrip('.')})"
        raise DivergenceError(
            f"the motion of {s.model.name} diverged after t = {t:g} s{cause}", time=t, state=self.result()
        )

    def _record(self) -> None:
        if self._times is None:
            self._rows.append((self.t, self.flow.observe(self.t, self.x)))

    def result(self) -> AdaptiveRun:
        """What there is so far."""
        rows, flow = list(self._rows), self.flow
        times = np.zeros(0) if self._times is None else self._times[len(rows) :]
        rows += [(float(t), flow.observe(self.t, self.x)) for t in times if abs(t - self.t) <= 1e-12 * max(1.0, abs(t))]
        values = np.array([y for _, y in rows]).reshape(len(rows), len(flow.system.outputs))
        return AdaptiveRun(
            flow.system, np.array([t for t, _ in rows]), values, self._watch.found, self._pieces,
            method=self._method, drift=self._drift, **self._tolerances, **self._spent,
        )  # fmt: skip
