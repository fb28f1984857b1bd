"""Motion platforms in closed form: hexapods on an XY table, from geometry to dynamics, workspace and identification.

Positions in m, angles in rad, forces in N. A pose is [x y z roll pitch yaw] (…, 6); the axes are the two sliders and
the pose (…, 8), in the order of `AXES`; actuators are the two sliders and the six legs (…, 8), in the order of
`ACTUATORS`.
"""

from symbody.motion import (
    control,
    cueing,
    drives,
    identification,
    optical_tracking,
    outputs,
    safety,
    singularity,
    sources,
    workspace,
)
from symbody.motion.assembly_modes import AssemblyModes, assembly_modes
from symbody.motion.compiled import direct_function, geometry_function, inverse_function
from symbody.motion.data import (
    ACTUATORS,
    AXES,
    POSE,
    AxisLimit,
    DirectionalFriction,
    Inertial,
    LegLimits,
    PlatformData,
    load_platform,
)
from symbody.motion.direct_geometry import direct_geometry
from symbody.motion.dynamics import bias, forward_dynamics, inverse_dynamics, mass_matrix
from symbody.motion.envelopes import Envelope, envelope, envelopes
from symbody.motion.excitation import sampled
from symbody.motion.geometry import inverse_geometry, leg_lengths
from symbody.motion.kinematics import inverse_jacobian, leg_rates
from symbody.motion.limits import check_motion, check_pose
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_log import PlatformLog, synthetic_log
from symbody.motion.platform_motion import PlatformMotion

__all__ = [
    "ACTUATORS", "AXES", "POSE", "AssemblyModes", "AxisLimit", "DirectionalFriction", "Envelope", "Inertial",
    "LegLimits", "PlatformData", "PlatformLog", "PlatformMotion", "assembly_modes", "bias", "check_motion",
    "check_pose", "control", "cueing", "direct_function", "direct_geometry", "drives", "envelope", "envelopes",
    "forward_dynamics",
    "geometry_function", "identification", "inverse_dynamics", "inverse_function", "inverse_geometry",
    "inverse_jacobian", "leg_lengths", "leg_rates", "load_platform", "mass_matrix", "mechanism", "optical_tracking",
    "outputs", "safety", "sampled", "singularity", "sources", "synthetic_log", "workspace",
]  # fmt: skip
