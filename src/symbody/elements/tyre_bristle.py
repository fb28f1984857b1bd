"""A tyre whose bristles bend before they slide: it sticks at rest and responds with a delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from symbody.elements.friction_bristle import REST, LuGre
from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.elements.tyre_patch import Patch, PatchForces
from symbody.elements.tyre_slip import Tyre
from symbody.expr.functions import absolute


@dataclass(frozen=True, kw_only=True)
class BristleTyre(Tyre):
    """ż = v − (σ₀|v|/g + κ|ω|ρ) z per direction, F = −N(σ₀ z + σ₁ ż + σ₂ v): lumped LuGre (Jaiswal, Pub. IV II-D).

    g = μ_c + (μ_s − μ_c) exp(−(|v|/v_s)^½) of the total slip v, the same in all directions. κ is the share of bristles
    that each rolled metre renews. With κ = 0, as printed, a rolling wheel creeps up to full friction at any slip. With
    7/6 over the patch length it is a tyre of slip stiffness σ₀/κ (Deur 2004). Bent bristles store ½ σ₀ N z²; the energy
    balance is exact while N is constant.

    Parameters
    ----------
    radius, stiffness, damping, sag, rolling_drag, slow
        As in `Tyre`.
    sliding : float
        Coefficient μ_c of sliding friction. Default 0.8.
    sticking : float
        Coefficient μ_s of break-away. Default 1.
    stribeck : float
        Slip velocity v_s between both (m/s). Default 6.6.
    sigma0 : float
        Stiffness σ₀ of the bristles over the load (1/m). Default 181.5.
    sigma1 : float
        Damping σ₁ of the bristles over the load (s/m). Default 0.77.
    sigma2 : float
        Viscous friction σ₂ over the load (s/m). Default 0.0018.
    renewal : float
        Share κ of bristles that a rolled metre renews (1/m). Default 0.
    """

    sliding: float = 0.8
    sticking: float = 1.0
    stribeck: float = field(default=6.6, metadata={"unit": "m/s"})
    sigma0: float = field(default=181.5, metadata={"unit": "1/m"})
    sigma1: float = field(default=0.77, metadata={"unit": "s/m"})
    sigma2: float = field(default=0.0018, metadata={"unit": "s/m"})
    renewal: float = field(default=0.0, metadata={"unit": "1/m"})
    states: ClassVar[tuple[str, ...]] = ("along", "aside")

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """Deflection (m) at which the bristles slide."""
        return (self.sticking / self.sigma0,) * 2

    @property
    def bristles(self) -> LuGre:
        """The friction law of the bristles for a load of 1 N."""
        return LuGre(
            Fc=self.sliding, Fs=self.sticking, vs=self.stribeck, n=0.5,
            sigma0=self.sigma0, sigma1=self.sigma1, sigma2=self.sigma2,
        )  # fmt: skip

    def giving_way(self, at: Patch) -> Scalar:
        """σ₀|v|/g + κ|ω|ρ (1/s): rate at which bent bristles slide and leave the patch."""
        speed = _slip(at)
        return self.sigma0 * speed / self.bristles.limit(speed, ()) + self.renewal * self.radius * absolute(at.spin)

    def rates(self, at: Patch, z: Sequence[Scalar] = (0.0, 0.0)) -> tuple[Scalar, ...]:
        """Rates ż of the longitudinal and lateral deflections (m/s)."""
        fading = self.giving_way(at)
        return at.along - fading * z[0], at.aside - fading * z[1]

    def road(self, at: Patch, z: Sequence[Scalar] = (0.0, 0.0)) -> PatchForces:
        load, g = self.load(at), self.bristles.limit(_slip(at), ())
        sigma1 = self.bristles.damping(g * self.giving_way(at) / self.sigma0, ())  # small enough to stay passive
        along, aside = (
            -load * (self.sigma0 * bent + sigma1 * bending + self.sigma2 * v)
            for bent, bending, v in zip(z, self.rates(at, z), (at.along, at.aside), strict=True)
        )
        return PatchForces(load, along, aside, 0.0, self.drag(at, load))

    def stored(self, at: Patch, z: Sequence[Scalar] = (0.0, 0.0)) -> Scalar:
        """Energy of the radial spring and of the bristles (J)."""
        return super().stored(at) + 0.5 * self.sigma0 * self.load(at) * (z[0] * z[0] + z[1] * z[1])

    def dissipated(self, at: Patch, z: Sequence[Scalar] = (0.0, 0.0)) -> Scalar:
        """The power that the wheel loses, minus the power that bends the bristles (W)."""
        bending = self.rates(at, z)
        bent = self.sigma0 * self.load(at) * (z[0] * bending[0] + z[1] * bending[1])
        return super().dissipated(at, z) - bent

    def check(self, name: str) -> None:
        super().check(name)
        require_positive(name, self, "sliding", "stribeck", "sigma0")
        require_positive(name, self, "sigma1", "sigma2", "renewal", zero=True)
        require_ordered(name, self, "sliding", "sticking")


def _slip(at: Patch) -> Scalar:
    """|v| (m/s), with a finite slope at rest, where it is zero: no creep."""
    return (at.along * at.along + at.aside * at.aside + REST * REST) ** 0.5 - REST
