"""Explicit direct dynamics by the Order-N recursion (articulated bodies).

Accelerations are relative to those for q̈ = 0, whose forces are the bias of Newton–Euler. So velocity terms never meet
the articulated inertias. These relate accelerations to the wrench that a joint must transmit:
    n = A δω̇ + B δa + n₀,   f = Bᵀ δω̇ + M δa + f₀.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from symbody.equations.newton_euler import body_wrenches, to_parent
from symbody.equations.tree import Frame, Inertia, Tree, arm, down, turned_plane, turned_symmetric
from symbody.errors import ModelError
from symbody.expr.node import ONE, ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import XYZ, Mat, Vec, cross, dot, identity, skew, zeros


@dataclass
class Articulated:
    """Blocks of the symmetric 6×6 articulated inertia about a frame's origin."""

    A: Mat
    B: Mat
    M: Mat

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(self.A + other.A, self.B + other.B, self.M + other.M)


@dataclass
class Pivot:
    """One eliminated degree of freedom: q̈ = u/D − (Gn·δω̇ + Gf·δa)."""

    Gn: Vec
    Gf: Vec
    u_over_D: Expr


def rigid(body: Inertia) -> Articulated:
    """A = J, B = ms~, M = m 1."""
    return Articulated(body.J, skew(body.ms), body.m * identity())


def _less_outer(X: Mat, g: Vec, u: Vec, symmetric: bool = True) -> Mat:
    """X − g·uᵀ; for a symmetric result only one half is computed."""
    Y = X.copy()
    for i in XYZ:
        for j in XYZ:
            Y[i][j] = Y[j][i] if symmetric and j < i else X[i][j] - g[i] * u[j]
    return Y


def _eliminate(f: Frame, k: int, body: Articulated, n: Vec, force: Vec, Q: Expr) -> tuple[Articulated, Vec, Vec, Pivot]:
    """Eliminate one degree of freedom (rotation about or translation along k) from an articulated inertia and bias."""
    slide = f.kind == "T"
    if slide:
        Un, Uf, D, bias = body.B.column(k), body.M[k], body.M[k][k] + f.armature, force[k]
    else:
        Un, Uf, D, bias = body.A[k], body.B[k], body.A[k][k] + f.armature, n[k]
    if D is ZERO:
        cure = "give mass or inertia to the bodies that it carries, or use sb.system"
        raise ModelError("the joint has no inertia, so its acceleration is not determined", element=f.name, cure=cure)
    inverse = ONE / D
    Gn, Gf = inverse * Un, inverse * Uf
    u = inverse * (Q - bias)
    n, force = n + u * Un, force + u * Uf
    A, B, M = _less_outer(body.A, Gn, Un), _less_outer(body.B, Gn, Uf, False), _less_outer(body.M, Gf, Uf)
    left = Articulated(A, B, M)
    if f.armature is not ZERO:  # the armature takes a part: the remaining inertia still resists the joint
        return left, n, force, Pivot(Gn, Gf, u)
    # along the freedom nothing remains: exact zeros, and the joint transmits just Q
    if slide:
        force[k] = Q
        for i in XYZ:
            left.B[i][k] = left.M[i][k] = left.M[k][i] = ZERO
        Gf[k] = ONE
    else:
        n[k] = Q
        for i in XYZ:
            left.A[i][k] = left.A[k][i] = left.B[k][i] = ZERO
        Gn[k] = ONE
    return left, n, force, Pivot(Gn, Gf, u)


def _to_parent(f: Frame, body: Articulated) -> Articulated:
    """An articulated inertia in the parent, about the parent's origin."""
    A, M, B = turned_symmetric(f, body.A), turned_symmetric(f, body.M), body.B
    if f.kind == "R":
        B = turned_plane(f.axis, *f.cosine_sine, B)
    elif f.R is not None and any(x is not ZERO for row in B for x in row):
        B = f.R @ B @ f.R.T
    if f.turn is not None:
        B = f.turn @ B @ f.turn.T
    p = arm(f)
    shifted_B = B + Mat([cross(p, column) for column in M.T]).T  # B + p~ M
    left = [cross(p, row) for row in B]  # rows of (p~ Bᵀ)ᵀ
    right = [cross(p, row) for row in shifted_B]  # rows of (B + p~ M) p~ᵀ
    for i in XYZ:
        for j in range(i, 3):
            A[i][j] = A[j][i] = A[i][j] + (left[j][i] + right[i][j])
    return Articulated(A, shifted_B, M)


def order_n(tree: Tree, Q: Vec, held: Collection[int] = ()) -> Vec:
    """q̈ from q, q̇, the joint forces Q and the external loads; for held joints it is that of the tree's frames.

    A held joint passes its articulated inertia on unchanged: accelerations are relative to its own.
    """
    wrenches = body_wrenches(tree, accelerations=bool(held))
    inertias = [rigid(f.inertia) for f in tree.frames]
    pivots: list[list[Pivot]] = [[] for _ in tree.frames]
    for i in range(len(tree.frames) - 1, -1, -1):
        f, body, (force, n) = tree.frames[i], inertias[i], wrenches[i]
        section(f"articulated inertia at {f.name}")
        for dof, k in reversed(list(enumerate(f.axes) if f.index not in held else [])):
            body, n, force, pivot = _eliminate(f, k, body, n, force, Q[f.index + dof])
            pivots[i].insert(0, pivot)
        if f.parent >= 0:
            force, n = to_parent(f, force, n)
            inertias[f.parent] = inertias[f.parent] + _to_parent(f, body)
            force0, n0 = wrenches[f.parent]
            wrenches[f.parent] = (force0 + force, n0 + n)
    return _accelerations(tree, pivots)


def _accelerations(tree: Tree, pivots: list[list[Pivot]]) -> Vec:
    """Outward: each joint's q̈ from the acceleration of its parent."""
    qdd = zeros(tree.nv)
    spin: list[Vec] = []
    acc: list[Vec] = []
    for f, eliminated in zip(tree.frames, pivots, strict=True):
        section(f"acceleration of {f.name}")
        w, a = (spin[f.parent], acc[f.parent]) if f.parent >= 0 else (zeros(), zeros())
        a = down(f, a + cross(w, arm(f)))
        w = down(f, w)
        if not eliminated:
            qdd[f.index : f.index + len(f.v)] = f.a
        for dof, (k, pivot) in enumerate(zip(f.axes, eliminated, strict=False)):
            seen = w if f.kind != "T" else a
            along = seen[k]
            if f.armature is not ZERO:
                qdd[f.index + dof] = pivot.u_over_D - (dot(pivot.Gn, w) + dot(pivot.Gf, a))
                seen[k] = along + qdd[f.index + dof]
                continue
            # the pivot has unit weight on its own direction: the remainder is q̈ plus the incoming acceleration
            seen[k] = ZERO
            total = pivot.u_over_D - (dot(pivot.Gn, w) + dot(pivot.Gf, a))
            qdd[f.index + dof] = total - along
            seen[k] = total
        spin.append(w)
        acc.append(a)
    return qdd
