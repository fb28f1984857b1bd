"""Inverse dynamics of a system: the efforts of actuators that give its free coordinates wanted accelerations.

T φ = R(a), where R is what the laws leave to be done along the free coordinates and column j of T is what a unit
effort of actuator j gives there. Actuators may sit on any joints of the loops. More of them than free coordinates
share the load with the least Σ φ²/w; with fewer, drive the joints whose motion is known and read their `effort`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbody.codegen.program import Program
from symbody.equations.closed import Partition
from symbody.equations.closed_inverse import shared_efforts, unit_efforts
from symbody.errors import ModelError
from symbody.expr.node import ONE, ZERO, fresh_graph, section
from symbody.expr.vector import Mat, Vec
from symbody.model.model import Model
from symbody.system.programs import program_of
from symbody.system.recipe import Recipe
from symbody.system.system import Array, System
from symbody.system.trace import Traced, trace


class Inverse:
    """Efforts of `actuators` (N, N m) by `f(x, a)`: x the state, a the accelerations of `accelerations`."""

    def __init__(self, system: System, actuators: Sequence[str] | None = None, weights: Sequence[float] | None = None):
        if system.recipe.closure != "partitioning":
            raise ModelError("inverse dynamics needs exact loops", cure='make the system with closure="partitioning"')
        names, free = system.model.velocities, system.layout.velocities
        self.system = system
        self.accelerations = [names[i] for i in free]
        self.actuators = list(self.accelerations if actuators is None else actuators)
        places = [_place(names, name) for name in self.actuators]
        shares = [1.0] * len(places) if weights is None else [float(w) for w in weights]
        if len(places) < len(free):
            cure = f"actuate at least {len(free)}, or make the joints whose motion is known driven"
            problem = f"{len(places)} actuators for {len(free)} degrees of freedom"
            raise ModelError(problem, element=system.model.name, cure=cure)
        if len(shares) != len(places) or not all(w > 0 for w in shares):
            raise ModelError(f"weights {shares}", cure=f"give {len(places)} positive numbers, one for each actuator")

        def make(model: Model, partition: Partition, recipe: Recipe) -> Program:
            return _program(model, partition, recipe, places, shares)

        self.function = system.function(f"inverse {places} {shares}", make)

    def __call__(self, x: Array, a: Array, t: float = 0.0, u: Array | None = None) -> Array:
        """Efforts of the actuators for accelerations a of the free coordinates, beside what laws and inputs give."""
        u = self.system.u0 if u is None else u
        guess = self.system.near(t, x, u)
        result: Array = self.function(np.array([float(t)]), x, u, guess, np.asarray(a, dtype=float))
        return result


def _place(names: list[str], name: str) -> int:
    if name not in names:
        raise ModelError("no such joint to actuate", element=name, cure=f"the names are {', '.join(names[:10])}")
    return names.index(name)


def _program(
    model: Model, partition: Partition, recipe: Recipe, actuators: Sequence[int], weights: Sequence[float]
) -> Program:
    with fresh_graph():
        traced = trace(model, partition, recipe)
        needed = traced.residual()
        section("efforts of the actuators")
        phi = shared_efforts(_effects(traced, actuators), weights, needed)
        more = {"a": len(traced.a)}
        return program_of(
            "inverse", "efforts of the actuators for wanted accelerations", traced, {"phi": phi}, more=more
        )


def _effects(traced: Traced, actuators: Sequence[int]) -> Mat:
    """What a unit effort of each actuator gives along each free coordinate."""
    free = traced.partition.free
    if traced.closed is None:
        return Mat([Vec([ONE if j == i else ZERO for j in actuators]) for i in free])
    given = traced.partition.given
    return unit_efforts(traced.closed, actuators).rows([given.index(i) for i in free])
