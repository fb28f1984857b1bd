"""Rodas3: a Rosenbrock method of order 3, stiffly accurate, three evaluations."""

from __future__ import annotations

from symbody.stepping.method import FixedStepMethod
from symbody.stepping.rosenbrock import FILE, ROSENBROCK_T, RosenbrockTableau

TABLEAU = RosenbrockTableau(
    0.5, (0.0, 0.0, 1.0, 1.0), (0.5, 1.5, 0.0, 0.0), (2.0, 0.0, 1.0, 1.0),
    ((0.0,), (2.0, 0.0), (2.0, 0.0, 1.0)), ((4.0,), (1.0, -1.0), (1.0, -1.0, -8.0 / 3.0)),
)  # fmt: skip

RODAS3 = FixedStepMethod(
    name="rodas3",
    order=3,
    implicit=True,
    summary="linearly implicit, L-stable: stiff systems, at half the work of rodas4",
    source="Sandu et al., Atmos. Environ. 31 (1997)",
    file=FILE,
    structure=ROSENBROCK_T,
    compiled=TABLEAU.compiled,
    python=TABLEAU.python,
    stability=TABLEAU.stability(),
)
