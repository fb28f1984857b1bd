"""A stepper of `simulate` as the real-time loop calls it: its C function, its structure, and what the two point to."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.analysis.simulate import Course, suited
from symbody.codegen import Function
from symbody.errors import ModelError
from symbody.stepping.fixed_step import Steps
from symbody.stepping.implicit_step import Newton
from symbody.stepping.repartition import start_state
from symbody.system.system import Array, System

# What steppers keep from step to step: state, dependent coordinates, accelerations and rates, multipliers.
_KEPT = ("x", "guess", "last", "before", "a", "A", "f", "Y", "lambda")
CAPPED = Newton(limit=5, strict=False)  # a step of bounded cost is worth more here than its last digits
NONE = np.zeros(1, dtype=np.int64)  # where steppers without Newton's method count


@dataclass(frozen=True)
class Stepper:
    """Where everything lies; `steps` keeps it alive."""

    steps: Steps
    function: int  # address of long f(structure, first, n, every, path, status)
    structure: Any  # of ctypes
    kept: tuple[Array, ...]
    capped: int  # address of the count of steps that Newton's method was cut short in
    fields: tuple[tuple[int, Function], ...]  # places (bytes) in the structure that point to what a function hoisted

    def hoisted(self) -> Array:
        """The hoisted numbers of all functions, one behind the other, as they are now."""
        return np.concatenate([np.zeros(0), *(f.hoisted for _, f in self.fields)])


def real_time_stepper(system: System, dt: float, method: str | None, newton: Newton | None = None) -> Stepper:
    """A stepper in C from the start of a system; nothing that it calls may be Python."""
    slow = [law for law, path in system.laws.items() if path == "python"]
    if slow:
        cure = "write it with traceable functions, or in C: sb.c_law"
        raise ModelError("a law in Python cannot run in real time", element=slow[0], cure=cure)
    if system.rates_function.backend != "c":
        raise ModelError("the real-time loop steps in C", element=system.model.name, cure="install a C compiler")
    course = Course(dt, suited(system, method), 1, system.u0[np.newaxis].copy(), False, newton or CAPPED)
    steps: Any = course.stepper(start_state(system), 0)
    structure = steps.structure
    return Stepper(
        steps,
        ctypes.cast(steps.integrate, ctypes.c_void_p).value or 0,
        structure,
        tuple(steps.arrays[name] for name in _KEPT if name in steps.arrays),
        _cut_short_at(structure),
        tuple((getattr(type(structure), f"{name}_h").offset, f) for name, f in steps.functions.items()),
    )


def _cut_short_at(structure: Any) -> int:
    """Address of the stepper's own count, or of one that stays zero."""
    if hasattr(structure, "capped"):
        return ctypes.addressof(structure) + int(type(structure).capped.offset)
    return NONE.ctypes.data
