"""Closed loops by coordinate partitioning: q = (u, v), with v computed from u; shared by direct and inverse dynamics.

Given u, the loops determine v (Newton's method in the generated code), v̇ = B u̇ with B = −Jv⁻¹Ju, and v̈ = B ü + b
with b = −Jv⁻¹(J̇q̇). Jv is factorised symbolically, with the order of pivots that the partition fixes.

Constraints between velocities, A q̇ + b₀ = 0, leave coordinates free and tie further velocities. Their rows and columns
follow those of the loops, and one elimination, the loops first, gives all velocities that depend on u̇.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from symbody.codegen.program import Closure, Input, Program
from symbody.equations.constraints import Equation, constraint_jacobian, constraints
from symbody.equations.functions import GenerationOptions, Outputs
from symbody.equations.nonholonomic import nonholonomic
from symbody.equations.tree import Tree, build_tree, with_motion
from symbody.expr.functions import sqrt
from symbody.expr.linear import BlockFactors, Factors, factorise, factorise_blocks
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, cross, dot, variables, zeros
from symbody.model.model import Model
from symbody.model.tree import own_coordinates, quaternion_tangents
from symbody.safe_name import identifier

Array = np.ndarray


class Tie(NamedTuple):
    """One or two equations between velocities, and the degrees of freedom whose velocities they determine."""

    rows: tuple[int, ...]
    dofs: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """The free, driven (including locked) and dependent degrees of freedom, and the independent equations.

    `dependent`, `rows` and `ties` are in the order of the pivots; rows left out are redundant. A degree of freedom in
    `ties` has its own coordinate, but its velocity depends on others.
    """

    free: tuple[int, ...]
    driven: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    ties: tuple[Tie, ...] = ()

    @property
    def given(self) -> list[int]:
        """u: the free and the driven degrees of freedom, in the model's order."""
        return sorted((*self.free, *self.driven))

    @property
    def tied(self) -> tuple[int, ...]:
        """Degrees of freedom of which only the velocity is determined."""
        return tuple(i for tie in self.ties for i in tie.dofs)

    @property
    def following(self) -> tuple[int, ...]:
        """All degrees of freedom whose velocities depend on those of u: dependent and tied ones."""
        return self.dependent + self.tied


def given_coordinates(model: Model, partition: Partition) -> list[int]:
    """The coordinates of q that form u: all but the dependent ones."""
    own = own_coordinates(model)
    dependent = {own[i] for i in partition.dependent}
    return [i for i in range(model.nq) if i not in dependent]


def with_dependent(model: Model, partition: Partition, q: Vec, unknowns: Vec) -> Vec:
    """All coordinates, with unknowns for the dependent ones; quaternions e are rotated: e ∘ (1, δ/2), length 1.

    A quaternion stays among the given coordinates as the reference of its unknown rotation δ, so δ is small.
    """
    own, tangents = own_coordinates(model), quaternion_tangents(model)
    turns: dict[int, Vec] = {}
    for i, x in zip(partition.dependent, unknowns, strict=True):
        if own[i] >= 0:
            q = q.put([own[i]], [x])
        else:
            place, axis = tangents[i]
            turns.setdefault(place, zeros())[axis] = 0.5 * x
    for place, half in turns.items():
        w, r = q[place], Vec(q[place + 1 : place + 4])
        size = sqrt(1.0 + dot(half, half))
        turned = [w - dot(r, half), *(r + w * half + cross(r, half))]
        q = q.put(range(place, place + 4), [x / size for x in turned])
    return q


def first_guess(model: Model, partition: Partition, q: Array) -> Array:
    """The unknowns at closed coordinates: these coordinates, and no rotation of quaternions."""
    own = own_coordinates(model)
    return np.array([q[own[i]] if own[i] >= 0 else 0.0 for i in partition.dependent])


@dataclass
class Loops:
    """The independent equations between coordinates, and the factors of Jv."""

    h: Vec
    factors: Factors

    @property
    def step(self) -> tuple[Expr, ...]:
        """Jv⁻¹ h: Newton's correction of the dependent coordinates."""
        return tuple(self.factors.solve(self.h))

    def transfer(self, column: Vec) -> Vec:
        """−Jv⁻¹·column."""
        return _transfer(self.factors, column)


@dataclass
class Following:
    """Ju u̇ + Jw ẇ + drift = 0 for all dependent velocities w: the loops, and ties between velocities."""

    Ju: Mat
    factors: Factors | BlockFactors  # of Jw
    drift: Vec

    def transfer(self, column: Vec) -> Vec:
        """−Jw⁻¹·column."""
        return _transfer(self.factors, column)


def _transfer(factors: Factors | BlockFactors, column: Vec) -> Vec:
    return factors.solve(-column) if any(x is not ZERO for x in column) else zeros(len(column))


