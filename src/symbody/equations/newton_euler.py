"""Recursive Newton–Euler in body frames: inverse dynamics Q = M q̈ + c, O(n).

Outward: ω, ω̇ and the acceleration a of each origin (gravity enters as an acceleration of the ground).
With β = ω̇~ + ω~ω~, the acceleration at x is a + β x, so a body's inertia force and moment about its origin are
f = m a + β ms and n = ms × a + ∫ρ x × β x. Inward: forces and moments are added up and projected on the joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symbody.equations.tree import Carried, Frame, Inertia, Load, Tree, arm, down, up
from symbody.expr.node import ZERO, Expr, add, const, mul, neg, section, sub
from symbody.expr.vector import Mat, Vec, cross, minus, opposite, plus, scaled, times, unit, zeros

NOTHING: Mapping[int, tuple[Vec, Vec]] = MappingProxyType({})


@dataclass
class Motion:
    """Angular velocity, angular acceleration and acceleration of the origin, in the frame."""

    omega: Vec
    omega_dot: Vec
    acc: Vec


def beta(motion: Motion) -> Mat:
    """ω̇~ + ω~ω~."""
    w, d = motion.omega, motion.omega_dot
    square = [mul(x, x) for x in w]
    B = [zeros(), zeros(), zeros()]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        B[k][k] = neg(add(square[i], square[j]))
        wij = mul(w[i], w[j])
        B[i][j], B[j][i] = sub(wij, d[k]), add(wij, d[k])
    return B


def ground_motion(gravity: Vec) -> Motion:
    """The ground accelerates against gravity: weight comes with inertia."""
    return Motion(zeros(), zeros(), opposite(gravity))


def outward(f: Frame, parent: Motion, parent_beta: Mat, accelerations: bool = True) -> Motion:
    """Motion of a frame from that of its parent; without `accelerations`, for q̈ = 0."""
    omega = down(f, parent.omega)
    omega_dot = down(f, parent.omega_dot)
    acc = down(f, plus(parent.acc, times(parent_beta, arm(f))))
    if f.kind == "T":
        slide = scaled(f.v[0], unit(f.axis))
        acc = plus(acc, scaled(const(2.0), cross(omega, slide)))
        if accelerations:
            acc = plus(acc, scaled(f.a[0], unit(f.axis)))
        return Motion(omega, omega_dot, acc)
    spin = list(f.v) if f.kind == "ball" else scaled(f.v[0], unit(f.axis))
    omega_dot = plus(omega_dot, cross(omega, spin))
    if accelerations:
        omega_dot = plus(omega_dot, list(f.a) if f.kind == "ball" else scaled(f.a[0], unit(f.axis)))
    return Motion(plus(omega, spin), omega_dot, acc)


def motions(tree: Tree, accelerations: bool = True) -> tuple[list[Motion], list[Mat]]:
    """Motion and β of each frame."""
    ground = ground_motion(tree.gravity)
    result: list[Motion] = []
    betas: list[Mat] = []
    still = [zeros(), zeros(), zeros()]
    for f in tree.frames:
        section(f"motion of {f.name}")
        parent, B = (result[f.parent], betas[f.parent]) if f.parent >= 0 else (ground, still)
        result.append(outward(f, parent, B, accelerations))
        betas.append(beta(result[-1]))
    return result, betas


def inertia_wrench(body: Inertia, motion: Motion, B: Mat) -> tuple[Vec, Vec]:
    """Force m a + β ms and moment ms × a + ∫ρ x × β x that move a body."""
    force = plus(scaled(body.m, motion.acc), times(B, body.ms))
    E = body.E
    turning = zeros()
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        # Σ_l β_jl E_il − β_il E_jl, the two products with E_ij taken together
        turning[k] = sub(mul(E[k][i], B[j][k]), mul(E[k][j], B[i][k]))
        turning[k] = add(turning[k], sub(mul(E[i][i], B[j][i]), mul(E[j][j], B[i][j])))
        turning[k] = add(turning[k], mul(E[i][j], _spread(motion.omega, i, j)))
    return force, plus(cross(body.ms, motion.acc), turning)


def _spread(w: Vec, i: int, j: int) -> Expr:
    """β_jj − β_ii = ω_j² − ω_i²."""
    return sub(mul(w[j], w[j]), mul(w[i], w[i]))


def load_wrench(load: Load) -> tuple[Vec, Vec]:
    """Force and moment about the frame's origin of an external load, in the frame."""
    frc, trq = load.frc, plus(load.trq, cross(load.com, load.frc))
    if load.R is not None:
        frc, trq = times(load.R, frc), times(load.R, trq)
    return frc, plus(trq, cross(load.offset, frc))


def net_wrench(carried: Carried, motion: Motion, B: Mat) -> tuple[Vec, Vec]:
    """Inertia force and moment less the external loads."""
    force, moment = inertia_wrench(carried.inertia, motion, B)
    for load in carried.loads:
        frc, trq = load_wrench(load)
        force, moment = minus(force, frc), minus(moment, trq)
    return force, moment


def body_wrenches(tree: Tree, accelerations: bool = True) -> list[tuple[Vec, Vec]]:
    """The net wrench of what each frame carries, before anything is passed inwards."""
    moving, betas = motions(tree, accelerations)
    result = []
    for f, motion, B in zip(tree.frames, moving, betas, strict=True):
        section(f"forces on {f.name}")
        result.append(net_wrench(f, motion, B))
    return result


def to_parent(f: Frame, force: Vec, moment: Vec) -> tuple[Vec, Vec]:
    """A force and moment about the frame's origin, as the parent feels them."""
    force = up(f, force)
    return force, plus(up(f, moment), cross(arm(f), force))


def projected(f: Frame, force: Vec, moment: Vec) -> Vec:
    """Generalised forces of the joint: the parts of force or moment along its freedom."""
    if f.kind == "ball":
        return moment
    return [moment[f.axis] if f.kind == "R" else force[f.axis]]


def joint_wrenches(
    tree: Tree, accelerations: bool = True, applied: Mapping[int, tuple[Vec, Vec]] = NOTHING
) -> tuple[list[tuple[Vec, Vec]], tuple[Vec, Vec]]:
    """What each joint transmits, in its frame about its origin; and what the ground transmits in all, about its own.

    `applied` are forces and moments that act on frames besides (−1: on the ground), in them, about their origins.
    """
    wrenches = body_wrenches(tree, accelerations)
    base = net_wrench(tree.ground, ground_motion(tree.gravity), [zeros(), zeros(), zeros()])
    for i, (force, moment) in applied.items():
        held = wrenches[i] if i >= 0 else base
        held = (minus(held[0], force), minus(held[1], moment))
        if i >= 0:
            wrenches[i] = held
        else:
            base = held
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"what {f.name} transmits")
        force, moment = to_parent(f, *wrenches[i])
        held = wrenches[f.parent] if f.parent >= 0 else base
        held = (plus(held[0], force), plus(held[1], moment))
        if f.parent >= 0:
            wrenches[f.parent] = held
        else:
            base = held
    return wrenches, base


def inverse_dynamics(tree: Tree, accelerations: bool = True) -> Vec:
    """Q = M q̈ + c; without `accelerations`, c."""
    wrenches, _ = joint_wrenches(tree, accelerations)
    Q: Vec = [ZERO] * tree.nv
    for f, (force, moment) in zip(tree.frames, wrenches, strict=True):
        Q[f.index : f.index + len(f.v)] = projected(f, force, moment)
    return Q
