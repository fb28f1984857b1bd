"""Volume, centre and moments of what a triangle mesh encloses, as in MuJoCo: exact, legacy, convex, shell.

A tetrahedron of a face (d, e, f) and an apex at the origin has the volume V = d·(e × f)/6 and the second moments
∫ x xᵀ = V/20 (Σ 2 d dᵀ + Σ d eᵀ + e dᵀ). Legacy uses |V| of each: for the centre relative to the mean of the faces, for
the volume and the moments relative to that centre.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.errors import ModelError
from symbody.model.rotation import Matrix

MESH_INERTIAS = ("legacy", "exact", "convex", "shell")
LEAST = 1e-14  # m³, m²


@dataclass(frozen=True)
class MeshMass:
    """At unit density: volume (m³; for a shell its area, m²), centre (m), inertia about it per unit of mass (m²)."""

    volume: float
    centre: Matrix
    inertia: Matrix


def mesh_mass(corners: Matrix, kind: str) -> MeshMass:
    """Mass properties of triangles (m, 3, 3). For the kind convex, give those of the hull of all points."""
    if kind == "exact":
        _check_orientation(corners)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2  # their lengths are the areas
    areas, middles = np.linalg.norm(normals, axis=1), corners.mean(axis=1)
    corners, normals, areas, middles = (x[areas > 0] for x in (corners, normals, areas, middles))
    if not areas.sum() > LEAST:
        raise ModelError("the mesh has no area", cure="export it again, or give the body an <inertial>")
    apex = (areas @ middles) / areas.sum()
    if kind == "shell":
        return MeshMass(float(areas.sum()), apex, _inertia(corners - apex, areas, 12.0))
    volumes = _volumes(middles - apex, normals, kind)
    total = float(volumes.sum())
    if not total > LEAST:
        raise ModelError("the mesh has no volume", cure="turn its faces outwards, or give the body an <inertial>")
    centre = volumes @ (0.75 * middles + 0.25 * apex) / total
    about = _volumes(middles - centre, normals, kind)
    return MeshMass(float(about.sum()), centre, _inertia(corners - centre, about, 20.0))


def _check_orientation(corners: Matrix) -> None:
    """Raise ModelError if two faces pass an edge in the same direction."""
    _, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    a, b, c = numbers.reshape(-1, 3).T
    solid = (a != b) & (b != c) & (c != a)
    edges = np.concatenate([np.column_stack(pair)[solid] for pair in ((a, b), (b, c), (c, a))])
    if len(np.unique(edges, axis=0)) < len(edges):
        cure = 'turn all faces outwards and remove repeated ones, use inertia="legacy", or give the body an <inertial>'
        raise ModelError("faces of the mesh have inconsistent orientation, so that it has no exact volume", cure=cure)


def _volumes(middles: Matrix, normals: Matrix, kind: str) -> Matrix:
    """Volumes of the tetrahedra from the origin; signed, except in legacy mode."""
    signed = np.einsum("ij,ij->i", middles, normals) / 3
    return np.asarray(np.abs(signed) if kind == "legacy" else signed)


def _inertia(corners: Matrix, weights: Matrix, share: float) -> Matrix:
    """Inertia of faces (share 12) or of tetrahedra on them (share 20), about the origin, per unit of mass."""
    sums = corners.sum(axis=1)
    products = np.einsum("m,mki,mkj->ij", weights, corners, corners) + np.einsum("m,mi,mj->ij", weights, sums, sums)
    second = products / share / weights.sum()
    return np.asarray(np.trace(second) * np.eye(3) - second)


def hull(points: Matrix) -> Matrix:
    """Triangles (m, 3, 3) of the convex hull of points."""
    return np.asarray(points[hull_triangles(points)])


def hull_triangles(points: Matrix) -> Matrix:
    """Triangles (m, 3) of the hull of points (n, 3) as indices, counter-clockwise from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise ModelError("the points enclose no volume", cure="export the mesh again") from error
    a, b, c = (points[found.simplices[:, k]] for k in range(3))
    inside_out = np.einsum("ij,ij->i", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
    return np.asarray(np.where(inside_out[:, np.newaxis], found.simplices[:, ::-1], found.simplices))
