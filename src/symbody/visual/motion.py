"""Frames of an animation: times, poses of the bodies, and a camera that sees the whole motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from symbody.equations.compile import compile
from symbody.errors import ModelError
from symbody.model.body import QUATERNION
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.visual.primitives import ball
from symbody.visual.scene import SCENERY, Scene, upright

Array = np.ndarray

MOST_FRAMES = 20_000
FIELD = 30.0  # vertical field of view of the camera, degrees
FLAT = 0.2  # share of the largest extent below which a motion counts as plane and is seen from the side
HIDDEN = ("axes", "inertia")  # roles hidden at first
SAMPLES = 150  # frames used to place the camera
WANDERS = 3.0  # the camera follows a motion this many times larger than the moving bodies


@dataclass(frozen=True)
class BodyMotion:
    """Times (s), positions (frames, 1 + bodies, 3) and rotations (…, 3, 3): first the ground, with z up."""

    t: Array
    position: Array
    rotation: Array

    def at(self, frames: Array) -> BodyMotion:
        """The same motion at some of the frames."""
        return BodyMotion(self.t[frames], self.position[frames], self.rotation[frames])


@dataclass(frozen=True)
class Camera:
    """A direction of view (degrees: azimuth about the vertical, elevation) and the points to show."""

    azimuth: float
    elevation: float
    points: Array  # (n, 3)
    middle: Array  # of the bodies, at the first frame
    size: float  # radius of the visible region about the middle (m)
    floor: float  # height of the grid on the ground (m)
    step: float  # of that grid (m)
    follow: bool  # whether the camera follows the bodies


class ViewDirection(Protocol):
    """A direction of view (degrees) and the points (m, z up) to show; without points, those of the camera."""

    @property
    def azimuth(self) -> float: ...

    @property
    def elevation(self) -> float: ...

    @property
    def points(self) -> Sequence[tuple[float, float, float]]: ...


def motion(run: Run, scene: Scene, fps: float, speed: float) -> BodyMotion:
    """Poses at the frames of an animation: `fps` frames per second, each second showing `speed` s of motion."""
    if not (fps > 0 and speed > 0 and np.isfinite(fps * speed)):
        raise ModelError(f"{fps} frames per second at speed {speed}", cure="give fps > 0 and speed > 0")
    first, last = _shown(run)
    count = int(np.floor((last - first) / speed * fps + 1e-6)) + 1
    if count > MOST_FRAMES:
        cure = f"show less than {MOST_FRAMES / fps * speed:g} s, or give a lower fps or a higher speed"
        raise ModelError(f"{count} frames are too many", cure=cure)
    return motion_at(run, scene, first + np.arange(count) * speed / fps)


def motion_at(run: Run, scene: Scene, times: Array) -> BodyMotion:
    """Poses at given times, interpolated between the records of a run."""
    first, last = _shown(run)
    kept = (run.t >= first) & (run.t <= last)
    q = interpolated(run.model, np.clip(times, first, last), run.t[kept], run.q[kept])
    return turned(times, *poses(run.model, q, run.parameters), scene.up)


def _shown(run: Run) -> tuple[float, float]:
    """First and last time with finite coordinates: a diverged run is shown up to there."""
    good = np.all(np.isfinite(run.q), axis=1)
    count = len(good) if good.all() else int(np.argmin(good))
    if count == 0:
        raise ModelError("there is no motion to show", element=run.name, cure="simulate for some time")
    return float(run.t[0]), float(run.t[count - 1])


def interpolated(model: Model, times: Array, t: Array, q: Array) -> Array:
    """Coordinates interpolated between the records; quaternions have unit length."""
    found = np.column_stack([np.empty((len(times), 0)), *(np.interp(times, t, column) for column in q.T)])
    start = 0
    for joint in model.joints():
        start += joint.nq
        if joint.type in QUATERNION:
            found[:, start - 4 : start] /= np.linalg.norm(found[:, start - 4 : start], axis=1, keepdims=True)
    return found


def poses(model: Model, q: Array, parameters: dict[str, float]) -> tuple[Array, Array]:
    """Positions (states, bodies, 3) and rotations (states, bodies, 3, 3) of the bodies in the ground frame."""
    live = "all" if set(parameters) - set(model.values) else "named"
    kinematics = compile(model, "kinematics", loads=False, live=live)
    known = {name: x for name, x in parameters.items() if name in kinematics.parameters}
    if known:
        kinematics.parameters.update(known)
    found = kinematics(q, np.zeros((len(q), model.nv)))
    return found.position, found.rotation


def turned(t: Array, position: Array, rotation: Array, up: Array) -> BodyMotion:
    """The motion with the ground as its own frame, rotated so that `up` is the third axis."""
    n = len(t)
    turn = np.eye(3) if up[2] > 1 - 1e-12 else upright(up).T
    position = np.concatenate([np.zeros((n, 1, 3)), position @ turn.T], axis=1)
    rotation = np.concatenate([np.tile(turn, (n, 1, 1, 1)), turn @ rotation], axis=1)
    return BodyMotion(t, position, rotation)


def extent(scene: Scene, moved: BodyMotion) -> Array:
    """Points to be drawn at each frame (frames, points, 3): corners of the parts' boxes, ends of spans."""
    seen, frames = [np.zeros((0, 3))], []
    for part in scene.parts:
        if part.role not in (*HIDDEN, "point", SCENERY):
            vertices = scene.meshes[part.mesh].vertices
            bounds = np.array([vertices.min(axis=0), vertices.max(axis=0)])
            corners = np.array([bounds[list(bits), [0, 1, 2]] for bits in np.ndindex(2, 2, 2)])
            seen.append(corners @ part.place[:, :3].T + part.place[:, 3])
            frames += [part.frame] * 8
    for span in scene.spans:
        seen.append(span.ends)
        frames += span.frames
    seen, frames = (seen, frames) if frames else ([np.zeros((1, 3))], [0])
    turned = np.einsum("fpij,pj->fpi", moved.rotation[:, frames], np.vstack(seen))
    return np.asarray(moved.position[:, frames] + turned)


