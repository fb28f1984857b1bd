"""A tree model in MuJoCo, called in symbody's order and conventions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.model.body import GROUND, Body, Joint
from symbody.model.model import Model
from symbody_bench.numeric import Array, carrier, depth_first, floats, inertial, placement, quaternion_of, slots

# MuJoCo's compiler rejects massless or non-physical moving bodies, and simplifies bodies whose inertia frame is their
# own. So every body is compiled with this general inertia, and gets its true inertia afterwards.
_STAND_IN = {"mass": 1.0, "ipos": (0.0123, 0.0456, 0.0789), "iquat": (0.8, 0.4, 0.4, 0.2), "inertia": (1.0, 1.1, 1.2)}


@dataclass
class MujocoTree:
    """A MuJoCo model with the maps q_mj = q[q_order], v_mj = v[v_order]."""

    model: Any  # mujoco.MjModel
    data: Any
    q_order: list[int]
    v_order: list[int]

    def set(self, q: Array, v: Array | None = None) -> None:
        """Put MuJoCo into a state."""
        self.data.qpos[:] = q[self.q_order]
        self.data.qvel[:] = 0.0 if v is None else v[self.v_order]

    def back(self, v: Array) -> Array:
        """Velocities, accelerations or efforts of MuJoCo in symbody's order (along the last axis)."""
        out = np.empty_like(v)
        out[..., self.v_order] = v
        return out

    def inverse(self, q: Array, v: Array, a: Array) -> Array:
        """Joint efforts (N, N·m) for given accelerations."""
        import mujoco

        self.set(q, v)
        self.data.qacc[:] = a[self.v_order]
        mujoco.mj_inverse(self.model, self.data)
        return self.back(np.array(self.data.qfrc_inverse))

    def mass_matrix(self, q: Array) -> Array:
        """Joint-space inertia, nv × nv."""
        import mujoco

        self.set(q)
        mujoco.mj_fwdPosition(self.model, self.data)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return self.back(self.back(full).T)

    def bias(self, q: Array, v: Array) -> Array:
        """Efforts at zero acceleration: gravity, centrifugal and gyroscopic."""
        import mujoco

        self.set(q, v)
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)
        return self.back(np.array(self.data.qfrc_bias))

    def direct(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations for given joint efforts."""
        import mujoco

        self.set(q, v)
        self.data.qfrc_applied[:] = tau[self.v_order]
        mujoco.mj_forward(self.model, self.data)
        self.data.qfrc_applied[:] = 0.0
        return self.back(np.array(self.data.qacc))

    def point_position(self, q: Array, path: str) -> Array:
        """Position of a symbody point in the ground frame (m)."""
        return np.array(self._site(q, path).xpos)

    def point_rotation(self, q: Array, path: str) -> Array:
        """Rotation matrix from a symbody point's frame to the ground frame."""
        return np.array(self._site(q, path).xmat).reshape(3, 3)

    def point_jacobian(self, q: Array, path: str) -> Array:
        """6 × nv: velocity of the point, then angular velocity, both in the ground frame."""
        import mujoco

        site = self._site(q, path)
        out = np.zeros((6, self.model.nv))
        mujoco.mj_jacSite(self.model, self.data, out[:3], out[3:], site.id)
        return self.back(out)

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic and potential energy (J)."""
        import mujoco

        self.set(q, v)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy[1]), float(self.data.energy[0])

    def _site(self, q: Array, path: str) -> Any:
        import mujoco

        self.set(q)
        mujoco.mj_fwdPosition(self.model, self.data)
        return self.data.site(path)


def to_mujoco(model: Model, loops: Callable[[Any], None] | None = None) -> MujocoTree:
    """Translate a tree without links, forces and loops; a function may add loops to MuJoCo's `MjSpec`."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = floats(model, model.gravity)
    flags = mujoco.mjtDisableBit
    disabled = [flags.mjDSBL_CONTACT, flags.mjDSBL_SENSOR, *([] if loops else [flags.mjDSBL_CONSTRAINT])]
    spec.option.disableflags = sum(map(int, disabled))
    made: dict[str, Any] = {GROUND: spec.worldbody}
    names: dict[str, str] = {}  # MuJoCo's body that carries a symbody body's inertia
    for body in depth_first(model):
        made[body.name] = _add_body(model, body, made[carrier(model, body)])
        names[body.name] = made[body.name].name
    for owner in (model.ground, *model.bodies.values()):
        _add_sites(model, owner, made[owner.name])
    if loops:
        loops(spec)
    compiled = spec.compile()
    _set_inertias(model, compiled, names)
    return MujocoTree(compiled, mujoco.MjData(compiled), *_orders(model, compiled))


def _add_body(model: Model, body: Body, parent: Any) -> Any:
    """Add one MuJoCo body for a sequence of joints; more if a ball is not the last of them."""
    point = model.point_at(body.on)
    rotation, position = placement(model, point)
    made = parent.add_body(name=f"{body.name}/0", pos=position, quat=quaternion_of(rotation), **_inertial())
    native = _native_free(model, body)
    for i, joint in enumerate(body.joints):
        # MuJoCo takes the axes of a ball from the frame after all joints of its body: it must be the last joint.
        if i and body.joints[i - 1].type in ("ball", "free"):
            made = made.add_body(name=f"{body.name}/{i}", **_inertial())
        _add_joint(made, f"{body.name}/{i}", joint, native)
    return made


def _inertial() -> dict[str, Any]:
    return {"explicitinertial": True, **_STAND_IN}


def _native_free(model: Model, body: Body) -> bool:
    """MuJoCo's free joint counts from the world's origin: it can be used if the carrying point is that origin."""
    point = model.point_at(body.on)
    return (
        point.body == GROUND and not floats(model, (*point.position, *point.rotation)).any() and len(body.joints) == 1
    )


def _add_joint(made: Any, name: str, joint: Joint, native_free: bool) -> None:
    import mujoco

    kinds = mujoco.mjtJoint
    if joint.type == "free" and native_free:
        made.add_joint(name=name, type=kinds.mjJNT_FREE)
        return
    if joint.type == "free":
        for axis, letter in zip(np.eye(3), "xyz", strict=True):
            made.add_joint(name=f"{name}.{letter}", type=kinds.mjJNT_SLIDE, axis=axis)
        made.add_joint(name=f"{name}.ball", type=kinds.mjJNT_BALL)
        return
    if joint.type == "ball":
        made.add_joint(name=name, type=kinds.mjJNT_BALL)
        return
    kind = kinds.mjJNT_HINGE if joint.type[0] == "R" else kinds.mjJNT_SLIDE
    made.add_joint(name=name, type=kind, axis=np.eye(3)[int(joint.type[1]) - 1])


def _add_sites(model: Model, body: Body, made: Any) -> None:
    for point in body.points.values():
        rotation, position = placement(model, point)
        made.add_site(name=point.path, pos=position, quat=quaternion_of(rotation))


def _set_inertias(model: Model, compiled: Any, names: dict[str, str]) -> None:
    """Give each MuJoCo body its true inertia; bodies that are not symbody's are massless."""
    compiled.body_mass[:] = 0.0
    compiled.body_inertia[:] = 0.0
    compiled.body_sameframe[:] = 0
    for body in model.bodies.values():
        mass, com, matrix = inertial(model, body)
        moments, axes = np.linalg.eigh(matrix)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        index = compiled.body(names[body.name]).id
        compiled.body_mass[index] = mass
        compiled.body_ipos[index] = com
        compiled.body_inertia[index] = moments
        compiled.body_iquat[index] = quaternion_of(axes)
    # Not mj_setConst: it factorises the mass matrix at q = 0 and writes a log file if that is singular.
    compiled.body_subtreemass[:] = compiled.body_mass
    for index in range(compiled.nbody - 1, 0, -1):
        compiled.body_subtreemass[compiled.body_parentid[index]] += compiled.body_subtreemass[index]


def _orders(model: Model, compiled: Any) -> tuple[list[int], list[int]]:
    """The symbody coordinate and velocity at each index of MuJoCo's."""
    q_order, v_order = [-1] * compiled.nq, [-1] * compiled.nv
    where = slots(model)
    for body in model.bodies.values():
        for i, slot in enumerate(where[body.name]):
            name = f"{body.name}/{i}"
            q, v = _address(compiled, name)
            for k, index in enumerate(slot.q):
                q_order[q + k] = index
            for k, index in enumerate(slot.v):
                v_order[v + k] = index
    return q_order, v_order


def _address(compiled: Any, name: str) -> tuple[int, int]:
    import mujoco

    kind = mujoco.mjtObj.mjOBJ_JOINT
    index = mujoco.mj_name2id(compiled, kind, name)
    if index < 0:  # a free joint made of slides and a ball, one after the other
        index = mujoco.mj_name2id(compiled, kind, f"{name}.x")
    return int(compiled.jnt_qposadr[index]), int(compiled.jnt_dofadr[index])
