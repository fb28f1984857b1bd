"""∫P dt along a motion: the work of everything that adds or removes mechanical energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.system.power import exchanges_energy
from symbody.system.programs import power_program, rates_and_power_program
from symbody.system.system import Array, System


@dataclass(frozen=True)
class Work:
    """∫P dt (J), and the estimated error of the quadrature (J), at the times of steps (s)."""

    t: Array
    joules: Array
    error: Array

    def at(self, t: Array) -> tuple[Array, Array]:
        """∫P dt and its error at times of steps."""
        return np.interp(t, self.t, self.joules), np.interp(t, self.t, self.error)


def integrated(t: Array, power: Array) -> Work:
    """The work of a power that is known at the steps, with an estimate of its error from every other value."""
    fine, error = corrected_trapezoidal(t, power), np.zeros(len(t))
    if len(t) > 2:
        coarse = corrected_trapezoidal(t[::2], power[::2])
        error[::2] = np.abs(fine[::2] - coarse)
        error[1::2] = error[:-1:2]
    return Work(t, fine, np.maximum.accumulate(error))


def corrected_trapezoidal(t: Array, power: Array) -> Array:
    """Σ h (P₀ + P₁)/2 − h² (P₁' − P₀')/12 with slopes by differences: order 4 for a smooth power."""
    if len(t) < 2:
        return np.zeros(len(t))
    h, slope = np.diff(t), np.gradient(power, t, edge_order=2 if len(t) > 2 else 1)
    return np.r_[0.0, np.cumsum(h * (power[:-1] + power[1:]) / 2 - h**2 * np.diff(slope) / 12)]


def rates_and_power(s: System) -> Function | None:
    """dx/dt with the power as fourth output; None if no part adds or removes energy, or if the system is enlarged."""
    plain = s.rates_function is s.functions.rates
    return s.function("rates_and_power", rates_and_power_program) if plain and exchanges(s) else None


def power_function(s: System) -> Function | None:
    """(t, x, u, guess) → P; None if no part adds or removes energy."""
    return s.function("power", power_program) if exchanges(s) else None


def power_at(s: System, t: Array, x: Array, u: Array, guess: Array) -> float:
    """P (W) at a state; t has shape (1,)."""
    function = power_function(s)
    if function is None:
        return 0.0
    own = function.signature.inputs["x"][0]  # in an enlarged system the state comes first
    return float(function(t, x[:own], u, guess)[0])


def exchanges(s: System) -> bool:
    """Whether a part of the system may add or remove energy."""
    return exchanges_energy(s.model, s.inputs)
