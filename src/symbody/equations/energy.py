"""Kinetic and potential energy (J)."""

from __future__ import annotations

from symbody.equations.order_n import rigid
from symbody.equations.tree import Tree, arm, down, up
from symbody.expr.node import ZERO, Expr, add, const, mul, neg
from symbody.expr.vector import Vec, cross, dot, plus, scaled, times, unit, zeros


def body_velocities(tree: Tree) -> list[tuple[Vec, Vec]]:
    """Angular velocity and velocity of each origin, in its own frame."""
    result: list[tuple[Vec, Vec]] = []
    for f in tree.frames:
        w, v = result[f.parent] if f.parent >= 0 else (zeros(), zeros())
        v = down(f, plus(v, cross(w, arm(f))))
        w = down(f, w)
        if f.kind == "T":
            v = plus(v, scaled(f.v[0], unit(f.axis)))
        else:
            w = plus(w, list(f.v) if f.kind == "ball" else scaled(f.v[0], unit(f.axis)))
        result.append((w, v))
    return result


def kinetic_energy(tree: Tree) -> Expr:
    """T = ½ Σ ω·Aω + 2 ω·(ms × v) + m v·v."""
    twice = ZERO
    for f, (w, v) in zip(tree.frames, body_velocities(tree), strict=True):
        body = rigid(f.inertia)
        momentum = plus(times(body.A, w), scaled(const(2.0), cross(f.inertia.ms, v)))
        twice = add(twice, add(dot(w, momentum), mul(f.inertia.m, dot(v, v))))
    return mul(const(0.5), twice)


def potential_energy(tree: Tree) -> Expr:
    """V = −g · Σ m x, the first moments of all bodies being gathered from the leaves to the ground; V(ground) = 0."""
    moments = [(f.inertia.m, f.inertia.ms) for f in tree.frames]
    total = zeros()
    for i in range(len(tree.frames) - 1, -1, -1):
        f, (m, ms) = tree.frames[i], moments[i]
        ms = plus(up(f, ms), scaled(m, arm(f)))
        if f.parent >= 0:
            m0, ms0 = moments[f.parent]
            moments[f.parent] = (add(m0, m), plus(ms0, ms))
        else:
            total = plus(total, ms)
    return neg(dot(tree.gravity, total))
