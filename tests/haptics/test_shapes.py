"""Convex shapes, and the contacts that C finds between them (polygon.h, polyhedron.h)."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_scenes import rotation

from symbody.errors import ModelError
from symbody.haptics import HapticBody, HapticScene, Polygon, Polyhedron, box, rectangle
from symbody.haptics.shapes import edge_directions, face_normals, thickness


def test_polygons_are_taken_either_way_round():
    one, other = Polygon([(0, 0), (1, 0), (0, 1)]), Polygon([(0, 1), (1, 0), (0, 0)])
    for shape in (one, other):
        x, y = shape.points[:, 0], shape.points[:, 1]
        assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) == pytest.approx(1.0)


@pytest.mark.parametrize("corners", [
    [(0, 0), (1, 0)], [(0, 0), (1, 0), (2, 0)], [(0, 0), (1, 0), (0.1, 0.1), (0, 1)], [(0, 0), (1, 0), (0, np.nan)],
])  # fmt: skip
def test_what_is_no_convex_polygon_is_refused(corners):
    with pytest.raises(ModelError):
        _ = Polygon(corners).points


def test_a_flat_polyhedron_is_refused():
    with pytest.raises(ModelError, match="volume"):
        _ = Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]).points


def test_a_box_has_six_faces_and_three_directions():
    shape = box(1.0, 2.0, 3.0)
    assert sorted(len(face) for face in shape.faces) == [4] * 6
    assert face_normals(shape).sum(axis=0) == pytest.approx(0.0)
    assert len(edge_directions(shape)) == 3
    assert thickness(shape) == pytest.approx(1.0)
    for face, normal in zip(shape.faces, face_normals(shape), strict=True):  # outwards
        assert shape.points[list(face)].mean(axis=0) @ normal > 0.4


def two(a, b, q, planar=True):
    """Two bodies, the second at a pose."""
    inertia = 0.01 if planar else (0.01, 0.01, 0.01)
    far = (100.0, 0.0, 0.0)
    scene = HapticScene([HapticBody("a", a, 1.0, inertia), HapticBody("b", b, 1.0, inertia, far)])
    scene.q[len(scene.q) // 2 :] = q
    assert scene._look()
    return scene


def test_faces_touch_at_two_points_a_corner_at_one():
    scene = two(rectangle(2, 2), rectangle(1, 1), (0.2, 1.5 - 0.01, 0.0))
    found = scene.contacts()
    assert sorted(c.point[0] for c in found) == pytest.approx([-0.3, 0.7])
    assert [c.s for c in found] == pytest.approx([-0.01, -0.01])
    assert found[0].normal == pytest.approx([0, -1, 0])  # from b to a
    scene = two(rectangle(2, 2), rectangle(1, 1), (0.0, 1.0 + np.sqrt(0.5) - 0.01, np.pi / 4))
    (found,) = scene.contacts()
    assert found.s == pytest.approx(-0.01)
    assert found.point == pytest.approx([0.0, 0.99, 0.0], abs=1e-12)


def test_an_edge_that_overhangs_is_cut_to_the_width():
    scene = two(rectangle(1, 1), rectangle(4, 1), (1.0, 1.0 - 0.02, 0.0))
    assert sorted(c.point[0] for c in scene.contacts()) == pytest.approx([-0.5, 0.5])


def depth2(p, q):
    """The least translation that separates two convex polygons: the distance of the origin from the edge of p − q."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull((p[:, None, :2] - q[None, :, :2]).reshape(-1, 2))
    return -np.max(hull.equations[:, -1])  # above zero: they overlap by that


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_depths_are_those_of_the_minkowski_difference(seed):
    random = np.random.default_rng(seed)
    a, b = (Polygon(convex(random)) for _ in range(2))
    q = np.array([*random.uniform(-1.5, 1.5, 2), random.uniform(-4, 4)])
    scene = two(a, b, q)
    c, s = np.cos(q[2]), np.sin(q[2])
    moved = b.points[:, :2] @ np.array([[c, s], [-s, c]]) + q[:2]
    expected = depth2(a.points, np.column_stack([moved, np.zeros(len(moved))]))
    found = [contact.s for contact in scene.contacts()]
    assert bool(found) == (expected > 0.0)
    if found:
        assert -min(found) == pytest.approx(expected, abs=1e-9)


def convex(random, n=9):
    """A convex polygon of random corners."""
    from scipy.spatial import ConvexHull

    points = random.normal(size=(n, 2)) * 0.5
    return points[ConvexHull(points).vertices]


@settings(max_examples=40, deadline=None)
@example(11892)
@given(st.integers(0, 10**6))
def test_depths_in_space_are_those_of_the_minkowski_difference(seed):
    from scipy.spatial import ConvexHull

    random = np.random.default_rng(seed)
    a, b = box(*random.uniform(0.3, 1.0, 3)), Polyhedron(random.normal(size=(8, 3)) * 0.4)
    turn = random.normal(size=4)
    turn /= np.linalg.norm(turn)
    q = np.array([*random.uniform(-0.8, 0.8, 3), *turn])
    scene = two(a, b, q, planar=False)
    moved = b.points @ rotation(turn).T + q[:3]
    expected = -np.max(ConvexHull((a.points[:, None] - moved[None]).reshape(-1, 3)).equations[:, -1])
    found = [contact.s for contact in scene.contacts()]
    assert bool(found) == (expected > 0.0)
    if found:
        assert -min(found) == pytest.approx(expected, abs=2e-5)  # faces are preferred to edges by 1e-5


def test_signs_agree_with_coal():
    coal = pytest.importorskip("coal")
    random, seen = np.random.default_rng(5), set()
    for _ in range(60):
        sizes = random.uniform(0.3, 1.0, (2, 3))
        turn = random.normal(size=4)
        turn /= np.linalg.norm(turn)
        q = np.array([*random.uniform(-0.8, 0.8, 3), *turn])
        scene = two(box(*sizes[0]), box(*sizes[1]), q, planar=False)
        a, b = (coal.Box(*size) for size in sizes)
        there = coal.Transform3s(rotation(turn), q[:3])
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        apart = coal.distance(a, coal.Transform3s.Identity(), b, there, request, result)
        depths = [c.s for c in scene.contacts()]
        seen.add(bool(depths))
        if abs(apart) > 1e-4:
            assert bool(depths) == (apart < 0.0)
    assert seen == {True, False}
