"""Surfaces of files: joined by colour, moved by matrices, checked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbody as sb
from symbody.files.mesh_file import MAX_TRIANGLES, check_count
from symbody.files.mesh_parts import MeshPart, surface, transformed
from symbody.model.file_shape import hex_colour
from symbody.visual.mesh_files import gathered
from symbody.visual.primitives import ball, box


def volume(mesh):
    """∫ dV by the divergence theorem: positive where all triangles look outwards."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@given(st.integers(0, 2**32 - 1))
def test_any_matrix_keeps_surfaces_closed_and_normals_across_them(seed):
    rng = np.random.default_rng(seed)
    matrix = np.eye(4)
    matrix[:3] = rng.normal(size=(3, 4))
    moved = transformed(box(), matrix)
    assert volume(moved) == pytest.approx(abs(np.linalg.det(matrix[:3, :3])))
    a, b, c = np.moveaxis(moved.vertices[moved.triangles], 1, 0)
    faces = np.cross(b - a, c - a)
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    np.testing.assert_allclose(moved.normals[moved.triangles[:, 0]], faces, atol=1e-6)


def test_parts_of_one_colour_become_one_look():
    looks = gathered([MeshPart(box(), "#ff0000"), MeshPart(ball(0)), MeshPart(ball(1), "#ff0000")])
    assert [look.colour for look in looks] == ["#ff0000", None]
    assert volume(looks[0].mesh) == pytest.approx(volume(box()) + volume(ball(1)))
    with pytest.raises(sb.ModelError, match="no triangles"):
        gathered([])


def test_normals_that_are_none_are_made_from_the_faces():
    mesh = box()
    bad = mesh.normals.copy()
    bad[3] = 0.0
    for normals in (None, bad, mesh.normals[:2]):
        found = surface(mesh.vertices, normals, mesh.triangles)
        a, b, c = np.moveaxis(found.vertices[found.triangles], 1, 0)
        np.testing.assert_allclose(found.normals[found.triangles[:, 0]], np.cross(b - a, c - a), atol=1e-12)
    with pytest.raises(sb.ModelError, match="missing corner"):
        surface(mesh.vertices, None, np.array([[0, 1, 24]]))


def test_limits_and_colours():
    check_count(MAX_TRIANGLES)
    with pytest.raises(sb.ModelError, match="simplify"):
        check_count(MAX_TRIANGLES + 1)
    assert hex_colour([0.0, 0.5, 2.0]) == "#0080ff"
