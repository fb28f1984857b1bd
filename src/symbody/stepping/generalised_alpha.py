"""The generalised-α method: the trapezoidal rule with damping of motions that are faster than the steps."""

from __future__ import annotations

from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.implicit_step import FILE, IMPLICIT_T, ImplicitSteps, IntegrationRule
from symbody.stepping.method import EVERY_CLOSURE, FixedStepMethod
from symbody.stepping.newton import Newton
from symbody.stepping.start_state import StartState


def generalised_alpha_rule(rho: float) -> IntegrationRule:
    """Chung and Hulbert's optimum for a given spectral radius at infinity."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + alpha_f - alpha_m
    return IntegrationRule(0.25 * (gamma + 0.5) ** 2, gamma, alpha_m, alpha_f)


def generalised_alpha_steps(start: StartState, settings: StepSettings) -> ImplicitSteps:
    """Steps in C from a state."""
    return ImplicitSteps(start, settings, generalised_alpha_rule((settings.newton or Newton()).rho))


GENERALISED_ALPHA = FixedStepMethod(
    name="generalised-alpha",
    order=2,
    implicit=True,
    summary="like trapezoidal, with damping of motions faster than the steps: Newton(rho=…) from 0 (full) to 1 (none)",
    source="Chung and Hulbert 1993; Arnold and Brüls 2007",
    closures=EVERY_CLOSURE,
    file=FILE,
    structure=IMPLICIT_T,
    compiled=generalised_alpha_steps,
    newton=True,
)
