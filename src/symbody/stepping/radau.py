"""Radau IIA, an implicit Runge–Kutta method of order 5, in SciPy."""

from __future__ import annotations

from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import scipy_solver

RADAU = VariableStepMethod(
    name="radau",
    order=5,
    implicit=True,
    summary="implicit Runge–Kutta, exact Jacobian: stiff systems, high accuracy",
    source="Hairer and Wanner, Solving ODEs II, IV.8",
    solver=scipy_solver("Radau", implicit=True),
)