def lowest(scene: Scene, moved: BodyMotion) -> float:
    """Height (m) of the lowest corner of all shapes at the first frame."""
    heights = [0.0] if not scene.parts and not scene.spans else []
    for part in scene.parts:
        if part.role not in (*HIDDEN, "point", SCENERY):
            across = moved.rotation[0, part.frame, 2]
            corners = scene.meshes[part.mesh].vertices @ (across @ part.place[:, :3])
            heights.append(float(corners.min() + across @ part.place[:, 3] + moved.position[0, part.frame, 2]))
    for span in scene.spans:
        ends = [moved.rotation[0, frame, 2] @ end for frame, end in zip(span.frames, span.ends, strict=True)]
        heights += [float(z + moved.position[0, frame, 2]) for frame, z in zip(span.frames, ends, strict=True)]
    return min(heights)


def camera(scene: Scene, moved: BodyMotion, until: float = 0.0) -> Camera:
    """A view of the whole motion; of a plane motion from the side.

    until: if only the first moments are known, the time up to which a travelling motion is extrapolated.
    """
    some = np.unique(np.linspace(0, len(moved.t) - 1, SAMPLES).astype(int))
    seen = extent(scene, moved.at(some))
    middle = moved.position[some][:, 1:].mean(axis=1) if moved.position.shape[1] > 1 else np.zeros((len(some), 3))
    own = np.ptp(seen, axis=1).max(axis=0)  # size of the moving bodies at one instant
    whole = np.ptp(seen, axis=(0, 1))
    known = float(moved.t[-1] - moved.t[0])
    onward = (middle[-1] - middle[0]) * (max(until / known, 1.0) - 1.0 if known > 0.0 else 0.0)
    follow = bool(np.linalg.norm(whole + np.abs(onward)) > WANDERS * np.linalg.norm(own))
    # A travelling machine stands on the ground at first; the boxes about rotated wheels would be below it.
    floor = min(0.0, lowest(scene, moved) if follow else float(seen[..., 2].min()))
    if follow:
        seen = seen - middle[:, None] + middle[0]
    points = seen.reshape(-1, 3)
    points = points[_outermost(points)]
    size = _size(points)
    azimuth, elevation = _view(own if follow else whole)
    return Camera(azimuth, elevation, points, middle[0], size, floor, _round(size / 6), follow)


def aimed(camera: Camera, sight: ViewDirection) -> Camera:
    """The camera with a requested direction of view."""
    given = replace(camera, azimuth=sight.azimuth, elevation=sight.elevation)
    if not len(sight.points):
        return given
    points = np.array(sight.points, dtype=float)
    size = _size(points)
    floor = min(camera.floor, float(points[:, 2].min()))  # all points to show are above it
    return replace(given, points=points, size=size, floor=floor, step=_round(size / 6))


def _outermost(points: Array) -> list[int]:
    """The points that are outermost in many directions."""
    parts = np.array_split(ball(2).vertices, 8)  # all heights of 200 000 points would need 260 MB
    return sorted({int(k) for part in parts for k in np.argmax(part @ points.T, axis=1)})


def _size(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) / 2 or 1.0


def _round(length: float) -> float:
    """The next larger of 1, 2, 5 · 10ⁿ."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(k * power for k in (1, 2, 5, 10) if k * power >= 0.999 * length))


def _view(size: Array) -> tuple[float, float]:
    """Azimuth and elevation (degrees) that show something of this size well."""
    normal = int(np.argmin(size))
    if size[normal] > FLAT * size.max():
        return -58.0, 20.0
    return {0: (-18.0, 12.0), 1: (-72.0, 12.0), 2: (-65.0, 55.0)}[normal]
