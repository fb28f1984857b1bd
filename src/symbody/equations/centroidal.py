"""Momentum of a whole tree about its centre of mass, and the matrix that maps velocities to it."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.equations.kinematics import Pose, poses
from symbody.equations.tree import Inertia, Tree
from symbody.expr.node import Expr
from symbody.expr.vector import Mat, Vec, cross, stack, zero_matrix, zeros


@dataclass
class Centroidal:
    """Mass m, centre of mass, momentum h = A q̇ (linear, then angular about the centre), A, and ḣ; ground frame."""

    m: Expr
    com: Vec
    h: Vec
    A: Mat
    h_dot: Vec


def centroidal(tree: Tree) -> Centroidal:
    """Orin, Goswami, Lee: Centroidal dynamics of a humanoid robot, 2013. The armatures of drives have no part in it.

    A column of A is the momentum of all that the joint carries at unit speed: m v + ω × ms, ms × v + J ω.
    """
    all_poses = poses(tree)
    carried = [f.inertia.turned(pose.R).shifted(pose.P) for f, pose in zip(tree.frames, all_poses, strict=True)]
    whole, p_dot, L_dot = Inertia(), zeros(), zeros()
    for f, pose in zip(tree.frames, all_poses, strict=True):
        force, torque = _momentum_rate(f.inertia.turned(pose.R), pose)
        p_dot, L_dot = p_dot + force, L_dot + torque + cross(pose.P, force)
    A = zero_matrix(6, tree.nv)
    for i in range(len(tree.frames) - 1, -1, -1):
        f, pose, inertia = tree.frames[i], all_poses[i], carried[i]
        for column, k in enumerate(f.axes, start=f.index):
            axis = pose.R.column(k)
            v, w = (axis, zeros()) if f.kind == "T" else (cross(pose.P, axis), axis)  # at the ground's origin
            for row, x in enumerate(stack(inertia.m * v + cross(w, inertia.ms), cross(inertia.ms, v) + inertia.J @ w)):
                A[row][column] = x
        if f.parent >= 0:
            carried[f.parent] = carried[f.parent] + inertia
        else:
            whole = whole + inertia
    com = whole.ms / whole.m
    for column in range(tree.nv):
        p = Vec([A[row][column] for row in range(3)])
        for row, x in enumerate(cross(com, p)):
            A[3 + row][column] = A[3 + row][column] - x
    v = Vec([x for f in tree.frames for x in f.v])
    return Centroidal(whole.m, com, A @ v, A, stack(p_dot, L_dot - cross(com, p_dot)))


def _momentum_rate(body: Inertia, pose: Pose) -> tuple[Vec, Vec]:
    """d/dt of momentum, and of angular momentum about the frame's origin (at rest there): ms × a + J ω̇ + ω × J ω."""
    w, w_dot, a = pose.omega, pose.omega_dot, pose.a
    force = body.m * a + cross(w_dot, body.ms) + cross(w, cross(w, body.ms))
    return force, cross(body.ms, a) + body.J @ w_dot + cross(w, body.J @ w)
