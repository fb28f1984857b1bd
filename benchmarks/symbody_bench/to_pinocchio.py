"""A tree model in Pinocchio, called in symbody's order and conventions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.model.body import GROUND, Body
from symbody.model.model import Model
from symbody_bench.numeric import Array, carrier, depth_first, floats, inertial, placement, slots

# Pinocchio's quaternion is (x, y, z, w), ours (w, x, y, z).
_QUATERNION = (1, 2, 3, 0)


@dataclass
class PinocchioTree:
    """A Pinocchio model with the maps q_pin = q[q_order], v_pin = v[v_order]."""

    model: Any  # pinocchio.Model
    data: Any
    q_order: list[int]
    v_order: list[int]
    freeflyer: bool

    def q(self, q: Array) -> Array:
        """symbody's coordinates in Pinocchio's order."""
        return np.ascontiguousarray(q[self.q_order])

    def v(self, v: Array) -> Array:
        """Velocities, accelerations or efforts in Pinocchio's order."""
        return np.ascontiguousarray(v[self.v_order])

    def back(self, v: Array) -> Array:
        """Velocities, accelerations or efforts of Pinocchio in symbody's order (along the last axis)."""
        out = np.empty_like(v)
        out[..., self.v_order] = v
        return out

    def inverse(self, q: Array, v: Array, a: Array) -> Array:
        """Joint efforts (N, N·m) for given accelerations."""
        import pinocchio as pin

        return self.back(pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a)))

    def mass_matrix(self, q: Array) -> Array:
        """Joint-space inertia, nv × nv."""
        import pinocchio as pin

        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        full = upper + np.triu(upper, 1).T
        return self.back(self.back(full).T)

    def bias(self, q: Array, v: Array) -> Array:
        """Efforts at zero acceleration: gravity, centrifugal and gyroscopic."""
        import pinocchio as pin

        return self.back(pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(v)))

    def direct(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations for given joint efforts."""
        import pinocchio as pin

        return self.back(pin.aba(self.model, self.data, self.q(q), self.v(v), self.v(tau)))

    def point_position(self, q: Array, path: str) -> Array:
        """Position of a symbody point in the ground frame (m)."""
        return np.array(self._frame(q, path).translation)

    def point_rotation(self, q: Array, path: str) -> Array:
        """Rotation matrix from a symbody point's frame to the ground frame."""
        return np.array(self._frame(q, path).rotation)

    def point_jacobian(self, q: Array, path: str) -> Array:
        """6 × nv: velocity of the point, then angular velocity, both in the ground frame."""
        import pinocchio as pin

        frame = self.model.getFrameId(path)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = pin.computeFrameJacobian(self.model, self.data, self.q(q), frame, aligned)
        return self.back(np.reshape(jacobian, (6, -1)))  # Pinocchio returns a single column as a vector

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic and potential energy (J)."""
        import pinocchio as pin

        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.v(v))
        moving = pin.computePotentialEnergy(self.model, self.data, self.q(q))
        fixed = self.model.inertias[0]  # bodies welded to the ground, which Pinocchio leaves out
        return float(kinetic), float(moving - fixed.mass * self.model.gravity.linear @ fixed.lever)

    def _frame(self, q: Array, path: str) -> Any:
        import pinocchio as pin

        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.model.getFrameId(path)]


def to_pinocchio(model: Model, freeflyer: bool = False) -> PinocchioTree:
    """Translate a tree; loops, links and forces are left out.

    A `free` joint becomes a translation and a ball, with the same velocities as ours. `freeflyer` makes it Pinocchio's
    own joint, which is faster but has its linear velocity in the body frame: for timing only.
    """
    import pinocchio as pin

    tree = pin.Model()
    tree.name = model.name
    tree.gravity = pin.Motion(floats(model, model.gravity), np.zeros(3))
    where = slots(model)
    seats: dict[str, tuple[int, Any]] = {GROUND: (0, pin.SE3.Identity())}  # joint that moves a body; placement on it
    q_order: list[int] = []
    v_order: list[int] = []
    for body in depth_first(model):
        seats[body.name] = _add_joints(tree, model, body, seats[carrier(model, body)], freeflyer)
        _add_inertia(tree, model, body, *seats[body.name])
        for joint, slot in zip(body.joints, where[body.name], strict=True):
            q_order += _q_order(joint.type, list(slot.q))
            v_order += list(slot.v)
    for owner in (model.ground, *model.bodies.values()):
        _add_frames(tree, model, owner, *seats[owner.name])
    return PinocchioTree(tree, tree.createData(), q_order, v_order, freeflyer)


def _joint_models(kind: str, freeflyer: bool) -> list[Any]:
    """The Pinocchio joints that make up one of ours."""
    import pinocchio as pin

    match kind:
        case "ball":
            return [pin.JointModelSpherical()]
        case "free":
            return (
                [pin.JointModelFreeFlyer()] if freeflyer else [pin.JointModelTranslation(), pin.JointModelSpherical()]
            )
    axis = "XYZ"[int(kind[1]) - 1]
    return [getattr(pin, f"JointModel{'R' if kind[0] == 'R' else 'P'}{axis}")()]


def _add_joints(tree: Any, model: Model, body: Body, seat: tuple[int, Any], freeflyer: bool) -> tuple[int, Any]:
    """Add a body's joints; return the last one and the body frame's placement on it."""
    import pinocchio as pin

    parent, offset = seat
    at = offset * pin.SE3(*placement(model, model.point_at(body.on)))
    for i, joint in enumerate(body.joints):
        for k, made in enumerate(_joint_models(joint.type, freeflyer)):
            parent = tree.addJoint(parent, made, at, f"{body.name}/{i}.{k}")
            at = pin.SE3.Identity()
    return parent, at


def _add_inertia(tree: Any, model: Model, body: Body, joint: int, at: Any) -> None:
    import pinocchio as pin

    mass, com, matrix = inertial(model, body)
    if mass or matrix.any():
        tree.appendBodyToJoint(joint, pin.Inertia(mass, com, matrix), at)


def _add_frames(tree: Any, model: Model, body: Body, joint: int, at: Any) -> None:
    import pinocchio as pin

    for point in body.points.values():
        put = at * pin.SE3(*placement(model, point))
        tree.addFrame(pin.Frame(point.path, joint, 0, put, pin.FrameType.OP_FRAME), False)


def _q_order(kind: str, q: list[int]) -> list[int]:
    if kind not in ("ball", "free"):
        return q
    return q[:-4] + [q[-4:][i] for i in _QUATERNION]
