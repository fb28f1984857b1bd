"""Semi-recursive formulation: M q̈ + c = Q by the velocity transformation R = T·Rd, all in the inertial frame.

The reference point of every body is its material point that is momentarily at the inertial origin: Z = [ṡ; ω] is the
velocity of that point and the angular velocity, Ż = [s̈; ω̇] the acceleration of the same material point and the
angular acceleration (so that dṡ/dt = s̈ − ω × ṡ). With one common point, joint contributions simply add up:
    Z = T Rd q̇,   Ż = T Rd q̈ + T Ṙd q̇,   Rd = diag(b_j),   Ṙd q̇ = stack of d_j.
T has a unit block wherever a joint carries a body: T x sums along the paths from the root, Tᵀ x over what a joint
carries. No big matrix is formed. The results are independent of newton_euler.py and composite.py. Moments are about the
inertial origin, so a system far away from it loses digits.
Source: S. Jaiswal, dissertation, LUT 2021, 2.1, which prints neither b nor d: they are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbody.equations.tree import Frame, Inertia, Tree, arm
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, congruent, cross, dot, identity, stack, zero_matrix, zeros


@dataclass
class InertialMotion:
    """Rotation A (frame → inertial), the frame's origin r, the joint's columns b, Z, and Ż for q̈ = 0."""

    A: Mat
    r: Vec
    b: Mat  # by columns: one for each degree of freedom of the joint
    Z: Vec
    Zdot: Vec

    @property
    def w(self) -> Vec:
        """ω of Z = [ṡ; ω]."""
        return Vec(self.Z[3:])


def columns(f: Frame, n: Mat, r: Vec) -> Mat:
    """b of Z = Z_p + b q̇: slide [n; 0], hinge [r × n; n], ball: three hinges on the body's axes; Jaiswal (2.4)."""
    return Mat([stack(axis, zeros()) if f.kind == "T" else stack(cross(r, axis), axis) for axis in n])


def bias(f: Frame, n: Mat, r: Vec, w_p: Vec) -> Vec:
    """d of Ż = Ż_p + b q̈ + d, with the joint's own rate u = Σ n q̇; Jaiswal (2.5).

    Slide: [2 ω_p × u; 0]. Hinge and ball: [r × (ω_p × u) + ω_p × (ω_p × r) − ω × (ω × r); ω_p × u], ω = ω_p + u.
    """
    u = n.T @ f.v
    carried = cross(w_p, u)
    if f.kind == "T":
        return stack(2.0 * carried, zeros())
    w = w_p + u
    swirl = cross(w_p, cross(w_p, r)) - cross(w, cross(w, r))
    return stack(cross(r, carried) + swirl, carried)


def motions(tree: Tree) -> list[InertialMotion]:
    """A, r, b, Z = T Rd q̇ and T Ṙd q̇ of each frame by sums from the root; Jaiswal (2.8–2.9)."""
    result: list[InertialMotion] = []
    ground = InertialMotion(identity(), zeros(), Mat(), zeros(6), zeros(6))
    for f in tree.frames:
        section(f"motion of {f.name}, inertial frame")
        p = result[f.parent] if f.parent >= 0 else ground
        A, r = p.A, p.r + p.A @ arm(f)
        for turn in (f.turn, f.R):
            A = A if turn is None else A @ turn
        n = Mat([A.column(k) for k in f.axes])
        b = columns(f, n, r)
        Z = p.Z + b.T @ f.v
        result.append(InertialMotion(A, r, b, Z, p.Zdot + bias(f, n, r, p.w)))
    return result


def about_origin(body: Inertia, x: InertialMotion) -> Inertia:
    """(m, m g, E) about the inertial origin, from (m, ms, E) about the frame's: without g, so without dividing by m."""
    E = congruent(x.A, body.E)
    return Inertia(body.m, x.A @ body.ms, E).shifted(x.r)


def mass_times(body: Inertia, x: Vec) -> Vec:
    """M̄ [s; w] = [m s + w × m g; m g × s + J w], M̄ = [[m 1, −m g~], [m g~, J]]; Jaiswal (2.18)."""
    s, w = Vec(x[:3]), Vec(x[3:])
    moment = cross(body.ms, s) + body.J @ w
    return stack(body.m * s + cross(w, body.ms), moment)


def forces(f: Frame, x: InertialMotion, body: Inertia, gravity: Vec) -> Vec:
    """Q̄ = [f − ω~ω~ m g; τ − ω~J ω], τ and J about the inertial origin; Jaiswal (2.18).

    The moment is that of the source, τ_c + g~f − ω~J_c ω − g~ω~ω~ m g, since g~ω~ω~g = −ω~g~g~ω.
    """
    w = x.w
    force = body.m * gravity - cross(w, cross(w, body.ms))
    moment = cross(body.ms, gravity) - cross(w, body.J @ w)
    for load in f.loads:
        A = x.A if load.R is None else x.A @ load.R
        frc, at = A @ load.frc, x.r + (x.A @ load.offset + A @ load.com)
        force, moment = force + frc, moment + (A @ load.trq + cross(at, frc))
    return stack(force, moment)


def semi_recursive(tree: Tree) -> tuple[Mat, Vec]:
    """M = Rdᵀ Tᵀ M̄ T Rd and c = −Rdᵀ Tᵀ (Q̄ − M̄ T Ṙd q̇) of M q̈ + c = Q; Jaiswal (2.18)."""
    moving = motions(tree)
    bodies: list[Inertia] = []
    needs: list[Vec] = []  # M̄ T Ṙd q̇ − Q̄
    for f, x in zip(tree.frames, moving, strict=True):
        section(f"mass and forces of {f.name}, inertial frame")
        bodies.append(about_origin(f.inertia, x))
        needs.append(mass_times(bodies[-1], x.Zdot) - forces(f, x, bodies[-1], tree.gravity))
    M, c = zero_matrix(tree.nv, tree.nv), zeros(tree.nv)
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"projection on {f.name}")
        if f.parent >= 0:  # Tᵀ: a joint gets everything that it carries
            bodies[f.parent] += bodies[i]
            needs[f.parent] = needs[f.parent] + needs[i]
        for column, b in enumerate(moving[i].b, start=f.index):
            c[column] = dot(b, needs[i])
            wrench, j = mass_times(bodies[i], b), i
            while j >= 0:  # the path to the root; elsewhere Tᵀ M̄ T is zero
                for row, b_j in enumerate(moving[j].b, start=tree.frames[j].index):
                    M[row][column] = M[column][row] = dot(b_j, wrench)
                j = tree.frames[j].parent
            M[column][column] = M[column][column] + f.armature
    return M, c
