"""Meshes come back from their bytes: places to a step of the box, normals to half a degree, triangles exactly."""

import numpy as np
import pytest
from unpacked_meshes import unpacked

from symbody.files.mesh import Mesh
from symbody.visual.mesh_pack import WHOLE, mesh_rows, packed, with_coarser
from symbody.visual.primitives import ball, coil, cylinder


def heap(count):
    """A mesh of so many vertices, whose triangles jump about."""
    chance = np.random.default_rng(0)
    normals = chance.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(chance.normal(size=(count, 3)) * (1.0, 40.0, 0.0), normals, chance.integers(0, count, (50, 3)))


@pytest.mark.parametrize("mesh", [ball(2), cylinder(), coil(), heap(300), heap(70_000)])
def test_meshes_come_back(mesh):
    vertices, normals, triangles = unpacked(mesh_rows([mesh]), packed([mesh]))[0]
    extent = np.ptp(mesh.vertices, axis=0)
    np.testing.assert_allclose(vertices, mesh.vertices, rtol=0, atol=extent.max() / WHOLE)
    assert np.abs(vertices - mesh.vertices)[:, extent == 0.0].max(initial=0.0) == 0.0
    cosine = np.einsum("ij,ij->i", normals, mesh.normals) / np.linalg.norm(normals, axis=1)
    assert cosine.min() > np.cos(np.radians(0.6))
    np.testing.assert_array_equal(triangles, mesh.triangles)


def test_levels_follow_their_meshes_and_are_there_once():
    meshes = with_coarser([ball(2), cylinder(), ball(2)])
    assert len({id(mesh) for mesh in meshes[3:]}) == len(meshes) - 3
    for row, mesh in zip(mesh_rows(meshes), meshes, strict=True):
        assert (row[2] == -1) == (mesh.coarser is None)
        assert mesh.coarser is None or meshes[row[2]] is mesh.coarser
    assert packed([]) == ""
