"""Drives on a CANopen bus (CiA 301 and 402): the side of the controller, and simulated drives on a virtual bus.

Examples
--------
>>> import time
>>> from symbody.links.canopen import BusLimits, DriveBus, Feedback, SimulatedDrives
>>> limits = BusLimits(period=0.02, tolerated=50, watchdog=10.0, heartbeat=30.0, answer=30.0)
>>> nodes, adapter = (1, 2), "virtual:help"
>>> with SimulatedDrives(nodes, adapter), DriveBus(nodes, adapter, limits=limits) as bus:
...     bus.open()
...     found: Feedback = bus.cycle()
>>> len(found.position)
2
"""

from symbody.links.canopen.drive_bus import BusLimits, DriveBus, Feedback
from symbody.links.canopen.simulated_drives import SimulatedDrives

__all__ = ["BusLimits", "DriveBus", "Feedback", "SimulatedDrives"]
