"""Computed torque: Γ = M(q) (q̈_d + K_v ė + K_p e + K_i ∫e dt) + H(q, q̇), linear and decoupled if the model is exact."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.motion.control.controller import LoopState, forces_of, wanted
from symbody.motion.data import PlatformData
from symbody.motion.geometry import Values
from symbody.motion.servo import Gain, as_gain


@dataclass(frozen=True)
class ComputedTorque:
    """Computed torque with all poles at −ω.

    Parameters
    ----------
    bandwidth : float or array
        ω (rad/s). Default 100.
    reset : float or array
        K_i/K_p (1/s), for loads that are unknown. Default 10.
    """

    bandwidth: Gain = 100.0
    reset: Gain = 10.0

    @property
    def name(self) -> str:
        """As tables show it."""
        return "computed torque"

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) (N)."""
        target, w = wanted(now.reference, data), as_gain(self.bandwidth)
        e, rate = target.q - now.q, target.qd - now.qd
        return forces_of(
            target.qdd + 2.0 * w * rate + w * w * (e + as_gain(self.reset) * now.integral), now, target, data
        )
