"""The parts of a system for an export: its programs, names and numbers, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.codegen.program import Program
from symbody.errors import CompileError, ModelError
from symbody.model.every_law import every_law
from symbody.model.law import CLaw
from symbody.model.tree import quaternion_tangents
from symbody.stepping.pivot_reference import offered_pivots
from symbody.system.loop_programs import given_program, loop_step_program
from symbody.system.open_loop import open_rows
from symbody.system.programs import jacobian_program, system_programs
from symbody.system.state_indices import velocity_places
from symbody.system.system import System

# Limit of (statements of rates and outputs) × (variables to differentiate by). Above it the exact Jacobian is exported
# only on request, because compiling it would take minutes.
MODERATE = 20_000


@dataclass(frozen=True)
class ExportedLoops:
    """What code needs to follow the loops from a closed position to another (codegen/runtime/loop_path.h)."""

    given: Program  # (t, x, u) → g
    step: Program  # (g, v) → Newton's correction, pivots, gaps
    relevant: list[float]  # for each g: 1 if the loops depend on it
    balls: list[int]  # indices in g where quaternions begin
    rows: list[tuple[str, str]]  # for each equation: its loop, and the unit of its gap


@dataclass(frozen=True)
class SystemParts:
    """The parts of a system; numbers are in the order of the names."""

    name: str  # for files and functions
    title: str
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    parameters: dict[str, float]
    x0: list[float]
    u0: list[float]
    guess: list[float]  # dependent coordinates at the start
    coordinates: int  # number of coordinates, which come first in the states
    velocity: list[int]  # for each coordinate in x the index of its velocity in x; −1 within a quaternion
    balls: list[int]  # pairs: index in x of a quaternion, and of its angular velocity
    rates: Program
    observe: Program
    loops: ExportedLoops | None  # if there are dependent coordinates
    c_functions: list[str]  # names that laws in C define
    offered: list[float]  # for each pivot of the loops, the least size of its reference


def parts_of(system: System) -> SystemParts:
    """The parts of a system; raises if something cannot be exported."""
    _check(system)
    programs = system.make(lambda traced: system_programs(traced, system.outputs))
    laws = [law.function for _, _, law, _ in every_law(system.model) if isinstance(law, CLaw)]
    found = SystemParts(
        programs.rates.model, system.model.name, list(system.states), list(system.inputs), programs.names,
        {name: float(value) for name, value in system.parameters.items()},
        _listed(system.x0), _listed(system.u0), _listed(system.start_guess),
        len(system.layout.coordinates), velocity_places(system), [i for ball in system.quaternions for i in ball],
        programs.rates, programs.outputs, _loops(system), sorted({*laws}),
        _listed(offered_pivots(system, system.definition.q0)),
    )  # fmt: skip
    if not np.all(np.isfinite([*found.parameters.values(), *found.x0, *found.u0])):
        raise ModelError(
            "a parameter, an input or a state is not finite", element=found.title, cure="set it to a finite number"
        )
    return found


def _loops(s: System) -> ExportedLoops | None:
    if not len(s.start_guess):
        return None
    d = s.definition
    balls = sorted({place for place, _ in quaternion_tangents(d.model).values()})
    return ExportedLoops(
        s.make(given_program), loop_step_program(d.model, d.state_partition, d.options),
        _listed(s.closer.relevant), balls, open_rows(d.model, d.state_partition.rows),
    )  # fmt: skip


def jacobian_of(system: System, parts: SystemParts, statements: int, wanted: bool | None) -> Program | None:
    """The exact derivatives if wanted; None: if their size is moderate."""
    columns = len(parts.states) + len(parts.inputs) + len(parts.parameters)
    if wanted is False or (wanted is None and statements * columns > MODERATE):
        return None
    return system.make(lambda traced: jacobian_program(traced, system.outputs))


def _check(system: System) -> None:
    slow = [name for name, path in system.laws.items() if path == "python"]
    if slow:
        cure = "write the law over expressions, or in C with sb.c_law"
        raise CompileError(f"the law of {slow[0]} is a Python function and cannot be exported ({cure})")
    if system.options.closure == "augmented":
        cure = "make the system with closure='partitioning' or 'penalty'"
        raise ModelError("the augmented closure does not have the form dx/dt = f", element="closure", cure=cure)


def _listed(x: Sequence[float] | np.ndarray) -> list[float]:
    return [float(value) for value in x]
