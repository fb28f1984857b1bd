"""The 3-D view of a model that is edited: shapes and poses without compiling anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.model.body import GROUND, QUATERNION
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.placement import AT_HOME, Placement, compose, joint_placement, placement
from symbody.model.tree import carrier, parents_first
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.motion import BodyMotion, camera, turned
from symbody.visual.page import page_data
from symbody.visual.scene import Scene
from symbody.visual.shapes import scene
from symbody.visual.springs import wound

Array = np.ndarray


def body_placements(model: Model, q: Array) -> dict[str, Placement]:
    """Each body in the ground frame at coordinates q (nq,)."""
    number, found = {}, {GROUND: AT_HOME}
    first = 0
    for joint in model.joints():
        number[joint.name] = first
        first += joint.nq
    for name, body in parents_first(model.bodies).items():
        at = compose(found[carrier(body.on)], placement(model.point_at(body.on), model.values))
        for joint in body.joints:
            own = q[number[joint.name] : number[joint.name] + joint.nq]
            if joint.type in QUATERNION:
                slide = own[:3] if joint.type == "free" else np.zeros(3)
                at = compose(at, (_rotation(own[-4:]), slide))
            else:
                at = compose(at, joint_placement(joint, float(own[0])))
        found[name] = at
    return found


def _rotation(quaternion: Array) -> Array:
    """R of a quaternion (w, x, y, z)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def body_motion(model: Model, shapes: Scene, t: Array, q: Array) -> BodyMotion:
    """Poses at times t (n,) for rows of coordinates (n, nq)."""
    rows = [body_placements(model, one) for one in q]
    position = np.array([[row[name][1] for name in model.bodies] for row in rows]).reshape(len(t), -1, 3)
    rotation = np.array([[row[name][0] for name in model.bodies] for row in rows]).reshape(len(t), -1, 3, 3)
    return turned(t, position, rotation, shapes.up)


def view_data(model: Model, q: Array) -> dict[str, Any]:
    """The scene for the page, and what handles need: frames by body, points with their places."""
    shapes = scene(model, model.values, file_looks(model))
    start = body_motion(model, shapes, np.zeros(1), q[np.newaxis])
    wound(shapes, start)
    frames = Geometry(model).frames
    return {
        "scene": page_data("", shapes, start, camera(shapes, start), 1.0, hidden=("axes", "inertia")),
        "frames": {GROUND: 0} | {name: frames[name] for name in model.bodies},
        "points": [
            {"path": point.path, "frame": frames.get(body.name, 0), "at": _numbers(model, point.position)}
            for body in (model.ground, *model.bodies.values())
            for point in body.points.values()
        ],
    }


def _numbers(model: Model, position: Any) -> list[float]:
    return [float(evaluate(x, model.values)) for x in position]
