"""The System: everything with a state, compiled. States, inputs, live parameters and outputs have names.

ẋ = f(t, x, u, p),   y = g(t, x, u, p),   with closed loops and exact derivatives of both.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from symbody.codegen import Function
from symbody.codegen.program import Program
from symbody.equations.closed import Partition
from symbody.equations.law_values import law_paths
from symbody.errors import AssemblyError, AssemblyWarning, ModelError, SingularityError
from symbody.html_text import object_html
from symbody.model.joint_chains import JointChain, watched_chains
from symbody.model.model import Model
from symbody.system.definition import SystemDefinition, define
from symbody.system.functions import SystemFunctions
from symbody.system.held_equations import held_equations
from symbody.system.inverse import Inverse, inverse_of
from symbody.system.linear import Linear
from symbody.system.loop_closing import ClosedPositions, LoopCloser, require_closed
from symbody.system.not_finite import NotFinite, culprit
from symbody.system.options import SystemOptions, listed
from symbody.system.programs import Programs, driven_program, jacobian_program, motion_program, system_programs
from symbody.system.tangent import WIDE, slopes, tangent_program
from symbody.system.trace import Layout, T, Traced

Array = np.ndarray
Guess = np.ndarray | Mapping[str, float] | None  # dependent coordinates from which loops are closed
Mode = int | None  # one of the assembly modes at a state; None: that of the start
LEAP2 = 0.5**2  # (rad or m)²: how far the dependent coordinates may move within that distance
PIVOT = 3.0  # largest factor between pivots of the loops within it


@dataclass(frozen=True)
class InitialState:
    """The start of runs: the state, the dependent coordinates, and the loops' pivots for comparison."""

    x: Array
    guess: Array
    pivots: Array


class KnownPosition(threading.local):
    """Where a thread closed the loops last: an anchor that was followed from the start, and the last call near it.

    Each thread has its own: one that evaluates far away does not slow another down.
    """

    def __init__(self, g: Array, start: InitialState, q: Array, radius2: float):
        self.position = q, start.guess
        self.move(g, start.guess, start.pivots, radius2)

    def move(self, g: Array, v: Array, pivots: Array, radius2: float) -> None:
        """Another anchor: its coordinates g, dependent ones v, pivots, and the square of the radius around it."""
        self.g, self.last_v, self.pivots, self.radius2 = g, v, pivots, radius2


