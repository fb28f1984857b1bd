# Written by tests/stubs.py from the table in __init__.py.
from symbody.links.dds import DdsTransport
from symbody.links.devices import (
    Device,
    Hand,
    Handle,
    Joystick,
    Pointer,
    Remote,
    Replay,
    SimulatedAdmittance,
    SimulatedImpedance,
)
from symbody.links.link import Limits
from symbody.links.serial_port import SerialTransport
from symbody.links.shared_memory import MemoryTransport
from symbody.links.udp import UdpTransport
from symbody.links.wiring import wiring

__all__ = [
    "DdsTransport",
    "Device",
    "Hand",
    "Handle",
    "Joystick",
    "Limits",
    "MemoryTransport",
    "Pointer",
    "Remote",
    "Replay",
    "SerialTransport",
    "SimulatedAdmittance",
    "SimulatedImpedance",
    "UdpTransport",
    "wiring",
]
