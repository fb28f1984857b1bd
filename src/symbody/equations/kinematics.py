"""Forward kinematics in the ground frame: any point's position, rotation, velocities, accelerations, Jacobian."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.equations.tree import Frame, Place, Tree, arm, joint_rotation
from symbody.expr.node import ONE, ZERO, Expr, add, const, mul, neg, section, sub
from symbody.expr.vector import Mat, Vec, cross, identity, minus, plus, product, scaled, times, zeros


@dataclass
class Pose:
    """Rotation (frame → ground), position, and optional velocities and accelerations, in the ground frame."""

    R: Mat
    P: Vec
    omega: Vec
    v: Vec
    omega_dot: Vec
    a: Vec


def ground_pose() -> Pose:
    return Pose(identity(), zeros(), zeros(), zeros(), zeros(), zeros())


def moved(pose: Pose, offset: Vec) -> Pose:
    """The pose of a point fixed in the frame: v = v₀ + ω × r, a = a₀ + ω̇ × r + ω × (ω × r)."""
    r = times(pose.R, offset)
    swirl = cross(pose.omega, r)
    v = plus(pose.v, swirl)
    a = plus(plus(pose.a, cross(pose.omega_dot, r)), cross(pose.omega, swirl))
    return Pose(pose.R, plus(pose.P, r), pose.omega, v, pose.omega_dot, a)


def _turned(R: Mat, by: Mat | None) -> Mat:
    return R if by is None else product(R, by)


def follow(f: Frame, parent: Pose) -> Pose:
    """Pose of a frame from its parent's."""
    pose = moved(parent, arm(f))
    R = _turned(parent.R, f.turn)
    if f.kind == "T":
        axis = [row[f.axis] for row in R]
        rate = scaled(f.v[0], axis)
        v = plus(pose.v, rate)
        a = plus(plus(pose.a, scaled(const(2.0), cross(pose.omega, rate))), scaled(f.a[0], axis))
        return Pose(R, pose.P, pose.omega, v, pose.omega_dot, a)
    moving = joint_rotation(f)
    R = _turned(R, moving)
    spin = times(R, f.v) if f.kind == "ball" else scaled(f.v[0], [row[f.axis] for row in R])
    push = times(R, f.a) if f.kind == "ball" else scaled(f.a[0], [row[f.axis] for row in R])
    omega_dot = plus(plus(pose.omega_dot, push), cross(pose.omega, spin))
    return Pose(R, pose.P, plus(pose.omega, spin), pose.v, omega_dot, pose.a)


def poses(tree: Tree) -> list[Pose]:
    """Poses of all frames."""
    result: list[Pose] = []
    for f in tree.frames:
        section(f"motion of {f.name}")
        result.append(follow(f, result[f.parent] if f.parent >= 0 else ground_pose()))
    return result


def positions(tree: Tree) -> list[tuple[Mat, Vec]]:
    """Rotation and position of each frame."""
    return [(pose.R, pose.P) for pose in poses(tree)]


def pose_at(place: Place, all_poses: list[Pose]) -> Pose:
    """The pose of a place, its rotation included."""
    return pose_on(place, all_poses[place.frame] if place.frame >= 0 else ground_pose())


def pose_on(place: Place, carrier: Pose) -> Pose:
    """The pose of a place on a frame whose pose is given."""
    pose = moved(carrier, place.offset)
    return Pose(_turned(pose.R, place.R), pose.P, pose.omega, pose.v, pose.omega_dot, pose.a)


def quaternion_rate(q: Vec, spin: Vec) -> Vec:
    """½ q ∘ (0, ω), ω in the turning frame."""
    (w, x, y, z), (p, q_, r) = q, spin
    products = (
        neg(add(add(mul(x, p), mul(y, q_)), mul(z, r))),
        sub(add(mul(w, p), mul(y, r)), mul(z, q_)),
        sub(add(mul(w, q_), mul(z, p)), mul(x, r)),
        sub(add(mul(w, r), mul(x, q_)), mul(y, p)),
    )
    return [mul(const(0.5), product) for product in products]


def coordinate_rates(tree: Tree) -> Vec:
    """dq/dt from the velocities: themselves, and those of the quaternions."""
    rates: Vec = [ZERO] * tree.model.nq
    for f in tree.frames:
        rates[f.place : f.place + len(f.q)] = quaternion_rate(f.q, f.v) if f.kind == "ball" else f.v
    return rates


def ways(tree: Tree) -> dict[int, dict[Expr, Expr]]:
    """By degree of freedom, how the coordinates change with it."""
    ways: dict[int, dict[Expr, Expr]] = {}
    for f in tree.frames:
        for k in range(len(f.v)):
            spin = [ONE if i == k else ZERO for i in range(3)]
            change = quaternion_rate(f.q, spin) if f.kind == "ball" else [ONE]
            ways[f.index + k] = dict(zip(f.q, change, strict=True))
    return ways


def jacobian_at(tree: Tree, place: Place, all_poses: list[Pose]) -> Mat:
    """6×nv: rows 0–2 give the velocity of the place, rows 3–5 the angular velocity, in the ground frame."""
    J: Mat = [[ZERO] * tree.nv for _ in range(6)]
    target = pose_at(place, all_poses).P
    i = place.frame
    while i >= 0:
        f, pose = tree.frames[i], all_poses[i]
        axes = (0, 1, 2) if f.kind == "ball" else (f.axis,)
        for column, k in enumerate(axes, start=f.index):
            axis = [row[k] for row in pose.R]
            linear, angular = (axis, zeros()) if f.kind == "T" else (cross(axis, minus(target, pose.P)), axis)
            for row, x in enumerate((*linear, *angular)):
                J[row][column] = x
        i = f.parent
    return J
