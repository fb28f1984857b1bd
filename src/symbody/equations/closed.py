"""Closed loops by coordinate partitioning: q = (u, v), v found from u; what direct and inverse dynamics share.

Given u, the loops determine v (Newton's method in the generated code), v̇ = B u̇ with B = −Jv⁻¹Ju, and v̈ = B ü + b with
b = −Jv⁻¹(J̇q̇). Jv is factorised symbolically, in the order of pivots that the partition fixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symbody.codegen.program import Closure, Input, Program
from symbody.equations.constraints import Equation, constraints
from symbody.equations.functions import Options, Outputs, identifier
from symbody.equations.tree import Tree, build_tree
from symbody.expr.linear import Factors, factorise
from symbody.expr.node import ZERO, Expr, add, section, variable
from symbody.expr.vector import Mat, Vec, dot, opposite
from symbody.model.model import Model
from symbody.model.tree import own_coordinates


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


def dependent_coordinates(model: Model, partition: Partition) -> list[int]:
    """The coordinates in q that the loops determine, in the order of the pivots."""
    own = own_coordinates(model)
    return [own[i] for i in partition.dependent]


def with_motion(tree: Tree, q: Sequence[Expr], v: Sequence[Expr], a: Sequence[Expr]) -> Tree:
    """The tree with expressions in the place of its coordinates, velocities and accelerations."""
    frames = []
    for f in tree.frames:
        n = slice(f.index, f.index + len(f.v))
        own = [q[int(x.value[2:-1])] if x.op == "sym" and x.value.startswith("q[") else x for x in f.q]
        frames.append(replace(f, q=own, v=list(v[n]), a=list(a[n])))
    return replace(tree, frames=frames)


@dataclass
class Loops:
    """The equations that serve, as matrices over the given and the dependent degrees of freedom."""

    h: Vec
    Ju: Mat
    Jv: Mat
    factors: Factors

    def transfer(self, column: Sequence[Expr]) -> Vec:
        """−Jv⁻¹·column."""
        return self.factors.solve(opposite(column)) if any(x is not ZERO for x in column) else [ZERO] * len(column)


def loop_matrices(equations: list[Equation], partition: Partition) -> Loops:
    chosen = [equations[r] for r in partition.rows]
    Ju = [[e.row.get(j, ZERO) for j in partition.given] for e in chosen]
    Jv = [[e.row.get(j, ZERO) for j in partition.dependent] for e in chosen]
    section("factorisation of the loops")
    return Loops([e.h for e in chosen], Ju, Jv, factorise(Jv))


@dataclass
class Closed:
    """The closed motion as expressions: coordinates, velocities, and accelerations while those of u are zero."""

    tree: Tree
    loops: Loops
    q: Vec
    v: Vec
    a: Vec
    given: int  # number of degrees of freedom in u

    @property
    def B(self) -> Mat:
        """v̇ = B u̇, by columns."""
        return [self.loops.transfer([row[k] for row in self.loops.Ju]) for k in range(self.given)]


def closed_motion(model: Model, partition: Partition, options: Options) -> Closed:
    """Positions from u and the unknowns x, velocities from u̇, and b for the accelerations."""
    tree = build_tree(model, options.live, options.loads)
    q: Vec = [ZERO] * model.nq
    for k, i in enumerate(given_coordinates(model, partition)):
        q[i] = variable(f"u[{k}]")
    for k, i in enumerate(dependent_coordinates(model, partition)):
        q[i] = variable(f"x[{k}]")
    still: Vec = [ZERO] * model.nv
    loops = loop_matrices(constraints(with_motion(tree, q, still, still)), partition)
    v, a = list(still), list(still)
    for k, i in enumerate(partition.given):
        v[i] = variable(f"ud[{k}]")
    rate = loops.transfer([dot(row, [v[i] for i in partition.given]) for row in loops.Ju])
    for x, i in zip(rate, partition.dependent, strict=True):
        v[i] = x
    moving = constraints(with_motion(tree, q, v, still))
    for x, i in zip(loops.transfer([moving[r].bias for r in partition.rows]), partition.dependent, strict=True):
        a[i] = x
    return Closed(tree, loops, q, v, a, len(partition.given))


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
    required = {"u": model.nq - nd, "ud": closed.given, third[0]: third[1], "guess": nd}
    inputs = {key: Input(size) for key, size in required.items()}
    inputs |= {key: Input(size, optional=True) for key, size in optional.items()}
    jacobian = tuple(x for row in closed.loops.Jv for x in row)
    closure = Closure("x", "guess", tuple(closed.loops.h), jacobian) if nd else None
    live = dict(closed.tree.live)
    return Program(name, identifier(model.name), summary, inputs, outputs, live, closure=closure)


def load_sizes(model: Model, options: Options) -> dict[str, int]:
    return {"frc": 3 * len(model.bodies), "trq": 3 * len(model.bodies)} if options.loads else {}


def add_dot(x: Expr, a: Vec, b: Vec) -> Expr:
    """x + a·b."""
    return add(x, dot(a, b))
