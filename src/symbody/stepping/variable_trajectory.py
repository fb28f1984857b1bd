"""A motion with variable steps from a start to an end: events, resets, dense output, changes of coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbody.errors import ModelError, SingularityError
from symbody.stepping.events import EventRecord, EventWatch, StepPath, crossings
from symbody.stepping.failure import failed, fastest_eigenvalue, limit_passed, limit_room
from symbody.stepping.fixed_step import limit_count
from symbody.stepping.fixed_trajectory import See
from symbody.stepping.method import VariableStepMethod
from symbody.stepping.pivot_reference import SWITCH
from symbody.stepping.stable_step import eigenvalue_text
from symbody.stepping.start_state import STOP, StartState, repartitioned, require_clear_path, shrunk
from symbody.stepping.step_options import VariableStep
from symbody.stepping.variable_step import ClosedState, RatesAndJacobian, StuckError
from symbody.system.system import Array, System

SHORTEST = 1e-12  # s: below it no step helps
DRIVEN = 100  # least number of steps of a motion without states, where all joints are driven
MOST_BENDS = 1000  # breakpoints of input tables up to which steps stop at each


@dataclass(frozen=True)
class DenseSegment:
    """The motion x(t) between two instants a and b (s); dependent coordinates are followed from a."""

    f: RatesAndJacobian
    a: float
    b: float
    path: Callable[[float], Array]
    known: ClosedState  # at a


def record_times(start: float, until: float, at: Sequence[float] | Array | None, every: float | None) -> Array | None:
    """The times of records; None: at the solver's steps."""
    if at is None and every is None:
        return None
    if every is not None:
        if not 0.0 < every <= until - start:
            cure = f"use seconds above 0, up to {until - start:g}"
            raise ModelError(f"{every:g} s is out of range", element="every", cure=cure)
        times = np.minimum(start + every * np.arange(int((until - start) / every * (1 + 1e-12)) + 1), until)
    else:
        times = np.asarray(at, dtype=float)
    if times.ndim == 1 and len(times) and np.all(np.diff(times) > 0) and start <= times[0] and times[-1] <= until:
        return np.asarray(times)
    cure = f"use increasing times between {start:g} s and {until:g} s"
    raise ModelError("some of these times cannot be recorded", element="at", cure=cure)


