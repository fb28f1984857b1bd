"""What all bridges share: a compiled function with its adjoint, by names of inputs and outputs, in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from symbody.bridges.side_by_side import in_parts
from symbody.codegen.adjoint import adjoint_program, taped_programs, weight_name, with_parameters
from symbody.codegen.function import Change, Function, Origin, address_of
from symbody.codegen.program import Program
from symbody.errors import ModelError
from symbody.system.programs import system_programs
from symbody.system.system import Array, System
from symbody.system.trace import Traced

KINDS = {"rates": "xd", "outputs": "y"}  # functions of a system, and what they give
PARAMETERS = "p"  # the input of parameters
DEAR_AS = 20  # operations that a sine takes
NUMBER = 8  # bytes of one


def required(module: str, extra: str) -> Any:
    """A package that a bridge leads to, or how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelError(f"{module} is not installed", cure=f"pip install 'symbody[{extra}]'") from error


class Differentiable:
    """A compiled function and, when first asked for, its adjoint, which is such a function again.

    defaults: values of inputs that need not be given.
    """

    def __init__(self, function: Function, defaults: Mapping[str, Array]):
        if function._engine.callbacks.externals:
            names = ", ".join(external.name for external in function._engine.callbacks.externals)
            cure = "write it so that it can be traced: docs/system.md"
            raise ModelError("a law that is called in Python has no place in other tools", element=names, cure=cure)
        self.function, self.defaults = function, dict(defaults)
        self.inputs = {name: size for name, (size, _) in function.signature.inputs.items()}
        self.outputs = function.signature.outputs
        self.in_c = function.backend == "c"
        self._adjoints: dict[tuple[str, ...], Differentiable] = {}
        self._taped: dict[tuple[str, ...], tuple[Differentiable, Differentiable]] = {}

    def adjoint(self, wrt: tuple[str, ...]) -> Differentiable:
        """(inputs, a weight for each output) → Σ w ∂y/∂x for each input of `wrt`."""
        if wrt not in self._adjoints:
            made = self.function.derived(f"adjoint {wrt}", lambda program: adjoint_program(program, wrt))
            self._adjoints[wrt] = Differentiable(made, self.defaults)
        return self._adjoints[wrt]

    def taped(self, wrt: tuple[str, ...]) -> tuple[Differentiable, Differentiable]:
        """The outputs and a tape; (inputs, weights, tape) → what the adjoint gives, without what is on the tape."""
        if wrt not in self._taped:
            programs = partial(taped_programs, wrt=wrt)
            with_tape = self.function.derived(f"with tape {wrt}", lambda program: programs(program)[0])
            backward = self.function.derived(f"taped adjoint {wrt}", lambda program: programs(program)[1])
            self._taped[wrt] = Differentiable(with_tape, self.defaults), Differentiable(backward, self.defaults)
        return self._taped[wrt]

    def weighted(self, given: tuple[str, ...]) -> tuple[str, ...]:
        """The inputs of the adjoint: those given, and the weights."""
        return (*given, *map(weight_name, self.outputs))

    def given(self, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a call by name, in the order of the inputs; what is missing must have a default."""
        found = self.function._named([*inputs], {**keywords}, self.defaults)
        return {name: found[name] for name in self.inputs if name in found}

    def check(self, name: str, shape: Sequence[int]) -> None:
        """Refuse an input that is not as long as it should be."""
        if not shape or shape[-1] != self.inputs[name]:
            size = self.inputs[name]
            raise ValueError(f"{name} has the shape {tuple(shape)}; expected ({size},), or (…, {size}) for a batch")

    def complete(self, given: Mapping[str, Any]) -> list[Any]:
        """All inputs in order: those given, and the defaults of the others."""
        return [given[name] if name in given else self.defaults[name] for name in self.inputs]

    def batch(self, given: Mapping[str, Array]) -> list[Array]:
        """The outputs of many states, a row for each; inputs that are not given are the same for all."""
        n, function = len(next(iter(given.values()))), self.function
        inputs = [np.ascontiguousarray(x, dtype=np.float64) for x in self.complete(given)]
        outputs = [np.empty((n, *shape)) for shape in self.outputs.values()]
        function._engine.batch(n, inputs, outputs, function.hoisted)
        return outputs

    def batch_at(self, n: int, given: Mapping[str, int], outputs: Sequence[int], threads: int = 1) -> None:
        """The same by addresses of rows in memory, in C only; by several threads where that is worth it."""
        engine: Any = self.function._engine
        inputs = [given[name] if name in given else address_of(self._constants[name]) for name in self.inputs]
        strides = [size if name in given else 0 for name, size in self.inputs.items()]
        sizes = [prod(shape) for shape in self.outputs.values()]

        def part(first: int, count: int) -> None:
            read = [x + NUMBER * first * step for x, step in zip(inputs, strides, strict=True)]
            written = [y + NUMBER * first * size for y, size in zip(outputs, sizes, strict=True)]
            engine.batch_at(count, read, strides, written, self.function.hoisted)

        in_parts(n, self._work, threads, part)

    @cached_property
    def _work(self) -> int:
        """Operations of a state, a sine counted as some."""
        o = self.function.operations
        return o.total + DEAR_AS * (o.trig + o.other)

    @cached_property
    def _constants(self) -> dict[str, Array]:
        """The defaults as C reads them."""
        return {name: np.ascontiguousarray(x, dtype=np.float64) for name, x in self.defaults.items()}

    def result(self, outputs: Sequence[Any]) -> Any:
        """Outputs as the function gives them: one, or several in a named tuple."""
        return self.function._result(*outputs) if self.function._result else outputs[0]


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
    """(t, x, u, and with loops guess) → dx/dt or the outputs alone; what is derived of it is kept with the system."""
    if kind not in KINDS:
        raise ModelError(f"no function '{kind}' of a system", element=s.model.name, cure=f"use {' or '.join(KINDS)}")

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
