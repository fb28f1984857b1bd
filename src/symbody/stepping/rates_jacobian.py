"""Exact derivatives of dx/dt, through the loops, for implicit steps and equilibria."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbody.codegen import Function
from symbody.system.programs import input_matrix_program, rates_jacobian_program
from symbody.system.system import Array, System


class RatesJacobian(NamedTuple):
    """ẋ ≈ fx δx + ft δt."""

    fx: Array
    ft: Array


def rates_jacobian_function(system: System) -> Function:
    """(t, x, u, guess) → ∂ẋ/∂x, ∂ẋ/∂t."""
    return system.function("rates_jacobian", rates_jacobian_program)


def input_matrix_function(system: System) -> Function:
    """(t, x, u, guess) → ∂ẋ/∂u."""
    return system.function("input_matrix", input_matrix_program)


def rates_jacobian(system: System, t: float, x: Array, u: Array, guess: Array) -> RatesJacobian:
    """∂ẋ/∂x and ∂ẋ/∂t at a state; dependent coordinates are found near a guess."""
    return RatesJacobian(*rates_jacobian_function(system)(np.array([t]), x, u, guess))


def state_matrix(system: System, t: float, x: Array, u: Array, guess: Array) -> Array:
    """∂ẋ/∂x at a state, for occasional use: for large systems it compiles no full Jacobian."""
    return system.linear(t, x, u).A if system.is_wide else rates_jacobian(system, t, x, u, guess).fx


def input_matrix(system: System, t: float, x: Array, u: Array, guess: Array) -> Array:
    """∂ẋ/∂u at a state."""
    if not system.inputs:
        return np.zeros((len(x), 0))
    if system.is_wide:
        return system.linear(t, x, u).B
    found: Array = input_matrix_function(system)(np.array([t]), x, u, guess)
    return found
