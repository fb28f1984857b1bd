"""∫P dt along a motion: the work of everything that adds or removes mechanical energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.system.power import exchanges_energy
from symbody.system.programs import energy_program, power_program, rates_and_power_program
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


def work_of_steps(power: Array, h: float, numbers: Array, rest: float = 0.0) -> tuple[Array, Array]:
    """∫P dt (J) at some steps of h (s) from the power (W) at all; and its error, from the rule with every other value.

    rest: the length of a shortened last step (s).
    """
    whole = power[:-1] if rest else power
    at = np.minimum(numbers, len(whole) - 1)
    even = at - at % 2
    with np.errstate(all="ignore"):  # runs that diverge
        joules = corrected_trapezoidal(whole, h, at)
        joules[numbers > at] += rest * power[-2:].mean()
        error = corrected_trapezoidal(whole, h, even) - corrected_trapezoidal(whole[::2], 2.0 * h, even // 2)
    return joules, np.maximum.accumulate(np.abs(error))


def work_of_pairs(pairs: Array, h: float) -> Array:
    """ΔW = h/4 (F₀ + F₁)·(w₀ + w₁) of each step from rows of forces F and rates w.

    This is the work of the trapezoidal rule itself, right for motions that are faster than the steps, too.
    """
    forces, rates = np.split(pairs, 2, axis=1)
    with np.errstate(all="ignore"):  # runs that diverge
        return np.asarray(h / 4 * np.sum((forces[:-1] + forces[1:]) * (rates[:-1] + rates[1:]), axis=1))


def corrected_trapezoidal(power: Array, h: float, at: Array) -> Array:
    """∫P dt up to some places `at` of equal steps h: h Σ (Pᵢ + Pᵢ₊₁)/2 − h² (P' − P'(0))/12, of order 4."""
    if len(power) < 3:
        return np.asarray(np.r_[0.0, h * np.cumsum((power[:-1] + power[1:]) / 2)][at])
    places, back = np.unique(at, return_inverse=True)
    sums = np.cumsum(np.add.reduceat(power, np.r_[0, places[places > 0]]))  # before each place
    before = np.r_[0.0, sums][: len(places)] if places[0] == 0 else sums[: len(places)]
    left, right = power[np.maximum(places - 1, 0)], power[np.minimum(places + 1, len(power) - 1)]
    rise = (right - left) / 2  # h P'
    rise = np.where(places == 0, _first_rise(power[:3]), rise)
    rise = np.where(places == len(power) - 1, -_first_rise(power[:-4:-1]), rise)
    found = h * (before + (power[places] - power[0]) / 2 - (rise - _first_rise(power[:3])) / 12)
    return np.asarray(found[back])


def _first_rise(power: Array) -> float:
    """h P' at the first of three values."""
    return float(-3.0 * power[0] + 4.0 * power[1] - power[2]) / 2


def rates_and_power(s: System) -> Function | None:
    """dx/dt with the power as fourth output; None if no part adds or removes energy, or if the system is enlarged."""
    plain = s.rates_function is s.functions.rates
    return s.function("rates_and_power", rates_and_power_program) if plain and exchanges(s) else None


def power_function(s: System) -> Function:
    """(t, x, u, guess) → forces F, then rates w; P = F·w."""
    return s.function("power", power_program)


def power_at(function: Function, t: Array, x: Array, u: Array, guess: Array) -> float:
    """P (W) at a state; t has shape (1,)."""
    forces, rates = np.split(pairs_at(function, t, x, u, guess), 2)
    return float(forces @ rates)


def pairs_at(function: Function, t: Array, x: Array, u: Array, guess: Array) -> Array:
    """Forces, then rates, at a state."""
    own = function.signature.inputs["x"][0]  # in an enlarged system the state comes first
    return np.asarray(function(t, x[:own], u, guess))


def energy_at(s: System, t: float, x: Array, u: Array, guess: Array) -> tuple[float, float]:
    """Kinetic and potential energy (J) at a state."""
    function = s.function("energy", energy_program)
    own = function.signature.inputs["x"][0]  # in an enlarged system the state comes first
    kinetic, potential = function(np.array([t]), x[:own], u, guess)
    return float(kinetic), float(potential)


def exchanges(s: System) -> bool:
    """Whether a part of the system may add or remove energy."""
    return exchanges_energy(s.model, s.inputs)
