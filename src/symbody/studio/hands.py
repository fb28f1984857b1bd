"""Hands on the controls of a running machine: browsers or a pilot set targets, a thread follows them at bounded speed.

Speeds are bounded in model time: a machine in slow motion is not struck harder. A control without a message for
`SILENCE` is released.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import copysign, isfinite

from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.realtime.loop_memory import Shared
from symbody.realtime.priority import set_realtime_priority
from symbody.studio.machine import Channels, Control, Pilot

TICK = 2e-3  # s between two updates; the loop's filters interpolate
REST = 0.02  # s between two updates of controls that nobody moves
LONGEST = 0.02  # s: an update after a longer time moves no further, to avoid a jerk
RENEWED = 0.05  # s after which unchanged inputs are given again, so that they do not become stale
SILENCE = 1.0  # s
CLOSING = 0.3  # s that the thread may take to end
URGENT = 10  # real-time priority of the thread, below that of the loop: other programs do not delay it


class Hands:
    """Moves the controls of a loop, until `close()`."""

    def __init__(self, loop: Shared, controls: Sequence[Control], clock: Callable[[], float] = time.monotonic):
        self._loop, self._clock = loop, clock
        self._controls = {control.name: control for control in controls}
        first = dict(zip(loop.channels.given, loop.channels.start, strict=True))
        self._first = {control.name: float(first[control.name]) for control in controls}
        self.values = dict(self._first)
        self._held: dict[str, tuple[float, float, float]] = {}  # target, s from end to end, time of the last message
        self._pilot: tuple[str, Pilot, float] | None = None  # name, function, model time when it took over
        self.complaint = ""  # why a pilot failed
        self._lock, self._end = threading.Lock(), threading.Event()
        self._touched = threading.Event()  # ends the rest of the thread
        self._moves = True  # whether the last update moved a control
        self._speeds: dict[str, float] = {}  # a second, at the last update
        self._given = -RENEWED
        self._t = loop.latest().t
        self._thread = threading.Thread(target=self._follow, name="hands", daemon=True)

    def start(self) -> Hands:
        if self._controls:
            self._thread.start()
        return self

    def close(self) -> None:
        self._end.set()
        self._touched.set()
        if self._thread.is_alive():
            self._thread.join(CLOSING)  # a pilot may take long

    @property
    def pilot(self) -> str:
        """The pilot that moves the controls; empty: people."""
        pilot = self._pilot  # no lock: a pilot that computes holds it
        return pilot[0] if pilot else ""

    def move(self, name: str, value: float, seconds: float | None = None) -> None:
        """Move a control to a value and hold it there; this ends a pilot."""
        control = self._known(name)
        if not control.low <= value <= control.high:
            raise Rejected("out of range")
        slowest = control.seconds if seconds is None else max(seconds, control.seconds)
        with self._lock:
            self._pilot = None
            self._held[name] = value, slowest, self._clock()
        self._touched.set()

    def let_go(self, name: str | None = None) -> None:
        """Release a control, or all of them."""
        if name is not None:
            self._known(name)
        with self._lock:
            for held in [name] if name is not None else list(self._held):
                self._held.pop(held, None)
        self._touched.set()

    def appoint(self, name: str, pilot: Pilot | None) -> None:
        """Let a pilot move the controls; None: no pilot."""
        with self._lock:
            self._held.clear()
            self.complaint = ""
            self._pilot = None if pilot is None else (name, pilot, self._loop.latest().t)
        self._touched.set()

    def begin_again(self) -> None:
        """Set all controls to their start values at once; a pilot starts again."""
        with self._lock:
            self._held.clear()
            if self._pilot:
                self._pilot = (*self._pilot[:2], self._loop.latest().t)
            self.values = dict(self._first)
            self._loop.give(self.values)
        self._touched.set()

    def stand(self) -> None:
        """Give the present values of the controls, so that filters which start again do not jump."""
        with self._lock:
            channels = dict(zip(self._loop.outputs, self._loop.latest().outputs, strict=True))
            self.values |= {name: float(channels[name]) for name in self.values if name in channels}
            self._loop.give(self.values)
        self._touched.set()

    def _known(self, name: str) -> Control:
        if name not in self._controls:
            raise Rejected("no such control")
        return self._controls[name]

    def _follow(self) -> None:
        set_realtime_priority(URGENT)
        while not self._end.is_set():
            if self._moves or self._held or self._pilot:
                self._end.wait(TICK)
            elif self._touched.wait(REST):
                self._t = self._loop.latest().t - TICK  # the rest is no time in which a control could move
            self._touched.clear()
            try:
                self.follow()
            except SymbodyError:  # another program gives the inputs now
                continue

    def follow(self) -> None:
        """Move the controls as far as the time since the last update allows, and give them to the loop."""
        with self._lock:
            _, t, outputs = self._loop.latest()
            passed, self._t = min(max(t - self._t, 0.0), LONGEST), t
            goals = self._goals(t, outputs)
            moved = {name: self._towards(self._controls[name], *goal, passed) for name, goal in goals.items()}
            self._moves = moved != self.values
            if self._moves or self._clock() - self._given > RENEWED:
                self._loop.give(moved)
                self.values, self._given = moved, self._clock()

    def _goals(self, t: float, outputs: Iterable[float]) -> Mapping[str, tuple[float, float]]:
        """The target of each control, and the time (s) from end to end."""
        goals = {name: (c.rest if c.returns else self.values[name], c.seconds) for name, c in self._controls.items()}
        if self._pilot is not None:
            wanted = self._piloted(t, dict(zip(self._loop.outputs, outputs, strict=True)))
            return goals | {name: (wanted[name], c.seconds) for name, c in self._controls.items() if name in wanted}
        now = self._clock()
        self._held = {name: held for name, held in self._held.items() if now - held[2] <= SILENCE}
        return goals | {name: (value, seconds) for name, (value, seconds, _) in self._held.items()}

    def _piloted(self, t: float, channels: Channels) -> Mapping[str, float]:
        """The targets of the pilot; a pilot that fails is removed, and the page says why."""
        assert self._pilot is not None
        name, pilot, since = self._pilot
        try:
            return {control: float(value) for control, value in pilot(t - since, channels).items()}
        except Exception as error:
            self._pilot, self.complaint = None, f"{name} failed: {error!r}"
            return {}

    def _towards(self, control: Control, target: float, seconds: float, passed: float) -> float:
        """The value of a control after a time; end to end takes `seconds`; a target that is not finite is ignored.

        At constant speed v = way/T; a control with `gathers` accelerates by a = 2 way/T² from rest, and stops at once.
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
