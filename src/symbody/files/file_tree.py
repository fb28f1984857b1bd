"""A tree of bodies from the frames and axes of files: any axis, any anchor, several joints for a body.

Our joints rotate about axis 1, 2 or 3 of the point that carries them. So each joint gets a point that is rotated until
one of its axes is the joint's axis. The body frame then differs from the file's frame; a `Seat` keeps the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.files.urdf_file import LINK, clean_name
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Point
from symbody.model.model import Model
from symbody.model.number_check import MAX_NAME
from symbody.model.placement import AT_HOME, Placement, compose
from symbody.model.rotation import Matrix, align, clean, roll_pitch_yaw

NEAR = 1e-12  # m, rad; closer frames are the same


@dataclass(frozen=True)
class Seat:
    """One of our bodies, and the file's frame on it: x_body = R x_file + p."""

    body: Body
    at: Placement = AT_HOME

    def point(self, name: str, pose: Placement) -> Point:
        """Add a point to the body at a pose in the file's frame. If the name is in use, another name is chosen."""
        rotation, position = compose(self.at, pose)
        return self.body.point(free_name(name, self.body.points), vector(position), roll_pitch_yaw(rotation))


def ground_seat(model: Model) -> Seat:
    return Seat(model.ground)


def free_name(name: str, taken: object) -> str:
    """A name for a body or a point that is not in use."""
    plain = clean_name(name)[:MAX_NAME] or "part"
    while plain in taken or plain in (ORIGIN, GROUND):  # type: ignore[operator]
        plain += "_"
        if len(plain) > MAX_NAME + 50:
            raise ModelError("too many similar names", element=name[:MAX_NAME], cure="rename them")
    return plain


def new_body(model: Model, name: str) -> str:
    """The name of a new body. Raises ModelError if it is in use."""
    plain = clean_name(name)
    if not plain or plain in model.bodies or plain == GROUND:
        raise ModelError("another body already has this name", element=name[:MAX_NAME], cure="rename one of them")
    return plain


def weld(model: Model, seat: Seat, name: str, pose: Placement) -> Seat:
    """Add a body that is fixed to another at a pose."""
    return _add_body(model, seat, new_body(model, name), pose, [])


def add_jointed_body(
    model: Model,
    seat: Seat,
    name: str,
    pose: Placement,
    joint: Joint,
    axis: Sequence[float],
    anchor: Sequence[float],
    further: bool = False,
) -> Seat:
    """Add a body at a pose, with a joint about or along an axis through an anchor, both in the body's own frame.

    joint: of type "R" or "T", which gets its axis number here, or "ball", which ignores the axis. further: the seat is
    the same body after an earlier joint. If both joints are in one frame they become a sequence of joints.
    """
    turned = np.eye(3)
    if joint.type in ("R", "T"):
        k, turned = align(np.asarray(axis, float), joint.name)
        joint.type = f"{joint.type}{k}"
    there = compose(pose, (turned, np.asarray(anchor, float)))
    made = _add_body(model, seat, name, there, [joint], further)
    return Seat(made.body, compose(made.at, (turned.T, -turned.T @ np.asarray(anchor, float))))


def _add_body(model: Model, seat: Seat, name: str, pose: Placement, joints: list[Joint], further: bool = False) -> Seat:
    """Add a body on a point of another body.

    A further joint in the same frame is added to the body's joint sequence.
    """
    rotation, position = compose(seat.at, pose)
    last = seat.body
    if further and np.abs(rotation - np.eye(3)).max() < NEAR and np.abs(position).max() < NEAR:
        model.bodies = {(name if key == last.name else key): body for key, body in model.bodies.items()}
        last.name, last.joints = name, [*last.joints, *joints]
        last.points[ORIGIN] = Point(name, ORIGIN)
        return Seat(last)
    on = seat.point(joints[0].name if joints else name, pose)
    model.bodies[name] = Body(name, on.path, joints)
    return Seat(model.bodies[name])


def add_mass(seat: Seat, mass: float, com: Matrix, inertia: Matrix) -> None:
    """Set the mass (kg), centre of mass (m) and inertia about it (kg m²) of a body, given in the file's frame."""
    rotation, position = seat.at
    size = float(np.abs(inertia).max(initial=0.0)) or 1.0  # bodies of some milligrams have moments below 1e-15
    about = size * clean(rotation @ inertia @ rotation.T / size) + 0.0
    seat.body.mass = float(mass)
    seat.body.com = vector(position + rotation @ com)
    seat.body.inertia = (*np.diag(about).tolist(), float(about[0, 1]), float(about[0, 2]), float(about[1, 2]))


def mark(seat: Seat) -> None:
    """Add the file's own frame as the point `link`."""
    seat.point(LINK, AT_HOME)


def vector(values: Matrix) -> tuple[float, float, float]:
    x, y, z = (clean(np.asarray(values, float)) + 0.0).tolist()
    return x, y, z


def inverse(pose: Placement) -> Placement:
    """The outer frame relative to the inner one."""
    return pose[0].T, -pose[0].T @ pose[1]


def relative(outer: Placement, inner: Placement) -> Placement:
    """The inner frame relative to the outer one, both given in a third frame."""
    return compose(inverse(outer), inner)


def quaternion_matrix(q: Sequence[float], where: str) -> Matrix:
    """R of a quaternion (w, x, y, z) of any length."""
    length = float(np.linalg.norm(q))
    if not 1e-9 < length < 1e9:
        raise ModelError("the quaternion has no length", element=where, cure="write 1 0 0 0 for no rotation")
    w, x, y, z = (float(part) / length for part in q)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.array(rows)


def matrix_quaternion(R: Matrix) -> tuple[float, float, float, float]:
    """(w, x, y, z) of a rotation, w ≥ 0 (Shepperd: the largest component first)."""
    trace = float(np.trace(R))
    squares = np.array([trace, *np.diag(R)]) * 2 - trace + 1  # 4 w², 4 x², 4 y², 4 z²
    k = int(np.argmax(squares))
    q = np.empty(4)
    q[k] = np.sqrt(squares[k]) / 2
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q[1:] = skew / (4 * q[0])
    else:
        i = k - 1
        q[0] = skew[i] / (4 * q[k])
        for j in {0, 1, 2} - {i}:
            q[j + 1] = (R[i, j] + R[j, i]) / (4 * q[k])
    q = q if q[0] >= 0 else -q
    w, x, y, z = (q / np.linalg.norm(q)).tolist()
    return w, x, y, z
