"""Semi-recursive formulation: M q̈ + c = Q by the velocity transformation R = T·Rd, all in the inertial frame.

Every body is referred to its point that is just now at the inertial origin: Z = [ṡ; ω] is the velocity of that point
and the angular velocity, Ż = [s̈; ω̇] the acceleration of that same material point and the angular acceleration (so
that dṡ/dt = s̈ − ω × ṡ). Seen from one common point, joints merely add up:
    Z = T Rd q̇,   Ż = T Rd q̈ + T Ṙd q̇,   Rd = diag(b_j),   Ṙd q̇ = stack of d_j.
T has a unit block wherever a joint carries a body: T x sums along the paths from the root, Tᵀ x over what a joint
carries. No big matrix is formed. An independent way to the numbers of newton_euler.py and composite.py; as moments are
taken about the inertial origin, a system far away from it loses digits.
Source: S. Jaiswal, dissertation, LUT 2021, 2.1, which prints neither b nor d: they are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbody.equations.tree import Frame, Inertia, Tree, arm, joint_rotation
from symbody.expr.node import ZERO, add, const, neg, section
from symbody.expr.vector import Mat, Vec, cross, dot, identity, minus, plus, product, scaled, times, transposed, zeros


@dataclass
class Motion:
    """Rotation A (frame → inertial), the frame's origin r, the joint's columns b, Z, and Ż for q̈ = 0."""

    A: Mat
    r: Vec
    b: list[Vec]
    Z: Vec
    Zdot: Vec


def columns(f: Frame, n: list[Vec], r: Vec) -> list[Vec]:
    """b of Z = Z_p + b q̇: slide [n; 0], hinge [r × n; n], ball three hinges on the body's axes; Jaiswal (2.4)."""
    return [[*axis, *zeros()] if f.kind == "T" else [*cross(r, axis), *axis] for axis in n]


def bias(f: Frame, n: list[Vec], r: Vec, w_p: Vec) -> Vec:
    """d of Ż = Ż_p + b q̈ + d, with the joint's own rate u = Σ n q̇; Jaiswal (2.5).

    Slide: [2 ω_p × u; 0]. Hinge and ball: [r × (ω_p × u) + ω_p × (ω_p × r) − ω × (ω × r); ω_p × u], ω = ω_p + u.
    """
    u = times(transposed(n), f.v)
    carried = cross(w_p, u)
    if f.kind == "T":
        return [*scaled(const(2.0), carried), *zeros()]
    w = plus(w_p, u)
    swirl = minus(cross(w_p, cross(w_p, r)), cross(w, cross(w, r)))
    return [*plus(cross(r, carried), swirl), *carried]


def motions(tree: Tree) -> list[Motion]:
    """A, r, b, Z = T Rd q̇ and T Ṙd q̇ of each frame by sums from the root; Jaiswal (2.8–2.9)."""
    result: list[Motion] = []
    ground = Motion(identity(), zeros(), [], [ZERO] * 6, [ZERO] * 6)
    for f in tree.frames:
        section(f"motion of {f.name}, inertial frame")
        p = result[f.parent] if f.parent >= 0 else ground
        A, r = p.A, plus(p.r, times(p.A, arm(f)))
        for turn in (f.turn, joint_rotation(f)):
            A = A if turn is None else product(A, turn)
        axes = transposed(A)
        n = axes if f.kind == "ball" else [axes[f.axis]]
        b = columns(f, n, r)
        Z = plus(p.Z, times(transposed(b), f.v))
        result.append(Motion(A, r, b, Z, plus(p.Zdot, bias(f, n, r, p.Z[3:]))))
    return result


def about_origin(body: Inertia, x: Motion) -> Inertia:
    """(m, m g, E) about the inertial origin, from (m, ms, E) about the frame's: without g, so without dividing by m."""
    half = product(x.A, body.E)
    upper = {(i, j): dot(half[i], x.A[j]) for i in range(3) for j in range(i, 3)}
    E = [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
    return Inertia(body.m, times(x.A, body.ms), E).shifted(x.r)


def angular_momentum(body: Inertia, w: Vec) -> Vec:
    """J ω with J = (tr E) 1 − E."""
    J = [[neg(x) for x in row] for row in body.E]
    for k in range(3):
        J[k][k] = add(body.E[(k + 1) % 3][(k + 1) % 3], body.E[(k + 2) % 3][(k + 2) % 3])
    return times(J, w)


def mass_times(body: Inertia, x: Vec) -> Vec:
    """M̄ [s; w] = [m s + w × m g; m g × s + J w], M̄ = [[m 1, −m g~], [m g~, J]]; Jaiswal (2.18)."""
    s, w = x[:3], x[3:]
    moment = plus(cross(body.ms, s), angular_momentum(body, w))
    return [*plus(scaled(body.m, s), cross(w, body.ms)), *moment]


def forces(f: Frame, x: Motion, body: Inertia, gravity: Vec) -> Vec:
    """Q̄ = [f − ω~ω~ m g; τ − ω~J ω], τ and J about the inertial origin; Jaiswal (2.18).

    The moment is that of the source, τ_c + g~f − ω~J_c ω − g~ω~ω~ m g, since g~ω~ω~g = −ω~g~g~ω.
    """
    w = x.Z[3:]
    force = minus(scaled(body.m, gravity), cross(w, cross(w, body.ms)))
    moment = minus(cross(body.ms, gravity), cross(w, angular_momentum(body, w)))
    for load in f.loads:
        A = x.A if load.R is None else product(x.A, load.R)
        frc, at = times(A, load.frc), plus(x.r, plus(times(x.A, load.offset), times(A, load.com)))
        force, moment = plus(force, frc), plus(moment, plus(times(A, load.trq), cross(at, frc)))
    return [*force, *moment]


def semi_recursive(tree: Tree) -> tuple[Mat, Vec]:
    """M = Rdᵀ Tᵀ M̄ T Rd and c = −Rdᵀ Tᵀ (Q̄ − M̄ T Ṙd q̇) of M q̈ + c = Q; Jaiswal (2.18)."""
    moving = motions(tree)
    bodies: list[Inertia] = []
    needs: list[Vec] = []  # M̄ T Ṙd q̇ − Q̄
    for f, x in zip(tree.frames, moving, strict=True):
        section(f"mass and forces of {f.name}, inertial frame")
        bodies.append(about_origin(f.inertia, x))
        needs.append(minus(mass_times(bodies[-1], x.Zdot), forces(f, x, bodies[-1], tree.gravity)))
    M: Mat = [[ZERO] * tree.nv for _ in range(tree.nv)]
    c: Vec = [ZERO] * tree.nv
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"projection on {f.name}")
        if f.parent >= 0:  # Tᵀ: a joint feels all that it carries
            bodies[f.parent] += bodies[i]
            needs[f.parent] = plus(needs[f.parent], needs[i])
        for column, b in enumerate(moving[i].b, start=f.index):
            c[column] = dot(b, needs[i])
            wrench, j = mass_times(bodies[i], b), i
            while j >= 0:  # the path to the root; elsewhere Tᵀ M̄ T is zero
                for row, b_j in enumerate(moving[j].b, start=tree.frames[j].index):
                    M[row][column] = M[column][row] = dot(b_j, wrench)
                j = tree.frames[j].parent
    return M, c
