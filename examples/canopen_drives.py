"""Eight simulated drives on a virtual CAN bus: they follow set points, and stop when one of them dies."""

import time

import numpy as np

from symbody.links.canopen import BusLimits, DriveBus, SimulatedDrives

nodes, adapter = range(1, 9), "virtual:example"  # with hardware: adapter = "socketcan:can0", and no SimulatedDrives
limits = BusLimits(period=0.02, tolerated=10, watchdog=1.0, heartbeat=3.0, answer=30.0)  # this program may be slow
with SimulatedDrives(nodes, adapter) as drives, DriveBus(nodes, adapter, limits=limits) as bus:
    bus.open()
    while not bus.enable():
        bus.cycle()
        time.sleep(limits.period)
        assert bus.state == "ready", bus.reason
    goal = bus.feedback.position
    for k in range(40):
        if k == 25:
            drives.alive.discard(5)  # drive 5 loses its power
        goal = goal + 100  # increments
        found = bus.cycle(goal)
        time.sleep(limits.period)
        if bus.state == "safe":
            break
    print(f"{bus.state}: {bus.reason}; positions {found.position.tolist()}")

assert bus.reason.startswith("drive 5: no valid position")
assert np.abs(found.position - 2500).max() <= 100 * (limits.tolerated + 3)
