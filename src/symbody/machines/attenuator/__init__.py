"""A crash attenuator behind a truck: ten blocks of honeycomb, hit by an impactor at 50 km/h."""

from symbody.machines.attenuator.model import BLOCKS

__all__ = ["BLOCKS"]

STEPS = {"until": 0.3, "dt": 2.5e-5, "every": 5e-4}
STUDIO = {"start": "The impactor hits at once: press R to see it again, in slow motion with the list of speeds."}
