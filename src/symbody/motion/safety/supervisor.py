"""The supervisor of a ride: the only source of references for the drives, in every state.

It owns the state machine, the stream guard and the watchdogs. Its references are those of the guard, of a vetted
trajectory, or of the fast stop; nothing else reaches the drives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import ACTUATORS, AXES, Array, PlatformData
from symbody.motion.geometry import inverse_geometry
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.margins import SoftwareMargins, with_margins
from symbody.motion.safety.states import RideEvent, RideState, transition
from symbody.motion.safety.stream import CLIPPED, REFUSED, StreamGuard, StreamRules, StreamVerdict
from symbody.motion.safety.vetting import Vetted, vet
from symbody.motion.safety.watchdog import Watchdog


@dataclass(frozen=True)
class SupervisorRules:
    """Limits of the supervisor.

    Parameters
    ----------
    tick : float
        Longest time between ticks (s). Default 0.05.
    measured : float
        Longest time without measured positions (s). Default 0.05.
    tracking : float
        Largest tracking error (m). Default 0.02.
    stream : StreamRules, optional
        Checks of the samples.
    """

    tick: float = 0.05
    measured: float = 0.05
    tracking: float = 0.02
    stream: StreamRules = field(default_factory=StreamRules)


class RideReference(NamedTuple):
    """The reference for the drives at a tick.

    Parameters
    ----------
    state : RideState
        Of the ride.
    powered : bool
        Whether the drives have power.
    axes, rates, second : array, shape (8,)
        Axes and their derivatives (m, rad, s).
    verdict : StreamVerdict or None
        On the last sample of the stream.
    """

    state: RideState
    powered: bool
    axes: Array
    rates: Array
    second: Array
    verdict: StreamVerdict | None


class RideSupervisor:
    """References of the axes at each tick, within all limits and in the order of the states.

        ride = RideSupervisor(data, dt=1e-3)
        ride.power_on(); ride.homed(); ride.start()
        reference = ride.tick(now, sample=[...], measured=q)

    history: what happened, with times. reason: why the ride stopped or failed.

    Parameters
    ----------
    data : PlatformData
        The platform.
    dt : float
        Time between ticks (s). Default 0.001.
    rules : SupervisorRules, optional
        Limits of times and errors.
    margins : SoftwareMargins, optional
        Distances to the machine's own limits.
    """

    def __init__(
        self, data: PlatformData, dt: float = 1e-3, rules: SupervisorRules | None = None,
        margins: SoftwareMargins | None = None,
    ) -> None:  # fmt: skip
        self.data, self.dt, self.rules = with_margins(data, margins), dt, rules or SupervisorRules()
        self.reason = ""
        self.history: list[tuple[float, str]] = []
        self._state, self._now = RideState.OFF, 0.0
        self._guard = StreamGuard(self.data, dt, self.rules.stream)
        self._plan: PlatformMotion | None = None

    @property
    def state(self) -> RideState:
        """The present state; only events change it."""
        return self._state

    @property
    def counts(self) -> dict[str, int]:
        """Samples of the stream by what became of them."""
        return dict(self._guard.counts)

    # -- commands ------------------------------------------------------------------------------------------------------

    def power_on(self) -> None:
        """Begin homing."""
        self._change(RideEvent.POWER_ON, "power on")

    def homed(self, axes: Sequence[float] | None = None) -> None:
        """Homing has ended: the platform rests at a position (8,), by default the neutral one, which is now known."""
        at = self.data.neutral_axes if axes is None else np.asarray(axes, dtype=float)
        if vet_rest(at, self.data):
            raise ModelError("homing ended outside the limits", element=vet_rest(at, self.data), cure="home again")
        self._change(RideEvent.HOMED, "homed")
        self._guard.place(at)

    def load(self, motion: PlatformMotion) -> Vetted:
        """Vet a trajectory for the next start; a refused one is not kept. The platform must be ready."""
        if self._state is not RideState.READY:
            raise ModelError("a trajectory is loaded only while the platform is ready", element=self._state.value)
        judged = PlatformMotion(motion.t, motion.axes, motion.rates, motion.second, self.data)
        steps = np.diff(motion.t)
        if len(steps) and np.isfinite(steps).all() and np.abs(steps - self.dt).max() > 1e-6 * self.dt:
            found = Vetted(False, f"the trajectory is not sampled every {self.dt:g} s", 0, 0.0, "time")
        else:
            found = vet(judged, self.dt, self._guard.axes)
        self._plan = judged if found.ok else None
        self._note("trajectory " + ("accepted" if found.ok else f"refused: {found.reason}"))
        return found

    def start(self) -> None:
        """Begin to follow the loaded trajectory, or else the stream."""
        self._change(RideEvent.START, "start")
        self.reason, self._failed, self._played = "", False, 0
        self._guard.place(self._guard.axes)
        self._ticks, self._sensors = Watchdog(self.rules.tick), Watchdog(self.rules.measured)

    def stop(self, reason: str = "stop") -> None:
        """A fast stop; the platform is then ready."""
        self._change(RideEvent.STOP, reason)

    def fail(self, reason: str) -> None:
        """A fault: a fast stop if the platform moves, then no motion until a reset."""
        self._failed = True
        self._change(RideEvent.FAIL, reason)

    def reset(self) -> None:
        """Leave a fault: the power is off, and homing is next."""
        self._change(RideEvent.RESET, "reset")

    def power_off(self) -> None:
        """Switch the drives off, at rest only."""
        self._change(RideEvent.POWER_OFF, "power off")

    # -- ticks ---------------------------------------------------------------------------------------------------------

    def tick(self, now: float, sample: Array | None = None, measured: Array | None = None) -> RideReference:
        """The reference for the next sample.

        now: time (s). sample: positions of the axes (8,) of the stream, if one has arrived. measured: positions of the
        actuators (8,) from the encoders, if they are watched.
        """
        verdict = None
        if self._state in (RideState.RUNNING, RideState.STOPPING):
            self._watch(now, measured)
        self._now = now if np.isfinite(now) else self._now
        if self._state is RideState.RUNNING:
            verdict = self._follow(now, sample)
        if self._state is RideState.STOPPING:
            self._guard.brake()
            if self._guard.still:
                self._change(RideEvent.FAILED_AT_REST if self._failed else RideEvent.AT_REST, self.reason)
                self._plan = None
        elif self._state is not RideState.RUNNING:
            self._guard.second = np.zeros(len(AXES))
        powered = self._state not in (RideState.OFF, RideState.FAULT)
        g = self._guard
        return RideReference(self._state, powered, g.axes.copy(), g.rates.copy(), g.second.copy(), verdict)

    def _watch(self, now: float, measured: Array | None) -> None:
        """Faults of the loop itself: late ticks, missing or wrong positions, a platform that does not follow."""
        if self._ticks.last is not None and not 0.0 <= now - self._ticks.last <= self.rules.tick:
            self.fail(f"{now - self._ticks.last:.3g} s between two ticks")
        self._ticks.feed(now)
        if measured is not None:
            wanted = np.asarray(inverse_geometry(self._guard.axes, self.data)[0])
            error = np.abs(np.asarray(measured, dtype=float) - wanted)
            if not np.isfinite(error).all():
                self.fail("a measured position is not a number")
            elif error.max() > self.rules.tracking:
                self.fail(f"{ACTUATORS[int(error.argmax())]} is {error.max():.3g} m away from its reference")
            self._sensors.feed(now)
        elif self._sensors.last is not None and self._sensors.expired(now):
            self.fail(f"no measured positions for {self._sensors.silent(now):.3g} s")

    def _follow(self, now: float, sample: Array | None) -> StreamVerdict | None:
        if self._plan is not None:
            self._play(self._plan)
            return None
        verdict = None if sample is None else self._guard.offer(now, sample)
        if verdict is not None and verdict.status == REFUSED:
            self._note(f"sample refused: {verdict.reason}")
        if self._guard.starved(now):
            self.stop(f"no valid sample for {self.rules.stream.patience:g} s" + _because(verdict))
            return verdict
        clipped = self._guard.advance()
        if verdict is not None and verdict.status != REFUSED:
            verdict = StreamVerdict(CLIPPED, "the platform cannot do this in time") if clipped else verdict
            self._guard.counts[verdict.status] += 1
        return verdict

    def _play(self, plan: PlatformMotion) -> None:
        k = self._played
        self._guard.axes, self._guard.rates, self._guard.second = plan.axes[k], plan.rates[k], plan.second[k]
        self._played += 1
        if self._played >= len(plan.t):
            self._guard.place(plan.axes[-1])
            self.stop("the trajectory has ended")

    # -- events --------------------------------------------------------------------------------------------------------

    def _change(self, event: RideEvent, why: str) -> None:
        before, self._state = self._state, transition(self._state, event)
        if event in (RideEvent.STOP, RideEvent.FAIL):
            self.reason = why
        if self._state is not before or event is RideEvent.FAIL:
            self._note(f"{before.value} → {self._state.value}: {why}")

    def _note(self, text: str) -> None:
        self.history.append((self._now, text))
        del self.history[:-HISTORY]


HISTORY = 1000  # entries that are kept


def _because(verdict: StreamVerdict | None) -> str:
    return f": {verdict.reason}" if verdict is not None and verdict.reason else ""


def vet_rest(axes: Array, data: PlatformData) -> str:
    """The axis that is outside its limits at rest, or an empty word."""
    low, high = data.ends("low"), data.ends("high")
    wrong = ~((axes >= low) & (axes <= high))
    return AXES[int(wrong.argmax())] if wrong.any() else ""
