"""Shared by all bridges: a compiled function of many states with its adjoint, by names of inputs and outputs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from symbody.batch import CpuBatch
from symbody.batch.threads import in_parts
from symbody.codegen.adjoint import adjoint_program, taped_programs, weight_name, with_parameters
from symbody.codegen.function import Change, Function, Origin, address_of
from symbody.codegen.program import Program
from symbody.errors import AssemblyError, ModelError
from symbody.model.model import Model
from symbody.system.compiled_path import CompiledPaths
from symbody.system.programs import system_programs
from symbody.system.system import Array, System
from symbody.system.trace import Traced

KINDS = {"rates": "xd", "outputs": "y", "dependent": "v"}  # functions of a system, and their output
PARAMETERS = "p"  # the input of parameters
GUESS = "guess"  # the input of dependent coordinates from which loops are closed
EVALUATIONS = 30  # of the loops' equations on a usual path, for the choice of threads


class Differentiable:
    """A compiled function of many states and, compiled when first needed, its adjoint, which is a `Differentiable` too.

    defaults: values of inputs that need not be given. paths: how the loops of a system are closed if a call gives no
    first guess: from the start, in its assembly mode, whatever was called before.
    """

    def __init__(self, function: Function, defaults: Mapping[str, Array], paths: CompiledPaths | None = None):
        if function.python_laws:
            names, cure = (
                ", ".join(function.python_laws),
                "make it traceable: https://symbody.github.io/symbody/stable/system.html",
            )
            raise ModelError("a law in Python cannot be used in other tools", element=names, cure=cure)
        self.function, self.defaults = function, dict(defaults)
        self.paths = paths if GUESS in function.signature.inputs else None
        self.states = CpuBatch(function, defaults)
        self.inputs, self.outputs = self.states.inputs, self.states.outputs
        self.in_c = function.backend == "c"
        self._adjoints: dict[tuple[str, ...], Differentiable] = {}
        self._taped: dict[tuple[str, ...], tuple[Differentiable, Differentiable]] = {}

    def adjoint(self, wrt: tuple[str, ...]) -> Differentiable:
        """The adjoint: (inputs, a weight for each output) → Σ w ∂y/∂x for each input in `wrt`."""
        if wrt not in self._adjoints:
            made = self.function.derived(f"adjoint {wrt}", lambda program: adjoint_program(program, wrt))
            self._adjoints[wrt] = Differentiable(made, self.defaults, self.paths)
        return self._adjoints[wrt]

    def taped(self, wrt: tuple[str, ...]) -> tuple[Differentiable, Differentiable]:
        """Two functions: inputs → (outputs, tape), and (inputs, weights, tape) → the adjoint, which reuses the tape."""
        if wrt not in self._taped:
            programs = partial(taped_programs, wrt=wrt)
            with_tape = self.function.derived(f"with tape {wrt}", lambda program: programs(program)[0])
            backward = self.function.derived(f"taped adjoint {wrt}", lambda program: programs(program)[1])
            both = [Differentiable(f, self.defaults, self.paths) for f in (with_tape, backward)]
            self._taped[wrt] = both[0], both[1]
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

    # -- values ------------------------------------------------------------------------------------------------------

    def closes(self, given: Container[str]) -> bool:
        """Whether a call with these inputs closes the loops from the start."""
        return self.paths is not None and GUESS not in given

    def rows(self, given: Mapping[str, Array], single: bool = False) -> list[Array]:
        """The outputs (n, *shape) of inputs (n, size); rows where the loops do not close are NaN.

        single: the one state of a call that is no batch. Raises AssemblyError if its loops do not close.
        """
        if not self.closes(given):
            return self.states.rows(given)
        assert self.paths is not None
        known = {name: given[name] if name in given else self.defaults[name] for name in self.paths.names}
        v = self.paths.rows(known)
        if single and not np.isfinite(v).all():
            raise AssemblyError(self.paths.why(known))
        outputs = self.states.rows({**given, GUESS: v})
        _mask(v, outputs)
        return outputs

    def at(self, n: int, given: Mapping[str, int], outputs: Sequence[Array], threads: int, single: bool) -> None:
        """The same in place, in C only: addresses of contiguous float64 rows."""
        written = [address_of(y) for y in outputs]
        if not self.closes(given):
            return self.states.at(n, given, written, threads)
        paths, v, why = self.paths, np.empty((n, self.inputs[GUESS])), [""]
        assert paths is not None
        sizes = {name: self.inputs[name] for name in paths.names}
        constants = self.states.constants

        def part(first: int, count: int) -> None:
            where = {
                name: (given[name] + 8 * size * first, size) if name in given else (address_of(constants[name]), 0)
                for name, size in sizes.items()
            }
            why[0] = paths.at(count, where, address_of(v) + v.itemsize * v.shape[1] * first) or why[0]

        in_parts(n, EVALUATIONS * self.function.operations.total, threads, part)
        if single and why[0]:
            raise AssemblyError(why[0])
        self.states.at(n, {**given, GUESS: address_of(v)}, written, threads)
        _mask(v, outputs)

    def complete(self, given: Mapping[str, Any]) -> list[Any]:
        """The inputs in order, without a first guess that is found by following the loops; others have defaults."""
        names = [name for name in self.inputs if name != GUESS or not self.closes(given)]
        return [given[name] if name in given else self.defaults[name] for name in names]


def _mask(v: Array, outputs: Sequence[Array]) -> None:
    """Outputs of states whose loops do not close are NaN."""
    open_ = ~np.isfinite(v).all(axis=1)
    for y in outputs if open_.any() else ():
        y.reshape(len(v), -1)[open_] = np.nan


def differentiable(what: Function | System, function: str, parameters: Sequence[str]) -> Differentiable:
    """A function of `sb.compile`, or one of KINDS of a system; parameters: names that become the input `p`."""
    if not isinstance(what, Function | System):
        made_from = "sb.system(m)" if isinstance(what, Model) else "sb.system(…) or sb.compile(…)"
        problem = f"expected a System or a compiled Function, got a {type(what).__name__}"
        raise ModelError(problem, cure=f"give {made_from}")
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
    looped = isinstance(what, System) and GUESS in made.signature.inputs
    return Differentiable(made, defaults, CompiledPaths(cast(System, what), parameters) if looped else None)


def system_function(s: System, kind: str) -> Function:
    """(t, x, u, and guess if there are loops) → dx/dt, outputs or dependent coordinates; cached in the system."""
    if kind not in KINDS:
        raise ModelError(
            f"unknown function '{kind}' of a system", element=s.model.name, cure=f"use {' or '.join(KINDS)}"
        )

    wanted = s.definition.wanted  # the key of a function in the cache contains all that `program` uses

    def program(traced: Traced) -> Program:
        every = system_programs(traced, wanted)
        whole = every.outputs if kind == "outputs" else every.rates
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
