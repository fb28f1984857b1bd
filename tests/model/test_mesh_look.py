"""Looks of bodies from mesh files: names stay beside the model, and the mesh is scaled, rotated and moved."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.model.mesh_look import LONGEST_NAME, mesh_look
from symbody.model.rotation import matrix


@pytest.mark.parametrize("seed", range(10))
def test_a_corner_of_the_file_is_scaled_then_rotated_then_moved(seed):
    rng = np.random.default_rng(seed)
    scale, position, rotation, corner = (
        rng.uniform(0.1, 5.0),
        rng.normal(size=3),
        rng.normal(size=3),
        rng.normal(size=3),
    )
    shape = mesh_look("part.stl", scale, tuple(position), tuple(rotation)).shape("folder")
    found = shape.place[:, :3] @ corner + shape.place[:, 3]
    np.testing.assert_allclose(found, matrix(rotation) @ (scale * corner) + position, atol=1e-12)
    assert (shape.kind, shape.file) == ("mesh", "folder/part.stl")


def test_names_are_relative_with_forward_slashes():
    assert mesh_look("meshes\\rod.stl").file == "meshes/rod.stl"
    assert mesh_look("./a/b.obj").shape("").file == "a/b.obj"


@pytest.mark.parametrize("file", ["", "/x.stl", "../x.stl", "a/../../x.stl", "C:\\x.stl", "C:x.stl", "\\\\h\\s\\x.stl"])
def test_names_outside_of_the_folder_are_refused(file):
    with pytest.raises(ModelError, match="beside the model"):
        mesh_look(file)


def test_wrong_numbers_colours_and_long_names_are_refused():
    for wrong in ({"scale": 0.0}, {"scale": float("nan")}, {"position": (0.0, float("inf"), 0.0)}, {"colour": "red"}):
        with pytest.raises(ModelError):
            mesh_look("a.stl", **wrong)
    with pytest.raises(ModelError):
        mesh_look("x" * LONGEST_NAME + ".stl")
