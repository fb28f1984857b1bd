"""Direct dynamics of a closed system, as one function. With ψ = M (0, b) + c,

(Muu + Muv B + Bᵀ Mvu + Bᵀ Mvv B) ü = (Qu − ψu) + Bᵀ (Qv − ψv),      λ = Jv⁻ᵀ (Mvu ü + Mvv B ü + ψv − Qv).
Driven coordinates are part of u: their accelerations are given, and the same equations give their efforts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.codegen.program import Program
from symbody.equations.closed import Closed, Partition, closed_program, load_sizes, motion_of_inputs
from symbody.equations.composite import mass_matrix
from symbody.equations.functions import GenerationOptions, joint_forces, vector_output
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.semi_recursive import semi_recursive
from symbody.equations.tree import Tree
from symbody.errors import ModelError
from symbody.expr.linear import Factors, ZeroPivot, factorise
from symbody.expr.node import Expr
from symbody.expr.node_table import fresh_graph, section
from symbody.expr.vector import Mat, Vec, stack, variables, zeros
from symbody.model.check import check
from symbody.model.model import Model


def constrained_program(model: Model, partition: Partition, options: GenerationOptions) -> Program:
    """(u, u̇, Q, driven accelerations) → (ü, λ, effort of the driven joints, and the whole motion q, q̇, q̈)."""
    check(model)
    with fresh_graph():
        closed = motion_of_inputs(model, partition, options)
        Q = joint_forces(closed.tree)
        push = variables("add", len(partition.driven))
        system = reduction(closed, Q, push)
        udd = system.solved()
        parts = {
            "udd": udd,
            "lam": system.multipliers(udd),
            "Qd": system.efforts(udd),
            "qdd": system.accelerations(udd),
            "q": closed.q,
            "qd": closed.v,
        }
        outputs = {name: vector_output(x) for name, x in parts.items()}
        summary = "udd, lambda, Qd of the closed system by coordinate partitioning; guess: first guess of the dependent"
        optional = {"add": len(partition.driven), **load_sizes(model, options)}
        return closed_program("constrained", summary, model, closed, outputs, ("Q", model.nv), optional)


def mass_and_bias(tree: Tree, form: str = "recursive") -> tuple[Mat, Vec]:
    """M, and the joint forces for the accelerations of the tree's frames."""
    if form == "semi-recursive":
        M, c = semi_recursive(tree)
        a = stack(*(f.a for f in sorted(tree.frames, key=lambda f: f.index)))
        return M, c + M @ a
    lean = lumped(tree)
    return mass_matrix(lean), inverse_dynamics(lean)


@dataclass
class Reduction:
    """The equations over u at a closed motion; the unknowns are the free accelerations of u."""

    closed: Closed
    push: Vec  # accelerations of the driven
    Mu: Mat  # M (1, B): one row for each degree of freedom of the tree
    Mr: Mat  # (1, B)ᵀ M (1, B)
    lack: Vec  # Q − ψ
    factors: Factors  # of the free part of Mr

    @property
    def free(self) -> list[int]:
        """Indices of the free degrees of freedom in u."""
        return [self.closed.partition.given.index(i) for i in self.closed.partition.free]

    @property
    def driven(self) -> list[int]:
        return [self.closed.partition.given.index(i) for i in self.closed.partition.driven]

    def given(self, udd: Sequence[Expr]) -> Vec:
        """ü of free and driven degrees of freedom together."""
        return zeros(len(self.Mr)).put(self.free, udd).put(self.driven, self.push)

    def solved(self) -> Vec:
        """ü of the free degrees of freedom."""
        section("accelerations of the free coordinates")
        F, pushed = self.closed.along_given(self.lack), self.given(zeros(len(self.free)))
        return self.factors.solve(F.take(self.free) - self.Mr.rows(self.free) @ pushed)

    def accelerations(self, udd: Sequence[Expr]) -> Vec:
        """q̈ of all degrees of freedom."""
        return self.closed.accelerations(self.given(udd))

    def multipliers(self, udd: Sequence[Expr]) -> Vec:
        """λ of the independent equations: λ = Jv⁻ᵀ (Mv q̈ + cv − Qv)."""
        section("multipliers")
        following, factors = self.closed.partition.following, self.closed.following.factors
        return factors.solve_transposed(self.Mu.rows(following) @ self.given(udd) - self.lack.take(following))

    def efforts(self, udd: Sequence[Expr]) -> Vec:
        """The efforts of the driven joints."""
        F = self.closed.along_given(self.lack)
        return self.Mr.rows(self.driven) @ self.given(udd) - F.take(self.driven)


def reduction(closed: Closed, Q: Vec, push: Vec, form: str = "recursive") -> Reduction:
    """The equations over u."""
    partition, BT = closed.partition, closed.BT
    given, following = partition.given, partition.following
    M, psi = mass_and_bias(closed.moving(closed.a), form)
    section("reduction to the given coordinates")
    Mu = Mat([row.take(given) + BT @ row.take(following) for row in M])
    Mr = Mat([closed.along_given(column) for column in Mu.T]).T
    free = [given.index(i) for i in partition.free]
    try:
        factors = factorise(Mr.block(free, free))
    except ZeroPivot as zero:
        joint = closed.tree.model.velocities[partition.free[zero.index]]
        raise ModelError("the joint has no inertia", element=joint, cure="give it inertia, or drive it") from zero
    return Reduction(closed, push, Mu, Mr, Q - psi, factors)
