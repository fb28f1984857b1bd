"""Looks from outlines: sizes, positions, colours and repetitions along y."""

import numpy as np
import pytest

from symbody.visual.outline_parts import outline_looks

MATERIALS = {"steel": ("#aab2bb", "steel"), "felt": ("#f3eee2", "felt")}


def test_a_plate_has_its_outline_and_width():
    plate = {"plate": {"outline": [[0, 0], [10, 0], [10, 5], [0, 5]], "y": [-2, 2], "round": 0.5, "of": "steel"}}
    (look,) = outline_looks([plate], (1.0, 2.0), MATERIALS, 1e-3)
    corners = look.mesh.vertices @ look.place[:, :3].T + look.place[:, 3]
    assert (look.colour, look.material) == ("#aab2bb", "steel")
    assert corners.min(axis=0) == pytest.approx([-0.0015, -0.002, -0.0025], abs=1e-6)
    assert corners.max(axis=0) == pytest.approx([0.0095, 0.002, 0.0035], abs=1e-6)


def test_rods_rolls_and_balls_stand_where_they_are_drawn():
    parts = [
        {"rod": {"from": [0, 0], "to": [0, 4], "radius": 1, "of": "steel"}},
        {"roll": {"at": [3, 1], "radius": 2, "y": [-1, 5], "of": "felt"}},
        {"ball": {"at": [1, 2], "radius": 3, "of": "felt", "each": [0, 10]}},
    ]
    rod, roll, *balls = outline_looks(parts, (0.0, 0.0), MATERIALS)
    assert (rod.mesh, roll.mesh, balls[0].mesh) == ("cylinder", "cylinder", "ball")
    assert rod.place[:, 2] == pytest.approx([0.0, 0.0, 4.0])
    assert roll.place[:, 3] == pytest.approx([3.0, -1.0, 1.0])
    assert np.linalg.norm(roll.place[:, 2]) == pytest.approx(6.0)
    assert [ball.place[1, 3] for ball in balls] == [0.0, 10.0]
