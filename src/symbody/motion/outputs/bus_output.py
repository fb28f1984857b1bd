"""The drives of a platform on a CANopen bus as the output of a ride.

| fault | the ride stops after at most |
|---|---|
| frames of a drive are lost, late or malformed; a drive is dead | `BusLimits.reaction`, a period and a sample |
| a drive reports a fault, or the bus refuses frames | two periods and a sample |
| no heartbeat of a drive | `BusLimits.heartbeat`, a period and a sample |

The sample is that of the loop. The drives stop on their own if this process is silent (`BusLimits.watchdog`). After a
fault the bus is opened again while the ride is off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.links.canopen import BusLimits, DriveBus
from symbody.links.canopen.drive_bus import OFF, RUNNING, SAFE
from symbody.motion.data import ACTUATORS, Array, PlatformData
from symbody.motion.drives import resolutions
from symbody.motion.outputs.output_thread import FOLLOWED, OutputStatus, RideSample, neutral_actuators
from symbody.motion.safety.homing import HomingSpeeds

NODES = tuple(range(1, len(ACTUATORS) + 1))
STEP = 4000  # increments: two cycles at the largest speed of the drives, and some more
AGAIN = 1.0  # s between two attempts to open the bus


class BusOutput:
    """Eight drives in cyclic position mode; set points count from where each drive is when it is first enabled.

    Parameters
    ----------
    data : PlatformData
        The platform.
    adapter, nodes, limits, bus, clock
        As in `symbody.links.canopen.DriveBus`.
    """

    def __init__(
        self, data: PlatformData, adapter: str = "virtual:symbody", nodes: Sequence[int] = NODES,
        limits: BusLimits | None = None, bus: Any = None, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.name, self._clock = f"CANopen {adapter}", clock
        self.bus = DriveBus(nodes, adapter, limits=limits or BusLimits(step=STEP), bus=bus, clock=clock)
        self.period = self.bus.limits.period
        self._scale, self._neutral = resolutions(data), neutral_actuators(data)
        self._base: Array | None = None
        self._sample: RideSample | None = None
        speeds = HomingSpeeds()
        self._pace = np.array([*2 * (speeds.table,), *6 * (speeds.leg,)]) * self.period / self._scale
        self._goal: Array | None = None  # while the drives return
        self._next, self._complaint, self._sent, self._at, self._delay = 0.0, "", 0.0, 0.0, 0.0

    def write(self, sample: RideSample | None) -> OutputStatus:
        """Send set points of the newest sample, and judge what the drives answered."""
        self._sample = sample or self._sample
        state = self._sample.state if self._sample else "off"
        if self.bus.state in (OFF, SAFE) and state == "off":
            self._open()
        if self.bus.state == OFF:
            return OutputStatus(self._complaint or "the bus is not open yet", self._delay)
        if state == "fault" and self.bus.state == RUNNING:
            self.bus.stop("the ride has a fault")
        if self.bus.enable() and self._base is None:
            self._base = self.bus.feedback.position.astype(float)
        if self.bus.heard > self._sent > 0.0:
            self._delay = self.bus.heard - self._at
        goals = self._goals(state)
        self._sent, self._at = self._clock(), self._sample.at if self._sample else self._clock()
        self.bus.cycle(None if goals is None else np.round(goals).astype(int).tolist())
        waiting = "" if self.bus.state == RUNNING else "the drives are not enabled yet"
        return OutputStatus(self.bus.reason if self.bus.state == SAFE else waiting, self._delay, self._returning)

    @property
    def _returning(self) -> bool:
        """Whether a drive is away from its neutral position during homing."""
        return self._base is not None and self._goal is not None and bool((self._goal != self._base).any())

    def _goals(self, state: str) -> Array | None:
        """Set points (8,) of the drives in a state of the ride; None: they keep their place."""
        if self.bus.state != RUNNING or self._base is None or self._sample is None:
            self._goal = None
        elif state in FOLLOWED:
            self._goal = None
            return np.asarray(self._base + (self._sample.q - self._neutral) / self._scale)
        elif state == "homing":
            at = self.bus.feedback.position if self._goal is None else self._goal
            self._goal = np.asarray(at + np.clip(self._base - at, -self._pace, self._pace))
        return self._goal

    def _open(self) -> None:
        now = self._clock()
        if now < self._next:
            return
        try:
            self.bus.open()
            self._complaint = ""
        except ModelError as error:
            self._complaint = str(error)
        self._next = self._clock() + AGAIN

    def close(self) -> None:
        """Stop the drives, and release the bus."""
        self.bus.close()
