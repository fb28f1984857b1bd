"""Events: instants at which an output, or a function of time and state, crosses a value, and their actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbody.errors import DivergenceError, ModelError
from symbody.suggestions import did_you_mean
from symbody.system.system import System

Array = np.ndarray
Outputs = Callable[[float, Array], Array]  # of time and state
Action = Callable[[float, Mapping[str, float]], Mapping[str, float] | None]
EVEN = np.linspace(0.0, 1.0, 5)  # where in a step signs are compared, so that a pair of crossings is found
FINEST = 1e-10  # s: in the first step after an event, the next one may be this close
BESIDE = 1e-7  # of a step: the interval for the slope of an event
SOON = 1e-3  # s: acting events closer than this may be below the tolerances
ACCUMULATED = 1e-7  # s: acting events closer than this accumulate


@dataclass(frozen=True)
class Event:
    """An instant at which an output (by name) or a function g(t, x) crosses a value.

    Event("ball.q", crosses=0.1, direction=-1, action=lambda t, at: {"ball.qd": -0.8 * at["ball.qd"]})

    Parameters
    ----------
    of : str or function
        The name of an output, or a function g(t, x).
    crosses : float
        The value that is crossed, default 0.
    direction : int
        1 rising, −1 falling, 0 both (default).
    terminal : bool or int
        The run ends after this many occurrences; True: at the first one. Default False.
    action : function, optional
        (time, outputs and states by name) → new values of states, by name: an impact, a switch.
    name : str
        Label in results; default: the output's name.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> low = sb.Event("bob.q", crosses=0.0, terminal=True, name="lowest")
    >>> run = sb.simulate(m, 5.0, x0={"bob.q": 1.0}, method=sb.VariableStep(events=[low]))
    >>> len(run.events) == 1 and bool(run.t[-1] < 5.0)
    True
    """

    of: str | Callable[[float, Array], float]
    crosses: float = 0.0
    direction: int = 0
    terminal: int = 0
    action: Action | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, or else the name of its output or function."""
        return self.name or (self.of if isinstance(self.of, str) else getattr(self.of, "__name__", "event"))


@dataclass(frozen=True)
class EventRecord:
    """An event that occurred: its time, the state, and the state after its action."""

    name: str
    t: float
    x: Array
    after: Array | None = None


def check_events(system: System, events: Sequence[Event]) -> None:
    """Check that events use recorded outputs."""
    for event in events:
        if isinstance(event.of, str) and event.of not in system.outputs:
            known = event.of in system.possible_outputs
            cure = (
                f'system(…, outputs=[…, "{event.of}"])'
                if known
                else did_you_mean(event.of, system.possible_outputs, "outputs")
            )
            problem = "the output of an event is not recorded" if known else "unknown output of an event"
            raise ModelError(problem, element=event.of, cure=cure)
        if event.direction not in (-1, 0, 1):
            raise ModelError(f"unknown direction {event.direction}", element=event.label, cure="use -1, 0 or 1")


def value(event: Event, names: Sequence[str], t: float, x: Array, y: Outputs) -> float:
    """An event's quantity minus the value that it crosses; y gives the outputs."""
    found = float(y(t, x)[names.index(event.of)] if isinstance(event.of, str) else event.of(t, x))
    if not np.isfinite(found):
        raise DivergenceError(
            f"the event {event.label} is {found} at t = {t:g} s, so crossings cannot be found", time=t
        )
    return found - event.crosses


def crossings(
    g: Callable[[float], float], a: float, b: float, direction: int = 0, *, first: bool = False, fired: bool = False
) -> list[float]:
    """Instants in (a, b] at which g changes its sign in this direction.

    first: the step follows a start or a reset, after which short flights are possible. fired: the event occurred at a,
    where its value is zero except for rounding.
    """
    from scipy.optimize import brentq  # here, because this import takes longer than all of symbody

    shares = EVEN
    if first:
        shares = np.r_[0.0, np.geomspace(min(1e-3, FINEST * max(1.0, abs(a)) / (b - a)), 1.0, 25)]
    times = [float(t) for t in a + (b - a) * shares]
    values = [0.0 if fired else g(a), *(g(t) for t in times[1:])]
    for t, v in _turns(g, times, values):
        times, values = [*times, t], [*values, v]
    order = np.argsort(times, kind="stable")
    times, values = [times[k] for k in order], [values[k] for k in order]
    found: list[float] = []
    for t0, t1, v0, v1 in zip(times, times[1:], values, values[1:], strict=False):
        if v0 * v1 < 0.0 or (v1 == 0.0 and v0 != 0.0):
            way = 1 if v0 < v1 else -1
            if direction in (0, way):
                found.append(t1 if v1 == 0.0 else float(brentq(g, t0, t1, xtol=1e-15, rtol=1e-15)))
    return found


