"""PID of each actuator, Γ = K_p (e + ∫e dt / T) + K_d ė, e = q_d − q; and PD with the closed form as feed-forward.

The source tests its platform with PID and unknown loads (Houda 2020, §6.1.3); it prints no gains.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbody.motion.control.controller import LoopState, wanted
from symbody.motion.data import PlatformData
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.geometry import Values
from symbody.motion.servo import DAMPING, STIFFNESS, Gain, as_gain

RESET = 10.0  # 1/s: K_i/K_p


def pid_force(e: Values, integral: Values, rate: Values, kp: Values, kd: Values, reset: Values) -> Values:
    """K_p (e + reset ∫e dt) + K_d ė (N)."""
    return kp * (e + reset * integral) + kd * rate


@dataclass(frozen=True)
class Pid:
    """PID of each actuator: stiffness K_p (N/m), damping K_d (N s/m), reset K_i/K_p (1/s)."""

    stiffness: Gain = STIFFNESS
    damping: Gain = DAMPING
    reset: Gain = RESET

    @property
    def name(self) -> str:
        """As tables show it."""
        return "PID"

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) (N); the controller knows no model."""
        target = wanted(now.reference, data)
        kp, kd, reset = map(as_gain, (self.stiffness, self.damping, self.reset))
        return pid_force(target.q - now.q, now.integral, target.qd - now.qd, kp, kd, reset)


@dataclass(frozen=True)
class FeedForward:
    """PD with the inverse dynamics of the reference as feed-forward: stiffness K_p (N/m), damping K_d (N s/m)."""

    stiffness: Gain = STIFFNESS
    damping: Gain = DAMPING

    @property
    def name(self) -> str:
        """As tables show it."""
        return "PD with feed-forward"

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) (N)."""
        target = wanted(now.reference, data)
        gamma = inverse_dynamics(target.pose, target.twist, target.acceleration, data)
        kp, kd = map(as_gain, (self.stiffness, self.damping))
        return gamma + pid_force(target.q - now.q, 0.0, target.qd - now.qd, kp, kd, 0.0)
