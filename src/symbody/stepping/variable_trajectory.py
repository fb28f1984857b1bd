"""A motion in steps chosen by their error, from a start to an end: events, resets, dense output, other coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbody.errors import ModelError, SingularityError
from symbody.stepping.events import Event, EventRecord, EventWatch, StepPath, crossings
from symbody.stepping.failure import failed, fastest_eigenvalue, limit_passed, limit_room
from symbody.stepping.fixed_step import limit_count
from symbody.stepping.fixed_trajectory import See
from symbody.stepping.method import VariableStepMethod
from symbody.stepping.stable_step import eigenvalue_text
from symbody.stepping.start_state import STOP, SWITCH, StartState, repartitioned, require_clear_way, shrunk
from symbody.stepping.variable_step import ClosedState, RatesAndJacobian, StuckError
from symbody.system.system import Array, System

SHORTEST = 1e-12  # s: below, no step helps
DRIVEN = 100  # steps at least of a motion without states, which is driven throughout
MOST_BENDS = 1000  # instants at which tables of inputs bend, up to which steps end at each


@dataclass(frozen=True)
class Tolerances:
    """The error of a step is kept below rtol·|x| + atol; max_step: the longest (s)."""

    rtol: float = 1e-7
    atol: float = 1e-9
    max_step: float = np.inf


@dataclass(frozen=True)
class DenseSegment:
    """The motion x(t) between two instants a and b (s); dependent coordinates are followed from a on."""

    f: RatesAndJacobian
    a: float
    b: float
    path: Callable[[float], Array]
    known: ClosedState  # at a


def record_times(start: float, until: float, at: Sequence[float] | Array | None, every: float | None) -> Array | None:
    """When to record; None: at the solver's steps."""
    if at is None and every is None:
        return None
    if every is not None:
        if not 0.0 < every <= until - start:
            cure = f"`every` is in seconds, up to {until - start:g}"
            raise ModelError(f"a record every {every:g} s", element="every", cure=cure)
        times = np.minimum(start + every * np.arange(int((until - start) / every * (1 + 1e-12)) + 1), until)
    else:
        times = np.asarray(at, dtype=float)
    if times.ndim == 1 and len(times) and np.all(np.diff(times) > 0) and start <= times[0] and times[-1] <= until:
        return np.asarray(times)
    cure = f"give increasing times between {start:g} s and {until:g} s"
    raise ModelError("times that cannot be recorded", element="at", cure=cure)


