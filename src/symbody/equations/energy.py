"""Kinetic and potential energy (J)."""

from __future__ import annotations

from symbody.equations.tree import Inertia, Tree, arm, down, up
from symbody.expr.node import ZERO, Expr
from symbody.expr.vector import Vec, cross, dot, zeros


def body_velocities(tree: Tree) -> list[tuple[Vec, Vec]]:
    """Angular velocity, and velocity of the origin, of each frame, in that frame."""
    result: list[tuple[Vec, Vec]] = []
    for f in tree.frames:
        w, v = result[f.parent] if f.parent >= 0 else (zeros(), zeros())
        v = down(f, v + cross(w, arm(f)))
        w = down(f, w)
        if f.kind == "T":
            v = v + f.along(f.v)
        else:
            w = w + f.along(f.v)
        result.append((w, v))
    return result


def _twice_kinetic(body: Inertia, w: Vec, v: Vec) -> Expr:
    """2T = ω·(Jω + 2 ms × v) + m v·v."""
    return dot(w, body.J @ w + 2.0 * cross(body.ms, v)) + body.m * dot(v, v)


def body_kinetic_energy(body: Inertia, w: Vec, v: Vec) -> Expr:
    """T of an inertia whose frame rotates with ω and whose origin moves with v."""
    return 0.5 * _twice_kinetic(body, w, v)


def kinetic_energy(tree: Tree) -> Expr:
    """T = ½ Σ ω·(Jω + 2 ms × v) + m v·v + a q̇·q̇, with the armature a."""
    twice = ZERO
    for f, (w, v) in zip(tree.frames, body_velocities(tree), strict=True):
        twice = twice + _twice_kinetic(f.inertia, w, v)
        twice = twice + f.armature * dot(f.v, f.v)
    return 0.5 * twice


def potential_energy(tree: Tree) -> Expr:
    """V = −g · Σ m x; the first moments of all bodies are summed from the leaves to the ground. V(ground) = 0."""
    moments = [(f.inertia.m, f.inertia.ms) for f in tree.frames]
    total = zeros()
    for i in range(len(tree.frames) - 1, -1, -1):
        f, (m, ms) = tree.frames[i], moments[i]
        ms = up(f, ms) + m * arm(f)
        if f.parent >= 0:
            m0, ms0 = moments[f.parent]
            moments[f.parent] = (m0 + m, ms0 + ms)
        else:
            total = total + ms
    return -dot(tree.gravity, total)
