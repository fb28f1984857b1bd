"""Height maps, the mountain and paths at constant speed.

Tests of height_map.py, image_file.py, mountain.py, piste.py, ground_path.py, waypoint_planner.py, spline_planner.py.
"""

from functools import cache

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline
from scipy.spatial import cKDTree

from orderings import Ordering, check
from symbody.errors import ModelError
from symbody.terrain import (
    GroundPath,
    HeightMap,
    Piste,
    mountain,
    read_height_map,
    seat_frames,
    seat_motion,
    spline_path,
    waypoint_path,
)

G = 9.81


@pytest.fixture(scope="module")
def scene():
    return mountain(seed=3)


def plane(angle=0.0, size=60, spacing=4.0):
    """Ground that falls along x by an angle (rad)."""
    x = spacing * np.arange(size)
    return HeightMap(np.tile(-np.tan(angle) * x, (size, 1)), spacing)


# -- heights -----------------------------------------------------------------------------------------------------------


def test_heights_between_the_points_are_those_of_a_bicubic_spline(scene):
    ground, rng = scene.ground, np.random.default_rng(0)
    x, y = rng.uniform(-600, 600, 300), rng.uniform(300, 2100, 300)
    D = ground.derivatives(x, y)
    other = RectBivariateSpline(ground.x, ground.y, ground.heights.T)  # differs near the border only
    for (a, b), size in {
        (0, 0): 1e-9,
        (0, 1): 1e-10,
        (1, 0): 1e-10,
        (1, 1): 1e-11,
        (0, 2): 1e-11,
        (2, 0): 1e-11,
    }.items():
        np.testing.assert_allclose(D[:, a, b], other(x, y, dx=b, dy=a, grid=False), rtol=0, atol=size)
    for k in range(5):
        np.testing.assert_allclose(ground.derivatives(x[k], y[k]), D[k], rtol=0, atol=1e-9)


def test_the_spline_goes_through_the_heights_also_at_the_border(scene):
    ground = scene.ground
    x, y = np.meshgrid(ground.x, ground.y)
    np.testing.assert_allclose(ground.height(x, y), ground.heights, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("heights", "spacing", "problem"),
    [
        (np.zeros((3, 9)), 1.0, "shape"),
        (np.zeros(9), 1.0, "shape"),
        (np.full((5, 5), np.nan), 1.0, "not finite"),
        (np.zeros((5, 5)), 0.0, "spacing"),
        (np.zeros((5, 5)), np.nan, "spacing"),
    ],
)
def test_maps_that_cannot_be_are_refused(heights, spacing, problem):
    with pytest.raises(ModelError, match=problem):
        HeightMap(heights, spacing)


def test_an_image_becomes_a_map_whose_last_row_is_south(tmp_path):
    image = pytest.importorskip("PIL.Image")
    grey = np.linspace(0, 255, 40).astype(np.uint8).reshape(5, 8)
    image.fromarray(grey).save(tmp_path / "hill.png")
    ground = read_height_map(tmp_path / "hill.png", 10.0, 100.0, 355.0)
    np.testing.assert_allclose(ground.heights, 100.0 + np.flipud(grey), atol=1e-9)
    assert ground.size == (70.0, 40.0)


def test_images_of_sixteen_bits_keep_their_steps(tmp_path):
    image = pytest.importorskip("PIL.Image")
    grey = (np.arange(40) * 1500).astype(np.uint16).reshape(5, 8)
    image.fromarray(grey).save(tmp_path / "hill.png")
    heights = read_height_map(tmp_path / "hill.png", 1.0, 0.0, 65535.0).heights
    np.testing.assert_allclose(heights, np.flipud(grey), atol=1e-6)


def test_a_corrupt_or_huge_image_is_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "hill.png"
    image.fromarray(np.zeros((50, 60), np.uint8)).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        for k in rng.integers(0, len(data), 3):
            data[k] = rng.integers(256)
        path.write_bytes(bytes(data[: rng.integers(1, len(data) + 1)]))
        try:
            read_height_map(path, 1.0, 0.0, 1.0)
        except ModelError:
            refused += 1
    assert refused > 30
    image.new("1", (30_000, 30_000)).save(path)
    with pytest.raises(ModelError, match=r"30000 × 30000|not an image"):
        read_height_map(path, 1.0, 0.0, 1.0)


