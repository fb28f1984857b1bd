"""Pictures of a moving scene, drawn in NumPy with the same light, floor and camera as the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from symbody.visual.motion import FIELD, HIDDEN, BodyMotion, Camera
from symbody.visual.page import sides
from symbody.visual.raster import Fragments, fragments, layers, nearest
from symbody.visual.scene import Part, Scene, Span

Array = np.ndarray

FINER = 2  # supersampling against jagged edges
PAPER, GRID = np.array([0.962, 0.970, 0.978]), np.array([0.25, 0.3, 0.36])
LIGHT = np.array([0.45, -0.5, 0.9]) / np.linalg.norm([0.45, -0.5, 0.9])
SHADOW = 0.1
MARGIN = 1.12  # factor on the nearest distance from which everything is visible
ROUNDS = 4
FAINT = 0.45


@dataclass(frozen=True)
class Eye:
    """The position of an eye and its directions right, up and back."""

    eye: Array
    right: Array
    up: Array
    away: Array


@dataclass(frozen=True)
class Surface:
    """Triangles of many parts as one: vertices and normals on frames, colours and opacities of the triangles."""

    vertices: Array
    normals: Array
    frames: Array  # of the vertices
    triangles: Array
    colours: Array
    opacity: Array


def pictures(
    scene: Scene, moved: BodyMotion, camera: Camera, width: int, height: int, paper: Array | None = None
) -> Iterator[Array]:
    """One picture (height, width, 3) of bytes per frame; `paper` is the floor of a fixed camera, if known."""
    w, h = FINER * width, FINER * height
    home = fitted(camera, w / h)
    fixed = surface(scene)
    across = sides(scene, moved)
    for k in range(len(moved.t)):
        view = _following(home, camera, moved.position[k]) if camera.follow else home
        if paper is None or camera.follow:
            paper = _floor(view, camera, w, h)
        pose = moved.position[k], moved.rotation[k]
        parts = [_placed(fixed, *pose)]
        parts += [_stretched(scene, span, side, *pose) for span, side in zip(scene.spans, across, strict=True)]
        yield _reduced(_picture(joined(parts), view, camera, paper, w, h), width, height)


def overlaid(scene: Scene, moved: BodyMotion, camera: Camera, width: int, height: int) -> Array:
    """All frames in one picture: the last one opaque, earlier ones fainter."""
    w, h = FINER * width, FINER * height
    paper = _floor(fitted(camera, w / h), camera, w, h)
    empty = _reduced(paper, width, height).astype(float)
    result = empty.copy()
    strengths = [*np.linspace(FAINT / 2, FAINT, len(moved.t) - 1), 1.0]
    drawings = pictures(scene, moved, replace(camera, follow=False), width, height, paper)
    for strength, picture in zip(strengths, drawings, strict=True):
        drawn = np.any(np.abs(picture - empty) > 1, axis=2, keepdims=True)
        result = np.where(drawn, strength * picture + (1 - strength) * result, result)
    return np.asarray(np.round(result).astype(np.uint8))


# -- what is drawn ----------------------------------------------------------------------------------------------------


def surface(scene: Scene) -> Surface:
    """All visible parts, each vertex on its frame."""
    return joined([_part(scene, part) for part in scene.parts if part.role not in HIDDEN])


def _part(scene: Scene, part: Part) -> Surface:
    mesh = scene.meshes[part.mesh]
    turn = part.place[:, :3]
    frames = np.full(len(mesh.vertices), part.frame)
    shape = mesh.vertices @ turn.T + part.place[:, 3]
    return _coloured(shape, _normals(mesh.normals, turn), frames, mesh.triangles, part.colour, part.opacity)


def _stretched(scene: Scene, span: Span, side: int, position: Array, rotation: Array) -> Surface:
    """A span between the present positions of its ends, in the ground frame."""
    mesh = scene.meshes[span.mesh]
    a, b = (position[f] + rotation[f] @ end for f, end in zip(span.frames, span.ends, strict=True))
    z = b - a
    length = max(float(np.linalg.norm(z)), 1e-9)
    x = rotation[span.frames[0]][:, side]
    x = x - z * (x @ z) / length**2
    x /= max(float(np.linalg.norm(x)), 1e-9)
    turn = np.column_stack([span.radius * x, span.radius * np.cross(z / length, x), z])
    none = np.zeros(len(mesh.vertices), dtype=int)
    return _coloured(mesh.vertices @ turn.T + a, _normals(mesh.normals, turn), none, mesh.triangles, span.colour, 1.0)


def _placed(s: Surface, position: Array, rotation: Array) -> Surface:
    """The surface in the ground frame at the poses of the bodies."""
    vertices = np.einsum("nij,nj->ni", rotation[s.frames], s.vertices) + position[s.frames]
    normals = np.einsum("nij,nj->ni", rotation[s.frames], s.normals)
    return Surface(vertices, normals, s.frames, s.triangles, s.colours, s.opacity)


def _coloured(v: Array, n: Array, frames: Array, triangles: Array, colour: str, opacity: float) -> Surface:
    m = len(triangles)
    rgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return Surface(v, n, frames, triangles, np.tile(rgb, (m, 1)), np.full(m, opacity))


def _normals(normals: Array, turn: Array) -> Array:
    x, y, z = turn.T
    across = normals @ np.array([np.cross(y, z), np.cross(z, x), np.cross(x, y)])  # normals of a stretched surface
    return np.asarray(across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30))


def joined(parts: list[Surface]) -> Surface:
    """Several surfaces as one, to draw them together."""
    starts = np.cumsum([0] + [len(p.vertices) for p in parts])
    return Surface(
        np.vstack([p.vertices for p in parts]),
        np.vstack([p.normals for p in parts]),
        np.concatenate([p.frames for p in parts]),
        np.vstack([p.triangles + start for p, start in zip(parts, starts, strict=False)]),
        np.vstack([p.colours for p in parts]),
        np.concatenate([p.opacity for p in parts]),
    )


# -- the camera -------------------------------------------------------------------------------------------------------


def fitted(camera: Camera, aspect: float) -> Eye:
    """The nearest view in the camera's direction that shows all its points, centred in the picture."""
    a, e = np.radians([camera.azimuth, camera.elevation])
    away = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.cross(away, right)
    slope = np.tan(np.radians(FIELD) / 2)
    target, distance = camera.points.mean(axis=0), 1.0
    for _ in range(ROUNDS):
        rest = camera.points - target
        needed = []
        for axis, s in ((right, slope * aspect), (up, slope)):
            side, depth = rest @ axis / s, rest @ away
            high, low = float(np.max(side + depth)), float(np.max(depth - side))
            needed.append((high + low) / 2)
            target = target + axis * s * (high - low) / 2
        distance = max(needed) or 1.0
    return Eye(target + MARGIN * distance * away, right, up, away)


