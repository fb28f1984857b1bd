"""Links to other processes, machines and devices: packets over UDP, serial lines, DDS and shared memory."""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "links.dds": "DdsTransport",
    "links.devices": "Device Hand Handle Joystick Pointer Remote Replay SimulatedAdmittance SimulatedImpedance",
    "links.link": "Limits",
    "links.serial_port": "SerialTransport",
    "links.shared_memory": "MemoryTransport",
    "links.udp": "UdpTransport",
    "links.wiring": "wiring",
}

__all__ = lazy_names(__name__, _NAMES)