# -- the mountain ------------------------------------------------------------------------------------------------------


def test_the_mountain_is_as_large_as_the_documents_and_falls_all_the_way(scene):
    assert scene.ground.perimeter >= 8000.0
    assert scene.piste.length > 2000.0
    climbs = np.diff(scene.piste.line[::10, 2])  # every 20 m
    assert climbs.max() < 0.0
    assert 400.0 < -np.sum(climbs) < 700.0


def test_the_same_seed_gives_the_same_mountain_and_another_another():
    one, again, other = mountain(5), mountain(5), mountain(6)
    assert np.array_equal(one.ground.heights, again.ground.heights)
    assert np.array_equal(one.trees, again.trees)
    assert np.abs(one.ground.heights - other.ground.heights).max() > 5.0


@pytest.mark.parametrize("seed", range(5))
def test_trees_stand_on_the_ground_and_not_on_the_piste(seed):
    scene = mountain(seed)
    assert len(scene.trees) == 4000
    np.testing.assert_allclose(scene.trees[:, 2], scene.ground.height(*scene.trees[:, :2].T), atol=1e-9)
    assert cKDTree(scene.piste.line[:, :2]).query(scene.trees[:, :2])[0].min() > Piste.WIDTH


scenes = cache(mountain)


@cache
def bend(place, seed):
    """Mean curvature of the ground along the piste, or 150 m from it."""
    scene = scenes(seed)
    line = scene.piste.line[50:-50, :2] + [{"left": -150.0, "piste": 0.0, "right": 150.0}[place], 0.0]
    return np.abs(scene.ground.derivatives(*line.T)[:, 2, 0]).mean()


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_piste_is_smoother_than_the_ground_beside_it(side):
    check(Ordering("curvature", "piste", side, bend, 0.5))


@pytest.mark.parametrize("distance", [-12.0, 12.0])
def test_points_beside_the_piste_are_on_the_ground_at_their_distance(distance):
    scene = mountain(seed=1, trees=0)
    points = scene.beside_piste(distance)[5:-5:50]
    assert points[:, 2] == pytest.approx(scene.ground.height(*points[:, :2].T))
    assert [scene.piste.nearest(x, y)[1] for x, y, _ in points] == pytest.approx([distance] * len(points), rel=0.02)


def test_places_beside_a_piste_have_their_side():
    piste = Piste(np.column_stack([np.linspace(0.0, 100.0, 51), np.zeros(51), np.zeros(51)]))
    assert piste.nearest(30.0, 7.0) == pytest.approx((30.0, 7.0))
    assert piste.nearest(30.0, -7.0) == pytest.approx((30.0, -7.0))
    assert piste.at(33.0) == pytest.approx([33.0, 0.0, 0.0])
    assert piste.at(1e9) == pytest.approx([100.0, 0.0, 0.0])


# -- paths -------------------------------------------------------------------------------------------------------------


def test_a_seat_on_a_slope_at_constant_speed_feels_the_slope():
    """Specific force less that of rest: g sin α along the seat, g (cos α − 1) along its axis."""
    angle = np.radians(15.0)
    ground = plane(angle)
    t = 0.01 * np.arange(400)
    x = 20.0 + 10.0 * t
    path = GroundPath(t, np.column_stack([x, np.full(400, 100.0), ground.height(x, np.full(400, 100.0))]), 0 * t, 0 * t)
    a, rate = seat_motion(path, ground)
    np.testing.assert_allclose(
        a[50:-50], np.tile([-G * np.sin(angle), 0.0, G * (np.cos(angle) - 1.0)], (300, 1)), atol=1e-6
    )
    np.testing.assert_allclose(rate[50:-50], 0.0, atol=1e-9)


