"""Integral sliding mode with a boundary layer (Houda 2020, section 5.3.1).

    s = ė + Λ e + λ ∫e dt,    Γ = M(q) (q̈_d + Λ ė + λ e + K sat(s/ξ) + ζ s) + H(q, q̇).

With an exact model V = ½ sᵀs falls by Σ K_i |s_i| + ζ_i s_i² outside the layer. Inside the layer the law is linear with
the gain K/ξ + ζ; a sampled loop chatters when this gain times the sample time comes near 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.motion.control.controller import LoopState, forces_of, wanted
from symbody.motion.data import PlatformData
from symbody.motion.geometry import Values
from symbody.motion.servo import Gain, as_gain


def saturated(x: Values) -> Values:
    """sat x = ½ (|x + 1| − |x − 1|): x between −1 and 1, else ±1."""
    return 0.5 * (np.absolute(x + 1.0) - np.absolute(x - 1.0))


@dataclass(frozen=True)
class SlidingMode:
    """Sliding mode with a boundary layer. The defaults were found by hand: a fast surface and a thin layer.

    Parameters
    ----------
    slope : float or array
        Λ of the surface (1/s). Default 40.
    integral_slope : float or array
        λ of the surface (1/s²). Default 300.
    reach : float or array
        Rate K to reach it (m/s²). Default 6.
    pull : float or array
        Gain ζ to reach it (1/s). Default 60.
    layer : float or array
        ξ (m/s). Default 0.005.
    """

    slope: Gain = 40.0
    integral_slope: Gain = 300.0
    reach: Gain = 6.0
    pull: Gain = 60.0
    layer: Gain = 5e-3

    @property
    def name(self) -> str:
        """As tables show it."""
        return "sliding mode"

    def surface(self, e: Values, rate: Values, integral: Values) -> Values:
        """s = ė + Λ e + λ ∫e dt (m/s)."""
        return rate + as_gain(self.slope) * e + as_gain(self.integral_slope) * integral

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) (N)."""
        target = wanted(now.reference, data)
        e, rate = target.q - now.q, target.qd - now.qd
        s = self.surface(e, rate, now.integral)
        towards = as_gain(self.reach) * saturated(s / as_gain(self.layer)) + as_gain(self.pull) * s
        along = as_gain(self.slope) * rate + as_gain(self.integral_slope) * e
        return forces_of(target.qdd + along + towards, now, target, data)