def _turns(g: Callable[[float], float], times: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """Instants between the given ones, and values, at which g returns from beyond zero: a double crossing."""
    from scipy.optimize import minimize_scalar

    t, width = [times[0], *times, times[-1]], BESIDE * (times[-1] - times[0])
    v = [g(times[0] + width), *values, g(times[-1] - width)]  # beyond each end, extrapolated by the slope
    v[0], v[-1] = 2.0 * v[1] - v[0], 2.0 * v[-2] - v[-1]
    found = []
    for k in range(1, len(t) - 1):
        side = np.sign(v[k])
        beside = side * v[k - 1], side * v[k + 1]
        if 0.0 < side * v[k] <= min(beside) and side * v[k] < max(beside):
            close = {"xatol": BESIDE * (t[k + 1] - t[k - 1])}
            lowest = minimize_scalar(
                lambda x, side=side: side * g(x), bounds=(t[k - 1], t[k + 1]), method="bounded", options=close
            )
            if lowest.fun < 0.0:
                found.append((float(lowest.x), float(side * lowest.fun)))
    return found


def acted(event: Event, system: System, t: float, x: Array, y: Array) -> Array | None:
    """The state after an event's action; None if nothing changes."""
    if event.action is None:
        return None
    known = dict(zip(system.outputs, map(float, y), strict=True)) | dict(zip(system.states, map(float, x), strict=True))
    given = event.action(t, known)
    if given is not None and not isinstance(given, Mapping):
        cure = 'return new values of states by name, {"ball.qd": 0.0}, or None'
        raise ModelError(f"the action returns a {type(given).__name__}", element=event.label, cure=cure)
    changed = dict(given or {})
    after = np.array(x, dtype=float)
    for name, new in changed.items():
        if name not in system.states:
            cure = f"the states are {', '.join(system.states)}"
            raise ModelError(
                "the action sets something that is not a state", element=f"{event.label}: {name}", cure=cure
            )
        after[system.states.index(name)] = new
        if not np.isfinite(after[system.states.index(name)]):
            raise DivergenceError(f"the action of {event.label} sets {name} to {new} at t = {t:g} s", time=t)
    return after if changed else None


class StepPath(NamedTuple):
    """A step of a run from a to b (s): outputs and dx/dt of time and state, and the state inside the step."""

    system: System
    y: Outputs
    rates: Outputs
    path: Callable[[float], Array]
    a: float
    b: float

    def value(self, event: Event, t: float, x: Array) -> float:
        """The value of an event at a time and a state."""
        return value(event, self.system.outputs, t, x, self.y)


class EventWatch:
    """Events of a running simulation: which occurred, how often, and which may not occur again immediately."""

    def __init__(self, events: Sequence[Event]):
        self.events, self.found, self.ended = events, list[EventRecord](), False
        self._counts = [0] * len(events)
        self._fired: set[int] = set()  # the events of the last reset
        self._last: dict[int, float] = {}  # time of the last occurrence of acting events

    def __bool__(self) -> bool:
        return bool(self.events)

    def step(self, made: StepPath, first: bool) -> tuple[float, Array | None]:
        """The effect of events on a step: its end, and the state after a reset. first: the step begins a segment."""
        system, y, _, path, a, b = made
        hits: list[tuple[float, int]] = []
        for k, event in enumerate(self.events):

            def g(t: float, event: Event = event) -> float:
                return made.value(event, t, path(t))

            fired = first and k in self._fired
            hits += [(t, k) for t in crossings(g, a, b, event.direction, first=first, fired=fired)]
            if fired:
                self._require_flight(event, made)
        self._fired = set()
        end, after = b, None
        for t, k in sorted(hits):
            if t > end:
                break
            event, x = self.events[k], path(t) if after is None else after
            self._require_direction(event, k, made, t, x)
            changed = acted(event, system, t, x, y(t, x))
            self.found.append(EventRecord(event.label, t, x, changed))
            self._counts[k] += 1
            if changed is not None:
                self._not_again(event, k, t)
                end, after = t, changed
                self._fired.add(k)
            if event.terminal and self._counts[k] >= event.terminal:
                end, self.ended = t, True
        return end, after

    def _require_direction(self, event: Event, k: int, made: StepPath, t: float, x: Array) -> None:
        """Raise an error if an event acts again soon while the motion goes back: its effect is below the tolerances."""
        if event.action is None or t - self._last.get(k, -np.inf) > SOON:
            return
        slope = made.value(event, t, x + BESIDE * made.rates(t, x)) - made.value(event, t, x)
        if slope * event.direction < 0.0:
            raise self._piles_up(event, t)

    def _require_flight(self, event: Event, made: StepPath) -> None:
        """Raise an error if the flight after a reset is too short for the tolerances, so that it would be missed."""
        a, x, near = made.a, made.path(made.a), BESIDE * (made.b - made.a)
        slope = made.value(event, a + near, x + near * made.rates(a, x)) - made.value(event, a, x)
        next_look = a + FINEST * max(1.0, abs(a))
        soon = made.value(event, next_look, made.path(next_look))
        if slope * soon < 0.0 and event.direction in (0, -np.sign(slope)):
            raise self._piles_up(event, a)

    def _not_again(self, event: Event, k: int, t: float) -> None:
        """Raise an error for resets that follow each other faster and faster."""
        if t - self._last.get(k, -np.inf) < ACCUMULATED * max(1.0, abs(t)):
            raise self._piles_up(event, t)
        self._last[k] = t

    def _piles_up(self, event: Event, t: float) -> DivergenceError:
        cure = "make it terminal, or stop the motion in its action"
        return DivergenceError(f"the event {event.label} occurs again and again at t = {t:g} s ({cure})", time=t)
