"""Scenes: levels of detail against the round shapes they stand for, scenery, live geometry, what the page is told."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from unpacked_meshes import unpacked

import symbody as sb
from symbody import machines
from symbody.visual.motion import BodyMotion, camera, motion
from symbody.visual.page import Surroundings, page_data
from symbody.visual.page_types import RigData
from symbody.visual.primitives import ball, box, coil, cylinder, hull, marker, ram
from symbody.visual.scene import Look, placed, transform
from symbody.visual.shapes import geometry_parameters, scene


def levels(mesh):
    while mesh is not None:
        yield mesh
        mesh = mesh.coarser


def pendulum():
    m = sb.Model("pendulum")
    length = m.parameter("length", 1.0)
    m.parameter("friction", 0.1)
    m.body("arm", joints="R2", mass=m.parameter("mass", 2.0), com=(0, 0, -length / 2)).point("tip", (0, 0, -length))
    return m


def shown(m, **more):
    made = scene(m, scenery=more.pop("scenery", ()))
    moved = motion(sb.simulate(m, 0.1, 1e-2), made, 30, 1)
    return made, moved, page_data("", made, moved, camera(made, moved), 1.0, Surroundings(**more))


# -- levels of detail -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", [ball(3), cylinder(), ram(), coil(), *marker()])
def test_coarser_meshes_have_far_fewer_triangles(mesh):
    counts = [len(level.triangles) for level in levels(mesh)]
    assert len(counts) > 1
    assert all(coarse < 0.5 * fine for fine, coarse in pairwise(counts))


@pytest.mark.parametrize("mesh", [ball(3), *marker()])
def test_edges_of_a_ball_leave_it_by_the_deviation(mesh):
    for level in levels(mesh):
        a, b = level.vertices[level.triangles], level.vertices[np.roll(level.triangles, 1, axis=1)]
        gap = 1 - np.linalg.norm((a + b) / 2, axis=-1).min()
        assert gap == pytest.approx(level.deviation)


def test_edges_of_a_cylinder_leave_it_by_the_deviation():
    for level in levels(cylinder()):
        side = level.triangles[np.all(level.normals[level.triangles][..., 2] == 0, axis=1)]
        corners = level.vertices[side][..., :2]
        middles = (corners + np.roll(corners, 1, axis=1)) / 2
        assert 1 - np.linalg.norm(middles, axis=-1).min() == pytest.approx(level.deviation)


def test_a_bar_keeps_its_ends_and_a_plate_its_flatness():
    bar = hull(np.array([[0.0, 0, 0], [0, 0, 1]]), 0.1)
    assert [len(level.triangles) for level in levels(bar)][-1] < 40
    for level in levels(bar):
        assert np.ptp(level.vertices[:, 2]) == pytest.approx(1.2, abs=0.04)
    *_, plate = levels(hull(np.eye(3), 0.01))
    normals = plate.normals[plate.triangles]
    assert np.einsum("ij,ij->i", normals[:, 0], normals[:, 1]).min() > 0.7  # no face between far normals


def test_a_scene_is_made_again_without_new_hulls():
    points = np.random.default_rng(0).normal(size=(4, 3))
    assert hull(points, 0.1) is hull(points.copy(), 0.1)
    made = scene(pendulum(), {"length": 2.0}, unit=0.03)
    assert made.unit == 0.03
    assert np.ptp(made.meshes["hull arm"].vertices[:, 2]) == pytest.approx(2.06, abs=0.01)


def test_points_inside_a_solid_have_no_sign():
    made = scene(pendulum())
    assert not [p for p in made.parts if p.role == "point" and p.frame == 1]
    glass = [p.frame for p in scene(machines.model("car")).parts if p.role == "body" and p.opacity < 1]
    assert {p.frame for p in scene(machines.model("car")).parts if p.role == "point"} >= set(glass[:1])


# -- live geometry ----------------------------------------------------------------------------------------------------


def test_lengths_and_masses_are_geometry_and_friction_is_not():
    found = geometry_parameters(pendulum())
    assert {"length", "mass"} <= found
    assert "friction" not in found
    assert "" not in found


@pytest.mark.parametrize("name", ["quarter-car", "car", "four-bar"])
def test_what_is_not_geometry_changes_no_shape(name):
    """Every number is changed in turn: the scene is another one only where the name is told."""
    model = machines.model(name)
    told, at_first = geometry_parameters(model), fingerprint(scene(model))
    for parameter, value in list(model.values.items())[:12]:
        changed = fingerprint(scene(model, {parameter: value + 0.01 * (abs(value) or 1.0)}))
        if changed != at_first:
            assert parameter in told


def fingerprint(made):
    places = [p.place.tobytes() for p in made.parts] + [s.ends.tobytes() for s in made.spans]
    return tuple(places), tuple(mesh.vertices.tobytes() for mesh in made.meshes.values())


# -- scenery, and the page --------------------------------------------------------------------------------------------


def test_scenery_is_on_the_ground_and_not_looked_for():
    road = Look(box(), placed((0, 0, -1), size=500.0), "#777777", 0.5)
    with_road, moved, _ = shown(pendulum(), scenery=[road, Look("ball", placed((9, 0, 0)))])
    without = scene(pendulum())
    parts = [p for p in with_road.parts if p.role == "scenery"]
    assert (parts[0].frame, parts[0].colour, parts[0].opacity) == (0, "#777777", 0.5)
    assert [p.mesh for p in parts] == ["look 0 ground", "ball"]
    a, b = camera(with_road, moved), camera(without, moved)
    np.testing.assert_array_equal(a.points, b.points)
    assert (a.size, a.floor, a.step) == (b.size, b.floor, b.step)


def test_a_travelling_wheel_stands_on_the_ground_however_it_is_turned():
    m = sb.Model("wheel")
    m.body("wheel", joints="free", mass=1.0, inertia=(0.1, 0.2, 0.1))
    made = scene(m, looks={"wheel": [Look(cylinder(), transform(np.diag((0.3, 0.3, 0.1)), np.zeros(3)))]})
    made.parts = [p for p in made.parts if p.role == "body"]
    turn = Rotation.from_euler("zx", [37.0, 90.0], degrees=True).as_matrix()
    along = np.zeros((20, 2, 3))
    along[:, 1, 0], along[:, 1, 2] = np.linspace(0.0, 50.0, 20), 0.25
    seen = camera(made, BodyMotion(np.linspace(0.0, 2.0, 20), along, np.tile(turn, (20, 2, 1, 1))))
    assert seen.follow
    assert seen.floor == pytest.approx(-0.05, abs=2e-3)  # its box would be lower


def test_the_page_is_told_of_seats_views_and_levels():
    seat = RigData(name="tip", kind="seat", frame=1, eye=(0.0, 0.0, -1.0), ahead=(1.0, 0.0, 0.0), field=50.0, lag=0.0)
    sight = SimpleNamespace(azimuth=30.0, elevation=10.0, points=[(0.0, 0, 0), (3.0, 0, 4.0)])
    made, _, data = shown(pendulum(), cameras=[seat], view=sight, grid=False)
    assert data["cameras"] == [seat]
    assert data["camera"]["grid"] is False
    assert (data["camera"]["azimuth"], data["camera"]["elevation"]) == (30.0, 10.0)
    assert data["camera"]["points"] == [[0, 0, 0], [3, 0, 4]]
    assert data["camera"]["size"] == pytest.approx(2.5)
    assert len(data["meshes"]) == len(unpacked(data["meshes"], data["geometry"]))
    for name, (_, _, coarser, *_) in zip(made.meshes, data["meshes"], strict=False):
        expected = made.meshes[name].coarser
        assert (coarser >= 0) == (expected is not None)
        if expected is not None:
            assert data["meshes"][coarser][1] == len(expected.triangles)
            assert data["meshes"][coarser][3] == pytest.approx(expected.deviation, rel=1e-5)


def test_a_view_without_places_keeps_those_of_the_motion():
    _, _, usual = shown(pendulum())
    _, _, turned = shown(pendulum(), view=SimpleNamespace(azimuth=5.0, elevation=6.0, points=()))
    assert turned["camera"]["points"] == usual["camera"]["points"]
    assert turned["camera"]["azimuth"] == 5.0
    assert usual["camera"]["grid"] is True
