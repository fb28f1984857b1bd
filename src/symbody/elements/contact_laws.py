"""Contact laws: the normal force (N) as a function of the depth δ (m) and its rate δ̇ (m/s).

The force is zero for δ ≤ 0, never pulls, and is continuous at touch-down. F δ̇ = d(stored)/dt + dissipated with
dissipated ≥ 0, so no motion gains energy. A law with memory has names of `states` and gets their values z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log1p
from typing import ClassVar

from symbody.elements.numbers import Scalar, require_positive
from symbody.errors import ModelError
from symbody.expr.functions import maximum, minimum, where

TINY = 1e-200  # replaces the depth 0 in powers, whose derivative by the exponent has a logarithm


def raised(depth: Scalar, exponent: Scalar) -> Scalar:
    """δⁿ of a depth; zero when apart."""
    return where(depth > 0.0, maximum(depth, TINY) ** exponent, 0.0)


class Contact:
    """Base of contact laws: the elastic part of the force is stored, the rest is dissipated."""

    states: ClassVar[tuple[str, ...]] = ()
    scales: ClassVar[tuple[float, ...]] = ()

    def force(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        """Normal force (N), never negative."""
        raise NotImplementedError

    def elastic(self, depth: Scalar) -> Scalar:
        """The elastic part of the force (N)."""
        raise NotImplementedError

    def rates(self, depth: Scalar, z: Sequence[Scalar] = ()) -> tuple[Scalar, ...]:
        """Rates of the states, in order; empty without memory."""
        return ()

    def stored(self, depth: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        """Energy ∫ elastic dδ (J)."""
        raise NotImplementedError

    def dissipated(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        """(F − elastic) δ̇ (W), never negative."""
        return (self.force(depth, rate, z) - self.elastic(depth)) * rate

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""


@dataclass(frozen=True, kw_only=True)
class Penalty(Contact):
    """F = max(K δ + C δ̇, 0) (Jaiswal, Pub. IV II-C).

    Parameters
    ----------
    stiffness : float
        K (N/m).
    damping : float
        C (N s/m). Default 0.
    onset : float
        Depth over which the damping rises from zero (m). Default 0.0001.
    """

    stiffness: float = field(metadata={"unit": "N/m"})
    damping: float = field(default=0.0, metadata={"unit": "N s/m"})
    onset: float = field(default=1e-4, metadata={"unit": "m"})

    def elastic(self, depth: Scalar) -> Scalar:
        return self.stiffness * maximum(depth, 0.0)

    def force(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        grown = minimum(maximum(depth, 0.0) / self.onset, 1.0)
        return maximum(self.elastic(depth) + self.damping * grown * rate, 0.0)

    def stored(self, depth: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        """Energy ½ K δ² (J)."""
        return 0.5 * self.stiffness * maximum(depth, 0.0) ** 2

    def check(self, name: str) -> None:
        require_positive(name, self, "stiffness", "onset")
        require_positive(name, self, "damping", zero=True)


@dataclass(frozen=True, kw_only=True)
class HuntCrossley(Contact):
    """F = k δⁿ max(1 + d δ̇, 0) (Hunt and Crossley 1975); n = 3/2 between spheres, 2 to 4 for felt.

    Parameters
    ----------
    stiffness : float
        k (N/mⁿ).
    damping : float
        d (s/m). Default 0.
    exponent : float
        n. Default 1.5.
    """

    stiffness: float
    damping: float = field(default=0.0, metadata={"unit": "s/m"})
    exponent: float = 1.5

    @classmethod
    def bouncing(cls, *, stiffness: float, restitution: float, speed: float, exponent: float = 1.5) -> HuntCrossley:
        """The law for two bodies that meet at a speed (m/s) and separate at `restitution` times that speed."""
        damping = restitution_damping(restitution, speed)
        return cls(stiffness=stiffness, damping=damping, exponent=exponent)

    def elastic(self, depth: Scalar) -> Scalar:
        return self.stiffness * raised(depth, self.exponent)

    def force(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        return self.elastic(depth) * maximum(1.0 + self.damping * rate, 0.0)

    def stored(self, depth: Scalar, z: Sequence[Scalar] = ()) -> Scalar:
        """Energy k δⁿ⁺¹/(n + 1) (J)."""
        return self.elastic(depth) * depth / (self.exponent + 1.0)

    def check(self, name: str) -> None:
        require_positive(name, self, "stiffness")
        require_positive(name, self, "damping", zero=True)
        _require_exponent(name, self.exponent)


def restitution_damping(e: float, speed: float) -> float:
    """d (s/m) of a Hunt–Crossley contact with the restitution e at an impact speed v, for any masses, k and n.

    From v dv/dδ ∝ −δⁿ(1 + d v): a(1 + e) = ln((1 + a)/(1 − e a)), a = d v. Its first approximation for e near 1,
    a = 3(1 − e²)/2(1 + e³), is that of Lankarani and Nikravesh (1990), ¾(1 − e²).
    """
    if not 0.0 < e <= 1.0 or not speed > 0.0:
        cure = "use a restitution above 0 and up to 1, and a speed above 0"
        raise ModelError(f"invalid restitution {e} at {speed} m/s", element="restitution", cure=cure)
    near_one = 1.5 * (1.0 - e * e) / (1.0 + e**3)
    if 1.0 - e < 1e-3:  # here its error is a millionth, less than that of the logarithms
        return near_one / speed

    from scipy.optimize import brentq  # here, because this import takes longer than all of symbody

    def share(w: float) -> float:  # a, in w = −ln(1 − e a): a approaches 1/e as e falls
        return (1.0 - exp(-w)) / e

    low = -log1p(-e * near_one / 1.5)  # below the root
    w = brentq(lambda w: log1p(share(w)) + w - share(w) * (1.0 + e), low, (1.0 + e) / e, xtol=1e-15, rtol=1e-15)
    return share(float(w)) / speed


@dataclass(frozen=True, kw_only=True)
class Felt(Contact):
    """F = W − ε R, τ Ṙ = W − R, W = max(k δᵖ, ε R): felt with hysteresis and slow recovery (after Stulov 1995).

    R (N) is the memory of the felt's compression. Under fast compression it resists with k δᵖ. When held it relaxes to
    (1 − ε) of that. If it is released faster than it recovers, its surface follows without force.

    Parameters
    ----------
    stiffness : float
        k (N/mᵖ).
    exponent : float
        p. Default 3.
    hysteresis : float
        ε, the share of the force that relaxes. Default 0.3.
    relaxation : float
        Time constant τ of the recovery (s). Default 0.001.
    """

    stiffness: float
    exponent: float = 3.0
    hysteresis: float = 0.3
    relaxation: float = field(default=1e-3, metadata={"unit": "s"})
    states: ClassVar[tuple[str, ...]] = ("memory",)
    scales: ClassVar[tuple[float, ...]] = (1.0,)

    def compression(self, depth: Scalar, z: Sequence[Scalar]) -> Scalar:
        """W (N): the force of an elastic felt at the depth of its surface."""
        return maximum(self.stiffness * raised(depth, self.exponent), self.hysteresis * z[0])

    def force(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = (0.0,)) -> Scalar:
        return self.compression(depth, z) - self.hysteresis * z[0]

    def rates(self, depth: Scalar, z: Sequence[Scalar] = (0.0,)) -> tuple[Scalar, ...]:
        """Rate Ṙ = (W − R)/τ of the memory (N/s)."""
        return ((self.compression(depth, z) - z[0]) / self.relaxation,)

    def depth_of(self, compression: Scalar) -> Scalar:
        """The depth δ (m) at which k δᵖ is this force W (N)."""
        return raised(compression / self.stiffness, 1.0 / self.exponent)

    def stored(self, depth: Scalar, z: Sequence[Scalar] = (0.0,)) -> Scalar:
        """∫ W dδ − ε R δ + ε ∫ δ dR: energy of a spring k δᵖ and of a slipping one (J), never negative."""
        W, R, p = self.compression(depth, z), z[0], self.exponent
        surface, remembered = self.depth_of(W), self.depth_of(R)
        return W * surface / (p + 1.0) + self.hysteresis * R * (p / (p + 1.0) * remembered - surface)

    def dissipated(self, depth: Scalar, rate: Scalar, z: Sequence[Scalar] = (0.0,)) -> Scalar:
        """ε Ṙ (δ − δ_R) (W); both factors have the same sign."""
        slipping = self.depth_of(self.compression(depth, z)) - self.depth_of(z[0])
        return self.hysteresis * self.rates(depth, z)[0] * slipping

    def check(self, name: str) -> None:
        require_positive(name, self, "stiffness", "relaxation")
        require_positive(name, self, "hysteresis", zero=True)
        _require_exponent(name, self.exponent)
        if isinstance(self.hysteresis, int | float) and self.hysteresis >= 1.0:
            raise ModelError(f"hysteresis is {self.hysteresis}", element=name, cure="use less than 1")


def _require_exponent(name: str, exponent: Scalar) -> None:
    if isinstance(exponent, int | float) and exponent < 1.0:
        raise ModelError(f"exponent is {exponent}", element=name, cure="use 1 or more")
