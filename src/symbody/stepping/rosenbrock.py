"""Fixed steps for stiff systems: L-stable Rosenbrock methods with the exact Jacobian, in C, loops closed inside.

(I/γΔt − f_x) U_i = f(t + α_i Δt, x + Σ A_ij U_j) + Σ C_ij U_j/Δt + γ_i Δt f_t,   x ← x + Σ m_i U_i
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.stepping import rk4 as integrate
from symbody.stepping.fixed_step import CompiledSteps, Steps, structure_of
from symbody.stepping.repartition import StartState
from symbody.stepping.rk4 import STOP
from symbody.system.programs import input_matrix_program, rates_jacobian_program
from symbody.system.system import Array, System

# -- exact derivatives of the rates ----------------------------------------------------------------------------------


class Slopes(NamedTuple):
    """ẋ ≈ fx δx + ft δt."""

    fx: Array
    ft: Array


def slopes(system: System, t: float, x: Array, u: Array, guess: Array) -> Slopes:
    """∂ẋ/∂x and ∂ẋ/∂t at a state, the dependent coordinates sought near a guess."""
    return Slopes(*system.function("slopes", rates_jacobian_program)(np.array([t]), x, u, guess))


def pushes(system: System, t: float, x: Array, u: Array, guess: Array) -> Array:
    """∂ẋ/∂u at a state."""
    if not system.inputs:
        return np.zeros((len(x), 0))
    found: Array = system.function("pushes", input_matrix_program)(np.array([t]), x, u, guess)
    return found


# -- methods ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Coefficients of a Rosenbrock method, in the form that needs no products with the Jacobian."""

    gamma: float
    alpha: tuple[float, ...]
    gammas: tuple[float, ...]
    m: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]  # strictly lower triangular, row after row
    C: tuple[tuple[float, ...], ...]

    def flat(self) -> Array:
        """All numbers in a row, as runtime/implicit.c reads them."""
        return np.concatenate([[self.gamma], self.alpha, self.gammas, self.m, *_square(self.A), *_square(self.C)])


def _square(rows: tuple[tuple[float, ...], ...]) -> Array:
    n = len(rows) + 1
    full = np.zeros((n, n))
    for i, row in enumerate(rows, start=1):
        full[i, :i] = row
    return full


_LAST = (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950)
TABLES = {
    # Sandu et al., Atmos. Environ. 31 (1997): order 3, stiffly accurate, three evaluations
    "rodas3": Table(
        0.5, (0.0, 0.0, 1.0, 1.0), (0.5, 1.5, 0.0, 0.0), (2.0, 0.0, 1.0, 1.0),
        ((0.0,), (2.0, 0.0), (2.0, 0.0, 1.0)), ((4.0,), (1.0, -1.0), (1.0, -1.0, -8.0 / 3.0)),
    ),
    # Hairer and Wanner, Solving ODEs II, IV.7 and IV.10: order 4, stiffly accurate, six evaluations
    "rodas4": Table(
        0.25, (0.0, 0.386, 0.21, 0.63, 1.0, 1.0), (0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0), (*_LAST, 1.0, 1.0),
        (
            (1.544,), (0.9466785280815826, 0.2557011698983284),
            (3.314825187068521, 2.896124015972201, 0.9986419139977817), _LAST, (*_LAST, 1.0),
        ),
        (
            (-5.6688,), (-2.430093356833875, -0.2063599157091915),
            (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
            (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
            (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
        ),
    ),
}  # fmt: skip


# -- steps -----------------------------------------------------------------------------------------------------------


def implicit_stepper(at: StartState, dt: float, method: str, u: Array, first: int = 0, watch: float = STOP) -> Steps:
    """A stepper for stiff systems from a state: in C, or in Python where there is no compiler; as `stepper`.

    method: "rodas3" (order 3, half the work of the other) or "rodas4" (order 4); both damp what is faster than the
    steps. u holds the inputs: one row, or a row before each step (counted from 0) and one after the last.
    """
    if method not in TABLES:
        raise ModelError(f"no implicit method '{method}'", cure=f"use {' or '.join(TABLES)}")
    if at.system.recipe.closure == "augmented":
        raise ModelError(f"'{method}' for the augmented closure", cure="leave the method out: it has its own steps")
    made = InC if at.system.rates_function.backend == "c" else InPython
    return made(at, dt, TABLES[method], u, first, watch)


IMPLICIT_T = structure_of(  # of runtime/implicit.c
    ("rates", "outputs", "limits", "slopes", "pushes"),
    "nx nq nu nd ny nl nballs stages",
    "velocity balls pivots u table x guess work kept",
    "watch t0 dt",
    "row nkept",
)


class InC(CompiledSteps):
    """Steps in C."""

    def __init__(self, at: StartState, dt: float, table: Table, u: Array, first: int, watch: float):
        system, moving = at.system, np.ndim(u) == 2 and len(u) > 1 and bool(at.system.inputs)
        functions = {"rates": system.rates_function, "slopes": system.function("slopes", rates_jacobian_program)}
        functions |= {"pushes": system.function("pushes", input_matrix_program)} if moving else {}
        super().__init__(at, u, first, "rosenbrock.c", functions)
        leaving = {k for k, place in enumerate(self.arrays["velocity"]) if place >= 0}
        kept = [k for k in range(len(self.x)) if k not in leaving]
        nx, nd, nu, nl = (self.sizes[name] for name in ("nx", "nd", "nu", "nl"))
        n, stages = len(kept), len(table.m)
        self.arrays |= {
            "table": table.flat(),
            "work": np.zeros(nx * (nx + nu + n + stages + 6) + n * n + 2 * nd + nu + nl),
            "kept": np.array([*kept, *kept], dtype=np.int64),
        }
        self.structure = self.bound(IMPLICIT_T, watch=watch, dt=dt, stages=stages, nkept=n)


class InPython(integrate.InPython):
    """The same steps in Python, for machines without a C compiler."""

    def __init__(self, at: StartState, dt: float, table: Table, u: Array, first: int, watch: float):
        super().__init__(at, dt, "rk4", u, first, watch)  # whose steps are not taken
        self._table = table

    def _stepped(self, step: int, d: Array) -> Array:
        s, dt, table, x = self._system, self._dt, self._table, self.x
        t, u = step * dt, self._inputs(step, 0.0)
        fx, ft = slopes(s, t, x, u, self.guess)
        if len(self._u) > 1:
            ft = ft + pushes(s, t, x, u, self.guess) @ (self._inputs(step, 1.0) - u) / dt
        matrix = np.eye(len(x)) / (dt * table.gamma) - fx
        A, C = _square(table.A), _square(table.C)
        U = np.zeros((len(table.m), len(x)))
        for i, (alpha, gamma) in enumerate(zip(table.alpha, table.gammas, strict=True)):
            f = self._slope(step, alpha, x + A[i] @ U).xd if alpha or A[i].any() else d
            try:
                U[i] = np.linalg.solve(matrix, f + C[i] @ U / dt + gamma * dt * ft)
            except np.linalg.LinAlgError:
                return np.full(len(x), np.nan)
        new = x + np.array(table.m) @ U
        for q, _ in s.quaternions:
            new[q : q + 4] /= np.linalg.norm(new[q : q + 4])
        return np.asarray(new)
