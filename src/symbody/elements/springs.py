"""Springs, dampers and stops of a stretch x (m, rad) and its rate v: the force resists the growth of x.

For a link x is its length and the force its tension. For a joint x is the coordinate, and the joint force the opposite.
Force times rate is d(stored)/dt + dissipated.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbody.elements.numbers import Scalar, require_positive
from symbody.expr.functions import absolute, exp, log, maximum, minimum, where

ATMOSPHERE = 101325.0  # Pa


class Massless:
    """Base of springs and dampers: no force, no stored energy and no loss by default."""

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        """Force (N, N m) that resists the growth of x."""
        raise NotImplementedError

    def stored(self, x: Scalar) -> Scalar:
        """Stored energy (J); zero by default."""
        return 0.0

    def dissipated(self, x: Scalar, v: Scalar) -> Scalar:
        """Power lost (W), never negative."""
        return 0.0

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""


@dataclass(frozen=True)
class Spring(Massless):
    """F = k(x − x₀).

    Parameters
    ----------
    stiffness : float
        k (N/m, N m/rad).
    rest : float
        Stretch x₀ without force (m, rad). Default 0.
    """

    stiffness: float
    rest: float = 0.0

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        return self.stiffness * (x - self.rest)

    def stored(self, x: Scalar) -> Scalar:
        """Energy ½ k(x − x₀)² (J)."""
        return 0.5 * self.stiffness * (x - self.rest) ** 2

    def check(self, name: str) -> None:
        require_positive(name, self, "stiffness", zero=True)


@dataclass(frozen=True)
class CubicSpring(Massless):
    """F = k e + k₃ e³, e = x − x₀.

    Parameters
    ----------
    stiffness : float
        k (N/m).
    cubic : float
        k₃ (N/m³); a negative one softens the spring.
    rest : float
        Stretch x₀ without force (m). Default 0.
    """

    stiffness: float
    cubic: float
    rest: float = 0.0

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        e = x - self.rest
        return (self.stiffness + self.cubic * e * e) * e

    def stored(self, x: Scalar) -> Scalar:
        """Energy ½ k e² + ¼ k₃ e⁴ (J)."""
        square = (x - self.rest) ** 2
        return (0.5 * self.stiffness + 0.25 * self.cubic * square) * square

    def check(self, name: str) -> None:
        require_positive(name, self, "stiffness", zero=True)


@dataclass(frozen=True)
class Damper(Massless):
    """F = c v.

    Parameters
    ----------
    damping : float
        c (N s/m, N m s/rad).
    """

    damping: float

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        return self.damping * v

    def dissipated(self, x: Scalar, v: Scalar) -> Scalar:
        """Power c v² (W)."""
        return self.damping * v * v

    def check(self, name: str) -> None:
        require_positive(name, self, "damping", zero=True)


@dataclass(frozen=True)
class BilinearDamper(Massless):
    """F = c v with different damping in bump, v < 0, and rebound, v > 0.

    Parameters
    ----------
    bump : float
        Damping under compression (N s/m).
    rebound : float
        Damping under extension (N s/m).
    """

    bump: float
    rebound: float

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        return self.rebound * maximum(v, 0.0) + self.bump * minimum(v, 0.0)

    def dissipated(self, x: Scalar, v: Scalar) -> Scalar:
        """Power c v² (W)."""
        return self.force(x, v) * v

    def check(self, name: str) -> None:
        require_positive(name, self, "bump", "rebound", zero=True)


@dataclass(frozen=True)
class BumpStop(Massless):
    """A stop that only pushes: P = max(0, k d′(d − d′/2)/s + c ḋ d′/s), d′ = min(d, s), at the depth d.

    The slope rises from 0 to k over the first s metres of the depth, and the damping with it. The force is continuous
    at contact and never pulls.

    Parameters
    ----------
    contact : float
        Coordinate at which contact begins (m, rad).
    stiffness : float
        k at full depth (N/m, N m/rad).
    soft : float
        Depth s of the soft part (m, rad).
    damping : float
        c (N s/m, N m s/rad). Default 0.
    above : bool
        Whether the stop is in contact at x ≥ contact, as a rebound stop is, instead of x ≤ contact. Default False.
    """

    contact: float
    stiffness: float
    soft: float
    damping: float = 0.0
    above: bool = False

    @property
    def side(self) -> float:
        """+1 if x must not be larger, −1 if x must not be smaller."""
        return 1.0 if self.above else -1.0

    def depth(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """Depth d, and its part within the soft layer d′ = min(d, s) (m, rad)."""
        d = maximum(self.side * (x - self.contact), 0.0)
        return d, minimum(d, self.soft)

    def elastic(self, x: Scalar) -> Scalar:
        """Elastic force k d′(d − d′/2)/s (N, N m)."""
        d, d_soft = self.depth(x)
        return self.stiffness * d_soft * (d - 0.5 * d_soft) / self.soft

    def push(self, x: Scalar, v: Scalar) -> Scalar:
        """Force P of the stop, elastic and damping (N, N m), never negative."""
        return maximum(self.elastic(x) + self.damping * self.side * v * self.depth(x)[1] / self.soft, 0.0)

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        return self.side * self.push(x, v)

    def stored(self, x: Scalar) -> Scalar:
        """Energy k d′(d²/2 − d d′/2 + d′²/6)/s (J)."""
        d, d_soft = self.depth(x)
        return self.stiffness * d_soft * (0.5 * d * (d - d_soft) + d_soft * d_soft / 6.0) / self.soft

    def dissipated(self, x: Scalar, v: Scalar) -> Scalar:
        """(P − elastic) ḋ (W): of the damping, or of the elastic force that is released too late."""
        return (self.push(x, v) - self.elastic(x)) * self.side * v

    def check(self, name: str) -> None:
        require_positive(name, self, "soft")
        require_positive(name, self, "stiffness", "damping", zero=True)


@dataclass(frozen=True)
class GasSpring(Massless):
    """F = −A(p − p_a), p Vⁿ = p₀ V₀ⁿ, V = V₀ + A(x − x₀): a piston that gas pushes out against the ambient air.

    Parameters
    ----------
    area : float
        A of the piston (m²).
    pressure : float
        p₀ at x₀ (Pa, absolute).
    volume : float
        V₀ at x₀ (m³).
    rest : float
        Stretch x₀ (m).
    exponent : float
        Polytropic exponent n: 1 for slow, isothermal motions, 1.4 for fast, adiabatic ones. Default 1.4.
    ambient : float
        p_a (Pa). Default 1.013e5.
    """

    area: float
    pressure: float
    volume: float
    rest: float
    exponent: float = 1.4
    ambient: float = ATMOSPHERE

    def gas(self, x: Scalar) -> Scalar:
        """Volume V of the gas (m³)."""
        return self.volume + self.area * (x - self.rest)

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        p = self.pressure * (self.volume / self.gas(x)) ** self.exponent
        return -self.area * (p - self.ambient)

    def stored(self, x: Scalar) -> Scalar:
        """−∫(p − p_a) dV = p₀V₀((V₀/V)^{n−1} − 1)/(n − 1) + p_a(V − V₀), from x₀; with n = 1 it is p₀V₀ ln(V₀/V)."""
        squeezed = log(self.volume / self.gas(x))
        slow = absolute(self.exponent - 1.0) < 1e-6
        beyond = where(slow, 1.0, self.exponent - 1.0)
        work = where(slow, squeezed, (exp(beyond * squeezed) - 1.0) / beyond)
        return self.pressure * self.volume * work + self.ambient * self.area * (x - self.rest)

    def check(self, name: str) -> None:
        require_positive(name, self, "area", "pressure", "volume", "exponent")
        require_positive(name, self, "ambient", zero=True)
