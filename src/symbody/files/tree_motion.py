"""Motion of a tree of elementary joints in NumPy, for many states at once: frames, Jacobians, M and c.

Readers of files simulate with it where a number of a file follows from a motion. Gravity is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.model.body import GROUND
from symbody.model.model import Model
from symbody.model.placement import Placement, placement
from symbody.model.rotation import Matrix
from symbody.model.tree import carrier, parents_first

# [e₁]×, [e₂]×, [e₃]×, one below the other: x @ _CROSS has the elements of [x]×
_CROSS = np.array([np.cross(axis, np.eye(3)).T.ravel() for axis in np.eye(3)])


@dataclass
class Moving:
    """A frame in B states: rotation (B, 3, 3), position (B, 3), Jacobians (B, 3, nv), accelerations at q̈ = 0 (B, 3)."""

    R: Matrix
    p: Matrix
    turning: Matrix  # Jω
    sliding: Matrix  # Jv of the origin
    w: Matrix  # angular velocity
    dw: Matrix
    dv: Matrix

    def at(self, fixed: Placement) -> Moving:
        """A frame that is fixed in this one."""
        rotation, position = fixed
        return self.moved(self.R @ position, self.R @ rotation)

    def moved(self, offset: Matrix, R: Matrix) -> Moving:
        """The frame with its origin moved by an offset (B, 3) that turns with it."""
        lever, W = skew(offset), skew(self.w)
        dv = self.dv - times(lever, self.dw) + times(W, times(W, offset))
        return Moving(R, self.p + offset, self.turning, self.sliding - lever @ self.turning, self.w, self.dw, dv)


def skew(x: Matrix) -> Matrix:
    """[x]× (B, 3, 3) of vectors (B, 3): [x]× y = x × y."""
    return np.asarray(x @ _CROSS).reshape(-1, 3, 3)


def times(A: Matrix, x: Matrix) -> Matrix:
    """A x of matrices (B, n, m) and vectors (B, m)."""
    return np.asarray((A @ x[:, :, np.newaxis])[:, :, 0])


def frames(model: Model, q: Matrix, v: Matrix) -> dict[str, Moving]:
    """The frames of all bodies at coordinates and velocities (B, nv). All joints must be elementary."""
    count, nv = q.shape
    zero, wide = np.zeros((count, 3)), np.zeros((count, 3, nv))
    found = {GROUND: Moving(np.broadcast_to(np.eye(3), (count, 3, 3)), zero, wide, wide, zero, zero, zero)}
    number = {joint.name: k for k, joint in enumerate(model.joints())}
    for name, body in parents_first(model.bodies).items():
        frame = found[carrier(body.on)].at(placement(model.point_at(body.on), model.values))
        for joint in body.joints:
            k, axis = number[joint.name], int(joint.type[1]) - 1
            frame = (_turned if joint.type.startswith("R") else _slid)(frame, axis, k, q[:, k], v[:, k])
        found[name] = frame
    return found


def _turned(at: Moving, axis: int, k: int, q: Matrix, qd: Matrix) -> Moving:
    """Behind a revolute joint; Rodrigues' formula."""
    a, K = at.R[:, :, axis], _CROSS[axis].reshape(3, 3)
    spin = np.eye(3) + np.sin(q)[:, np.newaxis, np.newaxis] * K + (1 - np.cos(q))[:, np.newaxis, np.newaxis] * (K @ K)
    turning, rate = at.turning.copy(), a * qd[:, np.newaxis]
    turning[:, :, k] = a
    return Moving(at.R @ spin, at.p, turning, at.sliding, at.w + rate, at.dw + times(skew(at.w), rate), at.dv)


def _slid(at: Moving, axis: int, k: int, q: Matrix, qd: Matrix) -> Moving:
    """Behind a prismatic joint."""
    a = at.R[:, :, axis]
    found = at.moved(a * q[:, np.newaxis], at.R)
    found.sliding[:, :, k] = a
    found.dv = found.dv + 2.0 * times(skew(at.w), a * qd[:, np.newaxis])
    return found


def equations(model: Model, at: dict[str, Moving]) -> tuple[Matrix, Matrix]:
    """M (B, nv, nv) and c (B, nv) of M q̈ + c = Q, with armature and without gravity."""
    count, _, nv = at[GROUND].turning.shape
    M = np.zeros((count, nv, nv)) + np.diag([joint.armature for joint in model.joints()])
    c = np.zeros((count, nv))
    for name, body in model.bodies.items():
        mass = float(body.mass)  # type: ignore[arg-type]  # of files: a number
        if not mass and not any(body.inertia):
            continue
        xx, yy, zz, xy, xz, yz = body.inertia
        own = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), dtype=float)
        R = at[name].R
        centre = at[name].moved(R @ np.array(body.com, dtype=float), R)
        inertia, Jw, Jv = (
            R @ own @ R.transpose(0, 2, 1),
            centre.turning.transpose(0, 2, 1),
            centre.sliding.transpose(0, 2, 1),
        )
        torque = times(inertia, centre.dw) + times(skew(centre.w), times(inertia, centre.w))
        M += mass * Jv @ centre.sliding + Jw @ inertia @ centre.turning
        c += mass * times(Jv, centre.dv) + times(Jw, torque)
    return M, c
