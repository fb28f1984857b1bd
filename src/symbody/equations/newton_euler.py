"""Recursive Newton–Euler in body frames: inverse dynamics Q = M q̈ + c, O(n).

Outward: ω, ω̇ and the acceleration a of each origin (gravity is included as an acceleration of the ground).
With β = ω̇~ + ω~ω~, the acceleration at x is a + β x, so a body's inertia force and moment about its origin are
f = m a + β ms and n = ms × a + ∫ρ x × β x. Inward: forces and moments are summed and projected on the joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symbody.equations.tree import Carried, Frame, Inertia, Load, Tree, arm, down, up
from symbody.expr.node_table import section
from symbody.expr.vector import XYZ, Mat, Vec, cross, zero_matrix, zeros

Wrench = tuple[Vec, Vec]  # force and moment
NOTHING: Mapping[int, Wrench] = MappingProxyType({})


@dataclass
class FrameMotion:
    """Angular velocity, angular acceleration and acceleration of the origin, in the frame."""

    omega: Vec
    omega_dot: Vec
    acc: Vec


def beta(motion: FrameMotion) -> Mat:
    """β = ω̇~ + ω~ω~."""
    w, w_dot = motion.omega, motion.omega_dot
    square = [x * x for x in w]
    B = zero_matrix()
    for k in XYZ:
        i, j = (k + 1) % 3, (k + 2) % 3
        B[k][k] = -(square[i] + square[j])
        wij = w[i] * w[j]
        B[i][j], B[j][i] = wij - w_dot[k], wij + w_dot[k]
    return B


def ground_motion(gravity: Vec) -> FrameMotion:
    """The ground accelerates against gravity, so inertia forces include weight."""
    return FrameMotion(zeros(), zeros(), -gravity)


def outward(f: Frame, parent: FrameMotion, parent_beta: Mat, accelerations: bool = True) -> FrameMotion:
    """Motion of a frame from its parent's; without `accelerations`, for q̈ = 0."""
    omega = down(f, parent.omega)
    omega_dot = down(f, parent.omega_dot)
    acc = down(f, parent.acc + parent_beta @ arm(f))
    rate = f.along(f.v)
    if f.kind == "T":
        acc = acc + 2.0 * cross(omega, rate)
        if accelerations:
            acc = acc + f.along(f.a)
        return FrameMotion(omega, omega_dot, acc)
    omega_dot = omega_dot + cross(omega, rate)
    if accelerations:
        omega_dot = omega_dot + f.along(f.a)
    return FrameMotion(omega + rate, omega_dot, acc)


def motions(tree: Tree, accelerations: bool = True) -> tuple[list[FrameMotion], list[Mat]]:
    """Motion and β of each frame."""
    ground, still = ground_motion(tree.gravity), zero_matrix()
    result: list[FrameMotion] = []
    betas: list[Mat] = []
    for f in tree.frames:
        section(f"motion of {f.name}")
        parent, B = (result[f.parent], betas[f.parent]) if f.parent >= 0 else (ground, still)
        result.append(outward(f, parent, B, accelerations))
        betas.append(beta(result[-1]))
    return result, betas


def inertia_wrench(body: Inertia, motion: FrameMotion, B: Mat) -> Wrench:
    """Force m a + β ms and moment ms × a + ∫ρ x × β x that move a body."""
    E, w = body.E, motion.omega
    force = body.m * motion.acc + B @ body.ms
    turning = zeros()
    for k in XYZ:
        i, j = (k + 1) % 3, (k + 2) % 3
        # Σ_l β_jl E_il − β_il E_jl, the two products with E_ij combined: β_jj − β_ii = ω_j² − ω_i²
        turning[k] = E[k][i] * B[j][k] - E[k][j] * B[i][k]
        turning[k] = turning[k] + (E[i][i] * B[j][i] - E[j][j] * B[i][j])
        turning[k] = turning[k] + E[i][j] * (w[j] * w[j] - w[i] * w[i])
    return force, cross(body.ms, motion.acc) + turning


def load_wrench(load: Load) -> Wrench:
    """Force and moment about the frame's origin of an external load, in the frame."""
    frc, trq = load.frc, load.trq + cross(load.com, load.frc)
    if load.R is not None:
        frc, trq = load.R @ frc, load.R @ trq
    return frc, trq + cross(load.offset, frc)


def net_wrench(carried: Carried, motion: FrameMotion, B: Mat) -> Wrench:
    """Inertia force and moment minus the external loads."""
    force, moment = inertia_wrench(carried.inertia, motion, B)
    for load in carried.loads:
        frc, trq = load_wrench(load)
        force, moment = force - frc, moment - trq
    return force, moment


def body_wrenches(tree: Tree, accelerations: bool = True) -> list[Wrench]:
    """The net wrench of what each frame carries, before it is passed inwards."""
    moving, betas = motions(tree, accelerations)
    result = []
    for f, motion, B in zip(tree.frames, moving, betas, strict=True):
        section(f"forces on {f.name}")
        result.append(net_wrench(f, motion, B))
    return result


def to_parent(f: Frame, force: Vec, moment: Vec) -> Wrench:
    """A force and moment about the frame's origin, as they act on the parent."""
    force = up(f, force)
    return force, up(f, moment) + cross(arm(f), force)


def projected(f: Frame, force: Vec, moment: Vec) -> Vec:
    """Generalised forces of the joint: the components of force or moment along its freedom."""
    if f.kind == "ball":
        return moment
    return Vec([moment[f.axis] if f.kind == "R" else force[f.axis]])


def joint_wrenches(
    tree: Tree, accelerations: bool = True, applied: Mapping[int, Wrench] = NOTHING
) -> tuple[list[Wrench], Wrench]:
    """The wrench that each joint transmits, in its frame about its origin; and the total wrench of the ground.

    `applied`: further forces and moments on frames (−1: on the ground), in the frame and about its origin.
    """
    wrenches = body_wrenches(tree, accelerations)
    base = net_wrench(tree.ground, ground_motion(tree.gravity), zero_matrix())
    for i, (force, moment) in applied.items():
        held = wrenches[i] if i >= 0 else base
        held = (held[0] - force, held[1] - moment)
        if i >= 0:
            wrenches[i] = held
        else:
            base = held
    for i in range(len(tree.frames) - 1, -1, -1):
        f = tree.frames[i]
        section(f"what {f.name} transmits")
        force, moment = to_parent(f, *wrenches[i])
        held = wrenches[f.parent] if f.parent >= 0 else base
        held = (held[0] + force, held[1] + moment)
        if f.parent >= 0:
            wrenches[f.parent] = held
        else:
            base = held
    return wrenches, base


def inverse_dynamics(tree: Tree, accelerations: bool = True) -> Vec:
    """Q = M q̈ + c; without `accelerations`, c."""
    wrenches, _ = joint_wrenches(tree, accelerations)
    Q = zeros(tree.nv)
    for f, (force, moment) in zip(tree.frames, wrenches, strict=True):
        own = f.armature * f.a if accelerations else zeros(len(f.v))
        Q[f.index : f.index + len(f.v)] = projected(f, force, moment) + own
    return Q
