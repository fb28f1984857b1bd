"""A system before tracing: a model, the user's options, the choice of coordinates, the initial state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from symbody.codegen import Function
from symbody.elements.hydraulics import with_circuits
from symbody.equations.closed import Partition, first_guess
from symbody.equations.compile import compile
from symbody.errors import ModelError
from symbody.model.check import check
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import quaternion_tangents
from symbody.system.assembly import assemble, constraint_function, initial_state
from symbody.system.held_equations import check_held
from symbody.system.motion_names import coordinate_names, velocity_names
from symbody.system.options import SystemOptions, input_names, input_values
from symbody.system.partition import check_regular
from symbody.system.partition import partition as find_partition
from symbody.system.penalty_stiffness import warn_of_weak_loop, weakest_loop
from symbody.system.prescribed import check_prescribed, prescribed_values
from symbody.system.ties import independent_jacobian
from symbody.system.trace import Layout, free_partition, layout_of

Array = np.ndarray
Motion0 = tuple[Array, Array, Array]  # coordinates, velocities and states at t = 0
PENALTY = 1e7  # alpha of the penalty closure over the largest diagonal element of the mass matrix (Jaiswal, 2.1.5)
CONSISTENT = 1e-6  # largest difference of an initial velocity from the one that the loops require


@dataclass(frozen=True)
class SystemDefinition:
    """A model and the form of its equations: all that the programs of a system depend on, and the initial state."""

    model: Model  # its circuits turned into laws
    options: SystemOptions  # with the penalty factor that was chosen
    wanted: tuple[str, ...] | None  # patterns of outputs; None: the default ones
    independent: tuple[str, ...] | None  # joints that must be independent; None: found
    partition: Partition  # the coordinates that the loops determine
    state_partition: Partition  # the coordinates in x: with closures other than partitioning, all but the prescribed
    layout: Layout
    states: list[str]  # names of x
    inputs: list[str]
    u0: Array
    x0: Array
    guess0: Array  # dependent coordinates at the start
    q0: Array  # all coordinates at the start
    largest_mass: float  # on the diagonal of the mass matrix, for closures that need it
    alpha_given: bool  # whether the user gave the penalty factor

    @property
    def asked(self) -> SystemOptions:
        """The options as the user gave them."""
        return self.options if self.alpha_given else replace(self.options, alpha=0.0)

    @property
    def state_scales(self) -> list[float]:
        """Typical sizes of the states in x after coordinates and velocities; 1 if none is declared."""
        declared = self.model.states
        return [declared[name].scale if name in declared else 1.0 for name in self.layout.states]

    @cached_property
    def quaternion_places(self) -> list[int]:
        """Indices in x where unit quaternions begin."""
        places = {place for place, _ in quaternion_tangents(self.model).values()}
        return [self.layout.coordinates.index(place) for place in sorted(places)]

    @cached_property
    def quaternions(self) -> list[tuple[int, int]]:
        """Indices in x of each unit quaternion and of its angular velocity.

        Raises ModelError if loops determine a rotation.
        """
        tangents, held = quaternion_tangents(self.model), {*self.state_partition.dependent}
        turned = sorted(held & tangents.keys())
        if turned:
            problem = (
                "the loops determine this rotation of a quaternion, which only explicit and Rosenbrock methods support"
            )
            cure = "use rk4, rodas4 or a variable-step method; or closure='penalty' or 'augmented'"
            raise ModelError(problem, element=self.model.velocities[turned[0]], cure=cure)
        nq, velocities = len(self.layout.coordinates), self.layout.velocities
        first = [nq + velocities.index(i) for i, (_, axis) in tangents.items() if axis == 0]
        return list(zip(self.quaternion_places, first, strict=True))


def define(
    model: Model,
    options: SystemOptions,
    outputs: Sequence[str] | None = None,
    independent: Sequence[str] | None = None,
    start: Motion0 | None = None,
    swap: bool = False,
) -> SystemDefinition:
    """Check a model, close its loops (unless a start is given), choose its coordinates and lay out its state.

    swap: whether joints of nature dependent may become independent (see `partition`).
    """
    check(model)
    model = with_circuits(model)
    check_prescribed(model, options)
    u0 = np.array(input_values(model, options))
    loops = constraint_function(model)
    q, v, states = _start(model, options, u0, loops) if start is None else start
    exact = options.closure == "partitioning"  # the other closures only need velocities that the loops allow
    partition = find_partition(model, q, independent, loops, swap, complete=exact)
    if start is None and _contradicted(model, q, v, partition, loops):
        partition = find_partition(model, q, independent, loops, keep_velocities=True, complete=exact)
    state_partition, largest = partition, 0.0
    alpha_given = bool(options.alpha)
    if not exact:
        M = compile(model, "mass", loads=False)(q)
        largest = float(np.max(np.diag(M), initial=1e-12))
        options = replace(options, alpha=options.alpha or PENALTY * largest)
        if start is None and loops is not None:
            warn_of_weak_loop(weakest_loop(model, options.alpha, M, loops(q).J), model.name, options)
        state_partition = free_partition(model, partition)
    elif start is None and loops is not None:
        check_regular(model, q, loops)
    if start is None and loops is not None:
        check_held(model, options, u0, q, loops)
    v = _consistent(model, q, v, partition, loops, independent)
    if start is None and options.work:
        states = np.append(states, sum(compile(model, "energy", loads=False)(q, v)))
    layout = layout_of(model, state_partition, options)
    names = coordinate_names(model), velocity_names(model)
    return SystemDefinition(
        model,
        options,
        None if outputs is None else tuple(outputs),
        None if independent is None else tuple(independent),
        partition,
        state_partition,
        layout,
        [names[0][i] for i in layout.coordinates] + [names[1][i] for i in layout.velocities] + layout.states,
        input_names(model, options),
        u0,
        np.concatenate([q[layout.coordinates], v[layout.velocities], q[list(layout.tied)], states]),
        first_guess(model, state_partition, q),
        q,
        largest,
        alpha_given,
    )


def _start(model: Model, options: SystemOptions, u0: Array, loops: Function | None) -> Motion0:
    """Assembled coordinates, velocities and states at t = 0."""
    q, v = initial_state(model)
    for i, place, (position, velocity, _) in prescribed_values(model, options, 0.0, u0):
        q[place], v[i] = position, velocity
    states = np.array([float(evaluate(s.start, model.values)) for s in model.states.values()])
    return assemble(model, q, loops), v, states


def _met(model: Model, q: Array, v: Array, parts: Partition, loops: Function | None) -> Array:
    """The velocities with the dependent ones as loops and ties require: v̇ = −Jv⁻¹ (Ju u̇ + drift)."""
    if not parts.following:
        return v
    J, drift = independent_jacobian(model, q, parts, loops)
    following, given = list(parts.following), parts.given
    met = v.copy()
    met[following] = np.linalg.solve(J[:, following], -J[:, given] @ v[given] - drift)
    return met


def _contradicted(model: Model, q: Array, v: Array, parts: Partition, loops: Function | None) -> list[int]:
    """Degrees of freedom whose given velocity contradicts loops and ties."""
    met = _met(model, q, v, parts, loops)
    return [i for i in parts.following if v[i] != 0.0 and abs(met[i] - v[i]) > CONSISTENT * (1.0 + abs(v[i]))]


def _consistent(
    model: Model, q: Array, v: Array, parts: Partition, loops: Function | None, independent: Sequence[str] | None
) -> Array:
    """Velocities that satisfy the loops. Given ones are kept; contradictory ones raise ModelError with both numbers."""
    met = _met(model, q, v, parts, loops)
    for i in _contradicted(model, q, v, parts, loops):
        name, moving = model.velocities[i], [k for k in parts.given if v[k] != 0.0]
        at = " and ".join(f"{model.velocities[k]} at {v[k]:g}" for k in moving) or "all others at rest"
        problem = f"its initial velocity {v[i]:g} contradicts the loops, which require {met[i]:g} with {at}"
        free = ", ".join(model.velocities[k] for k in parts.free)
        cure = f"set the velocity of {free} instead" if free else "the loops determine all joints: free or remove one"
        if independent is not None:
            cure += f"; or make {name} independent"
        raise ModelError(problem, element=name, cure=cure, file=model.file)
    return met
