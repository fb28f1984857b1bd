"""A log made smooth: encoders and forces through one filter, rates by differences, motion by direct geometry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.analysis.low_pass import derivatives, low_pass
from symbody.errors import AssemblyError
from symbody.machines.platform.compiled import direct_function
from symbody.machines.platform.data import Array, PlatformData
from symbody.machines.platform.kinematics import acceleration_of_rates, inverse_jacobian, leg_rates, rates_of_twist
from symbody.machines.platform.motion import PlatformMotion
from symbody.machines.platform.regressors import friction_shapes

EDGE = 0.1  # s at both ends of a log that the filter spoils


@dataclass(frozen=True, eq=False)
class SmoothLog:
    """Times (n,), actuators with first and second derivatives, and forces, each (n, 8)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    forces: Array
    cutoff: float | None  # Hz, of the filter

    def friction_shapes(self, data: PlatformData) -> Array:
        """Of friction at all samples (n, 4, 8), dry friction through the filter of the forces: it jumps as they do."""
        shapes = friction_shapes(self.qd, data)
        shapes[:, 2:] = low_pass(shapes[:, 2:], float(self.t[1] - self.t[0]), self.cutoff)
        return shapes

    def motion(self, data: PlatformData, every: int = 1) -> PlatformMotion:
        """The motion of the axes at each `every` samples: ẋ = J q̇, ẍ = J (q̈ − J̇⁻¹ẋ)."""
        t, q, qd, qdd = (part[::every] for part in (self.t, self.q, self.qd, self.qdd))
        pose = np.asarray(direct_function(data)(q[:, 2:], data.neutral))
        lost = ~np.all(np.isfinite(pose), axis=1)
        if np.any(lost):
            row = int(np.argmax(lost))
            told = ", ".join(f"{x:.4g}" for x in q[row, 2:])
            cure = "check the encoders' zeros"
            raise AssemblyError(f"platform: no pose has legs of {told} m, as at t = {t[row]:.4g} s ({cure})")
        J = inverse_jacobian(pose, data)
        twist = np.linalg.solve(J, qd[:, 2:, None])[..., 0]
        drift = leg_rates(pose, twist, 0.0 * twist, data).q3dd
        acceleration = np.linalg.solve(J, (qdd[:, 2:] - drift)[..., None])[..., 0]
        rates = rates_of_twist(pose, twist)
        second = rates_of_twist(pose, acceleration - acceleration_of_rates(pose, rates, 0.0 * rates))
        axes = np.hstack([q[:, :2], pose])
        return PlatformMotion(t, axes, np.hstack([qd[:, :2], rates]), np.hstack([qdd[:, :2], second]), data)


def smooth_log(t: Array, q: Array, forces: Array, cutoff: float | None) -> SmoothLog:
    """Encoders q and forces (n, 8) at equal steps without what is above the cutoff (Hz), and without their ends."""
    dt = float(np.median(np.diff(t)))
    smooth = low_pass(q, dt, cutoff)
    edge = max(1, round(EDGE / dt))
    inside, (first, second) = slice(edge, -edge), derivatives(smooth, dt)
    filtered = low_pass(forces, dt, cutoff)
    return SmoothLog(t[inside], smooth[inside], first[inside], second[inside], filtered[inside], cutoff)
