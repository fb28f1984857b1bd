"""Faces with more than three corners as triangles, divided as MuJoCo's reader of OBJ files (tinyobjloader) does.

Corners of a face need not lie in a plane, so that the volume of a mesh depends on how its faces are divided: a
quadrilateral along its shorter diagonal, other polygons ear by ear. Single precision, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symbody.files.read_budget import ReadBudget
from symbody.model.rotation import Matrix

Faces = NDArray[np.int_]  # (m, 3), indices of points
_Single = NDArray[np.float32]
_LOOK, _PAIRS = 50, 15  # steps of the budget for a look at several corners, and pairs of corners for one more step
_LARGEST = 100_000  # pairs of corners in one look
_FLAT = np.finfo(np.float32).eps  # of the cross product of two edges


def triangulated(places: Matrix, faces: Sequence[Sequence[int]], budget: ReadBudget) -> Faces:
    """Triangles (m, 3) of faces with any number of corners, as indices of places (n, 3)."""
    points = places.astype(np.float32)
    found = [np.array([face for face in faces if len(face) == 3], dtype=int).reshape(-1, 3)]
    found += _quadrilaterals(points, np.array([face for face in faces if len(face) == 4], dtype=int).reshape(-1, 4))
    ears = [ear for face in faces if len(face) > 4 for ear in _ears(points, face, budget)]
    return np.concatenate([*found, np.array(ears, dtype=int).reshape(-1, 3)])


def _quadrilaterals(points: _Single, faces: Faces) -> list[Faces]:
    """Two triangles of each face (m, 4), on both sides of the shorter diagonal."""
    across = [points[faces[:, k + 2]] - points[faces[:, k]] for k in (0, 1)]
    first = ((across[0] ** 2).sum(axis=1) < (across[1] ** 2).sum(axis=1))[:, np.newaxis]
    return [
        np.where(first, faces[:, [0, 1, 2]], faces[:, [0, 1, 3]]),
        np.where(first, faces[:, [0, 2, 3]], faces[:, [1, 2, 3]]),
    ]


def _ears(points: _Single, face: Sequence[int], budget: ReadBudget) -> list[tuple[int, int, int]]:
    """Triangles of a polygon, cut off one by one in the plane of two coordinates."""
    flat = points[:, _axes(points, face)]
    ring, found = np.array(face, dtype=int), list[tuple[int, int, int]]()
    at, left = 0, len(ring)  # the first corner of the next ear; corners to examine before giving up
    together = 1  # corners to examine at once: more after each failure
    while len(ring) > 3 and left:
        count = len(ring)
        tried = min(together, left, max(1, _LARGEST // count))
        budget.spend("steps", _LOOK + tried * count // _PAIRS)
        starts = (at + np.arange(tried)) % count
        ears = _are_ears(flat[ring[(starts[:, None] + np.arange(count)) % count]])
        if not ears.any():
            at, left, together = at + tried, left - tried, 2 * together
            continue
        at = int(starts[ears.argmax()])
        a, b, c = ring[(at + np.arange(3)) % count].tolist()
        found.append((a, b, c))
        ring = np.delete(ring, (at + 1) % count)
        at, left, together = at % (count - 1), count, 1
    return found + ([(int(ring[0]), int(ring[1]), int(ring[2]))] if len(ring) == 3 else [])


def _are_ears(corners: _Single) -> NDArray[np.bool_]:
    """Whether the first three of n corners (k, n, 2) are an ear: the second is convex, no other is inside."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    cross = (b[:, 0] - a[:, 0]) * (c[:, 1] - b[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - b[:, 0])
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return (cross * area >= 0) & ~_inside(corners[:, :3], corners[:, 3:]).any(axis=1)


def _axes(points: _Single, face: Sequence[int]) -> list[int]:
    """The two coordinates in which the first bent corner of a polygon is seen best."""
    for k in range(len(face)):
        a, b, c = (points[face[(k + i) % len(face)]] for i in range(3))
        normal = np.abs(np.cross(b - a, c - b))
        if (normal > _FLAT).any():
            x, y, z = normal
            return [1, 2] if x > y and x > z else [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _inside(triangle: _Single, points: _Single) -> NDArray[np.bool_]:
    """Which points (k, n, 2) lie in their triangle (k, 3, 2): a ray crosses its edges an odd number of times."""
    x, y = points[:, None, :, 0], points[:, None, :, 1]  # (k, 1, n), for the three edges at once
    xi, yi = triangle[:, :, None, 0], triangle[:, :, None, 1]
    before = triangle[:, (2, 0, 1), None]
    xj, yj = before[..., 0], before[..., 1]
    rise = np.where(yi == yj, np.float32(1.0), yj - yi)
    between = (yi > y) != (yj > y)  # never where yi = yj
    crossed: NDArray[np.bool_] = np.logical_xor.reduce(between & (x < (xj - xi) * (y - yi) / rise + xi), axis=1)
    return crossed
