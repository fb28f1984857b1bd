"""Hulls that are kept from one start to the next, and solids that share theirs (surfaces.py)."""

import numpy as np
import pytest

from symbody.visual import convex_hull as module
from symbody.visual.convex_hull import convex_hull, kept
from symbody.visual.surfaces import SIDES, bar, block


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
    monkeypatch.setattr(module, "hull_triangles", None)
    assert np.array_equal(convex_hull(points), first)


def test_other_numbers_are_computed_anew():
    given = np.array([1.0, 2.0])
    assert kept("twice", given, lambda x: 2 * x).tolist() == [2.0, 4.0]
    assert kept("twice", given + 1, lambda x: 2 * x).tolist() == [4.0, 6.0]
    assert kept("thrice", given, lambda x: 3 * x).tolist() == [3.0, 6.0]


def test_boxes_and_bars_are_closed_and_seen_from_outside_whatever_their_places():
    rng = np.random.default_rng(2)
    for _ in range(20):
        low, high, radius = rng.normal(size=3), rng.normal(size=3), rng.uniform(0.1, 1.0)
        assert enclosed(block(low, high)) == pytest.approx(float(np.prod(np.abs(high - low))))
        ring = 0.5 * SIDES * radius**2 * np.sin(2 * np.pi / SIDES)  # area of its end
        long = np.linalg.norm(high - low)
        assert enclosed(bar(low, high, radius)) == pytest.approx(ring * long)
        assert enclosed(bar(low, high, radius, 0.5)) == pytest.approx(ring * long * (1 + 0.5 + 0.25) / 3)


def enclosed(corners):
    """The volume in triangles given by their corners."""
    return volume(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
