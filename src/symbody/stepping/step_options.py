"""A method with its options, for `simulate`, `stepper` and the real-time loop: fixed or variable steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf

from symbody.errors import ModelError
from symbody.stepping.events import Event
from symbody.stepping.method import FixedStepMethod, Method, VariableStepMethod
from symbody.stepping.newton import Newton
from symbody.stepping.registry import FIXED, VARIABLE
from symbody.suggestions import either


@dataclass(frozen=True)
class FixedStep:
    """A method whose steps all have the size dt; the options that only such methods have.

        sb.simulate(s, 1.0, dt=1e-3, method=sb.FixedStep("trapezoidal", newton=sb.Newton(tangent="kept")))

    Parameters
    ----------
    method : str or Method, optional
        A name from https://symbody.github.io/symbody/stable/stepping.html. Default: rk4, or trapezoidal for
        the augmented closure.
    newton : Newton, optional
        How trapezoidal and generalised-alpha solve the equations of a step.

    Raises
    ------
    ModelError
        If the method has variable steps.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, 0.1, 1e-3, method=sb.FixedStep("trapezoidal", newton=sb.Newton(tangent="kept")))
    >>> run.meta["method"]
    'trapezoidal'
    """

    method: str | Method | None = None
    newton: Newton | None = None

    def __post_init__(self) -> None:
        if self.method in VARIABLE or isinstance(self.method, VariableStepMethod):
            problem, cure = (
                f"'{_name(self.method)}' is a variable-step method",
                f"use {either(FIXED)}, or sb.VariableStep",
            )
            raise ModelError(problem, element="method", cure=cure)


@dataclass(frozen=True)
class VariableStep:
    """A method that chooses its steps by their error; the options that only such methods have.

        sb.simulate(s, 5.0, method=sb.VariableStep("radau", rtol=1e-9, events=[landing]))

    Parameters
    ----------
    method : str or Method, optional
        A name from https://symbody.github.io/symbody/stable/stepping.html. Default: dop853.
    rtol, atol : float
        The error of a step is kept below rtol·|x| + atol. Defaults 1e-7 and 1e-9.
    max_step : float
        Longest step, s. Default: no limit.
    events : sequence of Event
        Zero crossings that are located. Default: none.
    dense : bool
        Whether the data that `run.dense(t)` needs are kept. Default False.

    Raises
    ------
    ModelError
        If the method has fixed steps.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, 1.0, method=sb.VariableStep("radau", rtol=1e-9))
    >>> run.meta["method"]
    'radau'
    """

    method: str | Method | None = None
    rtol: float = 1e-7
    atol: float = 1e-9
    max_step: float = inf
    events: Sequence[Event] = ()
    dense: bool = False

    def __post_init__(self) -> None:
        if self.method in FIXED or isinstance(self.method, FixedStepMethod):
            problem = f"'{_name(self.method)}' is a fixed-step method"
            raise ModelError(problem, element="method", cure=f"use {either(VARIABLE)}, or sb.FixedStep")


def _name(method: str | Method | None) -> str:
    return method.name if isinstance(method, Method) else str(method)


def step_options(
    method: str | Method | FixedStep | VariableStep | None, dt: float | None, rtol: float | None
) -> FixedStep | VariableStep:
    """The options that a method's name and the short forms `dt` (fixed steps) and `rtol` (variable steps) stand for."""
    if isinstance(method, FixedStep | VariableStep):
        if isinstance(method, VariableStep) and rtol is not None:
            raise ModelError("`rtol` is given twice", element="rtol", cure="give it in sb.VariableStep(rtol=…) only")
        return method
    if method in VARIABLE or isinstance(method, VariableStepMethod) or (method is None and dt is None):
        return VariableStep(method) if rtol is None else VariableStep(method, rtol)
    return FixedStep(method)


def fixed_step(method: str | Method | FixedStep | None) -> FixedStep:
    """The options of steps that all have one size, for controllers and real time."""
    return method if isinstance(method, FixedStep) else FixedStep(method)


def belongs_to(option: str) -> str | None:
    """The class that has an option, for the error message where it is given in the wrong place."""
    for owner in (FixedStep, VariableStep):
        if option != "method" and option in (field.name for field in fields(owner)):
            return owner.__name__
    return None
