"""Friction of a spring that bends up to its limit and then slides with constant force until the motion reverses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.elements.seal import SEAL
from symbody.expr.functions import absolute, clip, maximum, minimum, sign

SLIP = 0.1  # of the break-away deflection: range over which the spring force falls from F_s to F_c


@dataclass(frozen=True, kw_only=True)
class ResetIntegrator:
    """ż = v c, F = spring(z) + σ₁ c v + σ₂ v (after Haessig and Friedland 1991): a spring that bends until it slides.

    The spring force is F_s at z_s = F_s/σ₀ and F_c at z_s + δ. c is 1 below, and falls to 0 there in the direction of
    v. In the original both jump at z_s; here they change over δ, a tenth of z_s. In both forms the spring force reaches
    F_s again when sliding reverses.

    Parameters
    ----------
    Fc : float
        Sliding friction F_c (N, N m). Default 210.
    Fs : float
        Break-away friction F_s (N, N m). Default 830.
    sigma0 : float
        Stiffness σ₀ before sliding (N/m, N m/rad). Default 7.348e6.
    sigma1 : float
        Damping σ₁ before sliding (N s/m, N m s/rad). Default 3.162e4.
    sigma2 : float
        Viscous friction σ₂ (N s/m, N m s/rad). Default 330.
    """

    Fc: float = SEAL.Fc
    Fs: float = SEAL.Fs
    sigma0: float = SEAL.sigma0
    sigma1: float = SEAL.sigma1
    sigma2: float = SEAL.sigma2
    states: ClassVar[tuple[str, ...]] = ("z",)
    needs_load: ClassVar[bool] = False

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """Deflection z_s (m, rad) at which the spring starts to slide."""
        return (self.Fs / self.sigma0,)

    def bent(self, z: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Deflection up to break-away, beyond it, and the width δ of that range (m, rad)."""
        z_s = self.Fs / self.sigma0
        width = SLIP * z_s
        elastic = clip(z[0], -z_s, z_s)
        return elastic, clip(z[0] - elastic, -width, width), width

    def spring(self, z: Sequence[Scalar]) -> Scalar:
        """Force of the spring (N, N m)."""
        elastic, beyond, width = self.bent(z)
        return self.sigma0 * elastic - (self.Fs - self.Fc) * beyond / width

    def advance(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        """c: the fraction of the motion that bends the spring; negative if a step went too far."""
        z_s = self.Fs / self.sigma0
        return minimum(1.0, (z_s - sign(v) * z[0]) / (SLIP * z_s) + 1.0)

    def bent_further(self, v: Scalar, z: Scalar, h: Scalar) -> Scalar:
        """Deflection (m, rad) after a time h (s) at the velocity v, up to the limit of the spring."""
        most = (1.0 + SLIP) * self.Fs / self.sigma0
        return clip(z + h * v, -most, most)

    def rates(self, v: Scalar, z: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Rate of the deflection, ż = v c (m/s, rad/s)."""
        return (v * self.advance(v, z),)

    def force(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """Resisting force (N, N m)."""
        return self.spring(z) + self._viscous(v, z) * v

    def stored(self, z: Sequence[Scalar]) -> Scalar:
        """Energy ∫ spring dz (J)."""
        elastic, beyond, width = self.bent(z)
        drop = 0.5 * (self.Fs - self.Fc) * beyond * beyond / width
        return 0.5 * self.sigma0 * elastic * elastic + self.Fs * absolute(beyond) - drop

    def dissipated(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """spring (v − ż) + (σ₁ c + σ₂) v² (W), never negative."""
        return self.spring(z) * v * (1.0 - self.advance(v, z)) + self._viscous(v, z) * v * v

    def _viscous(self, v: Scalar, z: Sequence[Scalar]) -> Scalar:
        return self.sigma1 * maximum(self.advance(v, z), 0.0) + self.sigma2

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "Fc", "sigma0")
        require_positive(name, self, "sigma1", "sigma2", zero=True)
        require_ordered(name, self, "Fc", "Fs")
