"""Closed loops by coordinate partitioning: q = (u, v), v found from u; what direct and inverse dynamics share.

Given u, the loops determine v (Newton's method in the generated code), v̇ = B u̇ with B = −Jv⁻¹Ju, and v̈ = B ü + b with
b = −Jv⁻¹(J̇q̇). Jv is factorised symbolically, in the order of pivots that the partition fixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.codegen.program import Closure, Input, Program
from symbody.equations.constraints import Equation, constraint_jacobian, constraints
from symbody.equations.functions import GenerationOptions, Outputs
from symbody.equations.tree import Tree, build_tree, with_motion
from symbody.expr.functions import sqrt
from symbody.expr.linear import Factors, factorise
from symbody.expr.node import ZERO, Expr, section
from symbody.expr.vector import Mat, Vec, cross, dot, variables, zeros
from symbody.model.model import Model
from symbody.model.tree import own_coordinates, quaternion_tangents
from symbody.safe_name import identifier

Array = np.ndarray


@dataclass(frozen=True)
class Partition:
    """Which degrees of freedom are free, driven (locked ones among them) and dependent, and which equations serve.

    `dependent` and `rows` are in the order of the pivots; rows left out are redundant.
    """

    free: tuple[int, ...]
    driven: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def given(self) -> list[int]:
        """u: the free and the driven ones, in the model's order."""
        return sorted((*self.free, *self.driven))


def given_coordinates(model: Model, partition: Partition) -> list[int]:
    """The coordinates in q that make up u: all but the dependent ones."""
    own = own_coordinates(model)
    dependent = {own[i] for i in partition.dependent}
    return [i for i in range(model.nq) if i not in dependent]


def with_dependent(model: Model, partition: Partition, q: Vec, unknowns: Vec) -> Vec:
    """All coordinates, dependent ones being unknowns; quaternions e are turned by theirs: e ∘ (1, δ/2), of length 1.

    A quaternion stays among the given coordinates as the position that its unknown turn δ starts from, so δ is small.
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
    """The unknowns at closed coordinates: those themselves, and no turn of quaternions."""
    own = own_coordinates(model)
    return np.array([q[own[i]] if own[i] >= 0 else 0.0 for i in partition.dependent])


@dataclass
class Loops:
    """The equations that serve, as matrices over the given and the dependent degrees of freedom."""

    h: Vec
    Ju: Mat
    Jv: Mat
    factors: Factors

    @property
    def step(self) -> tuple[Expr, ...]:
        """Jv⁻¹ h: Newton's correction of the dependent coordinates."""
        return tuple(self.factors.solve(self.h))

    def transfer(self, column: Vec) -> Vec:
        """−Jv⁻¹·column."""
        return self.factors.solve(-column) if any(x is not ZERO for x in column) else zeros(len(column))


def loop_matrices(equations: list[Equation], partition: Partition) -> Loops:
    chosen = [equations[r] for r in partition.rows]
    Ju, Jv = (constraint_jacobian(chosen, dofs) for dofs in (partition.given, partition.dependent))
    section("factorisation of the loops")
    return Loops(Vec([e.h for e in chosen]), Ju, Jv, factorise(Jv))


@dataclass
class Closed:
    """The closed motion as expressions: coordinates, velocities, and accelerations while those of u are zero."""

    tree: Tree
    loops: Loops
    partition: Partition
    q: Vec
    v: Vec
    a: Vec

    @cached_property
    def BT(self) -> Mat:
        """Bᵀ of v̇ = B u̇, B = −Jv⁻¹ Ju."""
        return Mat([self.loops.transfer(self.loops.Ju.column(k)) for k in range(len(self.partition.given))])

    @cached_property
    def B(self) -> Mat:
        """B of v̇ = B u̇."""
        return self.BT.T if self.BT else Mat([Vec() for _ in self.partition.dependent])

    def moving(self, a: Sequence[Expr]) -> Tree:
        """The tree in this motion, with accelerations."""
        return with_motion(self.tree, self.q, self.v, a)

    def accelerations(self, given: Sequence[Expr]) -> Vec:
        """q̈ from that of u: v̈ = B ü + b."""
        dependent = self.partition.dependent
        b = self.a.take(dependent)
        return self.a.put(self.partition.given, given).put(dependent, b + self.B @ given)

    def along_given(self, Q: Vec) -> Vec:
        """Qu + Bᵀ Qv: generalised forces along u."""
        Qu, Qv = Q.take(self.partition.given), Q.take(self.partition.dependent)
        return Qu + self.BT @ Qv


def closed_motion(tree: Tree, partition: Partition, q: Sequence[Expr], v: Sequence[Expr]) -> Closed:
    """Velocities of the dependent from those of the given ones, and b for the accelerations.

    `q` holds all coordinates, the dependent ones as unknowns; of `v` the given ones are read.
    """
    q, v, still, dependent = Vec(q), Vec(v), zeros(tree.nv), partition.dependent
    loops = loop_matrices(constraints(with_motion(tree, q, still, still)), partition)
    v = v.put(dependent, loops.transfer(loops.Ju @ v.take(partition.given)))
    moving = constraints(with_motion(tree, q, v, still))
    b = loops.transfer(Vec([moving[r].bias for r in partition.rows]))
    return Closed(tree, loops, partition, q, v, still.put(dependent, b))


def motion_of_inputs(model: Model, partition: Partition, options: GenerationOptions) -> Closed:
    """The closed motion over the inputs u, ud of a program and its unknowns x."""
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
    """A program over u, u̇ and a third input, whose unknowns are the dependent coordinates."""
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
