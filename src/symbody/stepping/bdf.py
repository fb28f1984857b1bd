"""Backward differentiation formulas of variable order, in SciPy."""

from __future__ import annotations

from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import scipy_solver

BDF = VariableStepMethod(
    name="bdf",
    order=5,
    implicit=True,
    summary="backward differentiation of orders 1 to 5, exact Jacobian: stiff systems",
    source="Shampine and Reichelt 1997",
    solver=scipy_solver("BDF", implicit=True),
)
