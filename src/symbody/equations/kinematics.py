"""Forward kinematics in the ground frame: any point's position, rotation, velocities, accelerations, Jacobian."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.equations.tree import Frame, Place, Tree, arm
from symbody.expr.node import ONE, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import Mat, Vec, cross, identity, stack, unit, zero_matrix, zeros


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
    r = pose.R @ offset
    swirl = cross(pose.omega, r)
    v = pose.v + swirl
    a = pose.a + cross(pose.omega_dot, r) + cross(pose.omega, swirl)
    return Pose(pose.R, pose.P + r, pose.omega, v, pose.omega_dot, a)


def _turned(R: Mat, by: Mat | None) -> Mat:
    return R if by is None else R @ by


def follow(f: Frame, parent: Pose) -> Pose:
    """Pose of a frame from its parent's."""
    pose = moved(parent, arm(f))
    R = _turned(parent.R, f.turn)
    if f.kind == "T":
        rate = R @ f.along(f.v)
        v = pose.v + rate
        a = pose.a + 2.0 * cross(pose.omega, rate) + R @ f.along(f.a)
        return Pose(R, pose.P, pose.omega, v, pose.omega_dot, a)
    R = _turned(R, f.R)
    spin, push = R @ f.along(f.v), R @ f.along(f.a)
    omega_dot = pose.omega_dot + push + cross(pose.omega, spin)
    return Pose(R, pose.P, pose.omega + spin, pose.v, omega_dot, pose.a)


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
    """The pose of a place, including its rotation."""
    return pose_on(place, all_poses[place.frame] if place.frame >= 0 else ground_pose())


def pose_on(place: Place, carrier: Pose) -> Pose:
    """The pose of a place on a frame whose pose is given."""
    pose = moved(carrier, place.offset)
    return Pose(_turned(pose.R, place.R), pose.P, pose.omega, pose.v, pose.omega_dot, pose.a)


def quaternion_rate(q: Vec, spin: Vec) -> Vec:
    """½ q ∘ (0, ω), with ω in the rotating frame."""
    (w, x, y, z), (a, b, c) = q, spin
    product = [-(x * a + y * b + z * c), w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
    return 0.5 * Vec(product)


def coordinate_rates(tree: Tree) -> Vec:
    """dq/dt from the velocities: equal to them, except for quaternions."""
    rates = zeros(tree.model.nq)
    for f in tree.frames:
        rates[f.place : f.place + len(f.q)] = quaternion_rate(f.q, f.v) if f.kind == "ball" else f.v
    return rates


def tangent_directions(tree: Tree) -> dict[int, dict[Expr, Expr]]:
    """For each degree of freedom ∂q/∂(its velocity) as {coordinate: rate}: seeds of derivatives along the motion."""
    directions: dict[int, dict[Expr, Expr]] = {}
    for f in tree.frames:
        for k in range(len(f.v)):
            rates = quaternion_rate(f.q, unit(k)) if f.kind == "ball" else [ONE]
            directions[f.index + k] = dict(zip(f.q, rates, strict=True))
    return directions


def unit_velocity(f: Frame, pose: Pose, k: int, at: Vec) -> tuple[Vec, Vec]:
    """Velocity of the point `at` and angular velocity, for unit speed of the joint along its axis k."""
    axis = pose.R.column(k)
    return (axis, zeros()) if f.kind == "T" else (cross(axis, at - pose.P), axis)


def jacobian_rate_at(tree: Tree, place: Place, all_poses: list[Pose]) -> Mat:
    """dJ/dt of `jacobian_at`, 6×nv: an axis e turns with its frame, ė = ω × e."""
    rate = zero_matrix(6, tree.nv)
    target = pose_at(place, all_poses)
    i = place.frame
    while i >= 0:
        f, pose = tree.frames[i], all_poses[i]
        for column, k in enumerate(f.axes, start=f.index):
            axis = pose.R.column(k)
            turning = cross(pose.omega, axis)
            linear, angular = turning, zeros()
            if f.kind != "T":
                linear = cross(turning, target.P - pose.P) + cross(axis, target.v - pose.v)
                angular = turning
            for row, x in enumerate(stack(linear, angular)):
                rate[row][column] = x
        i = f.parent
    return rate


def jacobian_at(tree: Tree, place: Place, all_poses: list[Pose]) -> Mat:
    """6×nv: rows 0–2 give the velocity of the place, rows 3–5 the angular velocity, in the ground frame."""
    J = zero_matrix(6, tree.nv)
    target = pose_at(place, all_poses).P
    i = place.frame
    while i >= 0:
        f, pose = tree.frames[i], all_poses[i]
        for column, k in enumerate(f.axes, start=f.index):
            linear, angular = unit_velocity(f, pose, k, target)
            for row, x in enumerate(stack(linear, angular)):
                J[row][column] = x
        i = f.parent
    return J
