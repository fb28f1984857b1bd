"""A recorded motion with fixed steps from a start to an end; coordinates change when the first ones fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.stepping.failure import after_stop
from symbody.stepping.fixed_step import DONE, StepSettings
from symbody.stepping.method import FixedStepMethod
from symbody.stepping.newton import Newton
from symbody.stepping.pivot_reference import SWITCH
from symbody.stepping.start_state import STOP, StartState
from symbody.stepping.work import Work, work_of_pairs, work_of_steps
from symbody.system.system import Array, System

See = Callable[[System, float, Array, Array, Array], object]  # gets a system and its time, state, inputs and guess
SEEN = 200  # states of a run that are passed to `see`
CHUNK = 5000  # steps in C between updates of the progress bar and checks for Ctrl-C
WHOLE = 1e-6  # of a step: closer times are the time of the step
MULTIPLE = 1e-9  # of dt: `every` must be a whole multiple of dt within this


@dataclass(frozen=True)
class StepGrid:
    """Times of fixed steps (s): `whole` steps from a start, then a shortened one if `until` is not reached."""

    start: float
    until: float
    dt: float
    whole: int
    shortened: bool

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.whole + self.shortened

    @property
    def rest(self) -> float:
        """The size of the shortened step."""
        return self.until - (self.start + self.whole * self.dt)

    @property
    def times(self) -> Array:
        """Times of all steps, and of the end."""
        return self.at(np.arange(self.steps + 1))

    def at(self, numbers: Array | Sequence[int]) -> Array:
        """The times of steps by index."""
        n = np.asarray(numbers)
        return np.where(n < self.steps, self.start + n * self.dt, self.until)

    def every(self, seconds: float | None) -> int:
        """Steps between records that are this many seconds apart."""
        if seconds is None:
            return 1
        n, span = round(seconds / self.dt) if seconds > 0 else 0, self.until - self.start
        if n >= 1 and seconds > span * (1 + MULTIPLE):
            problem = f"{seconds:g} s is longer than the run of {span:g} s"
            cure = f"`every` is in seconds: for a record every {seconds:g} steps, use every={seconds * self.dt:g}"
            raise ModelError(problem, element="every", cure=cure)
        if n < 1 or abs(seconds / self.dt - n) > MULTIPLE * n:
            cure = f"use a whole multiple of `dt` in seconds, such as {max(1, n) * self.dt:.12g}"
            raise ModelError(
                f"{seconds:g} s is not a multiple of the step of {self.dt:g} s", element="every", cure=cure
            )
        return n

    def numbers(self, times: Sequence[float] | Array) -> list[int]:
        """The indices of steps at given times, which must be times of steps."""
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
        found = np.clip(np.rint((wanted - self.start) / self.dt), 0, self.steps).astype(int)
        found[np.abs(wanted - self.until) <= WHOLE * self.dt] = self.steps
        off = np.abs(self.at(found) - wanted) > WHOLE * self.dt
        if wanted.ndim != 1 or not len(wanted) or np.any(off) or np.any(np.diff(found) <= 0):
            cure = (
                f"use increasing times of steps: multiples of {self.dt:g} s from {self.start:g} s to {self.until:g} s"
            )
            raise ModelError("some of these times cannot be recorded", element="at", cure=cure)
        return [int(n) for n in found]


def step_grid(start: float, until: float, dt: float) -> StepGrid:
    """Steps of dt from a start to an end; the last one is shortened if needed."""
    if not (dt > 0 and until - start > 0 and np.isfinite((until - start) / dt) and dt <= (until - start) * (1 + WHOLE)):
        problem = f"cannot simulate from {start:g} s to {until:g} s in steps of {dt} s"
        raise ModelError(problem, cure="use a `dt` above 0 and not longer than the run")
    n = (until - start) / dt
    whole = round(n) if abs(n - round(n)) <= WHOLE else int(n)
    return StepGrid(start, until, dt, whole, abs(n - whole) > WHOLE)


class FixedTrajectory:
    """A running integration: `rows` of outputs before the steps `numbers`; `system` has the last coordinates.

    every: steps between records; marks: the only steps that are recorded. A last, shortened step is always recorded.
    see: called with about `SEEN` states during the run. power: whether the power is kept, for `work`.
    """

    def __init__(
        self,
        at: StartState,
        method: FixedStepMethod,
        grid: StepGrid,
        u: Array,
        *,
        every: int = 1,
        marks: Sequence[int] | None = None,
        repartition: bool = False,
        newton: Newton | None = None,
        see: See | None = None,
        power: bool = False,
    ):
        self._power, self._powers = power, list[Array]()  # P before each step, or the work of each step
        self._pairs: Array | None = None  # forces and rates before the last step
        self._shown: list[int] = []
        self._see, self._chunk = see, CHUNK if see is None else min(CHUNK, 1 + grid.steps // SEEN)
        self.grid, self._method, self._u, self._newton = grid, method, u, newton
        self._every, self._marks, self._repartition = every if marks is None else 0, marks, repartition
        self._rows: list[Array] = []
        self._counts: list[Array] = []
        self.numbers: list[int] = []
        self._begin(at, 0)
        self._show_state()

    @property
    def system(self) -> System:
        """The system with its present coordinates."""
        return self._at.system

    @property
    def t(self) -> Array:
        """Times of the records (s)."""
        return self.grid.at(np.array(self.numbers, dtype=int))

    @property
    def values(self) -> Array:
        """The records, one row for each time."""
        return np.vstack([np.zeros((0, len(self.system.outputs))), *self._rows])

    @property
    def counts(self) -> Array:
        """Iterations of Newton's method in each step; empty for methods without it."""
        return np.concatenate([np.zeros(0), *self._counts])

    def work(self) -> Work | None:
        """∫P dt at the records and at the states passed to `see`; None if the power was not kept or is zero."""
        if not self._powers:
            return None
        last, numbers = self._steps.power(self._inputs_now), np.unique([*self.numbers, *self._shown])
        if np.all(np.isfinite(last)):
            self._keep_power(last[np.newaxis], self.grid.rest if self.done > self.grid.whole else self.grid.dt)
        powers, t = np.concatenate(self._powers), self.grid.at(numbers)
        if self._pairs is not None:
            joules = np.r_[0.0, np.cumsum(powers)]
            return Work(t, joules[np.minimum(numbers, len(powers))], np.zeros(len(t)))
        rest = self.grid.rest if len(powers) > self.grid.whole + 1 else 0.0
        numbers = np.minimum(numbers, len(powers) - 1)
        return Work(t, *work_of_steps(powers, self.grid.dt, numbers, rest))

    def _keep_power(self, powers: Array, h: float) -> None:
        """Keep P before the last steps; of forces and rates, only the work of each step of h (s) between them."""
        if not len(powers):
            return
        if powers.shape[1] == 1:
            self._powers.append(powers[:, 0])
            return
        pairs = powers if self._pairs is None else np.vstack([self._pairs, powers])
        self._pairs = powers[-1:]
        self._powers.append(work_of_pairs(pairs, h))

    @property
    def now(self) -> float:
        """The time (s) reached so far."""
        return float(self.grid.at([self.done])[0])

    def run(self, show: Callable[[int], object]) -> None:
        """Integrate to the end; `show` is called with the number of steps made.

        Raises the error that ends the run early.
        """
        end, refusal = self._possible()
        if refusal is not None and end < 0:  # at the start: nothing can be observed
            raise refusal
        shortened = refusal is None and self._marks is None and self.grid.shortened
        for mark in [*(self._marks or ()), end]:
            while self.done < min(mark, end):
                self._advance(min(mark, end, self.done + self._chunk), show)
            if mark <= end and (self._recorded(mark) or (mark == end and shortened)):
                self._observe()
        show(self.done)
        if refusal is not None:
            raise refusal

    def _possible(self) -> tuple[int, DivergenceError | None]:
        """Number of steps until an input is not finite, and the error for it."""
        bad = np.argwhere(~np.isfinite(self._u))
        if not len(bad):
            return self.grid.steps, None
        row, column = (int(k) for k in bad[0])
        t, value, s = float(self.grid.at([row])[0]), self._u[row, column], self.system
        problem = f"the input {s.inputs[column]} of {s.model.name} is {value} at t = {t:g} s"
        return row - 1, DivergenceError(problem, time=t)

    def _recorded(self, number: int) -> bool:
        """Whether the state before a step is to be recorded and is not yet."""
        wanted = number in self._marks if self._marks is not None else number % self._every == 0
        return wanted and number not in self.numbers[-1:]

    def _begin(self, at: StartState, done: int) -> None:
        """Start steps of dt from a state."""
        self._at, self.done, self._zero = at, done, 0  # zero: the index that the steps themselves count from
        watch = SWITCH if self._repartition else STOP
        settings = StepSettings(
            self.grid.dt, self._u, self.grid.start, done, watch, foresee=True, newton=self._newton, power=self._power
        )
        self._steps = self._method.steps(at, settings)

    def _shorten(self) -> None:
        """Switch to the last, shortened step."""
        rows = self._u if len(self._u) == 1 else self._u[self.done :]
        self._steps.retime(self.now, self.grid.rest, rows)
        self._zero = self.done

    def _advance(self, until: int, show: Callable[[int], object]) -> None:
        """Make steps up to an index; the shortened step is made separately."""
        if self.done == self.grid.whole and not self._zero:  # the shortened step remains
            self._shorten()
        until = until if self._zero else min(until, self.grid.whole)
        every = int(self._recorded(self.done)) if self._zero else self._every
        before, rows = self.done, self._steps.run(until - self.done, every)
        self.done = self._zero + self._steps.done
        if self._every:
            self.numbers += list(range(before + -before % self._every, self.done, self._every))
        self._rows.append(rows)
        self._keep_power(self._steps.powers, self.grid.dt)
        self._counts.append(getattr(self._steps, "counts", np.zeros(0)))
        show(self.done)
        self._show_state()
        if self._steps.status != DONE:
            self._go_on()

    def _show_state(self) -> None:
        """Pass the present state to `see`."""
        if self._see is not None:
            self._shown.append(self.done)
            self._see(self.system, self.now, self._steps.x, self._inputs_now, self._steps.guess)

    @property
    def _inputs_now(self) -> Array:
        return np.asarray(self._u[0] if len(self._u) == 1 else self._u[self.done])

    def _observe(self) -> None:
        """Record the present state."""
        row = self._steps.observe()
        if self._steps.status != DONE:
            self._go_on()
            row = self._steps.observe()
        self._rows.append(row[np.newaxis])
        self.numbers.append(self.done)

    def _go_on(self) -> None:
        """After a stop: continue with other coordinates if that helps and is allowed; else raise an error."""
        steps, s, t = self._steps, self.system, self.now
        u = self._inputs_now
        last = s.outputs_function(np.array([t]), steps.x, u, steps.guess)
        here = StartState(s, steps.x, steps.guess, self._at.pivots)
        try:
            self._begin(after_stop(here, steps.status, t, self.grid.dt, u, self._repartition, self._method), self.done)
        except (DivergenceError, SingularityError):
            if self._recorded(self.done) and np.all(np.isfinite(last)):
                self._rows.append(last[np.newaxis])
                self.numbers.append(self.done)
            raise
