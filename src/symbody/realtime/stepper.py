"""What the real-time loop steps: a stepper of `simulate` as it calls it, and the names that go in and out."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from symbody.codegen import Function, refresh
from symbody.errors import ModelError
from symbody.results.channels import channel_units
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.system import Array, System

CAPPED = Newton(limit=5, strict=False)  # a step of bounded cost is worth more here than its last digits
NONE = np.zeros(1, dtype=np.int64)  # where steppers count that have nothing to count


@dataclass(frozen=True)
class LoopStepper:
    """Where everything lies; `steps` keeps it alive."""

    steps: Any
    function: int  # address of int64_t f(structure, first, n, every, path, status)
    structure: Any  # of ctypes; its `u` points to the inputs
    kept: tuple[Array, ...]
    capped: int  # address of the count of steps that Newton's method was cut short in
    fields: tuple[tuple[int, Function], ...]  # addresses of the pointers to what functions hoisted
    doubted: int = NONE.ctypes.data  # address of whether an estimate does not trust itself

    def hoisted(self) -> Array:
        """The hoisted numbers of all functions, one behind the other, as they are now."""
        return np.concatenate([np.zeros(0), *(f.hoisted for _, f in self.fields)])


@dataclass(frozen=True)
class LoopModel:
    """What a loop steps, by name: inputs and outputs with their values at the start, parameters, and the steps."""

    name: str
    inputs: list[str]
    u0: Array
    outputs: list[str]
    y0: Array
    units: dict[str, str]
    parameters: MutableMapping[str, float]
    stepper: LoopStepper
    momentary: tuple[str, ...] = ()  # inputs that count for one step: measurements


class LoopSource(Protocol):
    """What else than a system a loop can step."""

    def loop_model(self, dt: float, substeps: int, method: str | Method | None, newton: Newton | None) -> LoopModel:
        """Its steps of dt (s), so many in a period."""


def system_model(system: System, dt: float, method: str | Method | None, newton: Newton | None = None) -> LoopModel:
    """A system as a loop steps it."""
    return LoopModel(
        system.model.name, list(system.inputs), system.u0, list(system.outputs), system.observe(0.0, system.x0),
        channel_units(system.model, system.outputs), system.parameters, real_time_stepper(system, dt, method, newton),
    )  # fmt: skip


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
    follow_builds(steps.structure, steps.functions)
    return LoopStepper(
        steps,
        ctypes.cast(steps.c_function("integrate"), ctypes.c_void_p).value or 0,
        steps.structure,
        tuple(steps.arrays[name] for name in steps.KEPT),
        cut_short_at(steps.structure),
        hoisted_fields(steps.structure, steps.functions),
    )


def follow_builds(structure: Any, functions: Mapping[str, Function]) -> None:
    """Have a structure call functions as they are compiled best, from when they are, while a loop runs."""
    for name, function in functions.items():
        function.when_optimised(partial(refresh, structure, {name: function}))


def hoisted_fields(structure: Any, functions: Mapping[str, Function]) -> tuple[tuple[int, Function], ...]:
    """Addresses of the pointers in a structure to what its functions hoisted."""
    where, kind = ctypes.addressof(structure), type(structure)
    return tuple((where + getattr(kind, f"{name}_h").offset, function) for name, function in functions.items())


def cut_short_at(structure: Any) -> int:
    """Address of the stepper's own count, or of one that stays zero."""
    if hasattr(structure, "capped"):
        return ctypes.addressof(structure) + int(type(structure).capped.offset)
    return NONE.ctypes.data
