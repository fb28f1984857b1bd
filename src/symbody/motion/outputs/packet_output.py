"""References of a ride as packets over UDP or a serial line, for a controller of its own, and its end of the line.

A packet (`links/packet.py`) has the number of the state, positions (m) and rates (m/s) of the actuators. The partner
answers with its measured positions. During homing it goes slowly to the neutral position. The ride begins after its
first answer, and stops after `SILENCE` without a valid one, or if an actuator is `FAR` from its set point.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from symbody.links.link import Limits, LinkEnd
from symbody.links.packet import Transport
from symbody.links.udp import Address, UdpTransport
from symbody.motion.data import ACTUATORS, Array, PlatformData
from symbody.motion.outputs.output_thread import FOLLOWED, OutputStatus, RideSample, neutral_actuators
from symbody.motion.safety.loop_supervisor import STATES

SET_POINTS = ("state", *ACTUATORS, *(f"{name}.rate" for name in ACTUATORS))  # channels to the partner
MEASURED = tuple(f"{name}.measured" for name in ACTUATORS)  # channels of the partner
PERIOD = 4e-3  # s
SILENCE = 0.1  # s
FAR, NEAR = 0.02, 2e-3  # m
BATCH = 16  # packets that are read in a period


class PacketOutput:
    """Sends set points over a transport with the channels `SET_POINTS` and `MEASURED`.

    Parameters
    ----------
    transport : Transport
        With the channels `SET_POINTS` and `MEASURED`.
    name : str
        For messages.
    data : PlatformData
        The platform.
    period : float
        Time between packets (s). Default 0.004.
    clock : function, optional
        Function that returns nanoseconds.
    """

    def __init__(
        self, transport: Transport, name: str, data: PlatformData, period: float = PERIOD,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:  # fmt: skip
        self.name, self.period, self._transport, self._clock = name, period, transport, clock
        self._neutral = neutral_actuators(data)
        self.link = LinkEnd(Limits(silence=SILENCE))
        self.measured: Array | None = None
        self._sample: RideSample | None = None
        self._age = 0.0

    def write(self, sample: RideSample | None) -> OutputStatus:
        """Read the answers, then send the newest sample."""
        for _ in range(BATCH):
            frame = self._transport.receive(0.0)
            if frame is None:
                break
            if self.link.believe(frame, self._clock()):
                self.measured = frame.values
        self._sample = sample or self._sample
        if self._sample is not None:
            now = self._clock()
            self._age = 1e-9 * now - self._sample.at
            values = np.concatenate([[STATES.index(self._sample.state)], self._sample.q, self._sample.rates])
            self._transport.send(self.link.outgoing(values, now))
        trip = self.link.round_trips[-1] if self.link.round_trips else 0.0
        return OutputStatus(self._fault(), self._age + trip, self._returning)

    @property
    def _returning(self) -> bool:
        """Whether an actuator is away from its neutral position."""
        return self.measured is not None and bool(np.abs(self.measured - self._neutral).max() > NEAR)

    def _fault(self) -> str:
        if self.measured is None:
            return "the partner has not answered yet"
        if self.link.silent(self._clock()):
            return f"no valid answer for {SILENCE:g} s"
        if self._sample is not None and self._sample.state in FOLLOWED:
            away = np.abs(self.measured - self._sample.q)
            if away.max() > FAR:
                return f"{ACTUATORS[int(away.argmax())]} is {away.max():.3g} m away from its set point"
        return ""

    def close(self) -> None:
        """Release the line."""
        self._transport.close()


def udp_receiver(bind: Address, token: bytes = b"") -> PlatformReceiver:
    """The partner's end at a UDP port of this computer.

    Parameters
    ----------
    bind : (str, int)
        Address and port (0: any).
    token : bytes, optional
        Shared secret; other computers need it.

    Returns
    -------
    PlatformReceiver
        Open.
    """
    return PlatformReceiver(UdpTransport(MEASURED, SET_POINTS, bind=bind, token=token))


class PlatformReceiver:
    """The partner's end: the newest set points, and whether they may be followed. A silent ride must be stopped by the
    partner itself.

    Parameters
    ----------
    transport : Transport
        With the channels `MEASURED` and `SET_POINTS`.
    clock : function, optional
        Function that returns nanoseconds.
    """

    def __init__(self, transport: Transport, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.link, self._transport, self._clock = LinkEnd(Limits(silence=SILENCE)), transport, clock
        self.state, self.q, self.rates = "off", np.zeros(len(ACTUATORS)), np.zeros(len(ACTUATORS))

    def exchange(self, measured: Array) -> bool:
        """Read set points, and answer with measured positions (8,) (m); False: stop, the ride is silent."""
        for _ in range(BATCH):
            frame = self._transport.receive(0.0)
            if frame is None:
                break
            if self.link.believe(frame, self._clock()):
                n = len(ACTUATORS)
                self.state = STATES[int(np.clip(frame.values[0], 0, len(STATES) - 1))]
                self.q, self.rates = frame.values[1 : 1 + n], frame.values[1 + n :]
        self._transport.send(self.link.outgoing(np.asarray(measured, dtype=float), self._clock()))
        return not self.link.silent(self._clock())

    def close(self) -> None:
        """Release the line."""
        self._transport.close()
