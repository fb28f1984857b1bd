"""A motion platform to move: a hexapod on an XY table, 8 axes, with closed forms beside the engine."""

from symbody.machines.platform.data import ACTUATORS, AXES, PlatformData, platform_data
from symbody.machines.platform.direct import direct_geometry
from symbody.machines.platform.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from symbody.machines.platform.geometry import inverse_geometry

__all__ = [
    "ACTUATORS", "AXES", "PlatformData", "direct_geometry", "forward_dynamics", "inverse_dynamics", "inverse_geometry",
    "mass_matrix", "platform_data",
]  # fmt: skip

VARIANTS = {"drive": ("force", "servo")}
