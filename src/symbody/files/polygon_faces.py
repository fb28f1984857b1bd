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
_EAR = 20  # steps of the budget, for one corner that is examined
_FLAT = np.finfo(np.float32).eps  # of the cross product of two edges


def triangulated(places: Matrix, faces: Sequence[Sequence[int]], budget: ReadBudget) -> Faces:
    """Triangles (m, 3) of faces with any number of corners, as indices of places (n, 3)."""
    points = places.astype(np.float32)
    found = [np.array([face for face in faces if len(face) == 3], dtype=int).reshape(-1, 3)]
    found += _quadrilaterals(points, np.array([face for face in faces if len(face) == 4], dtype=int).reshape(-1, 4))
    ears = [ear for face in faces if len(face) > 4 for ear in _ears(points, list(face), budget)]
    return np.concatenate([*found, np.array(ears, dtype=int).reshape(-1, 3)])


def _quadrilaterals(points: _Single, faces: Faces) -> list[Faces]:
    """Two triangles of each face (m, 4), on both sides of the shorter diagonal."""
    across = [points[faces[:, k + 2]] - points[faces[:, k]] for k in (0, 1)]
    first = ((across[0] ** 2).sum(axis=1) < (across[1] ** 2).sum(axis=1))[:, np.newaxis]
    return [
        np.where(first, faces[:, [0, 1, 2]], faces[:, [0, 1, 3]]),
        np.where(first, faces[:, [0, 2, 3]], faces[:, [1, 2, 3]]),
    ]


def _ears(points: _Single, face: list[int], budget: ReadBudget) -> list[tuple[int, int, int]]:
    """Triangles of a polygon, cut off one by one in the plane of two coordinates."""
    flat = points[:, _axes(points, face)]
    found: list[tuple[int, int, int]] = []
    at, left = 0, len(face)  # the first corner of the next ear; corners to examine before giving up
    while len(face) > 3 and left:
        count = len(face)
        at, left = at % count, left - 1
        budget.spend("steps", _EAR)
        ear = [face[(at + k) % count] for k in range(3)]
        a, b, c = flat[ear]
        cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        area = a[0] * b[1] - a[1] * b[0]
        others = [face[(at + k) % count] for k in range(3, count)]
        if cross * area < 0 or _inside(flat[ear], flat[others]).any():
            at += 1
            continue
        found.append((ear[0], ear[1], ear[2]))
        del face[(at + 1) % count]
        left = count
    return found + ([(face[0], face[1], face[2])] if len(face) == 3 else [])


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
    """Which points (n, 2) lie in a triangle (3, 2): those from which a ray crosses its edges an odd number of times."""
    x, y = points[:, 0], points[:, 1]
    found = np.zeros(len(points), dtype=bool)
    for (xi, yi), (xj, yj) in zip(triangle, np.roll(triangle, 1, axis=0), strict=True):
        if yi != yj:
            found ^= ((yi > y) != (yj > y)) & (x < (xj - xi) * (y - yi) / (yj - yi) + xi)
    return found
