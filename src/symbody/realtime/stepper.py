"""Sources of the real-time loop: the C function that it calls each period, and the names of inputs and outputs."""

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
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.stepping.step_options import FixedStep
from symbody.system.system import Array, System

CAPPED = Newton(limit=5, strict=False)  # bounds the time of a step; the last digits matter less in real time
NONE = np.zeros(1, dtype=np.int64)  # a counter that stays zero


@dataclass(frozen=True)
class LoopStepper:
    """The C function of a step and the addresses that it works on.

    Parameters
    ----------
    steps
        The owner of the memory.
    function : int
        Address of int64_t f(structure, first, n, every, path, status).
    structure : ctypes.Structure
        Its `u` points to the inputs.
    kept : tuple of array
        All memory of the steps, for restarts.
    capped : int
        Address of the number of steps in which Newton's method stopped at its limit.
    fields : tuple of (int, Function), optional
        Addresses of the pointers to hoisted numbers.
    doubted : int
        Address of the flag that a filter sets if it does not trust its estimate. Default: an unused one.
    """

    steps: Any
    function: int
    structure: Any
    kept: tuple[Array, ...]
    capped: int
    fields: tuple[tuple[int, Function], ...] = ()
    doubted: int = NONE.ctypes.data

    def hoisted(self) -> Array:
        """The hoisted numbers of all functions, concatenated."""
        return np.concatenate([np.zeros(0), *(f.hoisted for _, f in self.fields)])


@dataclass(frozen=True)
class LoopModel:
    """What a loop steps.

    Parameters
    ----------
    name : str
        Of the model.
    inputs : list of str
        Their names.
    u0 : array, shape (inputs,)
        Their initial values.
    outputs : list of str
        Their names.
    y0 : array, shape (outputs,)
        Their initial values.
    units : dict of str to str
        By name.
    parameters : mapping of str to float
        Live values by name.
    stepper : LoopStepper
        The C function of a step.
    momentary : tuple of str, optional
        Inputs that are valid for one step: measurements.
    """

    name: str
    inputs: list[str]
    u0: Array
    outputs: list[str]
    y0: Array
    units: dict[str, str]
    parameters: MutableMapping[str, float]
    stepper: LoopStepper
    momentary: tuple[str, ...] = ()


class LoopSource(Protocol):
    """Something other than a `System` that a loop can step: a filter, a haptic scene."""

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """Names, values at the start and the C function of steps of dt (s), `substeps` of them in a period."""


def system_model(system: System, dt: float, steps: FixedStep) -> LoopModel:
    """A system as a loop steps it."""
    return LoopModel(
        system.model.name, list(system.inputs), system.u0, list(system.outputs), system.observe(0.0, system.x0),
        channel_units(system.model, system.outputs), system.parameters, real_time_stepper(system, dt, steps),
    )  # fmt: skip


def real_time_stepper(system: System, dt: float, options: FixedStep) -> LoopStepper:
    """A stepper in C from the start of a system; refuses laws in Python."""
    slow = [law for law, path in system.laws.items() if path == "python"]
    if slow:
        cure = "write it with traceable functions, or in C: sb.c_law"
        raise ModelError("a law in Python cannot run in real time", element=slow[0], cure=cure)
    if system.rates_function.backend != "c":
        raise ModelError("the real-time loop needs compiled C", element=system.model.name, cure="install a C compiler")
    settings = StepSettings(dt, system.u0[np.newaxis].copy(), newton=options.newton or CAPPED)
    steps = suited_fixed(system, options.method).compiled(start_state(system), settings)
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
    """Make a structure call the optimised build of its functions as soon as it exists, even while a loop runs."""
    for name, function in functions.items():
        function.when_optimised(partial(refresh, structure, {name: function}))


def hoisted_fields(structure: Any, functions: Mapping[str, Function]) -> tuple[tuple[int, Function], ...]:
    """Addresses of the pointers in a structure to the hoisted numbers of its functions."""
    where, kind = ctypes.addressof(structure), type(structure)
    return tuple((where + getattr(kind, f"{name}_h").offset, function) for name, function in functions.items())


def kept_numbers(structure: Any) -> Array:
    """The numbers of a C structure that has nothing but doubles: memory of steps, which a restart restores."""
    return np.frombuffer(structure, np.float64)


def cut_short_at(structure: Any) -> int:
    """Address of the stepper's own count of capped steps, or of one that stays zero."""
    if hasattr(structure, "capped"):
        return ctypes.addressof(structure) + int(type(structure).capped.offset)
    return NONE.ctypes.data
