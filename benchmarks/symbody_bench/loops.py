"""Closed systems in the benchmark: their states, and this engine's functions, called from C by the common clock.

constrained      (u, u̇, Q) → ü, λ, whole motion      closed_inverse   (u, u̇, ü) → efforts of the actuators
Both find the dependent coordinates from a first guess: the closed ones, or for `_1ms` those of one step of 1 ms before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import Partition, first_guess, given_coordinates
from symbody.equations.compile import compile, compile_closed_inverse, compile_constrained
from symbody.model.body import QUATERNION
from symbody.model.model import Model
from symbody.system.assembly import assemble
from symbody.system.partition import partition
from symbody_bench.clock import time_compiled
from symbody_bench.models import by_name
from symbody_bench.numeric import Array
from symbody_bench.ours import cold_figures, compiled, warm_seconds
from symbody_bench.peers import STATES, Measured

FUNCTIONS = ("constrained", "closed_inverse")
GUESSES = {"": 0.0, "_1ms": 1e-3}  # s between the guess and the state
SPREAD = 0.1  # rad or m between the model's initial position and the random ones


@dataclass(frozen=True)
class ClosedState:
    """A closed state: all coordinates, velocities and accelerations, and efforts of all joints."""

    q: Array
    v: Array
    a: Array
    Q: Array


@dataclass(frozen=True)
class ClosedSystem:
    """A model with loops, the partition of its coordinates, and its actuators."""

    model: Model
    partition: Partition
    actuated: list[int]


def closed_system(model: Model) -> ClosedSystem:
    """The partition at the assembled position; actuators are on joints with force laws, or else on u."""
    parts = partition(model, assemble(model))
    pushed = [i for i, name in enumerate(model.velocities) if name in model.joint_laws]
    return ClosedSystem(model, parts, pushed if len(pushed) == len(parts.given) else list(parts.given))


def closed_states(system: ClosedSystem, rng: np.random.Generator, count: int) -> Iterator[ClosedState]:
    """Random states near the assembled position, with loops closed in position, velocity and acceleration.

    NumPy computes the whole motion from h, J and J̇q̇, without the functions to be measured.
    """
    model, parts = system.model, system.partition
    start = assemble(model)
    given, dependent, rows = parts.given, list(parts.dependent), list(parts.rows)
    bias = compile(model, "constraint_bias", loads=False)
    for _ in range(count):
        q = assemble(model, _nearby(model, start, rng))
        J = compile(model, "constraints", loads=False)(q).J[rows]

        def complete(given_part: Array, right: Array, J: Array = J) -> Array:
            whole = np.zeros(model.nv)
            whole[given] = given_part
            whole[dependent] = np.linalg.solve(J[:, dependent], right - J[:, given] @ given_part)
            return whole

        v = complete(rng.normal(size=len(given)), np.zeros(len(rows)))
        a = complete(rng.normal(size=len(given)), -bias(q, v)[rows])
        yield ClosedState(q, v, a, 10.0 * rng.normal(size=model.nv))


def _nearby(model: Model, q: Array, rng: np.random.Generator) -> Array:
    q, end = q + SPREAD * rng.uniform(-1.0, 1.0, len(q)), 0
    for joint in model.joints():
        end += joint.nq
        if joint.type in QUATERNION:
            q[end - 4 : end] /= np.linalg.norm(q[end - 4 : end])
    return q


def compile_function(system: ClosedSystem, function: str, live: str = "none") -> Function:
    """One of FUNCTIONS, compiled."""
    if function == "constrained":
        return compile_constrained(system.model, system.partition, live=live, loads=False)
    return compile_closed_inverse(system.model, system.partition, system.actuated, live=live, loads=False)


def inputs(system: ClosedSystem, function: str, state: ClosedState, before: float = 0.0) -> list[Array]:
    """(u, u̇, Q or ü, guess) of a state; the guess is the dependent coordinates `before` seconds earlier."""
    model, parts = system.model, system.partition
    third = state.Q if function == "constrained" else state.a[parts.given]
    guess = first_guess(model, parts, state.q) - before * state.v[list(parts.dependent)]
    return [state.q[given_coordinates(model, parts)], state.v[parts.given], third, guess]


def symbody_loops(name: str, model: Model, live: str = "none") -> list[Measured]:
    """Both functions from both guesses; cold times in a fresh process with an empty cache."""
    system = closed_system(model)
    states = list(closed_states(system, np.random.default_rng(0), STATES))
    results = []
    for function in FUNCTIONS:
        cold = cold_figures(name, function, live, __name__)
        f = compile_function(system, function, live)
        sizes = [int(np.prod(shape, dtype=int)) for shape in f.signature.outputs.values()]
        rest = [np.zeros(size) for size, optional in f.signature.inputs.values() if optional]
        for suffix, before in GUESSES.items():
            timed = [inputs(system, function, state, before) + rest for state in states]
            time = time_compiled(compiled(f), timed, sizes)
            figures = cold["generate_s"], cold["compile_s"], cold["total_s"], cold["memory_MB"]
            note = "guess: closed" if not before else "guess: 1 ms before"
            made = Measured("symbody", model.name, function + suffix, time, f.operations.total, *figures, note)
            results.append(made)
    return results


def warm(name: str, function: str, live: str = "none") -> float:
    """Seconds to assemble a model, load a cached function and call it once, without imports."""
    compile_function(closed_system(by_name(name)), function, live)
    return warm_seconds(name, function, live, __name__)


def main(name: str, function: str, live: str) -> None:
    """Assemble a model, build one function and call it once; print the figures."""
    model = by_name(name)
    start = perf_counter()
    system = closed_system(model)
    f = compile_function(system, function, live)
    q, still = assemble(model), np.zeros(model.nv)
    f(*inputs(system, function, ClosedState(q, still, still, still)))
    took = {"total_s": perf_counter() - start, "generate_s": f.generate_s, "compile_s": f.compile_s}
    print(json.dumps(took))


if __name__ == "__main__":
    main(*sys.argv[1:4])
