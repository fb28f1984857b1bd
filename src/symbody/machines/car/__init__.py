"""A car on four multi-link suspensions: a lane change, or a driving simulator at 75 km/h with an obstacle."""

from symbody.machines.car.driver import compiled_car, drive, replay
from symbody.system.varied_parameters import varied
from symbody.vehicles.measures import measured
from symbody.vehicles.preview_driver import Driver
from symbody.vehicles.road import Road

__all__ = ["Driver", "Road", "compiled_car", "drive", "measured", "replay", "varied"]

VARIANTS = {"kind": ("lane-change", "driven")}
