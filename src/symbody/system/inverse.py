"""Inverse dynamics of a system: actuator efforts for given accelerations of the free coordinates.

T φ = R(a): R is the remaining generalised force along the free coordinates, and column j of T is the effect of a unit
effort of actuator j. Actuators may be on any joints of the loops. If there are more actuators than free coordinates,
they share the load with the least Σ φ²/w. If there are fewer, make joints with known motion driven and read their
`effort`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.codegen.program import Program
from symbody.equations.closed_inverse import shared_efforts, unit_efforts
from symbody.errors import ModelError, SingularityError
from symbody.expr.node import ONE, ZERO
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec
from symbody.suggestions import did_you_mean
from symbody.system.definition import SystemDefinition
from symbody.system.functions import SystemFunctions
from symbody.system.programs import program_of
from symbody.system.trace import Traced

Array = np.ndarray


@dataclass(frozen=True)
class Inverse:
    """Efforts of `actuators` (N, N m) from `f(x, a)`: x is the state, a the accelerations of `accelerations`."""

    actuators: list[str]
    accelerations: list[str]
    function: Function
    u0: Array
    dependent: Callable[[float, Array, Array], Array]  # dependent coordinates at t, x, u

    def __call__(self, x: Array, a: Array, t: float = 0.0, u: Array | None = None) -> Array:
        """Efforts of the actuators for accelerations a of the free coordinates, in addition to laws and inputs."""
        u = self.u0 if u is None else u
        guess = self.dependent(t, x, u)
        result: Array = self.function(np.array([float(t)]), x, u, guess, np.asarray(a, dtype=float))
        if not np.all(np.isfinite(result)):
            why = "the loops do not close at this state, or it is a dead point of the actuators"
            raise SingularityError(
                f"cannot compute efforts of {', '.join(self.actuators)} for these accelerations: {why}", time=t
            )
        return result


def inverse_of(
    functions: SystemFunctions,
    dependent: Callable[[float, Array, Array], Array],
    actuators: Sequence[str] | None,
    weights: Sequence[float] | None,
) -> Inverse:
    """The inverse dynamics of a system; default: actuators on the free joints, equal weights."""
    d = functions.definition
    if d.options.closure != "partitioning":
        raise ModelError(
            "inverse dynamics needs exactly closed loops", cure='make the system with closure="partitioning"'
        )
    names, free = d.model.velocities, d.layout.velocities
    accelerations = [names[i] for i in free]
    chosen = list(accelerations if actuators is None else actuators)
    places = [_place(names, name) for name in chosen]
    shares = [1.0] * len(places) if weights is None else [float(w) for w in weights]
    _check(d, places, shares)

    def make(traced: Traced) -> Program:
        return _program(traced, places, shares)

    function = functions.function(f"inverse {places} {shares}", make)
    return Inverse(chosen, accelerations, function, d.u0, dependent)


def _check(d: SystemDefinition, places: Sequence[int], shares: Sequence[float]) -> None:
    count = len(d.layout.velocities)
    if len(places) < count:
        cure = f"use at least {count}, or make joints with known motion driven"
        raise ModelError(f"{len(places)} actuators for {count} degrees of freedom", element=d.model.name, cure=cure)
    if len(shares) != len(places) or not all(w > 0 for w in shares):
        raise ModelError(
            f"invalid weights {list(shares)}", cure=f"use {len(places)} positive numbers, one for each actuator"
        )


def _place(names: list[str], name: str) -> int:
    if name not in names:
        raise ModelError("unknown joint", element=name, cure=did_you_mean(name, names, "joints"))
    return names.index(name)


def _program(traced: Traced, actuators: Sequence[int], weights: Sequence[float]) -> Program:
    needed = traced.residual()
    section("efforts of the actuators")
    phi = shared_efforts(_effects(traced, actuators), weights, needed)
    summary = "efforts of the actuators for wanted accelerations"
    return program_of("inverse", summary, traced, {"phi": phi}, more={"a": len(traced.a)})


def _effects(traced: Traced, actuators: Sequence[int]) -> Mat:
    """The effect of a unit effort of each actuator along each free coordinate."""
    free = traced.partition.free
    if traced.closed is None:
        return Mat([Vec([ONE if j == i else ZERO for j in actuators]) for i in free])
    given = traced.partition.given
    return unit_efforts(traced.closed, actuators).rows([given.index(i) for i in free])
