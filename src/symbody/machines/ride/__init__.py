"""A ski descent on a motion platform: ride it in the browser, with cueing, safety and the full platform at 1 kHz."""

from symbody.machines.ride.chain import ride_chain
from symbody.machines.ride.report import ride_figures
from symbody.machines.ride.ridden import ridden

__all__ = ["ridden", "ride_chain", "ride_figures"]
