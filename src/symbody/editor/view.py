"""The 3-D view of a model that is edited: shapes and poses without compiling anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from symbody.model.body import ELEMENTARY, GROUND, QUATERNION
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.placement import AT_HOME, Placement, compose, joint_placement, placement
from symbody.model.tree import carrier, parents_first
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.motion import BodyMotion, camera, turned
from symbody.visual.page import Surroundings, page_data
from symbody.visual.page_types import SceneData, Triple
from symbody.visual.scene import Look, Scene
from symbody.visual.shapes import scene
from symbody.visual.springs import wound

Array = np.ndarray


class PointRow(TypedDict):
    """A point of a body for its handle: frame, and place in it (m)."""

    path: str
    frame: int
    at: Triple


class AxisRow(TypedDict):
    """A joint for the handle of its axis: where it begins (m), and the three axes there, in the ground frame."""

    body: str
    joint: int  # number on its body
    name: str
    type: str
    at: Triple
    axes: list[Triple]


class ViewNews(TypedDict):
    """The 3-D view of a version."""

    version: int
    scene: SceneData
    frames: dict[str, int]
    points: list[PointRow]
    axes: list[AxisRow]


def body_placements(model: Model, q: Array) -> dict[str, Placement]:
    """Each body in the ground frame at coordinates q (nq,)."""
    return tree_placements(model, q)[0]


def tree_placements(model: Model, q: Array) -> tuple[dict[str, Placement], dict[str, Placement]]:
    """Each body in the ground frame at coordinates q (nq,), and the frame where each joint begins, by joint."""
    number, found = {}, {GROUND: AT_HOME}
    begins: dict[str, Placement] = {}
    first = 0
    for joint in model.joints():
        number[joint.name] = first
        first += joint.nq
    for name, body in parents_first(model.bodies).items():
        at = compose(found[carrier(body.on)], placement(model.point_at(body.on), model.values))
        for joint in body.joints:
            begins[joint.name] = at
            own = q[number[joint.name] : number[joint.name] + joint.nq]
            if joint.type in QUATERNION:
                slide = own[:3] if joint.type == "free" else np.zeros(3)
                at = compose(at, (_rotation(own[-4:]), slide))
            else:
                at = compose(at, joint_placement(joint, float(own[0])))
        found[name] = at
    return found, begins


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


class KnownLooks:
    """Meshes that were read before, by file; a file that has changed is read again."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[int, int], list[Look]]] = {}

    def of(self, model: Model) -> dict[str, list[Look]]:
        """The looks of a model; only new and changed files are read."""
        known = {file: looks for file, (stamp, looks) in self._read.items() if stamp == _stamp(file)}
        found = file_looks(model, known)
        self._read = {file: (stamp, looks) for file, looks in known.items() if looks and (stamp := _stamp(file))}
        return found


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def view_data(model: Model, q: Array, looks: KnownLooks | None = None) -> dict[str, Any]:
    """The scene for the page, and what handles need: frames by body, points with their places."""
    shapes = scene(model, model.values, (looks or KnownLooks()).of(model))
    start = body_motion(model, shapes, np.zeros(1), q[np.newaxis])
    wound(shapes, start)
    frames = Geometry(model).frames
    return {
        "scene": page_data("", shapes, start, camera(shapes, start), 1.0, Surroundings(hidden=("axes", "inertia"))),
        "frames": {GROUND: 0} | {name: frames[name] for name in model.bodies},
        "points": [
            {"path": point.path, "frame": frames.get(body.name, 0), "at": _numbers(model, point.position)}
            for body in (model.ground, *model.bodies.values())
            for point in body.points.values()
        ],
        "axes": joint_axes(model, q),
    }


def joint_axes(model: Model, q: Array) -> list[AxisRow]:
    """The axis of each elementary joint for its handle, in the ground frame."""
    begins = tree_placements(model, q)[1]
    return [
        AxisRow(body=name, joint=k, name=joint.name, type=joint.type, at=_triple(begins[joint.name][1]),
                axes=[_triple(axis) for axis in begins[joint.name][0].T])
        for name, body in model.bodies.items()
        for k, joint in enumerate(body.joints)
        if joint.type in ELEMENTARY
    ]  # fmt: skip


def _triple(x: Array) -> Triple:
    a, b, c = (round(float(one), 9) for one in x)
    return a, b, c


def _numbers(model: Model, position: Any) -> Triple:
    x, y, z = (float(evaluate(one, model.values)) for one in position)
    return x, y, z
