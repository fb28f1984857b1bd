"""LSODA, which switches between Adams' method and backward differentiation, in SciPy."""

from __future__ import annotations

from symbody.stepping.method import VariableStepMethod
from symbody.stepping.variable_step import scipy_solver

LSODA = VariableStepMethod(
    name="lsoda",
    order=12,
    implicit=True,
    summary="switches between Adams and backward differentiation automatically: systems that are sometimes stiff",
    source="Petzold 1983",
    solver=scipy_solver("LSODA", implicit=True),
)
