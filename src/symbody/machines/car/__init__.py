"""A car on four multi-link suspensions, in a lane change or yours to drive around an obstacle at 75 km/h."""

from symbody.machines.car.driver import Driver, compiled_car, drive, replay, varied
from symbody.machines.car.measures import measured
from symbody.machines.car.road import Road

__all__ = ["Driver", "Road", "compiled_car", "drive", "measured", "replay", "varied"]

VARIANTS = {"kind": ("lane-change", "driven")}
