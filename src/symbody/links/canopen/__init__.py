"""Drives on a CANopen bus (CiA 301 and 402): the side of the controller, and simulated drives on a virtual bus."""

from symbody.links.canopen.drive_bus import BusLimits, DriveBus, Feedback
from symbody.links.canopen.simulated_drives import SimulatedDrives

__all__ = ["BusLimits", "DriveBus", "Feedback", "SimulatedDrives"]
