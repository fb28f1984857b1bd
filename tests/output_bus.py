"""Eight simulated drives and the output of a ride on one virtual CANopen bus, with a clock that a test advances."""

import itertools

import numpy as np
import pytest

from symbody.links.canopen import BusLimits
from symbody.motion.built_in_platform import platform_data
from symbody.motion.geometry import inverse_geometry
from symbody.motion.outputs import BusOutput, RideSample
from waiting import PATIENCE, eventually

DATA = platform_data()
NEUTRAL = np.asarray(inverse_geometry(DATA.neutral_axes, DATA)[0], dtype=float)
CHANNELS = itertools.count()


def sample(state="running", q=NEUTRAL, rates=None, at=0.0):
    """A sample of a ride."""
    return RideSample(state, np.asarray(q), np.zeros(8) if rates is None else rates, at)


class Bus:
    """Eight simulated drives and the output of a ride on one virtual bus, with one clock."""

    def __init__(self):
        can = pytest.importorskip("can")
        pytest.importorskip("canopen")
        from can.interfaces.virtual import VirtualBus

        from symbody.links.canopen import SimulatedDrives

        self.can, self.now, channel = can, 0.0, f"output-{next(CHANNELS)}"
        self.sides = VirtualBus(channel), VirtualBus(channel)
        self.drives = SimulatedDrives(range(1, 9), bus=self.sides[0], clock=lambda: self.now)
        limits = BusLimits(step=4000, answer=PATIENCE)
        self.output = BusOutput(DATA, bus=self.sides[1], limits=limits, clock=lambda: self.now)

    def settle(self):
        """Wait until both ends have read everything that was sent."""
        for side, listener in ((self.sides[1], self.drives), (self.sides[0], self.output.bus)):
            seen = []
            listener._network.subscribe(0x7FF, lambda *_, seen=seen: seen.append(True))
            side.send(self.can.Message(arbitration_id=0x7FF, is_extended_id=False))
            eventually(lambda seen=seen: seen)
            listener._network.unsubscribe(0x7FF)

    def write(self, given=None, periods=1):
        for _ in range(periods):
            status = self.output.write(given)
            self.settle()
            self.now += self.output.period
        return status

    def started(self):
        self.write(sample("off"), 12)
        assert not self.write(sample("off")).fault
        return self

    def close(self):
        self.output.close()
        self.drives.close()
