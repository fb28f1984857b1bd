"""What a model stands on: posts below joints that are held above the floor, beside everything that moves.

A hinge with a horizontal axis has its pin in a post beside the plane of motion, a slide has a rail on posts, and a body
that rises from a fixed joint or a vertical axis has a column below it. Machines that hang have no posts: they reach
farther down from their joints than up. A joint has none if there is no free place for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.files.mesh import Array
from symbody.model.body import GROUND
from symbody.model.model import Model
from symbody.visual.geometry import Geometry, floats
from symbody.visual.motion import BodyMotion, Camera, extent
from symbody.visual.scene import Part, Scene, along, beam

# In radii of a bar:
LOW, NEAR, GAP = 3.0, 8.0, 1.2  # height without a post; largest reach of the motion to a side, and the gap beyond it
POST, PIN, PLATE, THICK = 1.6, 0.7, 6.0, 0.8  # widths of post, pin and plate; its thickness
HANGS = 1.2  # of the reach upwards: a machine that reaches farther down hangs
RAIL = 0.7  # sizes of the motion that a slide has a rail on each side, at least
UPRIGHT = 0.7  # cosine of an axis to the vertical
METAL = "#5f6872"


@dataclass(frozen=True)
class _Mount:
    """A joint on the ground: its place and axis in the frame of the ground.

    rail: range of a slide along the axis (m). column: its body is above it, on a fixed joint or a vertical axis.
    """

    at: Array
    axis: Array
    rail: tuple[float, float] | None = None
    column: bool = False


def stands(model: Model, made: Scene, moved: BodyMotion, camera: Camera) -> list[Part]:
    """The parts below the joints of a model on the ground, for a motion and the camera that shows it."""
    g, r, turn = Geometry(model), made.unit, moved.rotation[0, 0]
    up, seen = turned_up(moved), extent(made, moved).reshape(-1, 3) @ turn
    mounts = _mounts(g, moved, RAIL * camera.size)
    if not mounts or not len(seen):
        return []
    lowest = min(float(mount.at @ up) for mount in mounts)
    hangs = lowest - camera.floor > HANGS * (float((seen @ up).max()) - lowest)
    azimuth, elevation = np.radians((camera.azimuth, camera.elevation))
    eye = turn.T @ (np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation))
    parts: list[Part] = []
    for mount in mounts:
        if mount.at @ up - camera.floor > LOW * r and (mount.column or not hangs):
            make = _column if mount.column else _stand
            parts += make(mount, up, camera.floor, seen, eye, r)
    return parts


def _mounts(g: Geometry, moved: BodyMotion, least: float) -> list[_Mount]:
    """Joints of bodies on the ground, and cuts with an axis there; least: of a rail, on each side of its joint (m)."""
    made = []
    for body in g.model.bodies.values():
        seat = g.model.point_at(body.on)
        if seat.body != GROUND or floats(body):
            continue
        kind, turned, at = body.joints[0].type if body.joints else "", g.rotation(seat), g.position(seat)
        turn, frame = moved.rotation[0, 0], g.frames[body.name]
        axis = turned[:, int(kind[1]) - 1] if kind[:1] in ("R", "T") else turn[2]
        rail = None
        if kind[:1] == "T":
            gone = moved.position[:, frame] @ turn @ axis - at @ axis
            rail = (min(float(gone.min()), -least), max(float(gone.max()), least))
        middle = moved.position[0, frame] + moved.rotation[0, frame] @ g.com(body)
        rises = middle[2] > (turn @ at)[2] and abs(float(axis @ turn[2])) > UPRIGHT and rail is None
        made.append(_Mount(at, axis, rail, rises))
    for cut in g.model.cuts.values():
        if cut.kind in ("revolute", "planar-ball"):
            ends = [g.model.point_at(end) for end in (cut.a, cut.b) if g.place(end)[0] == 0]
            made += [_Mount(g.position(end), g.rotation(end)[:, cut.axis - 1]) for end in ends]
    return [
        mount for mount in made if mount.column or mount.rail or abs(float(mount.axis @ turned_up(moved))) < UPRIGHT
    ]


def turned_up(moved: BodyMotion) -> Array:
    """The direction upwards in the frame of the ground."""
    return np.asarray(moved.rotation[0, 0][2])


def _column(mount: _Mount, up: Array, floor: float, seen: Array, _: Array, r: float) -> list[Part]:
    """A post below a body that rises from its joint, if nothing moves there."""
    away = seen - mount.at
    heights = away @ up
    aside = np.linalg.norm(away - heights[:, np.newaxis] * up, axis=1)
    free = not np.any((aside < NEAR / 2 * r) & (heights < -LOW * r))
    return _post(mount.at, mount.at @ up, up, floor, r) if free else []


def _stand(mount: _Mount, up: Array, floor: float, seen: Array, eye: Array, r: float) -> list[Part]:
    """A post beside the motion with the pin of a hinge, or the rail of a slide on posts."""
    rises = abs(float(mount.axis @ up)) > UPRIGHT
    side = np.cross(mount.axis, up) if mount.rail and not rises else mount.axis
    if rises:  # a slide that rises: beside the thinnest extent of the motion
        across = [way for way in np.eye(3) if abs(way @ up) < UPRIGHT]
        side = min(across, key=lambda way: np.ptp(seen @ way))
    side = side / np.linalg.norm(side)
    side = -side if side @ eye > 0 else side
    away, top = (seen - mount.at) @ side, np.inf if mount.rail else mount.at @ up + LOW * r
    reach = float(away[seen @ up < top].max(initial=0.0))  # what stays above a post may reach over it
    if reach > NEAR * r:
        return []
    beside = mount.at + (max(reach, 1.9 * r) + GAP * r) * side
    if mount.rail is None:
        pin = along(side, mount.at, PIN * r, float((beside - mount.at) @ side))
        return [Part("cylinder", 0, pin, METAL, "ground"), *_post(beside, beside @ up + POST * r, up, floor, r)]
    first, last = (beside + (end + way * LOW * r) * mount.axis for end, way in zip(mount.rail, (-1, 1), strict=True))
    if rises:
        return _post(beside, max(first @ up, last @ up), up, floor, r)
    bar = beam(mount.axis, (first + last) / 2, POST * r, float(np.linalg.norm(last - first)))
    return [
        Part("box", 0, bar, METAL, "ground"),
        *(part for end in (first, last) for part in _post(end, end @ up, up, floor, r)),
    ]


def _post(at: Array, top: float, up: Array, floor: float, r: float) -> list[Part]:
    """A square post through a place, from a plate on the floor to a height."""
    foot = at - (at @ up - floor) * up
    post = beam(up, foot + 0.5 * (top - floor) * up, POST * r, top - floor)
    plate = beam(up, foot + 0.5 * THICK * r * up, PLATE * r, THICK * r)
    return [Part("box", 0, post, METAL, "ground"), Part("box", 0, plate, METAL, "ground")]
