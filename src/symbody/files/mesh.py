"""A surface of triangles with normals, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices and unit normals (n, 3), and triangles (m, 3) of vertex indices, counter-clockwise from outside."""

    vertices: Array
    normals: Array
    triangles: Array
    deviation: float = 0.0  # largest distance of the edges from the round surface they approximate
    coarser: Mesh | None = None
    uv: Array | None = None  # texture coordinates of the vertices (n, 2), v upwards

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        parts = (self.vertices, self.normals, self.triangles, self.uv)
        return sum(part.nbytes for part in parts if part is not None)


def faceted(corners: Array, uv: Array | None = None) -> Mesh:
    """Triangles from corners (m, 3, 3), with flat faces; uv: texture coordinates (m, 3, 2).

    Triangles without area are left out.
    """
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(n, axis=1)
    real = length > 0
    n = n[real] / length[real, None]
    flat, painted = np.arange(3 * len(n)).reshape(-1, 3), None if uv is None else uv[real].reshape(-1, 2)
    return Mesh(corners[real].reshape(-1, 3), np.repeat(n, 3, axis=0), flat, uv=painted)


def scaled(mesh: Mesh, by: Array) -> Mesh:
    """A mesh scaled along its axes. If this mirrors it, the faces are reversed."""
    normals = mesh.normals * by[[1, 2, 0]] * by[[2, 0, 1]] * np.sign(np.prod(by))
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    triangles = mesh.triangles if np.prod(by) > 0 else mesh.triangles[:, ::-1]
    return Mesh(mesh.vertices * by, normals, triangles, uv=mesh.uv)
