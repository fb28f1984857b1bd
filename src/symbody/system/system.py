"""The System: everything with a state, compiled. States, inputs, live parameters and outputs have names.

ẋ = f(t, x, u, p),   y = g(t, x, u, p),   loops closed inside, exact derivatives of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.program import Program
from symbody.elements.hydraulics import with_circuits
from symbody.equations.closed import Partition, dependent_coordinates
from symbody.equations.compile import compile
from symbody.equations.law_values import law_paths
from symbody.errors import ModelError, SingularityError
from symbody.model.check import check
from symbody.model.formula import evaluate
from symbody.model.model import QUATERNION, Model
from symbody.system.assembly import assemble, initial_state
from symbody.system.channels import coordinate_names, velocity_names
from symbody.system.partition import check_regular
from symbody.system.partition import partition as find_partition
from symbody.system.prescribed import check_held, held_values
from symbody.system.programs import jacobian_program, motion_program, system_programs
from symbody.system.recipe import Recipe, input_names, input_values
from symbody.system.trace import Layout, free_partition, layout_of

if TYPE_CHECKING:
    from symbody.system.inverse import Inverse

Array = np.ndarray
PENALTY = 1e7  # alpha of the penalty closure by the largest element of the mass matrix's diagonal (Jaiswal, 2.1.5)
CONSISTENT = 1e-6  # how far an initial velocity may be from what the loops want


class Linear(NamedTuple):
    """ẋ ≈ A δx + B δu + P δp, y ≈ C δx + D δu + S δp about a state."""

    A: Array
    C: Array
    B: Array
    D: Array
    P: Array
    S: Array


class LiveParameters(MutableMapping[str, float]):
    """The live parameters of all functions of a system: setting one needs no compiler."""

    def __init__(self, values: Mapping[str, float]):
        self._values = dict(values)
        self._functions: list[Function] = []

    def follow(self, function: Function) -> Function:
        """Keep a function's parameters equal to these."""
        self._functions.append(function)
        if self._values and dict(function.parameters) != self._values:
            function.parameters.update(self._values)
        return function

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise KeyError(f"{name!r} is not a live parameter; they are {', '.join(self._values) or 'none'}")
        return self._values[name]

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def update(self, *others: Any, **values: float) -> None:
        """Set several at once."""
        new = {name: float(value) for name, value in dict(*others, **values).items()}
        for name in new:
            self[name]  # refuses unknown names before anything changes
        self._values |= new
        for function in self._functions:
            function.parameters.update(new)

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


