"""Dormand and Prince's explicit Runge–Kutta method of order 8, in SciPy."""

from __future__ import annotations

from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import scipy_solver

DOP853 = VariableStepMethod(
    name="dop853",
    order=8,
    implicit=False,
    summary="explicit: systems that are not stiff, high accuracy",
    source="Hairer, Nørsett and Wanner, Solving ODEs I, II.5",
    solver=scipy_solver("DOP853", implicit=False),
)
