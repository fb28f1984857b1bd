"""Convex shapes of a scene: polygons in the plane, polyhedra in space (m, on the axes of their link)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.haptics.structures import LOOP

Array = NDArray[np.float64]
FLAT = 1e-9  # of the size: smaller deviations from convexity are rounding errors


def _checked(points: Any, columns: int, least: int) -> Array:
    """Points as rows; raises if they cannot form a shape."""
    found = np.array(points, dtype=float)
    if found.ndim != 2 or found.shape[1] != columns or len(found) < least or not np.isfinite(found).all():
        problem = f"a shape with points of shape {np.shape(points)}"
        raise ModelError(problem, cure=f"give at least {least} finite points of {columns} numbers")
    return found


@dataclass(frozen=True, eq=False)
class Polygon:
    """A convex polygon.

    Parameters
    ----------
    corners : array, shape (n, 2)
        In order, clockwise or counter-clockwise (m).
    """

    corners: Sequence[Sequence[float]] | Array

    @cached_property
    def points(self) -> Array:
        """Corners counter-clockwise, (n, 3) with z = 0."""
        xy = _checked(self.corners, 2, 3)
        after = np.roll(xy, -1, axis=0)
        if 0.5 * float(np.sum(xy[:, 0] * after[:, 1] - after[:, 0] * xy[:, 1])) < 0.0:
            xy = xy[::-1]
        edges = np.roll(xy, -1, axis=0) - xy
        turn = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1] - edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
        if np.any(turn <= FLAT * np.max(np.abs(edges)) ** 2):
            raise ModelError(
                "the polygon is not convex, or three corners are in line", cure="divide it into convex ones"
            )
        return np.column_stack([xy, np.zeros(len(xy))])

    faces: ClassVar[tuple[tuple[int, ...], ...]] = ()


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """The convex hull of points.

    Parameters
    ----------
    corners : array, shape (n, 3)
        The points (m).
    """

    corners: Sequence[Sequence[float]] | Array

    @cached_property
    def _hull(self) -> tuple[Array, tuple[tuple[int, ...], ...]]:
        """Points of the hull, and its faces as loops of indices, counter-clockwise from outside."""
        from scipy.spatial import ConvexHull, QhullError

        given = _checked(self.corners, 3, 4)
        try:
            hull = ConvexHull(given)
        except QhullError as error:
            raise ModelError("the polyhedron has no volume", cure="give points that span a volume") from error
        points = given[hull.vertices]
        planes = np.unique(np.round(hull.equations, 9), axis=0)
        faces = []
        for *normal, offset in planes:
            on = np.flatnonzero(np.abs(points @ np.array(normal) + offset) < 1e-7 * np.ptp(points))
            middle = points[on].mean(axis=0)
            first = points[on[0]] - middle
            side = np.cross(normal, first)
            angle = np.arctan2((points[on] - middle) @ side, (points[on] - middle) @ first)
            faces.append(tuple(int(k) for k in on[np.argsort(angle)]))
        if max(map(len, faces)) > LOOP:
            raise ModelError(f"a face has {max(map(len, faces))} corners", cure=f"use at most {LOOP}")
        return points, tuple(faces)

    @property
    def points(self) -> Array:
        """Corners (n, 3)."""
        return self._hull[0]

    @property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Faces as loops of corner indices."""
        return self._hull[1]


Shape = Polygon | Polyhedron


def rectangle(width: float, height: float, at: Sequence[float] = (0.0, 0.0)) -> Polygon:
    """A rectangle about a point.

    Parameters
    ----------
    width, height : float
        Edges (m).
    at : sequence of float
        Its centre (m). Default (0, 0).

    Returns
    -------
    Polygon
        Shape for planar bodies.
    """
    x, y = 0.5 * width, 0.5 * height
    return Polygon([(at[0] + i, at[1] + j) for i, j in ((-x, -y), (x, -y), (x, y), (-x, y))])


def box(x: float, y: float, z: float, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Polyhedron:
    """A box about a point.

    Parameters
    ----------
    x, y, z : float
        Edges (m).
    at : sequence of float
        Its centre (m). Default (0, 0, 0).

    Returns
    -------
    Polyhedron
        Shape for bodies in space.
    """
    signs = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    return Polyhedron(signs * (x, y, z) + np.array(at, dtype=float))


def face_normals(shape: Shape) -> Array:
    """Outward normals of the faces (n, 3); empty for a polygon."""
    found = [np.cross(p[1] - p[0], p[2] - p[0]) for p in (shape.points[list(face)] for face in shape.faces)]
    return np.array([n / np.linalg.norm(n) for n in found]).reshape(-1, 3)


def edge_directions(shape: Shape) -> Array:
    """Unit directions of the edges, each once up to its sign (n, 3); empty for a polygon."""
    found: list[Array] = []
    for face in shape.faces:
        loop = shape.points[list(face)]
        for edge in np.roll(loop, -1, axis=0) - loop:
            direction = edge / np.linalg.norm(edge)
            if all(abs(float(direction @ other)) < 1.0 - 1e-9 for other in found):
                found.append(direction)
    return np.array(found).reshape(-1, 3)


def thickness(shape: Shape) -> float:
    """The smallest distance between two parallel lines or planes that enclose a shape (m)."""
    if shape.faces:
        widths = shape.points @ face_normals(shape).T
    else:
        edges = np.roll(shape.points, -1, axis=0) - shape.points
        normals = np.column_stack([edges[:, 1], -edges[:, 0], 0.0 * edges[:, 0]])
        widths = shape.points @ (normals / np.linalg.norm(normals, axis=1, keepdims=True)).T
    return float(np.min(np.ptp(widths, axis=0)))
