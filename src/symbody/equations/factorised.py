"""Explicit direct dynamics by factorising M = LᵀDL, keeping the zeros between branches (Featherstone's LTDL)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from symbody.equations.composite import mass_matrix
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.tree import Tree
from symbody.errors import ModelError
from symbody.expr.node import ZERO
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, zeros


def carriers(tree: Tree, held: Collection[int] = ()) -> list[int]:
    """For each degree of freedom the one that carries it, skipping held ones; −1 at the ground."""
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


@dataclass(frozen=True)
class MassFactors:
    """M = LᵀDL over the degrees of freedom that are not held: row k of L, left of its diagonal, and 1/D."""

    carrier: list[int]
    order: list[int]  # carriers first
    held: Collection[int]
    L: Mat
    inverse: Vec

    def solve(self, b: Vec) -> Vec:
        """x with M x = b; zero for held degrees of freedom."""
        x = b.put(self.held, zeros(len(self.held)))
        for k in reversed(self.order):
            i = self.carrier[k]
            while i >= 0 and x[k] is not ZERO:
                x[i] = x[i] - self.L[k][i] * x[k]
                i = self.carrier[i]
        for k in self.order:
            x[k] = x[k] * self.inverse[k]
            i = self.carrier[k]
            reached = ZERO
            while i >= 0:
                reached = reached + self.L[k][i] * x[i]
                i = self.carrier[i]
            x[k] = x[k] - reached
        return x


def factorise_mass(tree: Tree, M: Mat, held: Collection[int] = ()) -> MassFactors:
    """LᵀDL of the mass matrix, over the degrees of freedom that are not held."""
    carrier, order = carriers(tree, held), [k for k in outward_order(tree) if k not in held]
    H, inverse = M.copy(), zeros(tree.nv)
    for k in reversed(order):
        if H[k][k] is ZERO:
            raise ModelError("the joint has no inertia", element=tree.model.velocities[k], cure="give it inertia")
        inverse[k] = 1.0 / H[k][k]
        i = carrier[k]
        while i >= 0:
            g = H[k][i] * inverse[k]
            j = i
            while j >= 0:
                H[i][j] = H[i][j] - g * H[k][j]
                j = carrier[j]
            H[k][i] = g  # from here on, row k has L
            i = carrier[i]
    return MassFactors(carrier, order, held, H, inverse)


def factorised(tree: Tree, Q: Vec, held: Collection[int] = ()) -> Vec:
    """q̈ = M⁻¹ (Q − c); for held joints it is that of the tree's frames."""
    c = inverse_dynamics(tree, accelerations=bool(held))
    M = mass_matrix(tree)
    section("factorisation of M")
    found = factorise_mass(tree, M, held).solve(Q - c)
    for f in tree.frames if held else ():
        if f.index in held:
            found[f.index : f.index + len(f.v)] = f.a
    return found
