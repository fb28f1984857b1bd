"""Devices behind one interface: simulated, replayed, over a line, game controller, pointer."""

from symbody.realtime.devices.device import Device
from symbody.realtime.devices.joystick import Joystick
from symbody.realtime.devices.pointer import Pointer
from symbody.realtime.devices.remote import Remote
from symbody.realtime.devices.replay import Replay
from symbody.realtime.devices.simulated import Hand, Handle, SimulatedAdmittance, SimulatedImpedance

__all__ = [
    "Device", "Hand", "Handle", "Joystick", "Pointer", "Remote", "Replay", "SimulatedAdmittance", "SimulatedImpedance",
]  # fmt: skip
