"""Explicit direct dynamics by the Order-N recursion (articulated bodies).

The accelerations are counted from those of q̈ = 0, whose forces are the bias of Newton–Euler; so no velocity term
meets the articulated inertias. These relate accelerations to what a joint must transmit from outside it:
    n = A δω̇ + B δa + n₀,   f = Bᵀ δω̇ + M δa + f₀.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from symbody.equations.newton_euler import body_wrenches, to_parent
from symbody.equations.tree import Frame, Inertia, Tree, arm, down, joint_rotation, turned_plane, turned_symmetric
from symbody.errors import ModelError
from symbody.expr.node import ONE, ZERO, Expr, add, cos, div, mul, neg, section, sin, sub
from symbody.expr.vector import Mat, Vec, cross, dot, mat_plus, plus, product, scaled, transposed, zeros


@dataclass
class Articulated:
    """Blocks of the symmetric 6×6 articulated inertia about a frame's origin."""

    A: Mat
    B: Mat
    M: Mat

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(mat_plus(self.A, other.A), mat_plus(self.B, other.B), mat_plus(self.M, other.M))


@dataclass
class Pivot:
    """One eliminated degree of freedom: q̈ = u/D − (Gn·δω̇ + Gf·δa)."""

    Gn: Vec
    Gf: Vec
    u_over_D: Expr


def rigid(body: Inertia) -> Articulated:
    """A = (tr E) 1 − E, B = ms~, M = m 1."""
    E, (x, y, z) = body.E, body.ms
    A = [[neg(E[i][j]) for j in range(3)] for i in range(3)]
    for k in range(3):
        A[k][k] = add(E[(k + 1) % 3][(k + 1) % 3], E[(k + 2) % 3][(k + 2) % 3])
    B = [[ZERO, neg(z), y], [z, ZERO, neg(x)], [neg(y), x, ZERO]]
    M = [[body.m if i == j else ZERO for j in range(3)] for i in range(3)]
    return Articulated(A, B, M)


def _less_outer(X: Mat, g: Vec, u: Vec, symmetric: bool = True) -> Mat:
    """X − g·uᵀ; of a symmetric result only one half is computed."""
    Y = [list(row) for row in X]
    for i in range(3):
        for j in range(3):
            Y[i][j] = Y[j][i] if symmetric and j < i else sub(X[i][j], mul(g[i], u[j]))
    return Y


def _eliminate(f: Frame, k: int, body: Articulated, n: Vec, force: Vec, Q: Expr) -> tuple[Articulated, Vec, Vec, Pivot]:
    """Take one degree of freedom (turn about or slide along k) out of an articulated inertia and its bias."""
    slide = f.kind == "T"
    if slide:
        Un, Uf, D, bias = [row[k] for row in body.B], list(body.M[k]), body.M[k][k], force[k]
    else:
        Un, Uf, D, bias = list(body.A[k]), list(body.B[k]), body.A[k][k], n[k]
    if D is ZERO:
        cure = "give a mass or inertia to what it carries, or leave direct dynamics to the closed system"
        raise ModelError("nothing resists this joint: its acceleration is not determined", element=f.name, cure=cure)
    inverse = div(ONE, D)
    Gn, Gf = scaled(inverse, Un), scaled(inverse, Uf)
    u = mul(inverse, sub(Q, bias))
    n, force = plus(n, scaled(u, Un)), plus(force, scaled(u, Uf))
    A, B, M = _less_outer(body.A, Gn, Un), _less_outer(body.B, Gn, Uf, False), _less_outer(body.M, Gf, Uf)
    left = Articulated(A, B, M)
    # along the freedom nothing is left: exact zeros, and the joint transmits just Q
    if slide:
        force[k] = Q
        for i in range(3):
            left.B[i][k] = left.M[i][k] = left.M[k][i] = ZERO
        Gf[k] = ONE
    else:
        n[k] = Q
        for i in range(3):
            left.A[i][k] = left.A[k][i] = left.B[k][i] = ZERO
        Gn[k] = ONE
    return left, n, force, Pivot(Gn, Gf, u)


