"""Hulls that are kept from one start to the next."""

import numpy as np

from symbody.visual import convex_hull as module
from symbody.visual.convex_hull import convex_hull, kept


def volume(points, triangles):
    """By the divergence theorem; negative where triangles are seen from inside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


def test_a_box_has_its_volume_seen_from_outside():
    corners = np.array(list(np.ndindex(2, 2, 2))) * (1.0, 2.0, 3.0)
    inner = np.vstack([corners, [[0.5, 1.0, 1.5]]])
    triangles = convex_hull(inner)
    assert len(triangles) == 12
    assert triangles.max() < 8
    assert abs(volume(inner, triangles) - 6.0) < 1e-12


def test_a_second_start_needs_no_library(monkeypatch):
    points = np.random.default_rng(1).normal(size=(40, 3))
    first = convex_hull(points)
    monkeypatch.setattr(module, "_triangles", None)
    assert np.array_equal(convex_hull(points), first)


def test_other_numbers_are_computed_anew():
    given = np.array([1.0, 2.0])
    assert kept("twice", given, lambda x: 2 * x).tolist() == [2.0, 4.0]
    assert kept("twice", given + 1, lambda x: 2 * x).tolist() == [4.0, 6.0]
    assert kept("thrice", given, lambda x: 3 * x).tolist() == [3.0, 6.0]
