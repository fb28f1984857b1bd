"""Eight simulated drives on a virtual CANopen bus of this process, for rides without hardware."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from symbody.links.canopen import SimulatedDrives
from symbody.motion.data import PlatformData
from symbody.motion.outputs.bus_output import BusOutput
from symbody.motion.outputs.output_thread import OutputStatus, RideSample

_CHANNELS = count()


class SimulatedBusOutput(BusOutput):
    """`BusOutput` with drives of its own."""

    def __init__(self, data: PlatformData, nodes: Sequence[int]) -> None:
        adapter = f"virtual:ride-{next(_CHANNELS)}"
        self.drives = SimulatedDrives(nodes, adapter)
        super().__init__(data, adapter, nodes)

    def write(self, sample: RideSample | None) -> OutputStatus:
        """Advance the drives, then write."""
        self.drives.poll()
        return super().write(sample)

    def close(self) -> None:
        """Stop the drives, and release both ends of the bus."""
        super().close()
        self.drives.close()
