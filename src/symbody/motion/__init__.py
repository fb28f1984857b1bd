"""Motion platforms in closed form: hexapods on an XY table, from geometry to dynamics, workspace and identification.

Positions in m, angles in rad, forces in N. A pose is [x y z roll pitch yaw] (…, 6); the axes are the two sliders and
the pose (…, 8), in the order of `AXES`; actuators are the two sliders and the six legs (…, 8), in the order of
`ACTUATORS`.

Examples
--------
Geometry and dynamics of the built-in platform:

>>> import numpy as np
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion import PlatformData, bias, direct_geometry, forward_dynamics, inverse_dynamics
>>> from symbody.motion import inverse_geometry, inverse_jacobian, leg_lengths, leg_rates, mass_matrix
>>> data: PlatformData = platform_data()
>>> axes = np.array([0.1, 0.0, 0.02, 0.0, 0.5, 0.1, 0.0, 0.2])
>>> q, passive = inverse_geometry(axes, data)
>>> pose = direct_geometry(q[2:], data)
>>> np.allclose(pose, axes[2:]), np.allclose(leg_lengths(pose, data), q[2:])
(True, True)
>>> twist, acceleration = np.full(8, 0.1), np.full(8, 0.2)
>>> gamma = inverse_dynamics(pose, twist, acceleration, data)
>>> np.allclose(forward_dynamics(pose, twist, gamma, data), acceleration)
True
>>> mass_matrix(pose, data).shape, bias(pose, twist, data).shape, inverse_jacobian(pose, data).shape
((8, 8), (8,), (6, 6))
>>> legs = leg_rates(pose, twist[2:], acceleration[2:], data)

Limits, friction and inertia are plain numbers; published simulators are presets:

>>> from symbody.motion import AxisLimit, DirectionalFriction, Envelope, Inertial, LegLimits, envelope, envelopes
>>> slow = AxisLimit(low=-0.1, high=0.1, speed=0.2, acceleration=1.0)
>>> load = Inertial(10.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
>>> legs: LegLimits = data.legs
>>> friction: DirectionalFriction = data.friction["leg"]
>>> bus: Envelope = envelope(next(iter(envelopes())))

Motions, checks and logs:

>>> from symbody.motion import PlatformLog, PlatformMotion, check_motion, check_pose, sampled, synthetic_log
>>> from symbody.motion.identification import exciting
>>> moves = exciting(data, moves=2).moves
>>> motion: PlatformMotion = sampled(moves, 1e-2, data)
>>> check_motion(motion)
>>> check_pose(data.neutral_axes, data)
>>> log: PlatformLog
>>> log, exact = synthetic_log(moves, data, dt=1e-2)
>>> log.q.shape == exact.axes.shape
True
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
