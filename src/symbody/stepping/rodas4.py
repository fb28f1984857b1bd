"""Rodas4: a Rosenbrock method of order 4, stiffly accurate, six evaluations."""

from __future__ import annotations

from symbody.stepping.method import FixedStepMethod
from symbody.stepping.rosenbrock import FILE, ROSENBROCK_T, RosenbrockTableau

_LAST = (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950)
TABLEAU = RosenbrockTableau(
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
)  # fmt: skip

RODAS4 = FixedStepMethod(
    name="rodas4",
    order=4,
    implicit=True,
    summary="linearly implicit, L-stable: stiff systems, high accuracy",
    source="Hairer and Wanner, Solving ODEs II, IV.7 and IV.10",
    file=FILE,
    structure=ROSENBROCK_T,
    compiled=TABLEAU.compiled,
    python=TABLEAU.python,
    stability=TABLEAU.stability(),
)
