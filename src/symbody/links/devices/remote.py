"""A device at the other end of a link: a microcontroller that exchanges frames over UDP or a serial port."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from symbody.links.devices.device import Device
from symbody.links.link import Limits, LinkEnd
from symbody.links.packet import Transport

Array = np.ndarray
BATCH = 64  # frames per reading, so that a flood does not block it


class Remote(Device):
    """Measures and commands over a transport whose channels are `hears` = measures and `sends` = takes.

    Parameters
    ----------
    transport : Transport
        A link whose channels are `hears` = measures and `sends` = takes.
    measures, takes : sequence of str
        Names of the channels.
    limits : Limits, optional
        When frames are rejected.
    """

    def __init__(
        self, transport: Transport, measures: Sequence[str], takes: Sequence[str], limits: Limits | None = None
    ):
        self.measures, self.takes = tuple(measures), tuple(takes)
        self.transport, self.link = transport, LinkEnd(limits)
        self._measured = np.full(len(measures), np.nan)

    def read(self) -> Array:
        """The newest measurements; NaN if the device has been silent for longer than the limit."""
        for _ in range(BATCH):
            if (frame := self.transport.receive(0.0)) is None:
                break
            if self.link.believe(frame, time.monotonic_ns()):
                self._measured = frame.values
        if self.link.silent(time.monotonic_ns()):
            self._measured = np.full(len(self.measures), np.nan)
        return self._measured.copy()

    def command(self, values: Array) -> None:
        self.transport.send(self.link.outgoing(np.asarray(values, dtype=float), time.monotonic_ns()))

    def safe(self) -> None:
        """Send NaN commands: the link stays alive, and the far end must go to its safe state."""
        self.command(np.full(len(self.takes), np.nan))

    def close(self) -> None:
        self.safe()
        self.transport.close()
