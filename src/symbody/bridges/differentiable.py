"""Shared by all bridges: a compiled function of many states with its adjoint, by names of inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from symbody.batch import CpuBatch
from symbody.codegen.adjoint import adjoint_program, taped_programs, weight_name, with_parameters
from symbody.codegen.function import Change, Function, Origin
from symbody.codegen.program import Program
from symbody.errors import ModelError
from symbody.system.programs import system_programs
from symbody.system.system import Array, System
from symbody.system.trace import Traced

KINDS = {"rates": "xd", "outputs": "y"}  # functions of a system, and their output
PARAMETERS = "p"  # the input of parameters


def required(module: str, extra: str) -> Any:
    """An optional package, or an error that says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelError(f"{module} is not installed", cure=f"pip install 'symbody[{extra}]'") from error


class Differentiable:
    """A compiled function of many states and, compiled when first needed, its adjoint, which is a `Differentiable` too.

    defaults: values of inputs that need not be given.
    """

    def __init__(self, function: Function, defaults: Mapping[str, Array]):
        if function.python_laws:
            names, cure = ", ".join(function.python_laws), "write it so that it can be traced: docs/system.md"
            raise ModelError("a law in Python cannot be used in other tools", element=names, cure=cure)
        self.function, self.defaults = function, dict(defaults)
        self.states = CpuBatch(function, defaults)
        self.inputs, self.outputs = self.states.inputs, self.states.outputs
        self.in_c = function.backend == "c"
        self._adjoints: dict[tuple[str, ...], Differentiable] = {}
        self._taped: dict[tuple[str, ...], tuple[Differentiable, Differentiable]] = {}

    def adjoint(self, wrt: tuple[str, ...]) -> Differentiable:
        """The adjoint: (inputs, a weight for each output) → Σ w ∂y/∂x for each input in `wrt`."""
        if wrt not in self._adjoints:
            made = self.function.derived(f"adjoint {wrt}", lambda program: adjoint_program(program, wrt))
            self._adjoints[wrt] = Differentiable(made, self.defaults)
        return self._adjoints[wrt]

    def taped(self, wrt: tuple[str, ...]) -> tuple[Differentiable, Differentiable]:
        """Two functions: inputs → (outputs, tape), and (inputs, weights, tape) → the adjoint, which reuses the tape."""
        if wrt not in self._taped:
            programs = partial(taped_programs, wrt=wrt)
            with_tape = self.function.derived(f"with tape {wrt}", lambda program: programs(program)[0])
            backward = self.function.derived(f"taped adjoint {wrt}", lambda program: programs(program)[1])
            self._taped[wrt] = Differentiable(with_tape, self.defaults), Differentiable(backward, self.defaults)
        return self._taped[wrt]

    def weighted(self, given: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the inputs of the adjoint: those given, then the weights."""
        return (*given, *map(weight_name, self.outputs))

    def given(self, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a call by name, in the order of the inputs; a missing one must have a default."""
        found = self.function.arguments(inputs, keywords, self.defaults)
        return {name: found[name] for name in self.inputs if name in found}

    def check(self, name: str, shape: Sequence[int]) -> None:
        """Refuse an input whose last dimension is not its size."""
        if not shape or shape[-1] != self.inputs[name]:
            size = self.inputs[name]
            raise ValueError(f"{name} has the shape {tuple(shape)}; expected ({size},), or (…, {size}) for a batch")

    def complete(self, given: Mapping[str, Any]) -> list[Any]:
        """All inputs in order; inputs that are not given have their defaults."""
        return [given[name] if name in given else self.defaults[name] for name in self.inputs]


def differentiable(what: Function | System, function: str, parameters: Sequence[str]) -> Differentiable:
    """A function of `sb.compile`, or "rates" or "outputs" of a system; parameters: names that become the input `p`."""
    live = what.parameters
    for name in parameters:
        if name not in live:
            raise ModelError("not a live parameter", element=name, cure=f"they are {', '.join(live) or 'none'}")
    made = system_function(what, function) if isinstance(what, System) else what
    defaults = {"t": np.zeros(1), "u": what.u0, "guess": what.start_guess} if isinstance(what, System) else {}
    defaults |= {name: np.zeros(size) for name, (size, optional) in made.signature.inputs.items() if optional}
    if parameters:
        names = tuple(parameters)
        made = made.derived(f"of {names}", lambda program: with_parameters(program, names, PARAMETERS))
        defaults[PARAMETERS] = np.array([live[name] for name in names])
    return Differentiable(made, defaults)


def system_function(s: System, kind: str) -> Function:
    """(t, x, u, and guess if there are loops) → dx/dt or the outputs; derived functions are cached in the system."""
    if kind not in KINDS:
        raise ModelError(
            f"unknown function '{kind}' of a system", element=s.model.name, cure=f"use {' or '.join(KINDS)}"
        )

    def program(traced: Traced) -> Program:
        whole: Program = getattr(system_programs(traced, s.definition.wanted), kind)
        inputs = {name: x for name, x in whole.inputs.items() if whole.closure or name != "guess"}
        return replace(whole, name=f"{kind}_alone", inputs=inputs, outputs={KINDS[kind]: whole.outputs[KINDS[kind]]})

    def derived(name: str, change: Change) -> Function:
        made = s.function(f"bridge {kind} {name}", lambda traced: change(program(traced)))
        made.origin = Origin(
            lambda: s.make(lambda traced: change(program(traced))),
            lambda more, again: derived(f"{name}\n{more}", lambda p: again(change(p))),
        )
        return made

    return derived("", lambda p: p)
