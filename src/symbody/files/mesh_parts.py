"""Surfaces from files: limited, checked and moved into one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Array, Mesh, faceted
from symbody.files.mesh_file import FARTHEST, check_near
from symbody.files.texture import Texture

PLACED = 300  # steps to move a surface, however small it is


@dataclass(frozen=True, eq=False)
class MeshPart:
    """A surface of one material. colour None: the file gives none."""

    mesh: Mesh
    colour: str | None = None  # #rrggbb
    opacity: float = 1.0
    texture: Texture | None = None  # on the texture coordinates of the mesh


def surface(places: Array, normals: Array | None, triangles: Array, uv: Array | None = None) -> Mesh:
    """Triangles (m, 3) as indices into positions. Without valid normals the faces are flat.

    uv: texture coordinates of the positions (n, 2); ignored if they are not finite or too few.
    """
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < len(places)):
        raise ModelError("a face refers to a missing corner", cure="export it again")
    used, renumbered = np.unique(triangles, return_inverse=True)
    corners, faces = np.asarray(places[used], dtype=float), renumbered.reshape(-1, 3)
    check_near(corners)
    spots = np.asarray(uv[used], dtype=float)[:, :2] if uv is not None and len(uv) == len(places) else None
    if spots is not None and not np.all(np.abs(spots) < FARTHEST):
        spots = None
    flat = None if spots is None else spots[faces]
    if normals is None or len(normals) != len(places):
        return faceted(corners[faces], flat)
    ways = np.asarray(normals[used], dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(ways, axis=1, keepdims=True)
    if not (np.isfinite(length).all() and (length > 0).all()):
        return faceted(corners[faces], flat)
    return Mesh(corners, ways / length, faces, uv=spots)


def transformed(mesh: Mesh, matrix: Array) -> Mesh:
    """A mesh moved by a matrix (4, 4). Normals use the cofactors; if the matrix mirrors, the faces are reversed."""
    linear = matrix[:3, :3]
    a, b, c = linear.tolist()
    cofactors = np.array([_cross(b, c), _cross(c, a), _cross(a, b)])  # np.cross takes ten times as long for one matrix
    sign = np.sign(linear[0] @ cofactors[0])
    vertices = mesh.vertices @ linear.T + matrix[:3, 3]
    check_near(vertices)
    normals = mesh.normals @ (sign * cofactors).T
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.where(length > 0, length, 1.0), mesh.normals)
    return Mesh(vertices, normals, mesh.triangles if sign >= 0 else mesh.triangles[:, ::-1], uv=mesh.uv)


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