def _following(home: Eye, camera: Camera, position: Array) -> Eye:
    return Eye(home.eye + position[1:].mean(axis=0) - camera.middle, home.right, home.up, home.away)


def _screen(view: Eye, points: Array, w: int, h: int) -> tuple[Array, Array]:
    """Positions on the screen, and the closeness 1/depth; zero behind the eye."""
    rest = points - view.eye
    depth = -(rest @ view.away)
    closeness = np.where(depth > 1e-9, 1 / np.maximum(depth, 1e-9), 0.0)
    focal = h / 2 / np.tan(np.radians(FIELD) / 2)
    x, y = (focal * (rest @ axis) * closeness for axis in (view.right, view.up))
    return np.column_stack([w / 2 + x, h / 2 - y]), closeness


# -- one picture ------------------------------------------------------------------------------------------------------


def _picture(s: Surface, view: Eye, camera: Camera, paper: Array, w: int, h: int) -> Array:
    """Draw the floor, shadows, opaque triangles, then transparent ones."""
    image = paper.copy()
    _cast_shadow(image, s, view, camera, w, h)
    at, closeness = _screen(view, s.vertices, w, h)
    bright, gloss = _light(s, view)
    corners = at[s.triangles]
    seen = _turned_to_us(corners) & np.all(closeness[s.triangles] > 0, axis=1)
    best = np.zeros(w * h)
    for glass in (False, True):
        chosen = seen & ((s.opacity < 1) == glass)
        numbers, opacity = s.triangles[chosen], s.opacity[chosen]
        f = fragments(corners[chosen], w, h)
        near = f.values(closeness[numbers])
        lit = s.colours[chosen], bright[numbers], gloss[numbers]
        if not glass:
            k = np.flatnonzero(nearest(f.pixel, near, best))
            image[f.pixel[k]] = _colour(f, k, *lit)
            continue
        front = np.flatnonzero(near > best[f.pixel])
        for layer in layers(f.pixel[front], near[front]):
            k = front[layer]
            share = opacity[f.triangle[k]][:, None]
            image[f.pixel[k]] = share * _colour(f, k, *lit) + (1 - share) * image[f.pixel[k]]
    return image