class VariableTrajectory:
    """A running integration: segments of one solver each, which end at resets and at changes of coordinates."""

    def __init__(
        self,
        at: StartState,
        t: float,
        inputs: Callable[[float], Array],
        method: VariableStepMethod,
        *,
        options: VariableStep | None = None,
        times: Array | None = None,
        repartition: bool = False,
        see: See | None = None,
        bends: Array | None = None,
    ):
        self._see, self._bends = see, np.zeros(0) if bends is None else bends
        self._options = options or VariableStep()
        self._spent = Counter(steps=0, evaluations=0, jacobians=0)
        self._f, self.now, self._x = (
            RatesAndJacobian(at, t, inputs, self._spent, repartition),
            t,
            np.array(at.x, dtype=float),
        )
        self._method, self._longest, self._repartition = method, self._options.max_step, repartition
        self._width = 0.0  # of the last step (s)
        self._times, self._dense, self._watch = times, self._options.dense, EventWatch(self._options.events)
        self._rows: list[tuple[float, Array]] = []
        self.segments: list[DenseSegment] = []
        self._drift, self._limited = 0.0, limit_count(at.system) > 0
        self._course: tuple[Array, Array] | None = None  # pivots after the last step, and their slopes
        self._record()

    @property
    def system(self) -> System:
        """The system with its present coordinates."""
        return self._f.system

    @property
    def events(self) -> list[EventRecord]:
        """The events that occurred."""
        return self._watch.found

    @property
    def _tolerances(self) -> dict[str, float]:
        """What the solver is given."""
        return {"rtol": self._options.rtol, "atol": self._options.atol, "max_step": self._options.max_step}

    @property
    def meta(self) -> dict[str, Any]:
        """Tolerances, the solver's work, and the largest deviation of quaternions from unit length."""
        return {"method": self._method.name, "drift": self._drift, **self._tolerances, **self._spent}

    def records(self) -> tuple[Array, Array]:
        """Times and rows of the records so far."""
        rows, now = list(self._rows), self.now
        times = np.zeros(0) if self._times is None else self._times[len(rows) :]
        rows += [(float(t), self._f.observe(now, self._x)) for t in times if abs(t - now) <= 1e-12 * max(1.0, abs(t))]
        values = np.array([y for _, y in rows]).reshape(len(rows), len(self.system.outputs))
        return np.array([t for t, _ in rows]), values

    def run(self, until: float, show: Callable[[float], object]) -> None:
        """Integrate to the end, or to a terminal event; `show` is called with the time.

        Raises the error that ends the run.
        """
        ends, span = self._bends[(self._bends > self.now) & (self._bends < until)], until - self.now
        if not len(self._x):  # solvers would jump to the end at once
            self._bound_steps(span / DRIVEN)
        if len(ends) > MOST_BENDS:  # restarting at each takes longer than limiting the steps
            self._bound_steps(span / len(ends))
            ends = ends[:0]
        self._check_coordinates()
        for end in [*map(float, ends), until]:
            while self.now < end and not self._watch.ended:
                self._segment(end if len(self._x) else min(end, self.now + self._longest), show)

    def _check_coordinates(self) -> None:
        """Use other coordinates, or raise an error, if the start is near a singular position of the present ones."""
        f = self._f
        at = StartState(f.system, f.with_unit_quaternions(self._x), f.last.v, f.pivots)
        if shrunk(at, self.now, f.inputs(self.now), self._share):
            self._other_coordinates()

    @property
    def _share(self) -> float:
        """Of its reference: the size of a pivot below which the coordinates are not good enough."""
        return SWITCH if self._repartition else STOP

    def _bound_steps(self, longest: float) -> None:
        """Limit the step size (s)."""
        self._options = replace(self._options, max_step=min(self._options.max_step, longest))
        self._longest = self._options.max_step

    @property
    def _slowed(self) -> bool:
        return self._longest < self._options.max_step

    def _segment(self, until: float, show: Callable[[float], object]) -> None:
        """Integrate from here to the end, a reset, or a change of coordinates."""
        f, watch, first = self._f, self._share, True
        options = {**self._tolerances, "max_step": self._longest}
        solver = self._method.solver(f, self.now, f.with_unit_quaternions(self._x), until, options)
        self._course = None
        while solver.status == "running" and not self._watch.ended:
            try:
                with np.errstate(all="ignore"):
                    message = solver.step()
            except StuckError as error:
                message, solver.status = str(error), "failed"
            forward = solver.status != "failed" and solver.t > self.now
            found = self._end_of_step(solver) if forward else None
            if found is None and forward and solver.t - self.now > SHORTEST:  # loops cannot be followed: smaller steps
                self._longest = (solver.t - self.now) / 4
                break
            if found is None or not np.all(np.isfinite(found.xd)):
                self._failed(message or "its steps became too small", solver.t - self.now)
                return
            if self._limited:
                self._check_limits(solver)
            ratio = float(np.min(found.pivots / f.pivots, initial=np.inf))
            passed = len(f.pivots) > 0 and self._passes_singular(solver, found)
            if (passed or ratio < watch / 2) and solver.t - self.now > SHORTEST:  # too close, or past it: smaller steps
                self._longest = (solver.t - self.now) / 4
                break
            self._spent["steps"] += 1
            self._drift = max(self._drift, f.drift(solver.y))
            if self._stepped(solver, self._path(solver), first) or self._watch.ended:
                break
            first = False
            show(self.now)
            f.last = ClosedState(self.now, f.with_unit_quaternions(self._x), found.v)
            if ratio <= watch and self._other_coordinates():
                break
            if self._slowed and ratio > 2 * watch:
                self._longest = self._options.max_step
                break
        show(self.now)

    def _passes_singular(self, solver: Any, found: Any) -> bool:
        """Whether a pivot, extrapolated linearly from either end of a step, vanishes within it.

        There the loops can continue in several ways, and a step over it could take any of them.
        """
        width, now = solver.t - self.now, found.pivots
        slopes = self._f.pivot_slopes(solver.t, solver.y, found, width)
        before, self._course = self._course, (now, slopes)
        passed = bool(np.any((now - width * slopes) * now <= 0.0))
        return passed or (before is not None and bool(np.any((before[0] + width * before[1]) * before[0] <= 0.0)))

    def _end_of_step(self, solver: Any) -> Any:
        """xd, v and pivots after a step; None if the loops cannot be followed to its end."""
        f = self._f
        if not np.all(np.isfinite(solver.y)):
            return None
        try:
            return f.evaluated(solver.t, solver.y, f.dependent(solver.t, f.with_unit_quaternions(solver.y)))
        except SingularityError:
            return None

    def _path(self, solver: Any) -> Callable[[float], Array]:
        """The motion over the last step; only its end if nothing else is needed."""
        y, unit = solver.y, self._f.with_unit_quaternions
        if not (self._dense or self._watch or self._limited or self._times is not None):
            return lambda t: unit(y)
        path = solver.dense_output()
        return lambda t: unit(path(t))

    def _stepped(self, solver: Any, path: Callable[[float], Array], first: bool) -> bool:
        """Accept a step up to the first event that ends the segment; returns whether there was one."""
        a, f = self.now, self._f
        b, after = self._watch.step(StepPath(f.system, f.observe, f.rates, path, a, float(solver.t)), first)
        if self._dense:
            self.segments.append(DenseSegment(f, a, b, path, f.last))
        self._record_before(b, path)
        self.now, self._x, self._width = b, np.array(path(b) if b < solver.t else solver.y), b - a
        self._record()
        if after is not None:
            self._x = f.with_unit_quaternions(after)
            f.last = f.closed(b, self._x)
            self._record()
        return after is not None

    def _record_before(self, b: float, path: Callable[[float], Array]) -> None:
        """Record the requested times before b."""
        f, known = self._f, self._f.last
        while self._times is not None and len(self._rows) < len(self._times) and self._times[len(self._rows)] < b:
            t = float(self._times[len(self._rows)])
            known = f.closed(t, path(t), known)
            self._rows.append((t, f.outputs(known)))

    def _check_limits(self, solver: Any) -> None:
        """Raise an error if a step passes a limit, even if it returns within the step."""
        f, a, b, path = self._f, self.now, float(solver.t), self._path(solver)

        def room(t: float) -> Array:
            known = f.closed(t, path(t))
            found = limit_room(StartState(f.system, known.x, known.v, f.pivots), t, f.inputs(t))
            return np.where(np.isnan(found), -1.0, found)

        passed = [a] if np.any(room(a) <= 0.0) else crossings(lambda t: float(room(t).min()), a, b, -1)
        if not passed:
            return
        t = passed[0]
        self._record_before(t, path)
        self.now, self._x = t, np.array(path(t))
        self._record()
        raise limit_passed(StartState(f.system, self._x, f.dependent(t, self._x), f.pivots), t, room(t))

    def _other_coordinates(self) -> bool:
        """Near a singular position: whether another segment begins, usually with other coordinates."""
        f = self._f
        at = StartState(f.system, f.with_unit_quaternions(self._x), f.last.v, f.pivots)
        u = f.inputs(self.now)
        onward = repartitioned(at, self.now, u, self._repartition)
        require_clear_path(onward, self.now, self._width, u, self._repartition, fixed=False)
        slowed, self._longest = self._slowed, self._options.max_step
        if onward.system is f.system:
            f.last, f.pivots = ClosedState(self.now, onward.x, onward.guess), onward.pivots
            return slowed
        self._f, self._x = RatesAndJacobian(onward, self.now, f.inputs, self._spent, True), np.array(onward.x)
        return True

    def _failed(self, message: str, width: float) -> None:
        """A failed step: use other coordinates if that helps, else raise an error that names the cause."""
        f, t = self._f, self.now
        s, u = f.system, f.inputs(t)
        culprit = None
        for later in (t, t + width / 2, t + max(width, SHORTEST)):
            culprit = culprit or s.culprit(later, self._x, f.inputs(later), f.last.v)
        at = StartState(s, self._x, f.last.v, f.pivots)
        if culprit is None and shrunk(at, t, u, SWITCH) and self._other_coordinates():
            return
        fastest = fastest_eigenvalue(at, t, u)
        grows = " (the motion is unstable)" if fastest.real > abs(fastest) / 2 else ""
        speed = f"; the fastest eigenvalue there is {eigenvalue_text(fastest)}{grows}" if fastest else ""
        raise failed(at, t, u, culprit, message.rstrip(".") + speed)

    def _record(self) -> None:
        if self._see is not None:
            f = self._f
            self._see(
                f.system, self.now, f.with_unit_quaternions(self._x), f.inputs(self.now), f.dependent(self.now, self._x)
            )
        if self._times is None:
            self._rows.append((self.now, self._f.observe(self.now, self._x)))
