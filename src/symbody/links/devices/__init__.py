"""Devices with one interface: simulated, replayed, remote, game controller, pointer."""

from symbody.links.devices.device import Device
from symbody.links.devices.joystick import Joystick
from symbody.links.devices.pointer import Pointer
from symbody.links.devices.remote import Remote
from symbody.links.devices.replay import Replay
from symbody.links.devices.simulated import Hand, Handle, SimulatedAdmittance, SimulatedImpedance

__all__ = [
    "Device", "Hand", "Handle", "Joystick", "Pointer", "Remote", "Replay", "SimulatedAdmittance", "SimulatedImpedance",
]  # fmt: skip
