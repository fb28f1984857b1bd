"""The axis of a joint, turned by a handle of the 3-D view: another of the three axes, or a rotated point."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.editor.commands import free_name, joint_rows, leaves, members, written_joints
from symbody.editor.yaml_edit import Put, TextEdit, value_at
from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.model.body import ELEMENTARY, GROUND, ORIGIN
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.placement import placement
from symbody.model.rotation import Matrix, roll_pitch_yaw

SNAP = np.cos(np.radians(6.0))  # directions this near to one of the three axes become that axis
DIGITS = 6  # of an angle, rad


def turned_axis(
    data: dict[str, Any], model: Model, body: str, joint: int, direction: tuple[float, ...]
) -> list[TextEdit]:
    """Edits that turn the axis of a joint to a direction, which is given in the frame where the joint begins.

    Near one of the three axes the type of the joint changes. Any other direction rotates the point that carries the
    body, so that the body turns with its axis; a point that others use too is left as it is, and a new one is added.
    """
    rows = joint_rows(body, value_at(data, ("bodies", body, "joints")))
    if body not in model.bodies or joint >= len(rows) or rows[joint].get("type") not in ELEMENTARY:
        raise Rejected("not possible", "this joint has no axis")
    d = np.array(direction)
    if (length := float(np.linalg.norm(d))) < 1e-9:
        raise Rejected("not possible", "the axis has no direction")
    d /= length
    nearest, old = int(np.argmax(np.abs(d))), str(rows[joint]["type"])
    if abs(d[nearest]) > SNAP:
        rows[joint]["type"] = f"{old[0]}{nearest + 1}"
        return [Put(("bodies", body, "joints"), written_joints(body, rows))]
    if joint > 0:
        raise Rejected("not possible", "only the first joint of a body can have any direction")
    return _with_rotated_point(data, model, body, shortest_rotation(np.eye(3)[int(old[1]) - 1], d))


def shortest_rotation(a: Matrix, b: Matrix) -> Matrix:
    """The rotation by the smallest angle that turns unit vector a to b (not opposite): 1 + [v] + [v]²/(1 + a·b)."""
    if a @ b < -1.0 + 1e-9:
        raise Rejected("not possible", "the axis cannot be reversed: change the sign of the coordinate instead")
    x, y, z = np.cross(a, b)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1.0 + float(a @ b)))


def _with_rotated_point(data: dict[str, Any], model: Model, body: str, turn: Matrix) -> list[TextEdit]:
    point = model.point_at(model.bodies[body].on)
    if any(isinstance(x, Formula) for x in point.rotation):
        raise ModelError("the rotation of the point is a formula", element=point.path, cure="edit it in the panel")
    angles = [round(x, DIGITS) for x in roll_pitch_yaw(placement(point, model.values)[0] @ turn)]
    points = ("ground", "points") if point.body == GROUND else ("bodies", point.body, "points")
    raw = value_at(data, (*points, point.name))
    position = raw.get("position") if isinstance(raw, dict) else raw if raw is not None else [0, 0, 0]
    value = {"position": position, "rotation": angles}
    used = [path for path, text in leaves(data) if text == point.path or f'"{point.path}"' in text]
    if point.name != ORIGIN and len(used) <= 1:
        return [Put((*points, point.name), value)]
    holder = value_at(data, points[:-1]) if points[0] == "bodies" else members(data, "ground")
    name = free_name(f"{body}_axis", (holder or {}).get("points") or {})
    return [Put((*points, name), value), Put(("bodies", body, "on"), f"{point.body}.{name}")]
