"""Friction with memory: bristles that bend before they slide, and so store energy, stick, and respond with a delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.elements.seal import SEAL
from symbody.expr.functions import absolute, exp, maximum, minimum, sqrt

REST = 1e-6  # m/s, rad/s: slower counts as rest; far below any Stribeck velocity


def speed_power(v: Scalar, n: Scalar) -> Scalar:
    """|v|ⁿ with a finite slope at rest for any n > 0: v²(v² + ε²)^{n/2 − 1}; error (1 − n/2)(ε/v)² elsewhere."""
    return v * v * (v * v + REST**2) ** (n / 2.0 - 1.0)


@dataclass(frozen=True, kw_only=True)
class Dahl:
    """ż = v − σ₀|v| z/F_c, F = σ₀ z + σ₂ v (Dahl 1968): sliding friction with elastic pre-sliding, no break-away.

    Parameters
    ----------
    Fc : float
        Sliding friction F_c (N, N m). Default 210.
    sigma0 : float
        Stiffness σ₀ of the bristles (N/m, N m/rad). Default 7.348e6.
    sigma2 : float
        Viscous friction σ₂ (N s/m, N m s/rad). Default 330.
    """

    Fc: float = SEAL.Fc
    sigma0: float = SEAL.sigma0
    sigma2: float = SEAL.sigma2
    states: ClassVar[tuple[str, ...]] = ("z",)
    needs_load: ClassVar[bool] = False

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """Deflection (m, rad) at which the bristles slide."""
        return (self.Fc / self.sigma0,)

    def limit(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        """g (N, N m): the force at which bristles slide at the velocity v."""
        return self.Fc

    def damping(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        """σ₁ (N s/m, N m s/rad) of the bending bristles."""
        return 0.0

    def bending(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        """Rate of the deflection, ż = v − σ₀|v| z/g (m/s, rad/s)."""
        return v - self.sigma0 * absolute(v) * z[0] / self.limit(v, z)

    def rates(self, v: Scalar, z: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Rates of the states, in order."""
        return (self.bending(v, z),)

    def force(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """σ₀ z + σ₁ ż + σ₂ v (N, N m), positive against v."""
        return self.sigma0 * z[0] + self.damping(v, z) * self.bending(v, z) + self.sigma2 * v

    def stored(self, z: Sequence[Scalar]) -> Scalar:
        """Energy ½ σ₀ z² of the bent bristles (J)."""
        return 0.5 * self.sigma0 * z[0] * z[0]

    def dissipated(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """F v − σ₀ z ż = |v|(σ₀ z)²/g + σ₁ ż v + σ₂ v² (W)."""
        bent = self.sigma0 * z[0]
        rubbing = absolute(v) * bent * bent / self.limit(v, z)
        return rubbing + (self.damping(v, z) * self.bending(v, z) + self.sigma2 * v) * v

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "Fc", "sigma0")
        require_positive(name, self, "sigma2", zero=True)


@dataclass(frozen=True, kw_only=True)
class LuGre(Dahl):
    """ż = v − σ₀|v| z/g, F = σ₀ z + σ₁ ż + σ₂ v with g = F_c + (F_s − F_c) exp(−(|v|/v_s)ⁿ), Jaiswal 2.3.

    With a constant σ₁ (`passive=False`, as printed) it can produce energy: a jump from creeping to |v| > 4F_c/σ₁
    returns more than was stored. σ₁/√(1 + (σ₁v/4g)²) cannot: |v|σ₁ ≤ 4g ≤ (σ₀z)²/(σ₀|z| − g) keeps `dissipated` ≥ 0 for
    any z.

    Parameters
    ----------
    Fc, sigma0, sigma2
        As in `Dahl`.
    sigma1 : float
        Damping σ₁ of the bristles (N s/m, N m s/rad). Default 3.162e4.
    Fs : float
        Break-away friction F_s (N, N m). Default 830.
    vs : float
        Stribeck velocity v_s (m/s, rad/s). Default 0.0125.
    n : float
        Exponent of the Stribeck curve. Default 0.5.
    passive : bool
        Whether σ₁ falls with the velocity, so that the law generates no energy. Default True.
    """

    sigma1: float = SEAL.sigma1
    Fs: float = SEAL.Fs
    vs: float = SEAL.vs
    n: float = SEAL.n
    passive: bool = True

    @property
    def scales(self) -> tuple[Scalar, ...]:
        return (self.Fs / self.sigma0,)

    def breakaway(self, z: Sequence[Scalar]) -> Scalar:
        """The force (N, N m) at which bristles slide at rest."""
        return self.Fs

    def limit(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        fading = exp(-speed_power(v, self.n) / self.vs**self.n)
        return self.Fc + (self.breakaway(z) - self.Fc) * fading

    def damping(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        share = self.sigma1 * v / (4.0 * self.limit(v, z)) if self.passive else 0.0
        return self.sigma1 / sqrt(1.0 + share * share)

    def check(self, name: str) -> None:
        super().check(name)
        require_positive(name, self, "vs", "n")
        require_positive(name, self, "sigma1", zero=True)
        require_ordered(name, self, "Fc", "Fs")


@dataclass(frozen=True, kw_only=True)
class ModifiedLuGre(LuGre):
    """LuGre whose break-away force (1 − |h|)F_s falls while a film h builds up, and recovers at rest; Jaiswal 2.3.

    ḣ = (h_ss − h)/τ, h_ss = (1 − F_c/F_s)(min(|v|, v_b)/v_b)^{2/3}; τ is τ_hp while h rises, τ_hn while it falls, and
    approaches τ_h0 at rest, |v| ≪ REST.

    Parameters
    ----------
    Fc, sigma0, sigma2, sigma1, Fs, vs, n, passive
        As in `LuGre`.
    vb : float
        Velocity v_b at which the film is complete (m/s). Default 0.7.
    tau_hp : float
        Time constant τ_hp while the film grows (s). Default 0.25.
    tau_hn : float
        Time constant τ_hn while it shrinks (s). Default 1.5.
    tau_h0 : float
        Time constant τ_h0 at rest (s). Default 40.
    """

    vb: float = SEAL.vb
    tau_hp: float = SEAL.tau_hp
    tau_hn: float = SEAL.tau_hn
    tau_h0: float = SEAL.tau_h0
    states: ClassVar[tuple[str, ...]] = ("z", "h")

    @property
    def scales(self) -> tuple[Scalar, ...]:
        return (*super().scales, 1.0)

    def breakaway(self, z: Sequence[Scalar]) -> Scalar:
        return (1.0 - absolute(z[1])) * self.Fs

    def film(self, v: Scalar) -> Scalar:
        """h_ss: the film at a constant velocity."""
        speed = minimum(absolute(v), self.vb)
        return (1.0 - self.Fc / self.Fs) * speed_power(speed, 2.0 / 3.0) / self.vb ** (2.0 / 3.0)

    def rates(self, v: Scalar, z: Sequence[Scalar]) -> tuple[Scalar, ...]:
        lacking = self.film(v) - z[1]
        moving = maximum(lacking, 0.0) / self.tau_hp + minimum(lacking, 0.0) / self.tau_hn
        resting = REST**2 / (v * v + REST**2)
        return self.bending(v, z), moving + (lacking / self.tau_h0 - moving) * resting

    def check(self, name: str) -> None:
        super().check(name)
        require_positive(name, self, "vb", "tau_hp", "tau_hn", "tau_h0")
