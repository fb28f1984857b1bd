"""Events: instants at which an output, or a function of time and state, crosses a value, and what happens then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError, ModelError
from symbody.nearest import did_you_mean
from symbody.system.system import System

Array = np.ndarray
Outputs = Callable[[float, Array], Array]  # of time and state
Action = Callable[[float, Mapping[str, float]], Mapping[str, float] | None]
EVEN = np.linspace(0.0, 1.0, 5)  # where in a step signs are compared, so that a pair of crossings is not overlooked
FINEST = 1e-10  # s: in the first step after an event, the next one may be as near as that
ACCUMULATED = 1e-7  # s: acting events nearer to each other than that pile up


@dataclass(frozen=True)
class Event:
    """An instant at which an output (by name) or a function g(t, x) crosses a value.

    Event("ball.q", crosses=0.1, direction=-1, action=lambda t, at: {"ball.qd": -0.8 * at["ball.qd"]})

    direction: 1 rising, −1 falling, 0 both. terminal: the run ends when it has happened that often (True: at once).
    action: (time, outputs and states by name) → the states that are set anew, by name; an impact, a switch.
    """

    of: str | Callable[[float, Array], float]
    crosses: float = 0.0
    direction: int = 0
    terminal: int = 0
    action: Action | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, else what it is of."""
        return self.name or (self.of if isinstance(self.of, str) else getattr(self.of, "__name__", "event"))


@dataclass(frozen=True)
class EventRecord:
    """An event that was found: when, in what state, and the state after its action."""

    name: str
    t: float
    x: Array
    after: Array | None = None


def check_events(system: System, events: Sequence[Event]) -> None:
    """Outputs that events are of must be recorded ones."""
    for event in events:
        if isinstance(event.of, str) and event.of not in system.outputs:
            known = event.of in system.possible_outputs
            cure = (
                f'system(…, outputs=[…, "{event.of}"])'
                if known
                else did_you_mean(event.of, system.possible_outputs, "outputs")
            )
            problem = "an event of an output that is not recorded" if known else "an event of no output"
            raise ModelError(problem, element=event.of, cure=cure)
        if event.direction not in (-1, 0, 1):
            raise ModelError(f"direction {event.direction}", element=event.label, cure="it is -1, 0 or 1")


def value(event: Event, names: Sequence[str], t: float, x: Array, y: Outputs) -> float:
    """How far an event's quantity is above what it crosses; y gives the outputs."""
    found = y(t, x)[names.index(event.of)] if isinstance(event.of, str) else event.of(t, x)
    return float(found) - event.crosses


def crossings(
    g: Callable[[float], float], a: float, b: float, direction: int = 0, *, first: bool = False, fired: bool = False
) -> list[float]:
    """Instants of (a, b] at which g changes its sign that way.

    first: the step follows a start or a reset, after which short flights are possible. fired: the event happened at a,
    where its value is zero but for rounding.
    """
    from scipy.optimize import brentq  # here, because it takes longer to import than all of symbody

    shares = EVEN
    if first:
        shares = np.r_[0.0, np.geomspace(min(1e-3, FINEST * max(1.0, abs(a)) / (b - a)), 1.0, 25)]
    times = a + (b - a) * shares
    values = [0.0 if fired else g(a), *(g(float(t)) for t in times[1:])]
    found: list[float] = []
    for t0, t1, v0, v1 in zip(times, times[1:], values, values[1:], strict=False):
        if v0 * v1 < 0.0 or (v1 == 0.0 and v0 != 0.0):
            way = 1 if v0 < v1 else -1
            if direction in (0, way):
                found.append(float(t1) if v1 == 0.0 else float(brentq(g, t0, t1, xtol=1e-15, rtol=1e-15)))
    return found


def acted(event: Event, system: System, t: float, x: Array, y: Array) -> Array | None:
    """The state after an event's action; None where nothing changes."""
    if event.action is None:
        return None
    known = dict(zip(system.outputs, map(float, y), strict=True)) | dict(zip(system.states, map(float, x), strict=True))
    changed = dict(event.action(t, known) or {})
    after = np.array(x, dtype=float)
    for name, new in changed.items():
        if name not in system.states:
            cure = f"the states are {', '.join(system.states)}"
            raise ModelError("an action sets what is not a state", element=f"{event.label}: {name}", cure=cure)
        after[system.states.index(name)] = new
    return after if changed else None


class EventWatch:
    """Events of a run on its way: what happened, how often, and what may not happen again at once."""

    def __init__(self, events: Sequence[Event]):
        self.events, self.found, self.ended = events, list[EventRecord](), False
        self._counts = [0] * len(events)
        self._fired: set[int] = set()  # those that led to the last reset
        self._last: dict[int, float] = {}  # when acting ones happened last

    def __bool__(self) -> bool:
        return bool(self.events)

    def step(
        self, system: System, y: Outputs, path: Callable[[float], Array], a: float, b: float, first: bool
    ) -> tuple[float, Array | None]:
        """What happens in a step: until when the step counts, and the state after a reset."""
        hits: list[tuple[float, int]] = []
        for k, event in enumerate(self.events):

            def g(t: float, event: Event = event) -> float:
                return value(event, system.outputs, t, path(t), y)

            fired = first and k in self._fired
            hits += [(t, k) for t in crossings(g, a, b, event.direction, first=first, fired=fired)]
        self._fired = set()
        end, after = b, None
        for t, k in sorted(hits):
            if t > end:
                break
            event, x = self.events[k], path(t) if after is None else after
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

    def _not_again(self, event: Event, k: int, t: float) -> None:
        """Resets that follow each other ever faster have no end."""
        if t - self._last.get(k, -np.inf) < ACCUMULATED * max(1.0, abs(t)):
            cure = "make it terminal, or let its action bring the motion to rest"
            raise DivergenceError(f"the event {event.label} happens again and again at t = {t:g} s ({cure})", time=t)
        self._last[k] = t