class VariableTrajectory:
    """A run on its way: segments of one solver each, which end at resets and where other coordinates are taken."""

    def __init__(
        self,
        at: StartState,
        t: float,
        inputs: Callable[[float], Array],
        method: VariableStepMethod,
        *,
        tolerances: Tolerances | None = None,
        times: Array | None = None,
        events: Sequence[Event] = (),
        dense: bool = False,
        repartition: bool = False,
        see: See | None = None,
        bends: Array | None = None,
    ):
        self._see, self._bends = see, np.zeros(0) if bends is None else bends
        self._tolerances = tolerances or Tolerances()
        self._spent = Counter(steps=0, evaluations=0, jacobians=0)
        self._f, self.now, self._x = RatesAndJacobian(at, t, inputs, self._spent), t, np.array(at.x, dtype=float)
        self._method, self._longest, self._repartition = method, self._tolerances.max_step, repartition
        self._width = 0.0  # of the last step (s)
        self._times, self._dense, self._watch = times, dense, EventWatch(events)
        self._rows: list[tuple[float, Array]] = []
        self.segments: list[DenseSegment] = []
        self._drift, self._limited = 0.0, limit_count(at.system) > 0
        self._course: tuple[Array, Array] | None = None  # pivots after the last step, and their slopes
        self._record()

    @property
    def system(self) -> System:
        """The system over the coordinates of now."""
        return self._f.system

    @property
    def events(self) -> list[EventRecord]:
        """What happened."""
        return self._watch.found

    @property
    def meta(self) -> dict[str, Any]:
        """Tolerances, what the solver spent, and how far quaternions were from unit length."""
        return {"method": self._method.name, "drift": self._drift, **vars(self._tolerances), **self._spent}

    def records(self) -> tuple[Array, Array]:
        """Times and rows of what is recorded so far."""
        rows, now = list(self._rows), self.now
        times = np.zeros(0) if self._times is None else self._times[len(rows) :]
        rows += [(float(t), self._f.observe(now, self._x)) for t in times if abs(t - now) <= 1e-12 * max(1.0, abs(t))]
        values = np.array([y for _, y in rows]).reshape(len(rows), len(self.system.outputs))
        return np.array([t for t, _ in rows]), values

    def run(self, until: float, show: Callable[[float], object]) -> None:
        """To the end, or to a terminal event; `show` is told the time. Raises what ends the run before."""
        ends, span = self._bends[(self._bends > self.now) & (self._bends < until)], until - self.now
        if not len(self._x):  # solvers would go to the end at once
            self._bound_steps(span / DRIVEN)
        if len(ends) > MOST_BENDS:  # to begin anew at each takes longer than to look often enough
            self._bound_steps(span / len(ends))
            ends = ends[:0]
        for end in [*map(float, ends), until]:
            while self.now < end and not self._watch.ended:
                self._segment(end if len(self._x) else min(end, self.now + self._longest), show)

    def _bound_steps(self, longest: float) -> None:
        """No step is longer (s)."""
        self._tolerances = replace(self._tolerances, max_step=min(self._tolerances.max_step, longest))
        self._longest = self._tolerances.max_step

    @property
    def _slowed(self) -> bool:
        return self._longest < self._tolerances.max_step

    def _segment(self, until: float, show: Callable[[float], object]) -> None:
        """From here to the end, a reset, or a change of coordinates."""
        f, watch, first = self._f, SWITCH if self._repartition else STOP, True
        options = {**vars(self._tolerances), "max_step": self._longest}
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
            if found is None and forward and solver.t - self.now > SHORTEST:  # the loops cannot be followed: go slowly
                self._longest = (solver.t - self.now) / 4
                break
            if found is None or not np.all(np.isfinite(found.xd)):
                self._failed(message or "its steps became too small", solver.t - self.now)
                return
            if self._limited:
                self._check_limits(solver)
            ratio = float(np.min(found.pivots / f.pivots, initial=np.inf))
            passed = len(f.pivots) > 0 and self._passes_singular(solver, found)
            if (passed or ratio < watch / 2) and solver.t - self.now > SHORTEST:  # too far into, or past it: go slowly
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
                self._longest = self._tolerances.max_step
                break
        show(self.now)

    def _passes_singular(self, solver: Any, found: Any) -> bool:
        """Whether a pivot that goes straight on from either end of a step vanishes within it.

        Loops go on in several ways from there, and a step that passes it takes any of them.
        """
        width, now = solver.t - self.now, found.pivots
        slopes = self._f.pivot_slopes(solver.t, solver.y, found, width)
        before, self._course = self._course, (now, slopes)
        passed = bool(np.any((now - width * slopes) * now <= 0.0))
        return passed or (before is not None and bool(np.any((before[0] + width * before[1]) * before[0] <= 0.0)))

    def _end_of_step(self, solver: Any) -> Any:
        """xd, v and pivots after a step; None where the loops cannot be followed to there."""
        f = self._f
        if not np.all(np.isfinite(solver.y)):
            return None
        try:
            return f.evaluated(solver.t, solver.y, f.dependent(solver.t, f.with_unit_quaternions(solver.y)))
        except SingularityError:
            return None

    def _path(self, solver: Any) -> Callable[[float], Array]:
        """The motion over the last step; only its end where nothing else is needed."""
        y, unit = solver.y, self._f.with_unit_quaternions
        if not (self._dense or self._watch or self._limited or self._times is not None):
            return lambda t: unit(y)
        path = solver.dense_output()
        return lambda t: unit(path(t))

    def _stepped(self, solver: Any, path: Callable[[float], Array], first: bool) -> bool:
        """Take a step over, up to the first event that ends the segment; whether there was one."""
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
        """Record the times before b that were asked for."""
        f, known = self._f, self._f.last
        while self._times is not None and len(self._rows) < len(self._times) and self._times[len(self._rows)] < b:
            t = float(self._times[len(self._rows)])
            known = f.closed(t, path(t), known)
            self._rows.append((t, f.outputs(known)))

    def _check_limits(self, solver: Any) -> None:
        """Raise the error of a step that passes a limit, where it does: also one that comes back within the step."""
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
        """Near a singular position: whether another segment begins, mostly over other coordinates."""
        f = self._f
        at = StartState(f.system, f.with_unit_quaternions(self._x), f.last.v, f.pivots)
        u = f.inputs(self.now)
        onward = repartitioned(at, self.now, u, self._repartition)
        require_clear_way(onward, self.now, self._width, u, fixed=False)
        slowed, self._longest = self._slowed, self._tolerances.max_step
        if onward.system is f.system:
            f.last, f.pivots = ClosedState(self.now, onward.x, onward.guess), onward.pivots
            return slowed
        self._f, self._x = RatesAndJacobian(onward, self.now, f.inputs, self._spent), np.array(onward.x)
        return True

    def _failed(self, message: str, width: float) -> None:
        """A step that could not be made: other coordinates where that helps, else the error that says what happened."""
        f, t = self._f, self.now
        s, u = f.system, f.inputs(t)
        s.dependent(t, self._x, u)
        culprit = None
        for later in (t, t + width / 2, t + max(width, SHORTEST)):
            culprit = culprit or s.culprit(later, self._x, f.inputs(later))
        at = StartState(s, self._x, f.last.v, f.pivots)
        if culprit is None and shrunk(at, t, u, SWITCH) and self._other_coordinates():
            return
        fastest = fastest_eigenvalue(at, t, u)
        grows = " (the motion grows by itself)" if fastest.real > abs(fastest) / 2 else ""
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