def independent_equations(tree: Tree, partition: Partition) -> list[Equation]:
    """The independent equations at a motion, in the order of the pivots: the loops, then ties between velocities."""
    chosen: list[Equation] = []
    if partition.rows:
        loops = constraints(tree)
        chosen += [loops[r] for r in partition.rows]
    if partition.ties:
        ties = nonholonomic(tree)
        chosen += [ties[r] for tie in partition.ties for r in tie.rows]
    return chosen


def loop_matrices(equations: list[Equation], partition: Partition) -> tuple[Loops, Following]:
    """The equations for coordinates and those for velocities, with their factors."""
    nd = len(partition.rows)
    Ju, Jw = (constraint_jacobian(equations, dofs) for dofs in (partition.given, partition.following))
    section("factorisation of the loops")
    factors: Factors | BlockFactors
    factors = loops = factorise(Jw.block(range(nd), range(nd)))
    if partition.ties:
        section("factorisation of the ties between velocities")
        factors = factorise_blocks(Jw, [1] * nd + [len(tie.rows) for tie in partition.ties])
    drift = zeros(len(equations)).put(range(nd, len(equations)), [e.h for e in equations[nd:]])
    return Loops(Vec([e.h for e in equations[:nd]]), loops), Following(Ju, factors, drift)


@dataclass
class Closed:
    """The closed motion as expressions: coordinates, velocities, and accelerations for ü = 0."""

    tree: Tree
    loops: Loops
    following: Following
    partition: Partition
    q: Vec
    v: Vec
    a: Vec

    @cached_property
    def BT(self) -> Mat:
        """Bᵀ of v̇ = B u̇, B = −Jv⁻¹ Ju, for all dependent velocities."""
        following = self.following
        return Mat([following.transfer(following.Ju.column(k)) for k in range(len(self.partition.given))])

    @cached_property
    def B(self) -> Mat:
        """B of v̇ = B u̇."""
        return self.BT.T if self.BT else Mat([Vec() for _ in self.partition.following])

    def moving(self, a: Sequence[Expr]) -> Tree:
        """The tree in this motion, with accelerations."""
        return with_motion(self.tree, self.q, self.v, a)

    def accelerations(self, given: Sequence[Expr]) -> Vec:
        """q̈ from ü: v̈ = B ü + b."""
        following = self.partition.following
        b = self.a.take(following)
        return self.a.put(self.partition.given, given).put(following, b + self.B @ given)

    def along_given(self, Q: Vec) -> Vec:
        """Qu + Bᵀ Qv: generalised forces along u."""
        Qu, Qv = Q.take(self.partition.given), Q.take(self.partition.following)
        return Qu + self.BT @ Qv


def closed_motion(tree: Tree, partition: Partition, q: Sequence[Expr], v: Sequence[Expr]) -> Closed:
    """The dependent velocities from the given ones, and b for the accelerations.

    `q` has all coordinates, with unknowns for the dependent ones; only the given ones of `v` are used.
    """
    q, v, still = Vec(q), Vec(v), zeros(tree.nv)
    loops, following = loop_matrices(independent_equations(with_motion(tree, q, still, still), partition), partition)
    v = v.put(partition.following, following.transfer(following.Ju @ v.take(partition.given) + following.drift))
    b = following.transfer(Vec([e.bias for e in independent_equations(with_motion(tree, q, v, still), partition)]))
    return Closed(tree, loops, following, partition, q, v, still.put(partition.following, b))


def motion_of_inputs(model: Model, partition: Partition, options: GenerationOptions) -> Closed:
    """The closed motion as a function of the inputs u, ud of a program and its unknowns x."""
    tree = build_tree(model, options.live, options.loads)
    given, dependent = given_coordinates(model, partition), partition.dependent
    u, x, ud = variables("u", len(given)), variables("x", len(dependent)), variables("ud", len(partition.given))
    q = with_dependent(model, partition, zeros(model.nq).put(given, u), x)
    v = zeros(model.nv).put(partition.given, ud)
    return closed_motion(tree, partition, q, v)


def closed_program(
    name: str,
    summary: str,
    model: Model,
    closed: Closed,
    outputs: Outputs,
    third: tuple[str, int],
    optional: dict[str, int],
) -> Program:
    """A program over u, u̇ and a third input, with the dependent coordinates as unknowns."""
    nd = len(closed.loops.h)
    required = {
        "u": len(given_coordinates(model, closed.partition)),
        "ud": len(closed.partition.given),
        third[0]: third[1],
        "guess": nd,
    }
    inputs = {key: Input(size) for key, size in required.items()}
    inputs |= {key: Input(size, optional=True) for key, size in optional.items()}
    closure = Closure("x", "guess", closed.loops.step) if nd else None
    live = dict(closed.tree.live)
    return Program(name, identifier(model.name), summary, inputs, outputs, live, closure=closure)


def load_sizes(model: Model, options: GenerationOptions) -> dict[str, int]:
    return {"frc": 3 * len(model.bodies), "trq": 3 * len(model.bodies)} if options.loads else {}
