"""Dormand and Prince's explicit Runge–Kutta method of order 5, in SciPy."""

from __future__ import annotations

from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import scipy_solver

RK45 = VariableStepMethod(
    name="rk45",
    order=5,
    implicit=False,
    summary="explicit: systems that are not stiff, low accuracy",
    source="Dormand and Prince 1980",
    solver=scipy_solver("RK45", implicit=False),
)
