"""Friction as a function of the sliding velocity alone, smooth at rest: no memory, no stored energy, no sticking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from symbody.elements.numbers import Scalar, require_ordered, require_positive
from symbody.elements.seal import SEAL
from symbody.errors import ModelError
from symbody.expr.functions import absolute, exp, sign, tanh, where


class Memoryless:
    """Base of friction without states: all its work is dissipated."""

    states: ClassVar[tuple[str, ...]] = ()
    scales: tuple[Scalar, ...] = ()
    needs_load: ClassVar[bool] = False

    def force(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        """Resisting force (N, N m), with the sign of v."""
        raise NotImplementedError

    def rates(self, v: Scalar, z: Sequence[Scalar] = ()) -> tuple[Scalar, ...]:
        """Empty: there are no states."""
        return ()

    def stored(self, z: Sequence[Scalar] = ()) -> Scalar:
        """Zero: nothing is stored without bristles (J)."""
        return 0.0

    def dissipated(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        """The whole power F v (W), never negative."""
        return self.force(v, z, load) * v

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""


@dataclass(frozen=True, kw_only=True)
class Efficiency(Memoryless):
    """F = (1 − η)|load| tanh(v/v₀): friction as the part of a load that a machine loses.

    Parameters
    ----------
    eta : float
        Efficiency η, from 0 to 1. Default 0.88.
    v0 : float
        Velocity over which the sign of the friction changes (m/s, rad/s). Default 0.001.
    """

    eta: float = SEAL.eta
    v0: float = SEAL.v0
    needs_load: ClassVar[bool] = True

    def force(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        return (1.0 - self.eta) * absolute(load) * tanh(v / self.v0)

    def check(self, name: str) -> None:
        require_positive(name, self, "eta", "v0")
        if isinstance(self.eta, int | float) and self.eta > 1.0:
            raise ModelError(f"eta is {self.eta}", element=name, cure="use an efficiency of at most 1")


@dataclass(frozen=True, kw_only=True)
class Coulomb(Memoryless):
    """F = F_c tanh(v/v₀) + σ₂ v: smooth dry friction, and viscous friction.

    Parameters
    ----------
    Fc : float
        Dry friction (N, N m); as a friction law of a contact, the coefficient of friction (1). Default 210.
    v0 : float
        Velocity over which the sign of the friction changes (m/s, rad/s). Default 0.001.
    sigma2 : float
        Viscous friction (N s/m, N m s/rad). Default 330.
    """

    Fc: float = SEAL.Fc
    v0: float = SEAL.v0
    sigma2: float = SEAL.sigma2

    def force(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        return self.Fc * tanh(v / self.v0) + self.sigma2 * v

    def check(self, name: str) -> None:
        require_positive(name, self, "v0")
        require_positive(name, self, "Fc", "sigma2", zero=True)


@dataclass(frozen=True, kw_only=True)
class BengisuAkay(Memoryless):
    """F_s(1 − (1 − |v|/v_s)²) sgn v up to v_s, then (F_c + (F_s − F_c) e^{−ξ(|v| − v_s)}) sgn v; and σ₂ v everywhere.

    Jaiswal (2.42) adds the viscous term only above v_s, where it jumps by σ₂ v_s; here it is continuous.

    Parameters
    ----------
    Fc : float
        Coulomb friction F_c (N, N m). Default 210.
    Fs : float
        Break-away friction F_s (N, N m). Default 830.
    vs : float
        Velocity v_s of the largest friction (m/s, rad/s). Default 0.0125.
    xi : float
        Decay ξ of the Stribeck effect (s/m, s/rad). Default 50.
    sigma2 : float
        Viscous friction σ₂ (N s/m, N m s/rad). Default 330.
    """

    Fc: float = SEAL.Fc
    Fs: float = SEAL.Fs
    vs: float = SEAL.vs
    xi: float = SEAL.xi
    sigma2: float = SEAL.sigma2

    def force(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        speed = absolute(v)
        rising = self.Fs * (2.0 - speed / self.vs) * v / self.vs
        falling = (self.Fc + (self.Fs - self.Fc) * exp(-self.xi * (speed - self.vs))) * sign(v)
        return where(speed < self.vs, rising, falling) + self.sigma2 * v

    def check(self, name: str) -> None:
        require_positive(name, self, "Fc", "vs", "xi")
        require_positive(name, self, "sigma2", zero=True)
        require_ordered(name, self, "Fc", "Fs")


@dataclass(frozen=True, kw_only=True)
class BrownMcPhee(Memoryless):
    """F_c tanh 4r + (F_s − F_c) r/(r²/4 + 3/4)² + σ₂ v tanh 4 with r = v/v_s, Jaiswal (2.44): smooth everywhere.

    Parameters
    ----------
    Fc : float
        Friction at high velocities, without its viscous part (N, N m). Default 210.
    Fs : float
        Largest friction (N, N m). Default 830.
    vs : float
        Stribeck velocity (m/s, rad/s). Default 0.0125.
    sigma2 : float
        Viscous friction (N s/m, N m s/rad). Default 330.
    """

    Fc: float = SEAL.Fc
    Fs: float = SEAL.Fs
    vs: float = SEAL.vs
    sigma2: float = SEAL.sigma2

    def force(self, v: Scalar, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Scalar:
        r = v / self.vs
        peak = (self.Fs - self.Fc) * r / (r * r / 4.0 + 0.75) ** 2
        return self.Fc * tanh(4.0 * r) + peak + self.sigma2 * math.tanh(4.0) * v

    def check(self, name: str) -> None:
        require_positive(name, self, "Fc", "vs")
        require_positive(name, self, "sigma2", zero=True)
        require_ordered(name, self, "Fc", "Fs")
