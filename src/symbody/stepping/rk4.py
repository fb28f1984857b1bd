"""The classical Runge–Kutta method of order 4."""

from __future__ import annotations

import numpy as np

from symbody.stepping.fixed_step import CompiledSteps, PythonSteps, StepSettings, structure_of
from symbody.stepping.method import FixedStepMethod
from symbody.stepping.stability import StabilityFunction
from symbody.stepping.start_state import StartState
from symbody.system.system import Array

RK4_T = structure_of("rk4_t", pointers="stages")


class CompiledRk4(CompiledSteps):
    """Steps in C."""

    def __init__(self, start: StartState, settings: StepSettings):
        super().__init__(start, settings, "rk4.c", RK4_T)
        self.arrays["stages"] = np.zeros(3 * self.sizes["nx"])
        self.bind()


def rk4_step(steps: PythonSteps, number: int, k1: Array) -> Array:
    """x + h/6 (k₁ + 2k₂ + 2k₃ + k₄)."""
    x, h = steps.x, steps.dt
    k2 = steps.rates(number, 0.5, x + h / 2 * k1).xd
    k3 = steps.rates(number, 0.5, x + h / 2 * k2).xd
    k4 = steps.rates(number, 1.0, x + h * k3).xd
    return np.asarray(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


STABILITY = StabilityFunction(0.0, (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24))

RK4 = FixedStepMethod(
    name="rk4",
    order=4,
    implicit=False,
    summary="explicit, four evaluations a step: the usual choice for systems that are not stiff",
    source="Kutta 1901",
    file="rk4.c",
    structure=RK4_T,
    compiled=CompiledRk4,
    python=lambda start: rk4_step,
    growth=STABILITY.growth,
    stability=STABILITY,
)
