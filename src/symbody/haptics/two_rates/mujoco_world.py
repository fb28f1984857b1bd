"""MuJoCo as a world: a second engine with the same interface (world.py), for anything that MuJoCo can simulate.

The tool is a body of the MuJoCo model on a free joint, or on slides x and y and a hinge z. MuJoCo's contacts within the
margin of its geoms are the constraints; the gap equals the margin, so that a near contact exerts no force.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.haptics.settings import finite
from symbody.haptics.two_rates.packet import FIXED, Array, LocalConstraint, ToolDynamics, WorldStep
from symbody.haptics.two_rates.world import between, velocity_between

AT_CENTRE = 1e-9  # m: allowed distance of the tool's frame from its centre of mass
PLANE_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class MujocoWorld:
    """A MuJoCo model whose body `tool` follows the proxy. It starts at its first key frame, if it has one.

    Parameters
    ----------
    model : str, path or MjModel
        MJCF text, an MJCF file, or a compiled model.
    tool : str
        Name of the body.
    reach : float
        Distance ε (m) up to which surfaces are sent. Default 0.005.

    Examples
    --------
    >>> from symbody.haptics import MujocoWorld
    >>> world = MujocoWorld(
    ...     '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="peg" pos="0 0 1">'
    ...     '<freejoint/><geom size="0.1"/></body></worldbody></mujoco>', "peg")
    >>> world.tool_pose()[:3].tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(self, model: Any, tool: str, *, reach: float = 0.005):
        self._mj = _mujoco()
        self.model = self._compiled(model)
        self.data = self._mj.MjData(self.model)
        self.reach = finite("reach", reach)
        self.body = int(self._mj.mj_name2id(self.model, self._mj.mjtObj.mjOBJ_BODY, tool))
        if self.body < 1:
            raise ModelError("the MuJoCo model has no such body", element=tool, cure="give the name of the tool's body")
        self.planar = self._joints(tool)
        m, first = self.model, int(self.model.body_jntadr[self.body])
        self._q, self._v = int(m.jnt_qposadr[first]), int(m.jnt_dofadr[first])
        self._nq, self._nv = (3, 3) if self.planar else (7, 6)
        if float(np.linalg.norm(m.body_ipos[self.body])) > AT_CENTRE:
            raise ModelError(
                "the tool's frame is not at its centre of mass", element=tool, cure="move its geoms instead"
            )
        geoms = [k for k in range(m.ngeom) if m.geom_bodyid[k] == self.body]
        m.geom_margin[geoms], m.geom_gap[geoms] = self.reach, self.reach
        self._timestep = float(m.opt.timestep)
        if m.nkey:
            self._mj.mj_resetDataKeyframe(m, self.data, 0)
        self._mj.mj_forward(m, self.data)

    # -- the interface -----------------------------------------------------------------------------------------------

    def tool_pose(self) -> Array:
        """q of the tool now."""
        return np.array(self.data.qpos[self._q : self._q + self._nq])

    def advance(self, q: Array, dt: float) -> WorldStep:
        """Steps of at most the model's own length; the tool moves to q at constant velocity."""
        begin, n = self.tool_pose(), max(1, round(dt / self._timestep))
        velocity = velocity_between(begin, q, dt, self._nv)
        self.model.opt.timestep = dt / n
        work = gained = 0.0
        for k in range(n):
            self._place(between(begin, q, k / n, self._nv), velocity)
            before = np.array(self.data.qvel)
            self._mj.mj_step(self.model, self.data)
            after = np.array(self.data.qvel)
            after[self._v : self._v + self._nv] = before[self._v : self._v + self._nv]  # the tool is a kinematic body
            powers = self._powers(0.5 * (before + after))
            work, gained = work + powers[0] * dt / n, gained + powers[1] * dt / n
        self._place(q, velocity)
        self._mj.mj_forward(self.model, self.data)
        return WorldStep(self._constraints(), self._dynamics(), work, gained)

    def place(self, q: Array) -> WorldStep:
        """Put the tool at q, at rest; nothing else moves. Returns the surfaces near it."""
        self._place(q, np.zeros(self._nv))
        self._mj.mj_forward(self.model, self.data)
        return WorldStep(self._constraints(), self._dynamics())

    def kept(self) -> Any:
        """A copy of MuJoCo's integration state."""
        kind = self._mj.mjtState.mjSTATE_INTEGRATION
        state = np.zeros(self._mj.mj_stateSize(self.model, kind))
        self._mj.mj_getState(self.model, self.data, state, kind)
        return state

    def restore(self, kept: Any) -> None:
        """Return to a copy of the state."""
        self._mj.mj_setState(self.model, self.data, kept, self._mj.mjtState.mjSTATE_INTEGRATION)
        self._mj.mj_forward(self.model, self.data)

    def tool_inertia(self) -> tuple[float, Array]:
        """Mass (kg) and inertia about the centre of mass (3, 3), on the tool's axes."""
        R = np.zeros(9)
        self._mj.mju_quat2Mat(R, self.model.body_iquat[self.body])
        turn = R.reshape(3, 3)
        return float(self.model.body_mass[self.body]), turn @ np.diag(self.model.body_inertia[self.body]) @ turn.T

    def tool_thickness(self) -> float:
        """The thinnest side of the boxes around the tool's geoms (m)."""
        boxes = np.array(self.model.geom_aabb).reshape(-1, 6)[self.model.geom_bodyid == self.body, 3:]
        return 2.0 * float(np.min(boxes, initial=0.5))

    # -- MuJoCo ------------------------------------------------------------------------------------------------------

    def _compiled(self, given: Any) -> Any:
        kind = self._mj.MjModel
        if isinstance(given, kind):
            return given
        try:
            is_text = isinstance(given, str) and given.lstrip().startswith("<")
            return kind.from_xml_string(given) if is_text else kind.from_xml_path(str(Path(given)))
        except ValueError as error:
            raise ModelError(f"MuJoCo cannot read the model: {error}", cure="correct the MJCF") from error

    def _joints(self, tool: str) -> bool:
        """Whether the tool is planar; raises if it has other joints."""
        m, kinds = self.model, self._mj.mjtJoint
        first, n = int(m.body_jntadr[self.body]), int(m.body_jntnum[self.body])
        types = [int(x) for x in m.jnt_type[first : first + n]]
        if types == [int(kinds.mjJNT_FREE)]:
            return False
        plane = [int(kinds.mjJNT_SLIDE), int(kinds.mjJNT_SLIDE), int(kinds.mjJNT_HINGE)]
        if (
            types == plane
            and m.body_parentid[self.body] == 0
            and np.allclose(m.jnt_axis[first : first + 3], PLANE_AXES)
        ):
            return True
        raise ModelError(
            "the tool has unsupported joints", element=tool, cure="use <freejoint/>, or slides x and y and a hinge z"
        )

    def _place(self, q: Array, velocity: Array) -> None:
        """Put the tool at q; MuJoCo uses angular velocities on body axes."""
        self.data.qpos[self._q : self._q + self._nq] = q
        v = np.array(velocity)
        if not self.planar:
            v[3:] = _rotation(self._mj, q).T @ velocity[3:]
        self.data.qvel[self._v : self._v + self._nv] = v

    def _tool_contacts(self) -> list[tuple[Any, int, float, int]]:
        """Contacts of the tool: contact, its index, +1 if its normal points to the tool, and the other geom."""
        found, m = [], self.model
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            a, b = (int(g) for g in contact.geom)
            mine = [int(m.geom_bodyid[g]) == self.body if g >= 0 else False for g in (a, b)]
            if mine[0] != mine[1] and min(a, b) >= 0:
                found.append((contact, k, 1.0 if mine[1] else -1.0, a if mine[1] else b))
        return found

    def _powers(self, qvel: Array) -> tuple[float, float]:
        """∑ f·v (W) at contacts of the tool with moving bodies: power given by the tool, and received by the bodies."""
        given = gained = 0.0
        for contact, k, sign, geom in self._tool_contacts():
            if self._is_fixed(geom) or contact.efc_address < 0:
                continue
            wrench = np.zeros(6)
            self._mj.mj_contactForce(self.model, self.data, k, wrench)
            force = -sign * np.array(contact.frame).reshape(3, 3).T @ wrench[:3]  # MuJoCo gives it on the second geom
            given += float(force @ self._velocity(contact.pos, self.body, qvel))
            gained += float(force @ self._velocity(contact.pos, int(self.model.geom_bodyid[geom]), qvel))
        return given, gained

    def _velocity(self, point: Array, body: int, qvel: Array) -> Array:
        """Velocity of a point of a body (m/s)."""
        jacobian = np.zeros((3, self.model.nv))
        self._mj.mj_jac(self.model, self.data, jacobian, None, np.array(point), body)
        return np.asarray(jacobian @ qvel)

    def _constraints(self) -> list[LocalConstraint]:
        """Surfaces within reach of the tool as constraints of a packet."""
        found, R, x = [], np.array(self.data.xmat[self.body]).reshape(3, 3), np.array(self.data.xpos[self.body])
        for contact, _, sign, geom in self._tool_contacts():
            normal, s = sign * np.array(contact.frame[:3]), float(contact.dist)
            middle = np.array(contact.pos)
            point, tool = middle - 0.5 * s * normal, middle + 0.5 * s * normal
            body, mu = int(self.model.geom_bodyid[geom]), float(contact.friction[0])
            one = LocalConstraint(
                tuple(point), tuple(normal), tuple(R.T @ (tool - x)), s, mu_s=mu, mu_k=mu,
                velocity=float(normal @ self._velocity(point, body, self.data.qvel)),
                body=FIXED - geom if self._is_fixed(geom) else geom,
            )  # fmt: skip
            found.append(one)
        return found

    def _dynamics(self) -> ToolDynamics:
        m = self.model
        mass, gravity = float(m.body_mass[self.body]), np.array(m.opt.gravity)
        R = np.array(self.data.ximat[self.body]).reshape(3, 3)
        inertia = R @ np.diag(m.body_inertia[self.body]) @ R.T  # on world axes
        weight = np.zeros(self._nv)
        weight[: 2 if self.planar else 3] = -mass * gravity[: 2 if self.planar else 3]
        D = mass * np.eye(self._nv)
        if self.planar:
            D[2, 2] = inertia[2, 2]
        else:
            D[3:, 3:] = inertia
        return ToolDynamics(D, weight, self._nq)

    def _is_fixed(self, geom: int) -> bool:
        return bool(self.model.body_weldid[self.model.geom_bodyid[geom]] == 0)


def _rotation(mj: Any, q: Array) -> Array:
    """The rotation matrix of a pose in space."""
    R = np.zeros(9)
    mj.mju_quat2Mat(R, q[3:])
    return R.reshape(3, 3)


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise ModelError("MuJoCo is not installed", cure="pip install 'symbody[mujoco]'") from error
    return mujoco
