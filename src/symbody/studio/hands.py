"""Hands on the controls of a running machine: browsers or a pilot say where to, a thread follows at bounded speed.

Speeds are bounded in the time of the model: a machine in slow motion is not struck harder. A hand that says nothing for
`SILENCE` has let go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from math import copysign, isfinite

from symbody.errors import SymbodyError
from symbody.realtime.priority import set_realtime_priority
from symbody.realtime.rejected import Rejected
from symbody.realtime.shared import Shared
from symbody.studio.machine import Channels, Control, Pilot

TICK = 2e-3  # s between two looks; what lies between is for the loop's filters
LONGEST = 0.02  # s: a hand that was kept waiting for longer is late, and does not make up for it with a jerk
RENEWED = 0.05  # s after which inputs that rest are given again, as a sign of life
SILENCE = 1.0  # s
CLOSING = 0.3  # s that the thread may take to end
URGENT = 10  # priority of the thread, below that of the loop: hands do not tremble because somebody else computes


class Hands:
    """What moves the controls of a loop, until `close()`."""

    def __init__(self, loop: Shared, controls: Sequence[Control], clock: Callable[[], float] = time.monotonic):
        self._loop, self._clock = loop, clock
        self._controls = {control.name: control for control in controls}
        first = dict(zip(loop.channels.given, loop.channels.start, strict=True))
        self._first = {control.name: float(first[control.name]) for control in controls}
        self.values = dict(self._first)
        self._held: dict[str, tuple[float, float, float]] = {}  # target, s from end to end, when it was last said
        self._pilot: tuple[str, Pilot, float] | None = None  # name, who, model time when it took over
        self.complaint = ""  # of a pilot who failed
        self._lock, self._end = threading.Lock(), threading.Event()
        self._speeds: dict[str, float] = {}  # by a second, at the last look
        self._given = -RENEWED
        self._t = loop.latest().t
        self._thread = threading.Thread(target=self._follow, name="hands", daemon=True)

    def start(self) -> Hands:
        if self._controls:
            self._thread.start()
        return self

    def close(self) -> None:
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(CLOSING)  # a pilot may be lost in thought

    @property
    def pilot(self) -> str:
        """Who moves the controls; empty: people."""
        pilot = self._pilot  # no lock: one who thinks holds it
        return pilot[0] if pilot else ""

    def move(self, name: str, value: float, seconds: float | None = None) -> None:
        """Hold a control at a value, or on the way there; ends a pilot."""
        control = self._known(name)
        if not control.low <= value <= control.high:
            raise Rejected("out of range")
        slowest = control.seconds if seconds is None else max(seconds, control.seconds)
        with self._lock:
            self._pilot = None
            self._held[name] = value, slowest, self._clock()

    def let_go(self, name: str | None = None) -> None:
        """Let a control go, or all of them."""
        if name is not None:
            self._known(name)
        with self._lock:
            for held in [name] if name is not None else list(self._held):
                self._held.pop(held, None)

    def appoint(self, name: str, pilot: Pilot | None) -> None:
        """Let a pilot move the controls; None: nobody."""
        with self._lock:
            self._held.clear()
            self.complaint = ""
            self._pilot = None if pilot is None else (name, pilot, self._loop.latest().t)

    def begin_again(self) -> None:
        """Everything as at the start, at once; a pilot begins anew."""
        with self._lock:
            self._held.clear()
            if self._pilot:
                self._pilot = (*self._pilot[:2], self._loop.latest().t)
            self.values = dict(self._first)
            self._loop.give(self.values)

    def stand(self) -> None:
        """Give the controls as they stand: a loop whose filters begin anew then goes on without a jump."""
        with self._lock:
            channels = dict(zip(self._loop.outputs, self._loop.latest().outputs, strict=True))
            self.values |= {name: float(channels[name]) for name in self.values if name in channels}
            self._loop.give(self.values)

    def _known(self, name: str) -> Control:
        if name not in self._controls:
            raise Rejected("no such control")
        return self._controls[name]

    def _follow(self) -> None:
        set_realtime_priority(URGENT)
        while not self._end.wait(TICK):
            try:
                self.follow()
            except SymbodyError:  # somebody else gives the inputs, for now
                continue

    def follow(self) -> None:
        """Take the controls as far as the time since the last look allows, and give them to the loop."""
        with self._lock:
            _, t, outputs = self._loop.latest()
            passed, self._t = min(max(t - self._t, 0.0), LONGEST), t
            channels = dict(zip(self._loop.outputs, outputs, strict=True))
            goals = self._goals(t, channels)
            moved = {name: self._towards(self._controls[name], *goal, passed) for name, goal in goals.items()}
            if moved != self.values or self._clock() - self._given > RENEWED:
                self._loop.give(moved)
                self.values, self._given = moved, self._clock()

    def _goals(self, t: float, channels: Channels) -> Mapping[str, tuple[float, float]]:
        """Where each control is to go, and in how many seconds from end to end."""
        goals = {name: (c.rest if c.returns else self.values[name], c.seconds) for name, c in self._controls.items()}
        if self._pilot is not None:
            wanted = self._piloted(t, channels)
            return goals | {name: (wanted[name], c.seconds) for name, c in self._controls.items() if name in wanted}
        now = self._clock()
        self._held = {name: held for name, held in self._held.items() if now - held[2] <= SILENCE}
        return goals | {name: (value, seconds) for name, (value, seconds, _) in self._held.items()}

    def _piloted(self, t: float, channels: Channels) -> Mapping[str, float]:
        """What the pilot wants; one who fails is dismissed, and the page says why."""
        assert self._pilot is not None
        name, pilot, since = self._pilot
        try:
            return {control: float(value) for control, value in pilot(t - since, channels).items()}
        except Exception as error:
            self._pilot, self.complaint = None, f"{name} gave up: {error!r}"
            return {}

    def _towards(self, control: Control, target: float, seconds: float, passed: float) -> float:
        """Where a control is after some time: a way from end to end takes `seconds`; towards no number it stays.

        Evenly at v = way/T; one that gathers speed by a = 2 way/T², as that takes from rest, and stops at once.
        """
        name, value, even = control.name, self.values[control.name], (control.high - control.low) / seconds
        along = max(self._speeds.get(name, 0.0) * copysign(1.0, target - value), 0.0)
        speed = min(along + 2.0 * even / seconds * passed, 2.0 * even) if control.gathers else even
        way = speed * passed
        near = min(max(target, value - way), value + way) if isfinite(target) else value
        reached = min(max(near, control.low), control.high)
        if passed > 0.0:
            self._speeds[name] = (reached - value) / passed
        return reached
