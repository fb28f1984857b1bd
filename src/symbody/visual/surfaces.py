"""Surfaces for looks as triangle corners (m, 3, 3): sheets, solids of revolution, convex solids; and their mesh."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from symbody.files.mesh import Array, Mesh
from symbody.model.rotation import matrix
from symbody.visual.convex_hull import convex_hull
from symbody.visual.materials import Material
from symbody.visual.scene import Look, placed, upright

Place = Array | Sequence[float]
AROUND = 32  # corners of a solid of revolution
SIDES = 12  # of a bar
CORNERS = np.array(list(np.ndindex(2, 2, 2)))  # of a box: 0 or 1 along each axis
CREASE = np.cos(np.radians(40.0))  # faces at a larger angle form an edge
GRAIN = 5  # decimals: corners nearer than 10 µm are one


def sheet(points: Array) -> Array:
    """The quadrangles of a grid (n, m, 3); visible from the side of ∂x/∂i × ∂x/∂j."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate([np.stack(corners, axis=2).reshape(-1, 3, 3) for corners in ((a, b, c), (a, c, d))])


def turned(profile: Sequence[tuple[float, float]], around: int = AROUND) -> Array:
    """A profile of radii and heights rotated about axis 2; visible from outside if its heights increase."""
    r, y = np.array(profile).T[..., np.newaxis]
    turn = np.linspace(0.0, 2.0 * np.pi, around + 1)
    return sheet(np.stack([r * np.cos(turn), y + 0.0 * turn, r * np.sin(turn)], axis=-1))


def solid(points: Array | Sequence[Place]) -> Array:
    """The convex hull of points, visible from outside."""
    given = np.asarray(points, dtype=float)
    return given[convex_hull(given)]


def bar(start: Place, end: Place, radius: float, thinner: float = 1.0) -> Array:
    """A round bar between two points; the radius at its end is `thinner` times that at its start."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    ring = radius * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn]) @ upright(b - a).T
    return np.asarray(np.vstack([a + ring, b + thinner * ring])[_bar_triangles()])


@cache
def _bar_triangles() -> npt.NDArray[np.int64]:
    """Triangles of any bar; its corners are two rings in the same order."""
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    return convex_hull(np.array([(np.cos(t), np.sin(t), end) for end in (0.0, 1.0) for t in turn]))


def cone(radius: float, height: float, sides: int) -> Array:
    """An upright cone on the origin, without a base."""
    turn = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    ring = radius * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    return np.stack([ring[:-1], ring[1:], np.tile((0.0, 0.0, height), (sides, 1))], axis=1)


def block(low: Place, high: Place) -> Array:
    """A box between two corners."""
    ends = np.sort(np.array([low, high], dtype=float), axis=0)
    return np.asarray(ends[CORNERS, [0, 1, 2]][_box_triangles()])


@cache
def _box_triangles() -> npt.NDArray[np.int64]:
    """Triangles of any box; its corners are in the order of `CORNERS`."""
    return convex_hull(CORNERS.astype(float))


def cushion(half: Place, at: Place = (0.0, 0.0, 0.0)) -> Array:
    """A box with these half edges about a point, with chamfered edges."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1.0
    cut = 0.5 * min(half)
    flat = [corners * (np.array(half) - cut * (1.0 - np.eye(3)[k])) for k in range(3)]
    return moved(solid(np.vstack(flat)), at)


def about_y(angle: float) -> Array:
    """A rotation about axis 2."""
    return matrix((0.0, angle, 0.0))


def moved(corners: Array, by: Place, turn: Array | None = None) -> Array:
    """The surface rotated about the origin, then shifted."""
    return np.asarray(corners @ (np.eye(3) if turn is None else turn).T + np.asarray(by))


def mirrored(corners: Array) -> Array:
    """The mirror image: left to right."""
    return np.asarray(corners[:, ::-1] * (1.0, -1.0, 1.0))


def both_sides(corners: Array) -> Array:
    """A surface on the left side, and its mirror image."""
    return np.concatenate([corners, mirrored(corners)])


def smooth(*surfaces: Array) -> Mesh:
    """One mesh of surfaces; the normal at a corner is the mean of the adjacent faces that form no edge."""
    corners = np.concatenate(surfaces)
    areas = _areas(corners)
    real = np.linalg.norm(areas, axis=1) > 0.0
    corners, areas = corners[real], areas[real]
    ways = areas / np.linalg.norm(areas, axis=1, keepdims=True)
    count = 3 * len(corners)
    face = np.arange(count) // 3
    _, place = np.unique(np.round(corners.reshape(-1, 3), GRAIN), axis=0, return_inverse=True)
    one, other = _pairs(place.ravel())
    alike = np.einsum("ij,ij->i", ways[face[one]], ways[face[other]]) > CREASE
    normals = np.zeros((count, 3))
    np.add.at(normals, one[alike], areas[face[other[alike]]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    kept, number = np.unique(np.round(np.hstack([corners.reshape(-1, 3), normals]), GRAIN), axis=0, return_inverse=True)
    return Mesh(kept[:, :3], kept[:, 3:], number.reshape(-1, 3))


def _pairs(place: Array) -> tuple[Array, Array]:
    """Indices of all pairs of corners at the same point, including each with itself."""
    order, many = np.argsort(place, kind="stable"), np.bincount(place)
    first = np.cumsum(many) - many  # where each point begins in that order
    one = np.repeat(np.arange(len(place)), many[place])
    within = np.arange(len(one)) - np.repeat(np.cumsum(many[place]) - many[place], many[place])
    return one, order[first[place[one]] + within]


def look(colour: str, *surfaces: Array, opacity: float = 1.0, material: Material | None = None) -> Look:
    """Surfaces in one colour and of one material, at their own place."""
    return Look(smooth(*surfaces), placed(), colour, opacity, material)


def _areas(corners: Array) -> Array:
    """Normals of triangles; their length is twice the area."""
    return np.asarray(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
