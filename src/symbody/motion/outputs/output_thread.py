"""A thread that gives the references of a ride to drives, and their faults and their delay back to the loop.

Drives are at their neutral position when they are switched on for the first time. While the ride is off they keep their
place, during homing they go slowly to their neutral position, and while it is ready, runs or stops, they follow. A
fault of the output stops the ride: the supervisor reads `output.fault` at its next sample. A silent thread is a fault,
too. References leave at their period (`output_pace.py`), whether the loop has a new one or not: a loop that is late
moves nothing, and one that is silent for `SILENT` is a fault of the ride, at which drives stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from symbody.motion.compiled import geometry_function
from symbody.motion.control.drive_loop import target_function
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.outputs.output_pace import OutputPace
from symbody.motion.safety.loop_supervisor import SILENT, STATES, reference_names
from symbody.realtime.background_thread import BackgroundThread
from symbody.realtime.inbox import LoopInbox
from symbody.realtime.outbox import LoopOutbox, Posted
from symbody.realtime.priority import set_realtime_priority

STATE = "state"
SENT = (STATE, *reference_names(), *reference_names(".rate"))  # numbers of the loop that an output needs
RETURNED = {"fault": "", "busy": "", "delay": "s"}  # numbers for the loop
PRIORITY = 40  # of the thread, if the system allows it: below that of the loop, above all ordinary programs
FOLLOWED = ("ready", "running", "stopping")  # states in which drives follow


class RideSample(NamedTuple):
    """A set point of the ride.

    Parameters
    ----------
    state : str
        Of the ride.
    q : array, shape (8,)
        Actuators (m).
    rates : array, shape (8,)
        m/s.
    at : float
        When the loop wrote it (s).
    """

    state: str
    q: Array
    rates: Array
    at: float


class OutputStatus(NamedTuple):
    """State of an output.

    Parameters
    ----------
    fault : str
        Why it failed; empty: it works.
    delay : float
        From the loop to the answer of the drives (s).
    busy : bool
        Whether the drives are not at their neutral position yet, so that homing has not ended. Default False.
    """

    fault: str
    delay: float
    busy: bool = False


class RideOutput(Protocol):
    """Drives or another controller that a ride moves."""

    name: str
    period: float  # s between two samples

    def write(self, sample: RideSample | None) -> OutputStatus:
        """Give the newest sample, or None if there is none; called once in a period."""
        ...

    def close(self) -> None:
        """Stop the drives, and release the line."""
        ...


class OutputThread(BackgroundThread):
    """Writes to an output in its period: a companion of the loop. outbox, inbox: stages of the chain.

    pace: the instants at which samples left. urgent: whether the thread has a real-time priority.

    Parameters
    ----------
    output : RideOutput
        Drives, or another controller.
    data : PlatformData
        The platform.
    clock : function
        Returns seconds. Default: the monotonic clock.
    """

    def __init__(self, output: RideOutput, data: PlatformData, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("output")
        self.output, self.outbox, self.inbox = output, LoopOutbox(SENT), LoopInbox(RETURNED)
        self.pace, self._clock = OutputPace(output.period, clock()), clock
        self.urgent = False
        self._last: RideSample | None = None
        self._old = 0  # periods without a new sample of the loop
        self.status, self._data = OutputStatus("not open yet", 0.0), data
        self.inbox.post([1.0, 0.0, 0.0])  # the ride waits for the output
        geometry_function(data), target_function(data)  # compiled before the first period

    def sample(self, posted: Posted) -> RideSample:
        """The actuators of a reference."""
        n = len(AXES)
        axes, rates = posted.values[1 : 1 + n], posted.values[1 + n :]
        found = target_function(self._data)(axes, rates)
        return RideSample(STATES[int(posted.values[0])], np.asarray(found.q), np.asarray(found.qd), posted.at)

    def step(self) -> None:
        """One period: the newest sample to the output, its status to the loop."""
        self.pace.begin(self._clock())
        try:
            self.status = self.output.write(self._newest())
        except Exception as error:  # the ride stops, because this is a fault
            self.status = OutputStatus(repr(error), self.status.delay)
        self.inbox.post([float(bool(self.status.fault)), float(self.status.busy), self.status.delay])

    def _newest(self) -> RideSample | None:
        """The newest sample; one with a fault if the loop is silent."""
        posted = self.outbox.collect()
        if posted is not None:
            self._last, self._old = self.sample(posted), 0
            return self._last
        self._old += 1
        silent = self._last is not None and self._old * self.output.period > SILENT
        return self._last._replace(state="fault") if silent and self._last else None

    def close(self) -> None:
        """End the thread, and stop the drives."""
        super().close()
        self.output.close()

    def _run(self) -> None:
        self.urgent = set_realtime_priority(PRIORITY)
        self.pace.due = self._clock()
        while not self._end.wait(self.pace.wait(self._clock())):
            self.step()

    @property
    def line(self) -> str:
        """The state of the output, in a few words."""
        missed = f", {self.pace.skipped} periods missed" if self.pace.skipped else ""
        said = self.status.fault or f"answer after {1e3 * self.status.delay:.1f} ms{missed}"
        return f"output {self.output.name}: {said}"


def neutral_actuators(data: PlatformData) -> Array:
    """Positions (8,) (m) of the actuators at the neutral position."""
    return np.asarray(geometry_function(data)(data.neutral_axes).q)
