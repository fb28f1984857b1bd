"""The trapezoidal rule over positions and states together."""

from __future__ import annotations

from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.implicit_step import FILE, IMPLICIT_T, ImplicitSteps, IntegrationRule
from symbody.stepping.method import EVERY_CLOSURE, FixedStepMethod
from symbody.stepping.stability import StabilityFunction
from symbody.stepping.start_state import StartState

RULE = IntegrationRule(beta=0.25, gamma=0.5)


def trapezoidal_steps(start: StartState, settings: StepSettings) -> ImplicitSteps:
    """Steps in C from a state."""
    return ImplicitSteps(start, settings, RULE)


TRAPEZOIDAL = FixedStepMethod(
    name="trapezoidal",
    order=2,
    implicit=True,
    summary="implicit, positions and states together, conserves energy: hydraulics, friction, stiff contacts",
    source="Newmark 1959, β = 1/4, γ = 1/2",
    closures=EVERY_CLOSURE,
    file=FILE,
    structure=IMPLICIT_T,
    compiled=trapezoidal_steps,
    newton=True,
    stability=StabilityFunction(0.5, (-1.0, 2.0)),  # (1 + z/2)/(1 − z/2)
)