def _colour(f: Fragments, k: Array, colours: Array, bright: Array, gloss: Array) -> Array:
    return np.asarray(colours[f.triangle[k]] * f.values(bright, k)[:, None] + f.values(gloss, k)[:, None])


def _turned_to_us(corners: Array) -> Array:
    """Which triangles on the screen face the eye: counter-clockwise, with y pointing down."""
    (ax, ay), (bx, by) = (np.moveaxis(corners[:, k] - corners[:, 0], -1, 0) for k in (1, 2))
    return np.asarray(ax * by - ay * bx < 0)


def _light(s: Surface, view: Eye) -> tuple[Array, Array]:
    """Diffuse light and gloss of the vertices, as in the page."""
    away = view.eye - s.vertices
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    sun, sky = 0.5 + 0.5 * (s.normals @ LIGHT), 0.5 + 0.5 * s.normals[:, 2]
    lamp = np.maximum(np.einsum("ij,ij->i", s.normals, away), 0)
    between = LIGHT + away
    between /= np.maximum(np.linalg.norm(between, axis=1, keepdims=True), 1e-9)
    gloss = np.maximum(np.einsum("ij,ij->i", s.normals, between), 0) ** 48
    return 0.22 + 0.52 * sun**2 + 0.16 * sky + 0.24 * lamp, 0.16 * gloss


def _cast_shadow(image: Array, s: Surface, view: Eye, camera: Camera, w: int, h: int) -> None:
    if view.eye[2] <= camera.floor:
        return
    fallen = s.vertices - LIGHT * ((s.vertices[:, 2:] - camera.floor) / LIGHT[2])
    at, closeness = _screen(view, fallen, w, h)
    corners = at[s.triangles]
    chosen = _turned_to_us(corners) & np.all(closeness[s.triangles] > 0, axis=1)  # the lit side is enough
    dark = np.zeros(w * h, dtype=bool)
    dark[fragments(corners[chosen], w, h).pixel] = True
    image[dark] *= 1 - SHADOW


def _floor(view: Eye, camera: Camera, w: int, h: int) -> Array:
    """The floor with the lines of the grid, fading with distance."""
    image = np.tile(PAPER, (w * h, 1))
    slope = np.tan(np.radians(FIELD) / 2)
    x = (np.arange(w) + 0.5 - w / 2) / (h / 2) * slope
    y = (h / 2 - np.arange(h) - 0.5) / (h / 2) * slope
    ray = x[None, :, None] * view.right + y[:, None, None] * view.up - view.away
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (camera.floor - view.eye[2]) / ray[..., 2]
        place = view.eye + reach[..., None] * ray
        visible = (reach > 0) & np.isfinite(reach)
        looked_at = view.eye - view.away * np.linalg.norm(view.eye - camera.points.mean(axis=0))
        far = np.linalg.norm(place[..., :2] - looked_at[:2], axis=-1) / (3.2 * camera.size)
        fade = np.where(visible, 1 - _smooth(0.35, 1.0, far), 0.0)
        ink = np.maximum(0.45 * _lines(place, camera.step), _lines(place, 5 * camera.step)) * fade * 0.42
    ink = np.nan_to_num(ink).reshape(-1, 1)
    return np.asarray(image * (1 - ink) + GRID * ink, dtype=np.float32)


def _lines(place: Array, step: float) -> Array:
    """The share of each pixel on a line of the grid."""
    found = np.zeros(place.shape[:2])
    for k in (0, 1):
        a = place[..., k] / step
        wide = np.abs(np.gradient(a, axis=0)) + np.abs(np.gradient(a, axis=1))
        near = np.abs((a - 0.5) % 1.0 - 0.5)
        found = np.maximum(found, (1 - _smooth(0.0, 1.6 * wide, near)) * (1 - _smooth(0.2, 0.6, wide)))
    return found


def _smooth(low: Array | float, high: Array | float, x: Array) -> Array:
    s = np.clip((x - low) / np.maximum(np.asarray(high) - low, 1e-12), 0, 1)
    return np.asarray(s * s * (3 - 2 * s))


def _reduced(image: Array, width: int, height: int) -> Array:
    """The supersampled picture averaged to pixels, as bytes."""
    fine = image.reshape(height, FINER, width, FINER, 3)
    total = sum(fine[:, i, :, j] for i in range(FINER) for j in range(FINER))
    return np.asarray(np.clip(total * (255 / FINER**2) + 0.5, 0, 255).astype(np.uint8))
