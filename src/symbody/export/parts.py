"""What every export needs of a system: its programs, names and numbers, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.codegen.program import Program
from symbody.errors import CompileError, ModelError
from symbody.model.every_law import every_law
from symbody.model.law import CLaw
from symbody.system.places import velocity_places
from symbody.system.programs import jacobian_program, system_programs
from symbody.system.system import System

# Statements of rates and outputs, times the variables to derive by, above which the exact Jacobian is not exported
# unasked: it would take the compiler minutes.
MODERATE = 20_000


@dataclass(frozen=True)
class SystemParts:
    """A system taken apart; numbers in the order of the names."""

    name: str  # for files and functions
    title: str
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    parameters: dict[str, float]
    x0: list[float]
    u0: list[float]
    guess: list[float]  # dependent coordinates at the start
    coordinates: int  # of the states, how many come first
    velocity: list[int]  # per coordinate in x, the place in x of its velocity; −1 within a quaternion
    balls: list[int]  # pairs: where in x a quaternion begins, and its angular velocity
    rates: Program
    observe: Program
    c_functions: list[str]  # names that laws in C define


def parts_of(system: System) -> SystemParts:
    """Take a system apart; what cannot leave this process is refused."""
    _check(system)
    programs = system.make(lambda traced: system_programs(traced, system.outputs))
    laws = [law.function for _, _, law, _ in every_law(system.model) if isinstance(law, CLaw)]
    found = SystemParts(
        programs.rates.model, system.model.name, list(system.states), list(system.inputs), programs.names,
        {name: float(value) for name, value in system.parameters.items()},
        _listed(system.x0), _listed(system.u0), _listed(system.start_guess),
        len(system.layout.coordinates), velocity_places(system), [i for ball in system.quaternions for i in ball],
        programs.rates, programs.outputs, sorted({*laws}),
    )  # fmt: skip
    if not np.all(np.isfinite([*found.parameters.values(), *found.x0, *found.u0])):
        raise ModelError("a parameter, an input or a state is not finite", element=found.title, cure="set it anew")
    return found


def jacobian_of(system: System, parts: SystemParts, statements: int, wanted: bool | None) -> Program | None:
    """The exact derivatives, where they are wanted; unless that is said, where their size is moderate."""
    columns = len(parts.states) + len(parts.inputs) + len(parts.parameters)
    if wanted is False or (wanted is None and statements * columns > MODERATE):
        return None
    return system.make(lambda traced: jacobian_program(traced, system.outputs))


def _check(system: System) -> None:
    slow = [name for name, path in system.laws.items() if path == "python"]
    if slow:
        cure = "write the law over expressions, or in C with sb.c_law"
        raise CompileError(f"the law of {slow[0]} is a Python function: it cannot leave this process ({cure})")
    if system.options.closure == "augmented":
        cure = "make the system with closure='partitioning' or 'penalty'"
        raise ModelError("the augmented closure has no equations of the form dx/dt = f", element="closure", cure=cure)


def _listed(x: Sequence[float] | np.ndarray) -> list[float]:
    return [float(value) for value in x]
