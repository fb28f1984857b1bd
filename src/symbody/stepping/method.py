"""The declaration of an integration method. Each method has its own file; `registry` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symbody.codegen.mirror import Mirror
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
    """A method by name: `sb.simulate(s, until, method=name)`."""

    name: str
    order: int  # the highest, if it varies
    implicit: bool  # for stiff systems
    summary: str
    source: str
    closures: tuple[str, ...] = EXPLICIT_CLOSURES
    fixed = False

    @property
    def runs(self) -> str:
        """Where its steps run."""
        raise NotImplementedError

    def load(self) -> None:
        """Compile its C file, before many processes need it at once."""


@dataclass(frozen=True, kw_only=True)
class FixedStepMethod(Method):
    """Steps of fixed size, in C; in Python without a compiler, if the method has Python steps."""

    compiled: Callable[[StartState, StepSettings], CompiledSteps]
    file: str  # its C
    structure: type[Mirror]  # of that C
    python: Callable[[StartState], PythonStep] | None = None
    newton: bool = False  # whether Newton's method solves its steps
    growth: Growth | None = None  # as a function of hλ, for explicit methods, where it limits the steps
    stability: StabilityFunction | None = None  # if a step is a function of A Δt alone
    fixed = True

    @property
    def runs(self) -> str:
        return "C, Python" if self.python else "C"

    def load(self) -> None:
        runtime_library(self.file, self.structure, package=PACKAGE)

    def steps(self, start: StartState, settings: StepSettings) -> FixedSteps:
        """Steps from a state."""
        if start.system.rates_function.backend == "c":
            return self.compiled(start, settings)
        if self.python is None:
            cure = "install a C compiler, or use rodas4 with closure='partitioning'"
            raise ModelError(f"'{self.name}' needs a C compiler", element="method", cure=cure)
        return PythonSteps(start, settings, self.python(start))


@dataclass(frozen=True, kw_only=True)
class VariableStepMethod(Method):
    """Steps chosen by their error; `solver` starts at a time and a state, like SciPy's."""

    solver: Callable[[RatesAndJacobian, float, Array, float, dict[str, Any]], Any]
    package: str = "SciPy"

    @property
    def runs(self) -> str:
        return self.package
