"""Linearly implicit (Rosenbrock) steps for stiff systems: exact Jacobian, loops closed inside, L-stable.

(I/γΔt − f_x) U_i = f(t + α_i Δt, x + Σ A_ij U_j) + Σ C_ij U_j/Δt + γ_i Δt f_t,   x ← x + Σ m_i U_i
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.stepping.fixed_step import CompiledSteps, PythonStep, PythonSteps, StepSettings, structure_of
from symbody.stepping.rates_jacobian import (
    input_matrix,
    input_matrix_function,
    rates_jacobian,
    rates_jacobian_function,
)
from symbody.stepping.stability import StabilityFunction
from symbody.stepping.start_state import StartState
from symbody.system.system import Array

FILE = "rosenbrock.c"
ROSENBROCK_T = structure_of(
    "rosenbrock_t", "rates_jacobian input_matrix", "tableau J Fu ft f y r U S L kept", "", "stages nkept"
)


@dataclass(frozen=True)
class RosenbrockTableau:
    """Coefficients of a Rosenbrock method, in the form without products with the Jacobian."""

    gamma: float
    alpha: tuple[float, ...]
    gammas: tuple[float, ...]
    m: tuple[float, ...]
    A: tuple[tuple[float, ...], ...]  # strictly lower triangular, row by row
    C: tuple[tuple[float, ...], ...]

    def flat(self) -> Array:
        """All numbers in the order in which rosenbrock.c reads them."""
        return np.concatenate([[self.gamma], self.alpha, self.gammas, self.m, *_square(self.A), *_square(self.C)])

    def stability(self) -> StabilityFunction:
        """R; stages of ẋ = λx are polynomials in w = 1/(1 − γz): U_i = (w − 1)(1 + Σ A_ij U_j) + γw Σ C_ij U_j."""
        stages = len(self.m)
        one, U = np.eye(stages + 1)[0], np.zeros((stages, stages + 1))  # by powers of w
        for i, (A, C) in enumerate(zip(_square(self.A), _square(self.C), strict=True)):
            reached = one + A @ U
            U[i] = np.roll(reached + self.gamma * C @ U, 1) - reached
        return StabilityFunction(self.gamma, tuple((one + np.array(self.m) @ U).tolist()))

    def compiled(self, start: StartState, settings: StepSettings) -> CompiledRosenbrock:
        """Steps in C from a state."""
        return CompiledRosenbrock(start, settings, self)

    def python(self, start: StartState) -> PythonStep:
        """A step in Python."""
        A, C = _square(self.A), _square(self.C)

        def step(steps: PythonSteps, number: int, rate: Array) -> Array:
            s, h, x, t = steps.system, steps.dt, steps.x, steps.t0 + number * steps.dt
            u = steps.inputs(number, 0.0)
            fx, ft = rates_jacobian(s, t, x, u, steps.guess)
            if len(steps.u) > 1:
                ft = ft + input_matrix(s, t, x, u, steps.guess) @ (steps.inputs(number, 1.0) - u) / h
            matrix = np.eye(len(x)) / (h * self.gamma) - fx
            U = np.zeros((len(self.m), len(x)))
            for i, (alpha, gamma) in enumerate(zip(self.alpha, self.gammas, strict=True)):
                f = steps.rates(number, alpha, x + A[i] @ U).xd if alpha or A[i].any() else rate
                try:
                    U[i] = np.linalg.solve(matrix, f + C[i] @ U / h + gamma * h * ft)
                except np.linalg.LinAlgError:
                    return np.full(len(x), np.nan)
            return np.asarray(x + np.array(self.m) @ U)

        return step


def _square(rows: tuple[tuple[float, ...], ...]) -> Array:
    n = len(rows) + 1
    full = np.zeros((n, n))
    for i, row in enumerate(rows, start=1):
        full[i, :i] = row
    return full


class CompiledRosenbrock(CompiledSteps):
    """Steps in C."""

    def __init__(self, start: StartState, settings: StepSettings, tableau: RosenbrockTableau):
        system = start.system
        functions = {"rates_jacobian": rates_jacobian_function(system)}
        if np.ndim(settings.u) == 2 and len(settings.u) > 1 and system.inputs:
            functions["input_matrix"] = input_matrix_function(system)
        super().__init__(start, settings, FILE, ROSENBROCK_T, functions)
        leaving = {k for k, place in enumerate(self.arrays["velocity"]) if place >= 0}
        kept = [k for k in range(len(self.x)) if k not in leaving]
        nx, nu, n, stages = self.sizes["nx"], self.sizes["nu"], len(kept), len(tableau.m)
        self.arrays |= {
            "tableau": tableau.flat(),
            "kept": np.array([*kept, *kept], dtype=np.int64),
            "J": np.zeros(nx * nx), "Fu": np.zeros(nx * nu), "U": np.zeros(stages * nx),
            "S": np.zeros(n * n), "L": np.zeros(n * nx),
            **{name: np.zeros(nx) for name in ("ft", "f", "y", "r")},
        }  # fmt: skip
        self.sizes |= {"stages": stages, "nkept": n}
        self.bind()

    def retime(self, t0: float, dt: float, u: Array) -> None:
        super().retime(t0, dt, u)
        if self.structure.row and "input_matrix" not in self.functions:
            self.functions["input_matrix"] = input_matrix_function(self.system)
            self.structure.input_matrix_h = self.functions["input_matrix"].hoisted.ctypes.data
