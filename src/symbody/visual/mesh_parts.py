"""Surfaces as files hold them: bounded and checked, moved into one frame, gathered by colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.model.mesh_file import check_near
from symbody.visual.mesh import Array, Mesh, faceted
from symbody.visual.scene import Look, placed


@dataclass(frozen=True, eq=False)
class MeshPart:
    """A surface of one material; colour None: the file says none."""

    mesh: Mesh
    colour: str | None = None  # #rrggbb
    opacity: float = 1.0


def surface(places: Array, normals: Array | None, triangles: Array) -> Mesh:
    """Triangles (m, 3) of places by their numbers; without normals, or with some that are no directions: flat faces."""
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < len(places)):
        raise ModelError("a face with a corner that does not exist", cure="export it again")
    used, renumbered = np.unique(triangles, return_inverse=True)
    corners, faces = np.asarray(places[used], dtype=float), renumbered.reshape(-1, 3)
    check_near(corners)
    if normals is None or len(normals) != len(places):
        return faceted(corners[faces])
    ways = np.asarray(normals[used], dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(ways, axis=1, keepdims=True)
    if not (np.isfinite(length).all() and (length > 0).all()):
        return faceted(corners[faces])
    return Mesh(corners, ways / length, faces)


def transformed(mesh: Mesh, matrix: Array) -> Mesh:
    """A mesh moved by a matrix (4, 4); normals go by the cofactors, and a mirrored mesh is turned inside out again."""
    linear, sign = matrix[:3, :3], np.sign(np.linalg.det(matrix[:3, :3]))
    vertices = mesh.vertices @ linear.T + matrix[:3, 3]
    check_near(vertices)
    cofactors = np.array([np.cross(linear[(k + 1) % 3], linear[(k + 2) % 3]) for k in range(3)])
    normals = mesh.normals @ (sign * cofactors).T
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.where(length > 0, length, 1.0), mesh.normals)
    return Mesh(vertices, normals, mesh.triangles if sign >= 0 else mesh.triangles[:, ::-1])


def gathered(parts: Iterable[MeshPart]) -> list[Look]:
    """Looks in the frame of the file, one for each colour: what is drawn at once costs once."""
    by_colour: dict[tuple[str | None, float], list[Mesh]] = {}
    for part in parts:
        if len(part.mesh.triangles):
            by_colour.setdefault((part.colour, part.opacity), []).append(part.mesh)
    if not by_colour:
        raise ModelError("a mesh without triangles", cure="export it again")
    return [Look(_joined(meshes), placed(), *paint) for paint, meshes in by_colour.items()]


def _joined(meshes: Sequence[Mesh]) -> Mesh:
    first = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    triangles = np.vstack([m.triangles + start for m, start in zip(meshes, first, strict=True)])
    return Mesh(np.vstack([m.vertices for m in meshes]), np.vstack([m.normals for m in meshes]), triangles)
