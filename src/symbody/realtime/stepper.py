"""A stepper of `simulate` as the real-time loop calls it: its C function, its structure, and what the two point to."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from symbody.codegen import Function, refresh
from symbody.errors import ModelError
from symbody.stepping.fixed_step import CompiledSteps, StepSettings
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.system import Array, System

CAPPED = Newton(limit=5, strict=False)  # a step of bounded cost is worth more here than its last digits
NONE = np.zeros(1, dtype=np.int64)  # where steppers without Newton's method count


@dataclass(frozen=True)
class LoopStepper:
    """Where everything lies; `steps` keeps it alive."""

    steps: CompiledSteps
    function: int  # address of int64_t f(structure, first, n, every, path, status)
    structure: Any  # of ctypes
    kept: tuple[Array, ...]
    capped: int  # address of the count of steps that Newton's method was cut short in
    fields: tuple[tuple[int, Function], ...]  # places (bytes) in the structure that point to what a function hoisted

    def hoisted(self) -> Array:
        """The hoisted numbers of all functions, one behind the other, as they are now."""
        return np.concatenate([np.zeros(0), *(f.hoisted for _, f in self.fields)])


def real_time_stepper(
    system: System, dt: float, method: str | Method | None, newton: Newton | None = None
) -> LoopStepper:
    """A stepper in C from the start of a system; nothing that it calls may be Python."""
    slow = [law for law, path in system.laws.items() if path == "python"]
    if slow:
        cure = "write it with traceable functions, or in C: sb.c_law"
        raise ModelError("a law in Python cannot run in real time", element=slow[0], cure=cure)
    if system.rates_function.backend != "c":
        raise ModelError("the real-time loop steps in C", element=system.model.name, cure="install a C compiler")
    settings = StepSettings(dt, system.u0[np.newaxis].copy(), newton=newton or CAPPED)
    steps = suited_fixed(system, method).compiled(start_state(system), settings)
    structure = steps.structure
    for name, function in steps.functions.items():
        function.when_optimised(partial(refresh, structure, {name: function}))  # from then on, while the loop runs
    return LoopStepper(
        steps,
        ctypes.cast(steps.c_function("integrate"), ctypes.c_void_p).value or 0,
        structure,
        tuple(steps.arrays[name] for name in steps.KEPT),
        _cut_short_at(structure),
        tuple((getattr(type(structure), f"{name}_h").offset, f) for name, f in steps.functions.items()),
    )


def _cut_short_at(structure: Any) -> int:
    """Address of the stepper's own count, or of one that stays zero."""
    if hasattr(structure, "capped"):
        return ctypes.addressof(structure) + int(type(structure).capped.offset)
    return NONE.ctypes.data
