"""A motion platform to move: a hexapod on an XY table, 8 axes, with closed forms beside the engine."""

from symbody.machines.platform import drives, identification, singularity, workspace
from symbody.machines.platform.assembly import assembly_modes
from symbody.machines.platform.data import ACTUATORS, AXES, PlatformData, platform_data
from symbody.machines.platform.direct import direct_geometry
from symbody.machines.platform.dynamics import bias, forward_dynamics, inverse_dynamics, mass_matrix
from symbody.machines.platform.excitation import sampled
from symbody.machines.platform.geometry import inverse_geometry
from symbody.machines.platform.kinematics import inverse_jacobian, leg_rates
from symbody.machines.platform.limits import check_motion, check_pose
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.platform_log import synthetic_log

__all__ = [
    "ACTUATORS", "AXES", "PlatformData", "PlatformMotion", "assembly_modes", "bias", "check_motion", "check_pose",
    "direct_geometry", "drives", "forward_dynamics", "identification", "inverse_dynamics", "inverse_geometry",
    "inverse_jacobian", "leg_rates", "mass_matrix", "platform_data", "sampled", "singularity", "synthetic_log",
    "workspace",
]  # fmt: skip

VARIANTS = {"drive": ("force", "servo")}
