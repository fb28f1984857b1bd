"""What a method of integration declares; each has a file of its own, and `registry` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symbody.codegen.native import runtime_library
from symbody.errors import ModelError
from symbody.stepping.fixed_step import PACKAGE, CompiledSteps, FixedSteps, PythonStep, PythonSteps, StepSettings
from symbody.stepping.stability import StabilityFunction
from symbody.stepping.stable_step import Growth
from symbody.stepping.start_state import StartState
from symbody.stepping.variable_step import RatesAndJacobian
from symbody.system.system import Array

EXPLICIT_CLOSURES = ("partitioning", "penalty")
EVERY_CLOSURE = ("partitioning", "augmented", "penalty")


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method by its name: `sb.simulate(s, until, method=name)`."""

    name: str
    order: int  # the highest, where it changes
    implicit: bool  # for stiff systems
    summary: str
    source: str
    closures: tuple[str, ...] = EXPLICIT_CLOSURES
    fixed = False

    @property
    def runs(self) -> str:
        """Where its steps are made."""
        raise NotImplementedError

    def load(self) -> None:
        """Compile what it brings along, before many processes want it at once."""


@dataclass(frozen=True, kw_only=True)
class FixedStepMethod(Method):
    """Steps of one size, in C; in Python where there is no compiler, if the method has such steps."""

    compiled: Callable[[StartState, StepSettings], CompiledSteps]
    file: str  # its C
    python: Callable[[StartState], PythonStep] | None = None
    newton: bool = False  # whether Newton's method solves its steps
    growth: Growth | None = None  # of hλ, where that limits the steps: of explicit methods
    stability: StabilityFunction | None = None  # where a step is a function of A Δt alone
    fixed = True

    @property
    def runs(self) -> str:
        return "C, Python" if self.python else "C"

    def load(self) -> None:
        runtime_library(self.file, package=PACKAGE)

    def steps(self, start: StartState, settings: StepSettings) -> FixedSteps:
        """Steps from a state on."""
        if start.system.rates_function.backend == "c":
            return self.compiled(start, settings)
        if self.python is None:
            cure = "install a C compiler, or use rodas4 with closure='partitioning'"
            raise ModelError(f"'{self.name}' steps in C", element="method", cure=cure)
        return PythonSteps(start, settings, self.python(start))


@dataclass(frozen=True, kw_only=True)
class VariableStepMethod(Method):
    """Steps chosen by their error; `solver` begins at a time and a state, as those of SciPy do."""

    solver: Callable[[RatesAndJacobian, float, Array, float, dict[str, Any]], Any]
    package: str = "SciPy"

    @property
    def runs(self) -> str:
        return self.package
