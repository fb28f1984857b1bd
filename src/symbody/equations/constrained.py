"""The constrained system as one function, by coordinate partitioning: q = (u, v), v found from u by the loops.

u̇ and the loops give v̇ = B u̇ with B = −Jv⁻¹Ju, and v̈ = B ü + b with b = −Jv⁻¹(J̇q̇); with ψ = M (0, b) + c,
    (Muu + Muv B + Bᵀ Mvu + Bᵀ Mvv B) ü = (Qu − ψu) + Bᵀ (Qv − ψv),      λ = Jv⁻ᵀ (Mvu ü + Mvv B ü + ψv − Qv).
Driven coordinates are among u: their accelerations are given, and the same equations give the effort they need.
Jv is factorised symbolically, in the order of pivots that the partition fixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symbody.codegen.program import Closure, Input, Output, Program
from symbody.equations.composite import mass_matrix
from symbody.equations.constraints import Equation, constraints
from symbody.equations.functions import Options, identifier, vector_output
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.tree import Tree, build_tree
from symbody.errors import ModelError
from symbody.expr.linear import Factors, ZeroPivot, factorise
from symbody.expr.node import ZERO, Expr, add, fresh_graph, section, sub, variable
from symbody.expr.vector import Mat, Vec, dot, minus, opposite
from symbody.model.check import check
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


def _with_motion(tree: Tree, q: Sequence[Expr], v: Sequence[Expr], a: Sequence[Expr]) -> Tree:
    """The tree with expressions in the place of its coordinates, velocities and accelerations."""
    frames = []
    for f in tree.frames:
        n = slice(f.index, f.index + len(f.v))
        own = [q[int(x.value[2:-1])] if x.op == "sym" and x.value.startswith("q[") else x for x in f.q]
        frames.append(replace(f, q=own, v=list(v[n]), a=list(a[n])))
    return replace(tree, frames=frames)


@dataclass
class _Loops:
    """The equations that serve, as matrices over the given and the dependent degrees of freedom."""

    h: Vec
    Ju: Mat
    Jv: Mat
    factors: Factors

    def transfer(self, column: Sequence[Expr]) -> Vec:
        """−Jv⁻¹·column."""
        return self.factors.solve(opposite(column)) if any(x is not ZERO for x in column) else [ZERO] * len(column)


def _loops(equations: list[Equation], partition: Partition) -> _Loops:
    chosen = [equations[r] for r in partition.rows]
    Ju = [[e.row.get(j, ZERO) for j in partition.given] for e in chosen]
    Jv = [[e.row.get(j, ZERO) for j in partition.dependent] for e in chosen]
    section("factorisation of the loops")
    return _Loops([e.h for e in chosen], Ju, Jv, factorise(Jv))


def constrained_program(model: Model, partition: Partition, options: Options) -> Program:
    """(u, u̇, Q, driven accelerations) → (ü, λ, effort of the driven joints, and the whole motion q, q̇, q̈)."""
    check(model)
    given, nd = partition.given, len(partition.dependent)
    with fresh_graph():
        tree = build_tree(model, options.live, options.loads)
        q: list[Expr] = [ZERO] * model.nq
        for k, i in enumerate(given_coordinates(model, partition)):
            q[i] = variable(f"u[{k}]")
        for k, i in enumerate(dependent_coordinates(model, partition)):
            q[i] = variable(f"x[{k}]")
        still: list[Expr] = [ZERO] * model.nv
        loops = _loops(constraints(_with_motion(tree, q, still, still)), partition)
        v = list(still)
        for k, i in enumerate(given):
            v[i] = variable(f"ud[{k}]")
        rate = loops.transfer([dot(row, [v[i] for i in given]) for row in loops.Ju])
        for x, i in zip(rate, partition.dependent, strict=True):
            v[i] = x
        moving = constraints(_with_motion(tree, q, v, still))
        a = list(still)
        for x, i in zip(loops.transfer([moving[r].bias for r in partition.rows]), partition.dependent, strict=True):
            a[i] = x
        solved = _reduced(lumped(_with_motion(tree, q, v, a)), loops, partition, a)
        outputs = solved | {"q": vector_output(q), "qd": vector_output(v)}
        loads = {"frc": 3 * len(model.bodies), "trq": 3 * len(model.bodies)} if options.loads else {}
        sizes = {"u": model.nq - nd, "ud": len(given), "Q": model.nv, "guess": nd}
        inputs = {name: Input(size) for name, size in sizes.items()}
        inputs |= {name: Input(size, optional=True) for name, size in {"add": len(partition.driven), **loads}.items()}
        jacobian = tuple(x for row in loops.Jv for x in row)
        closure = Closure("x", "guess", tuple(loops.h), jacobian) if nd else None
        summary = "udd, lambda, Qd of the closed system by coordinate partitioning; guess: first guess of the dependent"
        name = identifier(model.name)
        return Program("constrained", name, summary, inputs, outputs, dict(tree.live), closure=closure)


def _reduced(tree: Tree, loops: _Loops, partition: Partition, a: Sequence[Expr]) -> dict[str, Output]:
    """The equations over u, solved for the free accelerations; then multipliers, driven efforts, all accelerations."""
    given, dependent = partition.given, partition.dependent
    psi, M = inverse_dynamics(tree), mass_matrix(tree)
    section("reduction to the given coordinates")
    B = [loops.transfer([row[k] for row in loops.Ju]) for k in range(len(given))]  # columns
    lack = minus([variable(f"Q[{i}]") for i in range(tree.nv)], psi)
    F = [_plus_dot(lack[i], B[k], [lack[j] for j in dependent]) for k, i in enumerate(given)]
    Mu = [[_plus_dot(M[i][g], B[k], [M[i][d] for d in dependent]) for k, g in enumerate(given)] for i in range(tree.nv)]
    Mr = [
        [_plus_dot(Mu[i][k], B[row], [Mu[d][k] for d in dependent]) for k in range(len(given))]
        for row, i in enumerate(given)
    ]
    free = [given.index(i) for i in partition.free]
    driven = [given.index(i) for i in partition.driven]
    push = [variable(f"add[{k}]") for k in range(len(driven))]
    section("accelerations of the free coordinates")
    right = [_minus_dot(F[r], [Mr[r][d] for d in driven], push) for r in free]
    try:
        udd = factorise([[Mr[r][k] for k in free] for r in free]).solve(right)
    except ZeroPivot as zero:
        joint = tree.model.velocities[partition.free[zero.index]]
        raise ModelError("nothing resists this joint", element=joint, cure="give it an inertia, or drive it") from zero
    u_acc: Vec = [ZERO] * len(given)
    for k, x in zip((*free, *driven), (*udd, *push), strict=True):
        u_acc[k] = x
    effort = [sub(dot(Mr[d], u_acc), F[d]) for d in driven]
    section("multipliers and dependent accelerations")
    lam = loops.factors.solve_transposed([sub(dot(Mu[d], u_acc), lack[d]) for d in dependent])
    qdd = list(a)
    for k, i in enumerate(given):
        qdd[i] = u_acc[k]
    for n, d in enumerate(dependent):
        qdd[d] = add(a[d], dot([column[n] for column in B], u_acc))
    made = {"udd": udd, "lam": lam, "Qd": effort, "qdd": qdd}
    return {name: vector_output(x) for name, x in made.items()}


def _plus_dot(x: Expr, a: Vec, b: Vec) -> Expr:
    return add(x, dot(a, b))


def _minus_dot(x: Expr, a: Vec, b: Vec) -> Expr:
    return sub(x, dot(a, b))