class System:
    """A compiled system: `rates(t, x, u)` is dx/dt, `observe(t, x, u)` the outputs, `linear(t, x, u)` their slopes."""

    def __init__(
        self,
        model: Model,
        recipe: Recipe,
        outputs: Sequence[str] | None = None,
        independent: Sequence[str] | None = None,
        backend: str = "auto",
        start: tuple[Array, Array, Array] | None = None,
    ):
        check(model)
        model = with_circuits(model)
        check_held(model, recipe)
        self.model, self._wanted, self._independent, self._backend = model, outputs, independent, backend
        self.laws = law_paths(model)  # how each law runs: "traced", or called back: "python" (slow), "c"
        self.inputs = input_names(model, recipe)
        self.u0 = np.array(input_values(model, recipe))
        q, v, states = start if start is not None else self._start(recipe)
        self.partition = find_partition(model, q, independent)
        self.chosen_alpha, self.largest_mass = bool(recipe.alpha), 0.0
        if recipe.closure != "partitioning":
            self.largest_mass = _largest_mass(model, q)
            recipe = replace(recipe, alpha=recipe.alpha or PENALTY * self.largest_mass)
            self.kept = free_partition(model, self.partition)
        else:
            self.kept = self.partition
        self.recipe = recipe
        self.layout: Layout = layout_of(model, self.kept)
        if start is None and model.has_loops and recipe.closure == "partitioning":
            check_regular(model, q)
        v = _consistent(model, q, v, self.partition)
        names = coordinate_names(model), velocity_names(model)
        self.states = [names[0][i] for i in self.layout.coordinates] + [names[1][i] for i in self.layout.velocities]
        self.states += self.layout.states
        programs = system_programs(model, self.kept, recipe, outputs)
        self.outputs, self.possible_outputs = programs.names, programs.possible
        self._more: dict[str, Function] = {}
        self.parameters = LiveParameters(programs.rates.parameters)
        self.rates_function = self.parameters.follow(build(programs.rates, backend=backend))
        self.outputs_function = self.parameters.follow(build(programs.outputs, backend=backend))
        self.start_guess = q[dependent_coordinates(model, self.kept)]
        self.x0 = np.concatenate([q[self.layout.coordinates], v[self.layout.velocities], states])
        self._check_start()

    def _start(self, recipe: Recipe) -> tuple[Array, Array, Array]:
        """Assembled coordinates, velocities and states at t = 0."""
        q, v = initial_state(self.model)
        for i, place, (position, velocity, _) in held_values(self.model, recipe, 0.0, self.u0):
            q[place], v[i] = position, velocity
        states = np.array([float(evaluate(s.start, self.model.values)) for s in self.model.states.values()])
        return assemble(self.model, q), v, states

    def _check_start(self) -> None:
        """Before anything runs: the rates at the start are numbers; if not, the law that spoils them is named."""
        found = self.rates_function(np.zeros(1), self.x0, self.u0, self.start_guess)
        self._near = self.start_guess
        if np.all(np.isfinite(found.xd)):
            self.pivots = found.pivots
            return
        culprit = self.culprit(0.0, self.x0, self.u0)
        if culprit:
            raise ModelError(f"its law gives {culprit[1]} at the start", element=culprit[0], cure="correct the law")
        raise SingularityError(f"{self.model.name}: the accelerations at the start are not finite; start elsewhere")

    def culprit(self, t: float, x: Array, u: Array) -> tuple[str, float] | None:
        """The first law whose value is not finite at a state, and the value."""
        names = [n for n in self.possible_outputs if n.endswith((".tension", ".force.x", ".Q"))]
        names += [n for n in self.model.signals if n in self.possible_outputs]
        values = self.function("laws", lambda m, parts, recipe: system_programs(m, parts, recipe, names).outputs)(
            np.array([t]), x, u, self._near
        )
        for name, value in zip([n for n in self.possible_outputs if n in names], values, strict=True):
            if not np.isfinite(value):
                return name, float(value)
        rates = self.rates_function(np.array([t]), x, u, self._near).xd[len(x) - len(self.layout.states) :]
        return next(
            ((f"states.{n}", float(r)) for n, r in zip(self.layout.states, rates, strict=True) if not np.isfinite(r)),
            None,
        )

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
        return Linear(*self._evaluated(self.jacobian_function, t, x, u))

    def motion(self, t: float, x: Array, u: Array | None = None, guess: Array | None = None) -> tuple[Array, Array]:
        """All coordinates and velocities of the model at a state."""
        near = self._near if guess is None else guess
        whole = self.function("motion", motion_program)
        found = whole(np.array([float(t)]), x, self.u0 if u is None else u, near)
        return found.q, found.qd

    def near(self, t: float, x: Array, u: Array | None = None) -> Array:
        """The dependent coordinates at a state."""
        self._evaluated(self.rates_function, t, x, u)
        return self._near

    def inverse(self, actuators: Sequence[str] | None = None, weights: Sequence[float] | None = None) -> Inverse:
        """Inverse dynamics: efforts of actuators on any joints (default: the free ones) for wanted accelerations.

            f = s.inverse(["leg1", "leg2"])
            phi = f(x, a)  # a: accelerations of f.accelerations

        More actuators than degrees of freedom share with the least Σ φ²/w; with fewer, drive what is known.
        """
        from symbody.system.inverse import Inverse

        return Inverse(self, actuators, weights)

    def _evaluated(self, function: Function, t: float, x: Array, u: Array | None) -> Any:
        """A function at a state; dependent coordinates are sought near those of the last call, then of the start."""
        arguments = np.array([float(t)]), x, self.u0 if u is None else u
        for guess in (self._near, self.start_guess) if len(self._near) else (self._near,):
            found = self.rates_function(*arguments, guess) if len(guess) or function is self.rates_function else None
            if found is None or np.all(np.isfinite(found.v)):
                break
        if found is not None and len(found.v) and np.all(np.isfinite(found.v)):
            self._near = found.v
        return found if function is self.rates_function else function(*arguments, self._near)

    def function(self, name: str, make: Callable[[Model, Partition, Recipe], Program]) -> Function:
        """A further function of the same system, made once; its parameters follow."""
        if name not in self._more:
            program = make(self.model, self.kept, self.recipe)
            self._more[name] = self.parameters.follow(build(program, backend=self._backend))
        return self._more[name]

    @cached_property
    def jacobian_function(self) -> Function:
        """(t, x, u, guess) → the six matrices of `Linear`."""
        program = jacobian_program(self.model, self.kept, self.recipe, self._wanted)
        return self.parameters.follow(build(program, backend=self._backend))

    def over(self, q: Array, v: Array, states: Array) -> System:
        """The same system from another state, over the coordinates that suit it best."""
        return System(self.live_model, self.recipe, self._wanted, None, self._backend, (q, v, states))

    @property
    def live_model(self) -> Model:
        """The model with the values that the live parameters have now."""
        values = {name: self.parameters.get(name, p.value) for name, p in self.model.parameters.items()}
        named = {name: replace(p, value=values[name]) for name, p in self.model.parameters.items()}
        return replace(self.model, parameters=named)

    @property
    def quaternions(self) -> list[tuple[int, int]]:
        """Where in x each unit quaternion begins, and its angular velocity."""
        found, q, v = [], 0, 0
        nq = len(self.layout.coordinates)
        for joint in self.model.joints():
            q, v = q + joint.nq, v + joint.nv
            if joint.type in QUATERNION:
                found.append((self.layout.coordinates.index(q - 4), nq + self.layout.velocities.index(v - 3)))
        return found

    def __repr__(self) -> str:
        slow = sum(path == "python" for path in self.laws.values())
        sizes = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs, "parameters": self.parameters}
        counted = ", ".join(f"{len(members)} {name}" for name, members in sizes.items())
        function = self.rates_function
        speed = f"{function.operations.total} operations in {function.backend.title()}"
        warning = f"; {slow} laws in Python: slow" if slow else ""
        return f"<System {self.model.name}: {counted}; {self.recipe.closure}; {speed}{warning}>"


