"""Numbers for the seal of a hydraulic cylinder, the defaults of all friction laws (Jaiswal 2021, Pub. II).

The roots in σ₀ "√54×10⁶" and σ₁ "√10×10⁴" are applied to the first number only. With the root of the whole, the seal
would bend by 0.11 m before it slides.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seal:
    """Friction of a seal in N, m, s; angular laws take N m, rad, s instead."""

    Fc: float = 210.0  # sliding friction (N)
    Fs: float = 830.0  # break-away friction (N)
    vs: float = 1.25e-2  # Stribeck velocity (m/s)
    sigma0: float = 54.0**0.5 * 1e6  # stiffness of the bristles (N/m)
    sigma1: float = 10.0**0.5 * 1e4  # damping of the bristles (N s/m)
    sigma2: float = 330.0  # viscous friction (N s/m)
    n: float = 0.5  # exponent of the Stribeck curve
    xi: float = 50.0  # decay of the Stribeck curve (s/m), Bengisu–Akay
    vb: float = 0.70  # velocity from which the lubricating film grows no further (m/s)
    tau_hp: float = 0.25  # time constant of the growing film (s)
    tau_hn: float = 1.50  # time constant of the shrinking film while sliding (s)
    tau_h0: float = 40.0  # time constant of the shrinking film at rest (s)
    v0: float = 1e-3  # width of a smoothed sign (m/s): not printed, chosen
    eta: float = 0.88  # efficiency of a cylinder (Pub. I)


SEAL = Seal()
