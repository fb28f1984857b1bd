"""Outputs that a user names: `can:INTERFACE:CHANNEL`, `udp:HOST:PORT` or `serial:PORT`."""

from __future__ import annotations

from collections.abc import Callable

from symbody.errors import ModelError
from symbody.links.serial_port import SerialTransport
from symbody.links.transports import address, shared_token
from symbody.links.udp import UdpTransport, address_text
from symbody.motion.data import PlatformData
from symbody.motion.outputs.bus_output import NODES, BusOutput
from symbody.motion.outputs.output_thread import OutputThread, RideOutput
from symbody.motion.outputs.packet_output import MEASURED, SET_POINTS, PacketOutput

SIMULATED = "simulated"  # an adapter: eight simulated drives on a virtual bus of this process
CURE = "give can:INTERFACE:CHANNEL (or can:simulated), udp:HOST:PORT or serial:PORT"


def opened_output(text: str, data: PlatformData) -> OutputThread:
    """The output that a text names, and its thread.

    Parameters
    ----------
    text : str
        KIND:WHERE, such as "can:simulated" or "udp:HOST:PORT".
    data : PlatformData
        The platform.

    Returns
    -------
    OutputThread
        Not started yet.

    Raises
    ------
    ModelError
        For an unknown kind.
    """
    kind, colon, where = text.partition(":")
    if kind not in KINDS or not colon or not where:
        raise ModelError(f"unknown output '{text}'", element="output", cure=CURE)
    return OutputThread(KINDS[kind](where, data), data)


def _bus(adapter: str, data: PlatformData) -> RideOutput:
    if adapter != SIMULATED:
        return BusOutput(data, adapter)
    from symbody.motion.outputs.simulated_bus import SimulatedBusOutput

    return SimulatedBusOutput(data, NODES)


def _udp(where: str, data: PlatformData) -> RideOutput:
    partner = address(where)
    transport = UdpTransport(SET_POINTS, MEASURED, partner=partner, token=shared_token())
    return PacketOutput(transport, f"UDP {address_text(partner)}", data)


def _serial(port: str, data: PlatformData) -> RideOutput:
    return PacketOutput(SerialTransport(SET_POINTS, MEASURED, port, token=shared_token()), f"serial {port}", data)


KINDS: dict[str, Callable[[str, PlatformData], RideOutput]] = {"can": _bus, "udp": _udp, "serial": _serial}