def test_a_turn_that_is_balanced_by_its_lean_feels_no_lateral_force():
    """v²/r = g tan φ: the specific force is along the axis of the seat."""
    ground, speed, radius = plane(), 10.0, 30.0
    t = 0.005 * np.arange(1200)
    turn = speed / radius * t
    xy = np.column_stack([120.0 + radius * np.sin(turn), 90.0 - radius * np.cos(turn)])  # to the left
    lean = np.full(len(t), -np.arctan(speed**2 / radius / G))
    a, rate = seat_motion(GroundPath(t, np.column_stack([xy, 0.0 * t]), turn, lean), ground)
    inner = slice(100, -100)
    np.testing.assert_allclose(a[inner, :2], 0.0, atol=2e-3)
    np.testing.assert_allclose(a[inner, 2], np.hypot(G, speed**2 / radius) - G, rtol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(rate[inner], axis=1), speed / radius, rtol=1e-3)


def test_frames_of_the_seat_are_rotations(scene):
    path = spline_path(scene.piste.line[::80], scene.ground)
    R = seat_frames(path, scene.ground)
    np.testing.assert_allclose(np.einsum("nji,njk->nik", R, R), np.tile(np.eye(3), (len(R), 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-12)


def test_waypoints_are_passed_within_the_radius_and_the_last_ends_the_path(scene):
    points = scene.piste.line[::60, :2]
    path = waypoint_path(points, scene.ground, speed=12.0, radius=5.0)
    away = [np.hypot(*(path.position[:, :2] - point).T).min() for point in points]
    assert max(away) <= 5.0
    assert np.hypot(*(path.position[-1, :2] - points[-1])) <= 5.0
    steps = np.linalg.norm(np.diff(path.position[:, :2], axis=0), axis=1)
    np.testing.assert_allclose(steps, 12.0 * path.step, rtol=1e-9)


def test_a_spline_starts_and_ends_at_its_points_at_constant_speed(scene):
    points = scene.piste.line[::60, :2]
    path = spline_path(points, scene.ground, speed=12.0)
    np.testing.assert_allclose(path.position[0, :2], points[0], atol=0.2)
    np.testing.assert_allclose(path.position[-1, :2], points[-1], atol=0.5)
    steps = np.linalg.norm(np.diff(path.position[:, :2], axis=0), axis=1)
    np.testing.assert_allclose(steps, 12.0 * path.step, rtol=2e-3)


@cache
def jolt(name, seed):
    """Largest acceleration along a path of points on the piste."""
    scene, make = scenes(seed), {"spline": spline_path, "waypoints": waypoint_path}[name]
    return np.abs(seat_motion(make(scene.piste.line[::60], scene.ground), scene.ground)[0]).max()


def test_a_spline_is_smoother_than_waypoints():
    check(Ordering("largest acceleration", "spline", "waypoints", jolt, 0.2))


@pytest.mark.parametrize("make", [waypoint_path, spline_path])
def test_unreachable_points_are_named(make):
    with pytest.raises(ModelError, match="point 1 is not on the map"):
        make([[10.0, 10.0], [1e4, 10.0]], plane())
    with pytest.raises(ModelError, match="point 0 is not on the map"):
        make([[np.nan, 10.0], [50.0, 10.0]], plane())
    with pytest.raises(ModelError, match="shape"):
        make([[1.0, 2.0]], plane())
    with pytest.raises(ModelError, match="speed"):
        make([[10.0, 10.0], [50.0, 10.0]], plane(), speed=-1.0)
    with pytest.raises(ModelError, match=r"radius|equal"):
        make([[10.0, 10.0], [10.0, 10.0]], plane())


def test_a_place_that_is_no_number_has_no_height_alone_and_among_others():
    ground = HeightMap(np.arange(30.0).reshape(5, 6), 2.0)
    at, inside = np.array([np.nan, 3.0]), ground.height(3.0, 1.0)
    assert np.isnan(ground.height(np.nan, 1.0))
    np.testing.assert_allclose(ground.height(at, np.ones(2)), [np.nan, inside], rtol=1e-14)
