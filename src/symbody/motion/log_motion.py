"""Motion of the platform from a smoothed log: poses by direct geometry, rates and accelerations by the Jacobian."""

from __future__ import annotations

import numpy as np

from symbody.analysis.smooth_record import SmoothRecord
from symbody.errors import AssemblyError
from symbody.motion.compiled import direct_function
from symbody.motion.data import Array, PlatformData
from symbody.motion.kinematics import acceleration_of_rates, inverse_jacobian, leg_rates, rates_of_twist
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.regressors import friction_shapes


def log_motion(log: SmoothRecord, data: PlatformData, every: int = 1) -> PlatformMotion:
    """The motion of the axes at each `every` samples: ẋ = J q̇, ẍ = J (q̈ − J̇⁻¹ẋ)."""
    t, q, qd, qdd = (part[::every] for part in (log.t, log.q, log.qd, log.qdd))
    pose = np.asarray(direct_function(data)(q[:, 2:], data.neutral))
    lost = ~np.all(np.isfinite(pose), axis=1)
    if np.any(lost):
        row = int(np.argmax(lost))
        lengths = ", ".join(f"{x:.4g}" for x in q[row, 2:])
        cure = "check the zero positions of the encoders"
        raise AssemblyError(f"platform: no pose has legs of {lengths} m, as at t = {t[row]:.4g} s ({cure})")
    J = inverse_jacobian(pose, data)
    twist = np.linalg.solve(J, qd[:, 2:, None])[..., 0]
    drift = leg_rates(pose, twist, 0.0 * twist, data).q3dd
    acceleration = np.linalg.solve(J, (qdd[:, 2:] - drift)[..., None])[..., 0]
    rates = rates_of_twist(pose, twist)
    second = rates_of_twist(pose, acceleration - acceleration_of_rates(pose, rates, 0.0 * rates))
    axes = np.hstack([q[:, :2], pose])
    return PlatformMotion(t, axes, np.hstack([qd[:, :2], rates]), np.hstack([qdd[:, :2], second]), data)


def filtered_friction_shapes(log: SmoothRecord, data: PlatformData) -> Array:
    """`friction_shapes` at all samples (n, 4, 8); dry friction passes the same filter as the forces."""
    shapes = friction_shapes(log.qd, data)
    shapes[:, 2:] = log.filtered(shapes[:, 2:])
    return shapes
