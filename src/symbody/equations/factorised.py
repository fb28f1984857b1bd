"""Explicit direct dynamics by factorising M = LᵀDL, the zeros between branches kept (Featherstone's LTDL)."""

from __future__ import annotations

from collections.abc import Collection

from symbody.equations.composite import mass_matrix
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.tree import Tree
from symbody.errors import ModelError
from symbody.expr.node import ZERO, section
from symbody.expr.vector import Mat, Vec, zeros


def carriers(tree: Tree, held: Collection[int] = ()) -> list[int]:
    """For each degree of freedom the one that carries it, those held passed over; −1 at the ground."""
    result = [-1] * tree.nv
    for f in tree.frames:
        last = -1
        if f.parent >= 0:
            parent = tree.frames[f.parent]
            last = parent.index + len(parent.v) - 1
        for dof in range(len(f.v)):
            result[f.index + dof] = last if dof == 0 else f.index + dof - 1
    for k in outward_order(tree) if held else ():
        if result[k] in held:
            result[k] = result[result[k]]
    return result


def outward_order(tree: Tree) -> list[int]:
    """Degrees of freedom, carriers first."""
    return [f.index + dof for f in tree.frames for dof in range(len(f.v))]


def solve(tree: Tree, M: Mat, b: Vec, held: Collection[int] = ()) -> Vec:
    """x with M x = b, by M = LᵀDL; over the degrees of freedom that are not held, and zero for those."""
    carrier, order = carriers(tree, held), [k for k in outward_order(tree) if k not in held]
    H, x, inverse = M.copy(), b.put(held, zeros(len(held))), zeros(tree.nv)
    for k in reversed(order):
        if H[k][k] is ZERO:
            raise ModelError("nothing resists this joint", element=tree.model.velocities[k], cure="give it an inertia")
        inverse[k] = 1.0 / H[k][k]
        i = carrier[k]
        while i >= 0:
            g = H[k][i] * inverse[k]
            j = i
            while j >= 0:
                H[i][j] = H[i][j] - g * H[k][j]
                j = carrier[j]
            H[k][i] = g  # from here on, row k holds L
            x[i] = x[i] - g * x[k]
            i = carrier[i]
    for k in order:
        x[k] = x[k] * inverse[k]
        i = carrier[k]
        reached = ZERO
        while i >= 0:
            reached = reached + H[k][i] * x[i]
            i = carrier[i]
        x[k] = x[k] - reached
    return x


def factorised(tree: Tree, Q: Vec, held: Collection[int] = ()) -> Vec:
    """q̈ = M⁻¹ (Q − c); of held joints it is what the tree's frames have."""
    c = inverse_dynamics(tree, accelerations=bool(held))
    M = mass_matrix(tree)
    section("factorisation of M")
    found = solve(tree, M, Q - c, held)
    for f in tree.frames if held else ():
        if f.index in held:
            found[f.index : f.index + len(f.v)] = f.a
    return found