def _consistent(model: Model, q: Array, v: Array, parts: Partition) -> Array:
    """The velocities with those of the dependent joints as the loops want them: v̇ = −Jv⁻¹ Ju u̇."""
    if not parts.dependent:
        return v
    J = compile(model, "constraints", loads=False)(q).J[list(parts.rows)]
    dependent, given = list(parts.dependent), parts.given
    met = v.copy()
    met[dependent] = np.linalg.solve(J[:, dependent], -J[:, given] @ v[given])
    for i in dependent:
        if v[i] != 0.0 and abs(met[i] - v[i]) > CONSISTENT * (1.0 + abs(v[i])):
            cure = f"give {', '.join(model.velocities[k] for k in parts.free)} a velocity, and let this one follow"
            problem = f"its initial velocity {v[i]:g} contradicts the loops, which want {met[i]:g}"
            raise ModelError(problem, element=model.velocities[i], cure=cure, file=model.file)
    return met


def _largest_mass(model: Model, q: Array) -> float:
    """The largest element of the mass matrix's diagonal, for the stiffness of closures that need one."""
    return float(np.max(np.diag(compile(model, "mass", loads=False)(q)), initial=1e-12))


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
    outputs: patterns such as "*.q", "loop.force.*", "*"; default: motion, states, signals, sensors, links, energies.
    closure: how loops are closed: "partitioning" (exact), "augmented" (Lagrangian, index 3, projections), "penalty".
    formulation: "recursive", or "semi-recursive" as an independent way to the same numbers.
    independent: joints to be independent; default: found by full pivoting.
    alpha: penalty factor of the augmented and penalty closures (default: from the masses); omega, mu: how fast (rad/s)
    and with what damping ratio the penalty closure lets violations die out.
    """
    recipe = Recipe(closure, formulation, tuple(inputs), live, alpha, omega, mu)  # type: ignore[arg-type]
    return System(model, recipe, outputs, independent, backend)