class System:
    """A compiled system: `rates(t, x, u)` is dx/dt, `observe(t, x, u)` the outputs, `linear(t, x, u)` derivatives.

    Only the values of `parameters` can change. Threads may share a system. `system` makes systems.

    Parameters
    ----------
    functions : SystemFunctions
        The compiled functions.
    start : InitialState
        State, dependent coordinates and pivots at the start.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> s = sb.system(m)
    >>> s.states, s.inputs
    (['crank.q', 'crank.qd'], ['torque'])
    >>> s.rates(0.0, s.x0).shape
    (2,)
    >>> s.linear(0.0, s.x0).A.shape
    (2, 2)
    """

    def __init__(self, functions: SystemFunctions, start: InitialState):
        self.functions, self.definition, self.parameters = functions, functions.definition, functions.parameters
        self.rates_function, self.outputs_function = functions.rates, functions.outputs
        self.outputs, self.possible_outputs = functions.names, functions.possible
        self._start_at(start)

    def _start_at(self, start: InitialState) -> None:
        self.start = start
        for found_from_start in ("closer", "_known", "_start_coordinates", "_start_radius2"):
            self.__dict__.pop(found_from_start, None)

    def starting(self, start: InitialState) -> Self:
        """The same system, with the same functions and parameters, from another start."""
        other = copy(self)
        other._start_at(start)
        return other

    def starting_at(self, x: Array, u: Array | None = None) -> Self:
        """The same system, starting at the state x (nx,): `s = s.starting_at(equilibrium(s).x)`."""
        found = self.rates_function(np.zeros(1), x, self.u0 if u is None else u, self.dependent(0.0, x, u))
        if not (np.all(np.isfinite(found.v)) and np.all(np.isfinite(found.xd))):
            raise AssemblyError(
                f"{self.model.name}: the loops do not close or accelerations are not finite at this state; use another"
            )
        return self.starting(InitialState(np.array(x, dtype=float), found.v, found.pivots))

    # -- properties --------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model, with its circuits turned into laws."""
        return self.definition.model

    @property
    def options(self) -> SystemOptions:
        """The options it was made with: closure, formulation, inputs …"""
        return self.definition.options

    @property
    def backend(self) -> str:
        """The requested backend: "auto", "c" or "python"."""
        return self.functions.backend

    @property
    def partition(self) -> Partition:
        """Which degrees of freedom are free, driven and dependent."""
        return self.definition.partition

    @property
    def layout(self) -> Layout:
        """The indices of coordinates, velocities and states in x."""
        return self.definition.layout

    @cached_property
    def _positions(self) -> Array:
        return np.array(self.layout.positions, dtype=int)

    @property
    def loops(self) -> Function | None:
        """The compiled function q → h, J of the model's loops; None without loops."""
        return self.functions.loop_equations if self.model.has_loops else None

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
        """The initial inputs."""
        return self.definition.u0

    @property
    def start_guess(self) -> Array:
        """The dependent coordinates at t = 0."""
        return self.start.guess

    @property
    def pivots(self) -> Array:
        """Pivots of the loops at t = 0; a run compares later pivots with these."""
        return self.start.pivots

    @cached_property
    def lockable(self) -> list[JointChain]:
        """Joints in series whose coordinates may become singular; runs watch them."""
        return watched_chains(self.model)

    @cached_property
    def held(self) -> list[int]:
        """Loop equations that driven joints alone must satisfy; runs watch them."""
        return held_equations(self.model, self.definition.state_partition)

    @cached_property
    def laws(self) -> dict[str, str]:
        """How each law runs: "traced", or by callback: "python" (slow), "c"."""
        return law_paths(self.model)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the system was made."""
        return self.functions.notes

    @property
    def quaternion_places(self) -> list[int]:
        """Indices in x where unit quaternions begin."""
        return self.definition.quaternion_places

    @property
    def quaternions(self) -> list[tuple[int, int]]:
        """Indices in x of each unit quaternion and of its angular velocity.

        Raises ModelError if loops determine a rotation.
        """
        return self.definition.quaternions

    @property
    def live_model(self) -> Model:
        """The model with the present values of the live parameters."""
        values = {name: self.parameters.get(name, p.value) for name, p in self.model.parameters.items()}
        named = {name: replace(p, value=values[name]) for name, p in self.model.parameters.items()}
        return replace(self.model, parameters=named)

    # -- evaluation --------------------------------------------------------------------------------------------------

    def rates(self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None) -> Array:
        """dx/dt at a state (nx,), or at many (n, nx).

        Loops are closed in the assembly mode of the start, whatever was evaluated before; `mode=` takes another one of
        `assembly_modes`, `guess=` the one nearest to these dependent coordinates, by name or as in `dependent_names`.
        AssemblyError where they do not close; rows of a batch are NaN there, with an AssemblyWarning.
        """
        result: Array = self._evaluated(self.rates_function, t, x, u, guess, mode)[0]
        return result

    def observe(self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None) -> Array:
        """The outputs at a state, in the order of `outputs`; loops as in `rates`."""
        result: Array = self._evaluated(self.outputs_function, t, x, u, guess, mode)
        return result

    def at(
        self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None
    ) -> dict[str, float]:
        """The outputs at a state, by name; loops as in `rates`."""
        return dict(zip(self.outputs, map(float, self.observe(t, x, u, guess=guess, mode=mode)), strict=True))

    def linear(self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None) -> Linear:
        """Exact derivatives of dx/dt and of the outputs by states, inputs and parameters; loops as in `rates`."""
        u = self.u0 if u is None else u
        if not self.is_wide or np.ndim(x) != 1:
            matrices: Sequence[Any] = self._evaluated(self.jacobian_function, t, x, u, guess, mode)
        else:
            tangent = self.function("tangent", lambda traced: tangent_program(traced, self.definition.wanted))
            here = np.array([float(t)]), np.asarray(x, dtype=float), u
            matrices = slopes(tangent, *here, self.dependent(t, x, u, guess=guess, mode=mode))
        A, C, B, D, P, S = matrices
        return Linear(
            A, B, C, D, P, S, self.model.name, self.states, self.inputs, self.outputs, list(self.parameters),
            float(t), np.array(x, dtype=float), np.array(u, dtype=float),
        )  # fmt: skip

    @property
    def is_wide(self) -> bool:
        """Whether the full Jacobian would take long to compile.

        Then derivatives are computed one direction at a time.
        """
        columns = len(self.states) + len(self.inputs) + len(self.parameters)
        return columns * self.rates_function.operations.total > WIDE

    def motion(self, t: float, x: Array, u: Array | None = None, guess: Array | None = None) -> tuple[Array, Array]:
        """All coordinates and velocities of the model at a state."""
        guess = self.dependent(t, x, u) if guess is None else guess
        whole = self.function("motion", motion_program)
        found = whole(np.array([float(t)]), x, self.u0 if u is None else u, guess)
        return found.q, found.qd

    def dependent(self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None) -> Array:
        """The dependent coordinates at a state, or at many: first guesses for functions of the system."""
        u = self.u0 if u is None else u
        if not len(self.start.guess):
            return self.start.guess
        return self._closed(t, np.asarray(x, dtype=float), u, guess, mode)

    @property
    def dependent_names(self) -> list[str]:
        """Names of the coordinates that the loops determine, in the order of `dependent` and `guess`."""
        return [self.model.velocities[i] for i in self.definition.state_partition.dependent]

    def close_loops(self, t: float, x: Array, u: Array | None = None) -> ClosedPositions:
        """How the loops close at states (n, nx), or one (nx,): dependent coordinates, a mask, reasons, iterations."""
        return self.closer.close(t, np.atleast_2d(np.asarray(x, dtype=float)), self.u0 if u is None else u)

    def follow_loops(self, q: Array, v: Array, t: float, x: Array, u: Array) -> ClosedPositions:
        """How the loops close at a state (nx,) when they are followed from a closed position q (nq,), v (nd,)."""
        return self.closer.close(t, x[None], u, (q, v))

    def assembly_modes(self, t: float, x: Array, u: Array | None = None) -> list[Array]:
        """Dependent coordinates (nd,) of the assembly modes found at a state; the start's is first if it is reached."""
        return self.closer.modes(t, np.asarray(x, dtype=float), self.u0 if u is None else u)

    def inverse(self, actuators: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> Inverse:
        """Inverse dynamics: actuator efforts for given accelerations.

            f = s.inverse(["leg1", "leg2"])
            phi = f(x, a)  # a: accelerations of f.accelerations

        actuators: names of joints, default the free ones. If there are more actuators than degrees of freedom, they
        share the load with the least Σ φ²/w; weights: w, default 1. If there are fewer, make joints with known motion
        driven.
        """
        return inverse_of(self.functions, self.dependent, actuators, weights)

    def culprit(self, t: float, x: Array, u: Array, guess: Array | None = None) -> NotFinite | None:
        """The first number that is not finite at a state: a state, an input, a parameter or a law."""
        return culprit(self.functions, t, x, u, self._known.last_v if guess is None else guess)

    # -- closing the loops -------------------------------------------------------------------------------------------

    @cached_property
    def closer(self) -> LoopCloser:
        """Follows the loops from the start to other states."""
        start = self.start
        return LoopCloser(self.functions, self.motion(0.0, start.x, self.u0, start.guess)[0], start.guess)

    def _loop_coordinates(self, t: float, x: Array, u: Array) -> Array:
        """What the loops are closed at: the coordinates in x, and those of driven joints at a time and inputs."""
        own: Array = x[self._positions]
        if not self._is_driven:
            return own
        q = self.function("driven", driven_program)(np.array([float(t)]), x[: self.layout.size], u, self.start.guess)
        return np.concatenate([own, q])

    @cached_property
    def _is_driven(self) -> bool:
        return bool(len(self.start.guess)) and any(joint.nature == "driven" for joint in self.model.joints())

    def _closed(self, t: float, x: Array, u: Array, guess: Guess, mode: Mode) -> Array:
        """Dependent coordinates at one state or many."""
        if guess is not None:
            return self._as_guess(guess)
        if mode is not None:
            return self._mode(t, x, u, mode)
        if x.ndim != 1:
            return self._closed_rows(t, x, u)
        v: Array = self._closed_near(t, x, u).v
        return v

    def _closed_near(self, t: float, x: Array, u: Array) -> Any:
        """The rates at a state, loops closed from the last call where that is near an anchor; else from the start."""
        start, g = self.start, self._loop_coordinates(t, x, u)
        arguments = np.array([float(t)]), x, u
        if "_known" not in vars(self) and np.array_equal(g, self._start_coordinates):
            # At the start itself no radius is needed, which takes longer to find than all else of a first call.
            found = self.rates_function(*arguments, start.guess)
            if same_branch(found, start.guess, start.pivots):
                return found
        known = self._known
        off = g - known.g
        if off @ off <= known.radius2:
            found = self.rates_function(*arguments, known.last_v)
            if same_branch(found, known.last_v, known.pivots):
                known.last_v = found.v
                return found
        off = g - self._start_coordinates
        if off @ off <= self._start_radius2:
            found = self.rates_function(*arguments, start.guess)
            if same_branch(found, start.guess, start.pivots):
                known.move(self._start_coordinates, found.v, start.pivots, self._start_radius2)
                return found
        if not np.all(np.isfinite(g)):
            return self.rates_function(*arguments, start.guess)
        v = require_closed(self.closer.close_from(known.position, t, x[None], u), t)
        found = self.rates_function(*arguments, v)
        if not np.all(np.isfinite(found.v)):
            where = f"{self.model.name}: the loops close at this state, but its coordinates are singular there"
            raise SingularityError(f"{where}; make other joints independent", time=t)
        known.position = self.closer.given(t, x[None], u)[0], v
        known.move(g, found.v, found.pivots, self.closer.radius(t, x, u, found.v) ** 2)
        return found

    @cached_property
    def _known(self) -> KnownPosition:
        return KnownPosition(self._start_coordinates, self.start, self.closer.start, self._start_radius2)

    @property
    def start_radius(self) -> float:
        """How far (rad or m) coordinates may be from the start for Newton's method alone to close the loops."""
        return float(np.sqrt(self._start_radius2))

    @cached_property
    def _start_radius2(self) -> float:
        return self.closer.radius(0.0, self.start.x, self.u0, self.start.guess) ** 2

    @cached_property
    def _start_coordinates(self) -> Array:
        return self._loop_coordinates(0.0, self.start.x, self.u0)

    def _closed_rows(self, t: float, x: Array, u: Array) -> Array:
        """Dependent coordinates of many states, a row each; NaN where the loops do not close, with a warning."""
        found = self.closer.close(t, x, u)
        if not found.closed.all():
            lost = np.flatnonzero(~found.closed)
            first = f"the first is row {lost[0]}: {found.why[lost[0]]}"
            warnings.warn(f"{len(lost)} of {len(x)} states have open loops; {first}", AssemblyWarning, stacklevel=4)
        return found.v

    def _mode(self, t: float, x: Array, u: Array, mode: int) -> Array:
        modes = self.assembly_modes(t, x, u)
        if not 0 <= mode < len(modes):
            raise AssemblyError(f"{self.model.name}: no assembly mode {mode} at this state; {len(modes)} were found")
        return modes[mode]

    def _as_guess(self, guess: Array | Mapping[str, float]) -> Array:
        if not isinstance(guess, Mapping):
            return np.asarray(guess, dtype=float)
        names = self.dependent_names
        for name in guess:
            if name not in names:
                raise ModelError("not a dependent joint", element=name, cure=f"they are {', '.join(names)}")
        return np.array([guess.get(name, v) for name, v in zip(names, self.start.guess, strict=True)])

    def _evaluated(
        self, function: Function, t: float, x: Array, u: Array | None, guess: Guess = None, mode: Mode = None
    ) -> Any:
        """A function at a state, or at many, its dependent coordinates found first."""
        arguments = np.array([float(t)]), x, self.definition.u0 if u is None else u
        if not len(self.start.guess):
            return function(*arguments, self.start.guess)
        x = np.asarray(x, dtype=float)
        if x.ndim == 1 and guess is None and mode is None:
            found = self._closed_near(t, x, arguments[2])
            return found if function is self.rates_function else function(*arguments, found.v)
        return function(*arguments, self._closed(t, x, arguments[2], guess, mode))

    # -- further functions, further systems --------------------------------------------------------------------------

    def kernel_programs(self, traced: Traced, outputs: Sequence[str]) -> Programs:
        """Rates and chosen outputs, for kernels of many states."""
        return system_programs(traced, outputs)

    @property
    def kernel_key(self) -> str:
        """Text that determines these programs; empty if there is none."""
        return self.functions.key

    def make(self, what: Callable[[Traced], T]) -> T:
        """The result of `what` for the trace of the system, for example a program."""
        return self.functions.make(what)

    def function(self, name: str, make: Callable[[Traced], Program]) -> Function:
        """A further function of the same system under a unique name, made once; its parameters follow."""
        return self.functions.function(name, make)

    @property
    def jacobian_function(self) -> Function:
        """(t, x, u, guess) → the six matrices of `Linear`."""
        return self.function("jacobian", lambda traced: jacobian_program(traced, self.definition.wanted))

    def over(self, q: Array, v: Array, states: Array, swap: bool = False) -> System:
        """The same system from another state, with the coordinates that suit it best; swap: whatever their nature."""
        d = self.definition
        other = define(self.live_model, d.asked, d.wanted, None, (q, v, states), swap)
        functions = self.functions.with_partition(other)
        return System(functions, first_evaluation(functions, other))

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
        """For pickle: definition, values and start; the compiled functions are found again in the cache."""
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


def same_branch(found: Any, guess: Array, pivots: Array) -> bool:
    """Whether rates near a closed position (guess, pivots) are in its assembly mode: few moves, similar pivots."""
    off = found.v - guess
    if not off @ off <= LEAP2:  # also where it is NaN
        return False
    ratio = found.pivots / pivots
    return bool(np.minimum.reduce(ratio) > 1.0 / PIVOT and np.maximum.reduce(ratio) < PIVOT)


def first_evaluation(functions: SystemFunctions, definition: SystemDefinition | None = None) -> InitialState:
    """Evaluate the rates at the start. If they are not finite, raise an error that names the responsible law.

    definition: with another start than that of the functions.
    """
    d = definition or functions.definition
    found = functions.rates(np.zeros(1), d.x0, d.u0, d.guess0)
    if np.all(np.isfinite(found.xd)):
        return InitialState(d.x0, d.guess0, found.pivots)
    guilty = culprit(functions, 0.0, d.x0, d.u0, d.guess0)
    if guilty and guilty.kind in ("law", "trajectory"):
        problem = f"its {guilty.kind} gives {guilty.value} at the start"
        raise ModelError(problem, element=guilty.name, cure=f"correct the {guilty.kind}")
    if guilty:
        raise ModelError(f"the {guilty.kind} is {guilty.value}", element=guilty.name, cure="use a finite number")
    raise SingularityError(f"{d.model.name}: the accelerations at the start are not finite; change the initial values")


def system(
    model: Model,
    *,
    inputs: Sequence[str] | str = (),
    outputs: Sequence[str] | str | None = None,
    closure: str = "partitioning",
    formulation: str = "recursive",
    independent: Sequence[str] | str | None = None,
    live: str = "named",
    backend: str = "auto",
    alpha: float = 0.0,
    omega: float = 10.0,
    mu: float = 1.0,
    work: bool = False,
) -> System:
    """Compile a whole model: `s = sb.system(m)`.

    Parameters
    ----------
    model : Model
    inputs : sequence of str
        Inputs besides the model's own: "JOINT.Q" (a force), "JOINT.q" (the motion of a driven joint), "SITE.force".
    outputs : sequence of str, optional
        Patterns such as "*.q", "loop.force.*" or "*". Default, also available as "default": motion, states, signals,
        sensors, links, efforts and energies.
    closure : str
        How loops are closed: "partitioning" (exact, default), "augmented" (Lagrangian, index 3, projections),
        "penalty".
    formulation : str
        "recursive" (default), or "semi-recursive", an independent formulation with the same results.
    independent : sequence of str, optional
        Joints that must be independent. Default: found by full pivoting.
    live : str
        Numbers that stay adjustable: "named" (default; the named parameters) or "all".
    backend : str
        "auto" (default), "c" or "python".
    alpha : float
        Penalty factor of the augmented and penalty closures. Default 0: chosen from the masses.
    omega, mu : float
        Frequency (rad/s, default 10) and damping ratio (default 1) of the decay of violations with the penalty closure.
    work : bool
        Whether the work ∫P dt of laws, inputs and driven joints is a state, `energy.work`, for the channel
        `energy.unaccounted` in real-time loops and the studio (default: no; `simulate` needs no such state).

    Returns
    -------
    System

    Raises
    ------
    ModelError, AssemblyError, SingularityError, CompileError

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> s = sb.system(m, outputs=["rocker.q", "energy.*"])
    >>> s.parameters["friction"] = 0.1  # no recompilation
    >>> len(s.outputs)
    3
    """
    asked = tuple(listed(inputs) or ())
    options = SystemOptions(closure, formulation, asked, live, alpha, omega, mu, work)  # type: ignore[arg-type]
    return system_of(define(model, options, listed(outputs), listed(independent)), backend)


def system_of(definition: SystemDefinition, backend: str = "auto") -> System:
    """The compiled system of a definition, after a check of its start."""
    functions = SystemFunctions(definition, backend)
    return System(functions, first_evaluation(functions))


def _rebuilt(definition: SystemDefinition, backend: str, values: dict[str, float], start: InitialState) -> System:
    """A system from a pickle."""
    s = system_of(definition, backend)
    s.parameters.update(values)
    return s.starting(start)
