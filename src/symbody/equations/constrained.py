"""Direct dynamics of a closed system, as one function. With ψ = M (0, b) + c,

(Muu + Muv B + Bᵀ Mvu + Bᵀ Mvv B) ü = (Qu − ψu) + Bᵀ (Qv − ψv),      λ = Jv⁻ᵀ (Mvu ü + Mvv B ü + ψv − Qv).
Driven coordinates are among u: their accelerations are given, and the same equations give the effort they need.
"""

from __future__ import annotations

from symbody.codegen.program import Program
from symbody.equations.closed import Closed, Partition, add_dot, closed_motion, closed_program, load_sizes, with_motion
from symbody.equations.composite import mass_matrix
from symbody.equations.functions import Options, Outputs, joint_forces, vector_output
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.tree import Tree
from symbody.errors import ModelError
from symbody.expr.linear import ZeroPivot, factorise
from symbody.expr.node import ZERO, add, fresh_graph, section, sub, variable
from symbody.expr.vector import Vec, dot, minus
from symbody.model.check import check
from symbody.model.model import Model


def constrained_program(model: Model, partition: Partition, options: Options) -> Program:
    """(u, u̇, Q, driven accelerations) → (ü, λ, effort of the driven joints, and the whole motion q, q̇, q̈)."""
    check(model)
    with fresh_graph():
        closed = closed_motion(model, partition, options)
        tree = lumped(with_motion(closed.tree, closed.q, closed.v, closed.a))
        Q = joint_forces(with_motion(closed.tree, closed.q, closed.v, closed.a), options)
        outputs = _reduced(tree, closed, partition, Q)
        outputs |= {"q": vector_output(closed.q), "qd": vector_output(closed.v)}
        summary = "udd, lambda, Qd of the closed system by coordinate partitioning; guess: first guess of the dependent"
        optional = {"add": len(partition.driven), **load_sizes(model, options)}
        return closed_program("constrained", summary, model, closed, outputs, ("Q", model.nv), optional)


def _reduced(tree: Tree, closed: Closed, partition: Partition, Q: Vec) -> Outputs:
    """The equations over u, solved for the free accelerations; then multipliers, driven efforts, all accelerations."""
    given, dependent = partition.given, partition.dependent
    psi, M = inverse_dynamics(tree), mass_matrix(tree)
    section("reduction to the given coordinates")
    B, a = closed.B, closed.a
    lack = minus(Q, psi)
    F = [add_dot(lack[i], B[k], [lack[j] for j in dependent]) for k, i in enumerate(given)]
    Mu = [[add_dot(M[i][g], B[k], [M[i][d] for d in dependent]) for k, g in enumerate(given)] for i in range(tree.nv)]
    Mr = [
        [add_dot(Mu[i][k], B[row], [Mu[d][k] for d in dependent]) for k in range(len(given))]
        for row, i in enumerate(given)
    ]
    free = [given.index(i) for i in partition.free]
    driven = [given.index(i) for i in partition.driven]
    push = [variable(f"add[{k}]") for k in range(len(driven))]
    section("accelerations of the free coordinates")
    right = [sub(F[r], dot([Mr[r][d] for d in driven], push)) for r in free]
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
    lam = closed.loops.factors.solve_transposed([sub(dot(Mu[d], u_acc), lack[d]) for d in dependent])
    qdd = list(a)
    for k, i in enumerate(given):
        qdd[i] = u_acc[k]
    for n, d in enumerate(dependent):
        qdd[d] = add(a[d], dot([column[n] for column in B], u_acc))
    made = {"udd": udd, "lam": lam, "Qd": effort, "qdd": qdd}
    return {name: vector_output(x) for name, x in made.items()}
