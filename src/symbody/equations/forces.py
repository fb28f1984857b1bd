"""Forces given in the ground frame, at sites or along links, projected on the joints: Q = Jᵀ F, without forming J."""

from __future__ import annotations

from symbody.equations.kinematics import Pose, pose_at, poses
from symbody.equations.newton_euler import Wrench, projected, to_parent
from symbody.equations.tree import Place, Tree
from symbody.errors import ModelError
from symbody.expr.node import ZERO, Expr, variable
from symbody.expr.node_table import section
from symbody.expr.vector import Vec, cross, dot, identity, norm, variables, zeros

Applied = tuple[Place, Vec, Vec]  # where, force and torque in the ground frame


def applied_wrenches(all_poses: list[Pose], applied: list[Applied]) -> dict[int, Wrench]:
    """For each frame (−1: ground) the total applied force and moment about its origin, in that frame."""
    wrenches: dict[int, Wrench] = {}
    for place, force, torque in applied:
        R = all_poses[place.frame].R if place.frame >= 0 else identity()
        f, n = R.T @ force, R.T @ torque
        f0, n0 = wrenches.get(place.frame, (zeros(), zeros()))
        wrenches[place.frame] = (f0 + f, n0 + (n + cross(place.offset, f)))
    return wrenches


def projected_forces(tree: Tree, all_poses: list[Pose], applied: list[Applied]) -> Vec:
    """Generalised forces of forces and torques applied at places."""
    acting = applied_wrenches(all_poses, applied)
    wrenches = [acting.get(i, (zeros(), zeros())) for i in range(len(tree.frames))]
    Q = zeros(tree.nv)
    for i in range(len(tree.frames) - 1, -1, -1):
        frame, (f, n) = tree.frames[i], wrenches[i]
        Q[frame.index : frame.index + len(frame.v)] = projected(frame, f, n)
        if frame.parent >= 0:
            f, n = to_parent(frame, f, n)
            f0, n0 = wrenches[frame.parent]
            wrenches[frame.parent] = (f0 + f, n0 + n)
    return Q


def site_forces(tree: Tree) -> Vec:
    """Q of the forces F and torques T (ground frame) at the model's force sites."""
    all_poses = poses(tree)
    section("forces at the sites")
    applied = []
    for i, site in enumerate(tree.model.force_sites.values()):
        force, torque = (variables(s, 3, 3 * i) for s in ("F", "T"))
        applied.append((tree.place(site.point), force, torque))
    return projected_forces(tree, all_poses, applied)


def link_lines(tree: Tree, all_poses: list[Pose]) -> list[tuple[Place, Place, Vec, Expr, Vec]]:
    """For each link: its two places, the vector and distance from a to b, and the relative velocity."""
    lines = []
    for link in tree.model.links.values():
        a, b = tree.place(link.a), tree.place(link.b)
        pa, pb = pose_at(a, all_poses), pose_at(b, all_poses)
        d = pb.P - pa.P
        if (length := norm(d)) is ZERO:
            cure = "use two points at different places"
            raise ModelError("its two ends always coincide", element=f"links.{link.name}", cure=cure)
        lines.append((a, b, d, length, pb.v - pa.v))
    return lines


def link_kinematics(tree: Tree) -> tuple[Vec, Vec]:
    """Lengths (m) and their rates (m/s) of the model's links."""
    lines = link_lines(tree, poses(tree))
    return Vec([length for *_, length, _ in lines]), Vec([dot(d, rate) / length for _, _, d, length, rate in lines])


def link_forces(tree: Tree) -> Vec:
    """Q of the tensions Z (N, positive when the link pulls its ends together) in the model's links."""
    all_poses = poses(tree)
    section("forces of the links")
    applied: list[Applied] = []
    for i, (a, b, d, length, _) in enumerate(link_lines(tree, all_poses)):
        pull = variable(f"Z[{i}]") / length * d
        applied += [(a, pull, zeros()), (b, -pull, zeros())]
    return projected_forces(tree, all_poses, applied)
