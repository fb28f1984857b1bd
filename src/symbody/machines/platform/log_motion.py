"""The motion behind a log: encoders, made smooth, through the direct geometry."""

from __future__ import annotations

import numpy as np

from symbody.analysis.low_pass import derivatives, low_pass
from symbody.errors import AssemblyError
from symbody.machines.platform.compiled import direct_function
from symbody.machines.platform.data import Array, PlatformData
from symbody.machines.platform.kinematics import acceleration_of_rates, inverse_jacobian, leg_rates, rates_of_twist
from symbody.machines.platform.motion import PlatformMotion


def motion_of(t: Array, q: Array, data: PlatformData, cutoff: float | None) -> PlatformMotion:
    """The motion of actuators q (n, 8) sampled at equal steps; what is above the cutoff (Hz) is noise.

    ẋ = J q̇ and ẍ = J (q̈ − J̇⁻¹ẋ) of the smoothed encoders.
    """
    dt = float(t[1] - t[0])
    smooth = low_pass(q, dt, cutoff)
    rates, second = derivatives(smooth, dt)
    pose = np.asarray(direct_function(data)(smooth[:, 2:], data.neutral))
    lost = ~np.all(np.isfinite(pose), axis=1)
    if np.any(lost):
        row = int(np.argmax(lost))
        told = ", ".join(f"{x:.4g}" for x in smooth[row, 2:])
        raise AssemblyError(f"platform: no pose has legs of {told} m, as at t = {t[row]:.4g} s (check the encoders' zeros)")
    J = inverse_jacobian(pose, data)
    twist = np.linalg.solve(J, rates[:, 2:, None])[..., 0]
    drift = leg_rates(pose, twist, 0.0 * twist, data).q3dd
    acceleration = np.linalg.solve(J, (second[:, 2:] - drift)[..., None])[..., 0]
    pose_rates = rates_of_twist(pose, twist)
    carried = acceleration_of_rates(pose, pose_rates, 0.0 * pose_rates)
    pose_second = rates_of_twist(pose, acceleration - carried)
    return PlatformMotion(
        t,
        np.hstack([smooth[:, :2], pose]),
        np.hstack([rates[:, :2], pose_rates]),
        np.hstack([second[:, :2], pose_second]),
        data,
    )
