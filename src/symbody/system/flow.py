"""A model as a flow ẏ = f(t, y) over its free coordinates and velocities, loops closed, driven joints on their way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import dependent_coordinates, given_coordinates
from symbody.equations.compile import compile, compile_constrained
from symbody.errors import ModelError
from symbody.model.model import QUATERNION, Model
from symbody.model.tree import own_coordinates
from symbody.system.assembly import HELD, assemble, initial_state
from symbody.system.partition import partition

Array = np.ndarray
Forces = Callable[[float, Array, Array], Array]  # t, q, q̇ → Q of all degrees of freedom
Trajectory = Callable[[float], tuple[Array, Array, Array]]  # t → positions, velocities, accelerations of the driven


@dataclass(frozen=True)
class Layout:
    """How an integrator in C finds its way: the state (u, ud), and the places of its parts in the whole motion."""

    nq: int
    nv: int
    u: Array
    ud: Array
    guess: Array  # first guess of the dependent coordinates
    free: list[int]  # places in ud of the velocities that accelerate
    given_q: list[int]  # places of u in q
    given_v: list[int]  # places of ud in q̇
    dependent: list[int]  # places in q of the dependent coordinates
    balls: list[int]  # places in u where unit quaternions begin


class Flow(Protocol):
    """What an integrator needs; coordinates and velocities may differ in number."""

    start: tuple[Array, Array]
    function: Function  # what gives the accelerations
    rates: Function  # (q, q̇) → dq/dt
    quaternions: list[slice]  # where in the coordinates the unit quaternions are

    def slope(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Rates of the coordinates and of the velocities."""
        ...

    def whole(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """All coordinates and velocities of the model."""
        ...

    def layout(self) -> Layout:
        """For integration in C."""
        ...


def flow(model: Model, forces: Forces | None = None, driven: Trajectory | None = None) -> Flow:
    """The flow of a model: Order-N for a free tree, coordinate partitioning where it has loops or held joints."""
    held = any(joint.nature in HELD for joint in model.joints())
    return ClosedFlow(model, forces, driven) if model.cuts or held else TreeFlow(model, forces)


def _quaternion_slices(model: Model, kept: list[int]) -> list[slice]:
    """Where the unit quaternions are among the kept coordinates."""
    found, start = [], 0
    for joint in model.joints():
        start += joint.nq
        if joint.type in QUATERNION:
            first = kept.index(start - 4)
            found.append(slice(first, first + 4))
    return found


class TreeFlow:
    """A tree without driven or locked joints."""

    def __init__(self, model: Model, forces: Forces | None):
        self.start = initial_state(model)
        self.quaternions = _quaternion_slices(model, list(range(model.nq)))
        self.function, self.rates = (
            compile(model, "direct", loads=False, laws=True),
            compile(model, "rates", loads=False),
        )
        self._forces, self._still = forces, np.zeros(model.nv)

    def slope(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return self.rates(q, v), self.function(q, v, self._forces(t, q, v) if self._forces else self._still)

    def whole(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return q, v

    def layout(self) -> Layout:
        q, v = self.start
        every_q, every_v = list(range(len(q))), list(range(len(v)))
        balls = [place.start for place in self.quaternions]
        return Layout(len(q), len(v), q, v, np.zeros(0), every_v, every_q, every_v, [], balls)


class ClosedFlow:
    """A system with loops, driven or locked joints; the dependent coordinates of one step start the next search."""

    def __init__(self, model: Model, forces: Forces | None, driven: Trajectory | None):
        if any(joint.nature in HELD and joint.nq != joint.nv for joint in model.joints()):
            cure = "drive or lock elementary joints only"
            raise ModelError("a driven or locked quaternion joint", element=model.name, cure=cure, file=model.file)
        q, v = assemble(model), initial_state(model)[1]
        parts = partition(model, q)
        self._given = given_coordinates(model, parts)
        self._dependent = dependent_coordinates(model, parts)
        self._guess = q[self._dependent]
        own = {dof: k for k, dof in enumerate(parts.given)}
        self._free_v, self._held_v = [own[i] for i in parts.free], [own[i] for i in parts.driven]
        own_q = own_coordinates(model)
        held = [own_q[i] for i in parts.driven]
        self._free_q = [k for k, i in enumerate(self._given) if i not in held]
        self._held_q = [self._given.index(i) for i in held]
        free = [self._given[k] for k in self._free_q]
        self.start = q[free], v[list(parts.free)]
        given_v = np.where(np.isin(parts.given, parts.driven), 0.0, v[parts.given])
        balls = [place.start for place in _quaternion_slices(model, self._given)]
        self._layout = Layout(
            model.nq, model.nv, q[self._given], given_v, self._guess, self._free_v, self._given,
            parts.given, self._dependent, balls,
        )  # fmt: skip
        self.quaternions = _quaternion_slices(model, free)
        rest = (q[held], np.zeros(len(held)), np.zeros(len(held)))
        self._driven = driven or (lambda t: rest)
        self._forces, self._still = forces, np.zeros(model.nv)
        self.function = compile_constrained(model, parts, loads=False, laws=True)
        self.rates = compile(model, "rates", loads=False)

    def _solve(self, t: float, q: Array, v: Array, Q: Array) -> Any:
        """The closed system at a state; its dependent coordinates are remembered."""
        u, ud = np.empty(len(self._given)), np.empty(len(self._free_v) + len(self._held_v))
        u[self._free_q], ud[self._free_v] = q, v
        u[self._held_q], ud[self._held_v], push = self._driven(t)
        found = self.function(u, ud, Q, self._guess, add=np.asarray(push, dtype=float))
        if np.all(np.isfinite(found.q)):
            self._guess = found.q[self._dependent]
        return found

    def slope(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        Q = self._still
        if self._forces:
            Q = self._forces(t, *self.whole(t, q, v))
        found = self._solve(t, q, v, Q)
        rates = self.rates(found.q, found.qd)[self._given][self._free_q]
        return rates, found.udd

    def whole(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        found = self._solve(t, q, v, self._still)
        return found.q, found.qd

    def layout(self) -> Layout:
        return self._layout
