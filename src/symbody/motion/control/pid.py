"""PID of each actuator, Γ = Γ₀ + K_p (e + ∫e dt / T) + K_d ė, e = q_d − q; and PD with the closed form as feed-forward.

The source tests its platform with PID and unknown loads (Houda 2020, §6.1.3); it prints no gains. For an actuator that
moves a mass m against the damping K_d, PID is stable if K_d > m/T (Routh): 1/T must be small for a heavy passenger. The
masses of the legs differ much: with 50 kg they are 2.7 kg in turns of the platform and 211 kg along it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.motion.control.controller import SIZE, LoopState, wanted
from symbody.motion.data import TABLE, Array, PlatformData
from symbody.motion.dynamics import inverse_dynamics, mass_matrix
from symbody.motion.geometry import Values
from symbody.motion.servo import DAMPING, STIFFNESS, Gain, as_gain

RESET = 1.5  # 1/s: K_i/K_p; stable with loads up to 50 kg
LEG_RATE, TABLE_RATE = 480.0, 75.0  # 1/s: K_d by the smallest mass; the sample time and the filter of the rate limit it
LEAST_DAMPING = 0.15  # damping ratio of the heaviest mode of the legs, unless it must be stiffer
SAG = 2e-3  # m: most that an unknown load may lower the platform before the integral acts
ROUTH = 0.2  # 1/T as a share of K_d/m of the heaviest mode


def pid_force(e: Values, integral: Values, rate: Values, kp: Values, kd: Values, reset: Values) -> Values:
    """K_p (e + reset ∫e dt) + K_d ė (N)."""
    return kp * (e + reset * integral) + kd * rate


@dataclass(frozen=True)
class Pid:
    """PID of each actuator.

    Parameters
    ----------
    stiffness : float or array, optional
        K_p (N/m).
    damping : float or array
        K_d (N s/m). Default (2000, 2000, 400, 400, 400, 400, 400, 400).
    reset : float or array
        K_i/K_p = 1/T (1/s). Default 1.5.
    weight : float or array
        Constant force (N). Default 0.
    """

    stiffness: Gain = STIFFNESS
    damping: Gain = DAMPING
    reset: Gain = RESET
    weight: Gain = 0.0

    @property
    def name(self) -> str:
        """As tables show it."""
        return "PID"

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) (N); the controller knows no model."""
        target = wanted(now.reference, data)
        kp, kd, reset = map(as_gain, (self.stiffness, self.damping, self.reset))
        force = pid_force(target.q - now.q, now.integral, target.qd - now.qd, kp, kd, reset)
        return as_gain(self.weight) + force


def holding_forces(data: PlatformData) -> Array:
    """Γ (8,) (N) that hold a platform at rest at its neutral position."""
    still = np.zeros(SIZE)
    return np.asarray(inverse_dynamics(data.neutral, still, still, data, friction=False), dtype=float)


def pid_for(loads: Sequence[PlatformData], usual: PlatformData) -> Pid:
    """PID that is stable for a platform with each of some loads; usual: the load whose weight it knows.

    K_d follows from the smallest mass of a mode; K_p and 1/T from the largest one. K_p carries an unknown load.
    """
    masses = [mass_matrix(one.neutral, one) for one in loads]
    legs = np.array([np.linalg.eigvalsh(M[len(TABLE) :, len(TABLE) :])[[0, -1]] for M in masses])
    sliders = np.array([np.diag(M)[: len(TABLE)] for M in masses])
    light, heavy = legs[:, 0].min(), legs[:, 1].max()
    kd = LEG_RATE * light
    unknown = max(np.abs(holding_forces(one) - holding_forces(usual)).max() for one in loads)
    kp, reset = max((0.5 * kd / LEAST_DAMPING) ** 2 / heavy, unknown / SAG), ROUTH * kd / heavy
    table_kd = TABLE_RATE * sliders.min(axis=0)
    table_kp, table_reset = 0.25 * TABLE_RATE * table_kd, ROUTH * table_kd / sliders.max(axis=0)
    stiffness, damping, resets = (
        tuple(float(x) for x in (*table, *6 * (leg,)))
        for table, leg in ((table_kp, kp), (table_kd, kd), (table_reset, reset))
    )
    return Pid(stiffness, damping, resets, tuple(holding_forces(usual).tolist()))


@dataclass(frozen=True)
class FeedForward:
    """PD with the inverse dynamics of the reference as feed-forward.

    Parameters
    ----------
    stiffness : float or array, optional
        K_p (N/m).
    damping : float or array
        K_d (N s/m). Default (2000, 2000, 400, 400, 400, 400, 400, 400).
    """

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
