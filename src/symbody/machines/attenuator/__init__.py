"""A crash attenuator behind a truck: ten blocks of honeycomb, hit by an impactor at 50 km/h."""

from symbody.vehicles.attenuator import BLOCKS

__all__ = ["BLOCKS"]

STEPS = {"until": 0.3, "dt": 2.5e-5, "every": 5e-4}
STUDIO = {"start": "The impactor hits at once. Press “Reset” to see it again; choose a low speed for slow motion."}
