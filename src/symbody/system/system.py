"""The System: everything with a state, compiled. States, inputs, live parameters and outputs have names.

ẋ = f(t, x, u, p),   y = g(t, x, u, p),   loops closed inside, exact derivatives of both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from symbody.codegen import Function
from symbody.codegen.program import Program
from symbody.equations.closed import Partition
from symbody.equations.law_values import law_paths
from symbody.errors import AssemblyError, ModelError, SingularityError
from symbody.html_text import object_html
from symbody.model.joint_chains import JointChain, watched_chains
from symbody.model.model import Model
from symbody.system.definition import SystemDefinition, define
from symbody.system.functions import SystemFunctions
from symbody.system.inverse import Inverse, inverse_of
from symbody.system.linear import Linear
from symbody.system.not_finite import NotFinite, culprit
from symbody.system.options import SystemOptions
from symbody.system.programs import jacobian_program, motion_program
from symbody.system.tangent import WIDE, slopes, tangent_program
from symbody.system.trace import Layout, T, Traced

Array = np.ndarray


@dataclass(frozen=True)
class InitialState:
    """Where runs begin: the state, the dependent coordinates, and the pivots of the loops to be watched."""

    x: Array
    guess: Array
    pivots: Array


class DependentGuess(threading.local):
    """Where a thread found the dependent coordinates last: at which coordinates q in x, and their values.

    Each thread has its own: one that evaluates far away does not lead another onto a wrong branch of the loops.
    """

    def __init__(self, q: Array, value: Array):
        self.q, self.value = q, value


class System:
    """A compiled system: `rates(t, x, u)` is dx/dt, `observe(t, x, u)` the outputs, `linear(t, x, u)` their slopes.

    Nothing in it changes but the values of `parameters`; threads may share it.
    """

    def __init__(self, functions: SystemFunctions, start: InitialState):
        self.functions, self.definition, self.parameters = functions, functions.definition, functions.parameters
        self.rates_function, self.outputs_function = functions.rates, functions.outputs
        self.outputs, self.possible_outputs = functions.names, functions.possible
        self._start_at(start)

    def _start_at(self, start: InitialState) -> None:
        self.start = start
        self._guess = DependentGuess(start.x[self.definition.layout.positions], start.guess)

    def starting(self, start: InitialState) -> Self:
        """The same system, with the same functions and parameters, starting elsewhere."""
        other = copy(self)
        other._start_at(start)
        return other

    def starting_at(self, x: Array, u: Array | None = None) -> Self:
        """The same system, starting at a state: `s = s.starting_at(equilibrium(s).x)`."""
        found = self.rates_function(np.zeros(1), x, self.u0 if u is None else u, self.dependent(0.0, x, u))
        if not (np.all(np.isfinite(found.v)) and np.all(np.isfinite(found.xd))):
            raise AssemblyError(f"{self.model.name}: no motion is possible from this state; start elsewhere")
        return self.starting(InitialState(np.array(x, dtype=float), found.v, found.pivots))

    # -- what it is --------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model, its circuits turned into laws."""
        return self.definition.model

    @property
    def options(self) -> SystemOptions:
        """How it was made: closure, formulation, inputs …"""
        return self.definition.options

    @property
    def backend(self) -> str:
        """What was asked to run it: "auto", "c" or "python"."""
        return self.functions.backend

    @property
    def partition(self) -> Partition:
        """Which degrees of freedom are free, driven and dependent."""
        return self.definition.partition

    @property
    def layout(self) -> Layout:
        """What of the model is where in x."""
        return self.definition.layout

    @cached_property
    def _positions(self) -> Array:
        return np.array(self.layout.positions, dtype=int)

    @property
    def states(self) -> list[str]:
        """Names of x."""
        return self.definition.states

    @property
    def inputs(self) -> list[str]:
        """Names of u."""
        return self.definition.inputs

    @property
    def x0(self) -> Array:
        """The state at t = 0."""
        return self.start.x

    @property
    def u0(self) -> Array:
        """The inputs until they are set."""
        return self.definition.u0

    @property
    def start_guess(self) -> Array:
        """The dependent coordinates at t = 0."""
        return self.start.guess

    @property
    def pivots(self) -> Array:
        """Pivots of the loops at t = 0, against which a run watches them."""
        return self.start.pivots

    @cached_property
    def lockable(self) -> list[JointChain]:
        """Joints in a row whose coordinates may become singular; runs watch them."""
        return watched_chains(self.model)

    @cached_property
    def laws(self) -> dict[str, str]:
        """How each law runs: "traced", or called back: "python" (slow), "c"."""
        return law_paths(self.model)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user may want to know about how it was made."""
        return self.functions.notes

    @property
    def quaternion_places(self) -> list[int]:
        """Where in x each unit quaternion begins."""
        return self.definition.quaternion_places

    @property
    def quaternions(self) -> list[tuple[int, int]]:
        """Where in x each unit quaternion begins, and its angular velocity; refused where loops determine that."""
        return self.definition.quaternions

    @property
    def live_model(self) -> Model:
        """The model with the values that the live parameters have now."""
        values = {name: self.parameters.get(name, p.value) for name, p in self.model.parameters.items()}
        named = {name: replace(p, value=values[name]) for name, p in self.model.parameters.items()}
        return replace(self.model, parameters=named)

    # -- evaluation --------------------------------------------------------------------------------------------------

    def rates(self, t: float, x: Array, u: Array | None = None) -> Array:
        """dx/dt at a state."""
        result: Array = self._evaluated(self.rates_function, t, x, u)[0]
        return result

    def observe(self, t: float, x: Array, u: Array | None = None) -> Array:
        """The outputs at a state, in the order of `outputs`."""
        result: Array = self._evaluated(self.outputs_function, t, x, u)
        return result

    def at(self, t: float, x: Array, u: Array | None = None) -> dict[str, float]:
        """The outputs at a state, by name."""
        return dict(zip(self.outputs, map(float, self.observe(t, x, u)), strict=True))

    def linear(self, t: float, x: Array, u: Array | None = None) -> Linear:
        """Exact derivatives of dx/dt and of the outputs by states, inputs and parameters, through the loops."""
        u = self.u0 if u is None else u
        if not self.is_wide or np.ndim(x) != 1:
            matrices: Sequence[Any] = self._evaluated(self.jacobian_function, t, x, u)
        else:
            tangent = self.function("tangent", lambda traced: tangent_program(traced, self.definition.wanted))
            here = np.array([float(t)]), np.asarray(x, dtype=float), u
            matrices = slopes(tangent, *here, self.dependent(t, x, u))
        A, C, B, D, P, S = matrices
        return Linear(
            A, C, B, D, P, S, self.model.name, self.states, self.inputs, self.outputs, list(self.parameters),
            float(t), np.array(x, dtype=float), np.array(u, dtype=float),
        )  # fmt: skip

    @property
    def is_wide(self) -> bool:
        """Whether derivatives, written out, would compile for long; they are then taken along one direction each."""
        columns = len(self.states) + len(self.inputs) + len(self.parameters)
        return columns * self.rates_function.operations.total > WIDE

    def motion(self, t: float, x: Array, u: Array | None = None, guess: Array | None = None) -> tuple[Array, Array]:
        """All coordinates and velocities of the model at a state."""
        guess = self._first_guess(x) if guess is None else guess
        whole = self.function("motion", motion_program)
        found = whole(np.array([float(t)]), x, self.u0 if u is None else u, guess)
        return found.q, found.qd

    def dependent(self, t: float, x: Array, u: Array | None = None) -> Array:
        """The dependent coordinates at a state: first guesses for functions of the system."""
        found: Array = self._evaluated(self.rates_function, t, x, u).v
        return found if np.all(np.isfinite(found)) else self._first_guess(x)

    def inverse(self, actuators: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> Inverse:
        """Inverse dynamics: efforts of actuators on any joints (default: the free ones) for wanted accelerations.

            f = s.inverse(["leg1", "leg2"])
            phi = f(x, a)  # a: accelerations of f.accelerations

        More actuators than degrees of freedom share with the least Σ φ²/w; with fewer, drive what is known.
        """
        return inverse_of(self.functions, self.dependent, actuators, weights)

    def culprit(self, t: float, x: Array, u: Array) -> NotFinite | None:
        """What is not finite at a state before anything else: a state, an input, a parameter, a law."""
        return culprit(self.functions, t, x, u, self._first_guess(x))

    def _guesses(self, x: Array) -> tuple[Array, Array]:
        """First guesses of the dependent coordinates: the start's and those of the last call, that of the nearer first.

        So a motion is followed from call to call, and the start is the start whatever was evaluated before.
        """
        last, start, places = self._guess, self.start, self._positions
        from_last, from_start = x[places] - last.q, x[places] - start.x[places]
        if from_last @ from_last < from_start @ from_start:
            return last.value, start.guess
        return start.guess, last.value

    def _first_guess(self, x: Array) -> Array:
        return self._guesses(x)[0] if len(self.start.guess) and np.ndim(x) == 1 else self.start.guess

    def _evaluated(self, function: Function, t: float, x: Array, u: Array | None) -> Any:
        """A function at a state, its dependent coordinates found first; of a batch of states, each from the start's."""
        arguments = np.array([float(t)]), x, self.definition.u0 if u is None else u
        if not len(self.start.guess) or np.ndim(x) != 1:
            return function(*arguments, self.start.guess)
        x = np.asarray(x, dtype=float)
        for guess in self._guesses(x):
            found = self.rates_function(*arguments, guess)
            if np.all(np.isfinite(found.v)):
                self._guess.q, self._guess.value = x[self._positions], found.v
                guess = found.v
                break
        return found if function is self.rates_function else function(*arguments, guess)

    # -- further functions, further systems --------------------------------------------------------------------------

    def make(self, what: Callable[[Traced], T]) -> T:
        """What is made upon the trace of the system, a program."""
        return self.functions.make(what)

    def function(self, name: str, make: Callable[[Traced], Program]) -> Function:
        """A further function of the same system, made once; its parameters follow. The name tells it from others."""
        return self.functions.function(name, make)

    @property
    def jacobian_function(self) -> Function:
        """(t, x, u, guess) → the six matrices of `Linear`."""
        return self.function("jacobian", lambda traced: jacobian_program(traced, self.definition.wanted))

    def over(self, q: Array, v: Array, states: Array, swap: bool = False) -> System:
        """The same system from another state, over the coordinates that suit it best; swap: whatever their natures."""
        d = self.definition
        return system_of(define(self.live_model, d.asked, d.wanted, None, (q, v, states), swap), self.backend)

    def _repr_html_(self) -> str:
        function = self.rates_function
        speed = f"{function.operations.total} operations, {function.backend}, {function.tier}"
        rows = {"states": self.states, "inputs": self.inputs, "outputs": len(self.outputs), "rates": speed}
        units = {name: p.unit for name, p in self.model.parameters.items()}
        live = [{"parameter": name, "value": x, "unit": units.get(name, "")} for name, x in self.parameters.items()]
        return object_html(f"System {self.model.name}", {name: x for name, x in rows.items() if x}, live)

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: its definition, values and start; the compiled functions are found again by what they are."""
        return _rebuilt, (self.definition, self.backend, dict(self.parameters), self.start)

    def __repr__(self) -> str:
        slow = sum(path == "python" for path in self.laws.values())
        sizes = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs, "parameters": self.parameters}
        counted = ", ".join(f"{len(members)} {name}" for name, members in sizes.items())
        function = self.rates_function
        tier = f", {function.tier}" if function.backend == "c" else ""
        speed = f"{function.operations.total} operations in {function.backend.title()}{tier}"
        warning = f"; {slow} laws in Python: slow" if slow else ""
        return f"<System {self.model.name}: {counted}; {self.options.closure}; {speed}{warning}>"


def first_evaluation(functions: SystemFunctions) -> InitialState:
    """Before anything runs: the rates at the start are numbers; if not, the law that spoils them is named."""
    d = functions.definition
    found = functions.rates(np.zeros(1), d.x0, d.u0, d.guess0)
    if np.all(np.isfinite(found.xd)):
        return InitialState(d.x0, d.guess0, found.pivots)
    guilty = culprit(functions, 0.0, d.x0, d.u0, d.guess0)
    if guilty and guilty.kind in ("law", "trajectory"):
        problem = f"its {guilty.kind} gives {guilty.value} at the start"
        raise ModelError(problem, element=guilty.name, cure=f"correct the {guilty.kind}")
    if guilty:
        raise ModelError(f"the {guilty.kind} is {guilty.value}", element=guilty.name, cure="give a finite number")
    raise SingularityError(f"{d.model.name}: the accelerations at the start are not finite; start elsewhere")


def system(
    model: Model,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    closure: str = "partitioning",
    formulation: str = "recursive",
    independent: Sequence[str] | None = None,
    live: str = "named",
    backend: str = "auto",
    alpha: float = 0.0,
    omega: float = 10.0,
    mu: float = 1.0,
) -> System:
    """Compile everything of a model: `s = sb.system(m)`.

    inputs: besides the model's own, "JOINT.Q" (a force), "JOINT.q" (the motion of a driven joint), "SITE.force".
    outputs: patterns such as "*.q", "loop.force.*", "*"; none, and "default" among others: motion, states, signals,
    sensors, links, energies.
    closure: how loops are closed: "partitioning" (exact), "augmented" (Lagrangian, index 3, projections), "penalty".
    formulation: "recursive", or "semi-recursive" as an independent way to the same numbers.
    independent: joints to be independent; default: found by full pivoting.
    alpha: penalty factor of the augmented and penalty closures (default: from the masses); omega, mu: how fast (rad/s)
    and with what damping ratio the penalty closure lets violations die out.
    """
    options = SystemOptions(closure, formulation, tuple(inputs), live, alpha, omega, mu)  # type: ignore[arg-type]
    return system_of(define(model, options, outputs, independent), backend)


def system_of(definition: SystemDefinition, backend: str = "auto") -> System:
    """The compiled system of a definition, its start checked."""
    functions = SystemFunctions(definition, backend)
    return System(functions, first_evaluation(functions))


def _rebuilt(definition: SystemDefinition, backend: str, values: dict[str, float], start: InitialState) -> System:
    """A system from a pickle."""
    s = system_of(definition, backend)
    s.parameters.update(values)
    return s.starting(start)