def _to_parent(f: Frame, body: Articulated) -> Articulated:
    """An articulated inertia in the parent, about the parent's origin."""
    A, M, B = turned_symmetric(f, body.A), turned_symmetric(f, body.M), body.B
    if f.kind == "R":
        B = turned_plane(f.axis, cos(f.q[0]), sin(f.q[0]), B)
    elif f.kind == "ball" and any(x is not ZERO for row in B for x in row):
        R = joint_rotation(f)
        assert R is not None
        B = product(product(R, B), transposed(R))
    if f.turn is not None:
        B = product(product(f.turn, B), transposed(f.turn))
    p = arm(f)
    columns = transposed(M)
    shifted_B = mat_plus(B, transposed([cross(p, column) for column in columns]))
    left = [cross(p, row) for row in B]  # rows of (p~ Bᵀ)ᵀ
    right = [cross(p, row) for row in shifted_B]  # rows of (B + p~ M) p~ᵀ
    for i in range(3):
        for j in range(i, 3):
            A[i][j] = A[j][i] = add(A[i][j], add(left[j][i], right[i][j]))
    return Articulated(A, shifted_B, M)


def _freedoms(f: Frame) -> tuple[int, ...]:
    return (0, 1, 2) if f.kind == "ball" else (f.axis,)


def order_n(tree: Tree, Q: Vec, held: Collection[int] = ()) -> Vec:
    """q̈ from q, q̇, the joint forces Q and the external loads; of held joints it is what the tree's frames have.

    A held joint passes its articulated inertia on as it is: the accelerations are counted from its own.
    """
    wrenches = body_wrenches(tree, accelerations=bool(held))
    inertias = [rigid(f.inertia) for f in tree.frames]
    pivots: list[list[Pivot]] = [[] for _ in tree.frames]
    for i in range(len(tree.frames) - 1, -1, -1):
        f, body, (force, n) = tree.frames[i], inertias[i], wrenches[i]
        section(f"articulated inertia at {f.name}")
        for dof, k in reversed(list(enumerate(_freedoms(f)) if f.index not in held else [])):
            body, n, force, pivot = _eliminate(f, k, body, n, force, Q[f.index + dof])
            pivots[i].insert(0, pivot)
        if f.parent >= 0:
            force, n = to_parent(f, force, n)
            inertias[f.parent] = inertias[f.parent] + _to_parent(f, body)
            wrenches[f.parent] = (plus(wrenches[f.parent][0], force), plus(wrenches[f.parent][1], n))
    return _accelerations(tree, pivots)


def _accelerations(tree: Tree, pivots: list[list[Pivot]]) -> Vec:
    """Outward: each joint's q̈ from the acceleration that reaches it."""
    qdd: Vec = [ZERO] * tree.nv
    spin: list[Vec] = []
    acc: list[Vec] = []
    for f, eliminated in zip(tree.frames, pivots, strict=True):
        section(f"acceleration of {f.name}")
        w, a = (spin[f.parent], acc[f.parent]) if f.parent >= 0 else (zeros(), zeros())
        a = down(f, plus(a, cross(w, arm(f))))
        w = down(f, w)
        if not eliminated:
            qdd[f.index : f.index + len(f.v)] = f.a
        for dof, (k, pivot) in enumerate(zip(_freedoms(f), eliminated, strict=False)):
            seen = w if f.kind != "T" else a
            along = seen[k]
            # the pivot's unit weight on its own direction: what is left after it is q̈ plus what came in
            seen[k] = ZERO
            total = sub(pivot.u_over_D, add(dot(pivot.Gn, w), dot(pivot.Gf, a)))
            qdd[f.index + dof] = sub(total, along)
            seen[k] = total
        spin.append(w)
        acc.append(a)
    return qdd
