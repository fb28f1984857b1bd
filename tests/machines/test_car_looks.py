"""What is drawn of the car and its road: closed surfaces, wheels that turn freely, a driver who sees the road.

Tests of car/looks.py, visual/surfaces.py.

vehicles/road_scenery.py, vehicles/wheel_looks.py.
"""

import numpy as np
import pytest

from symbody.machines.car.bodywork import body, bonnet, dashboard, posts
from symbody.machines.car.driven import COLUMN, driven_car
from symbody.machines.car.looks import looks, scenery, stopped_car
from symbody.machines.car.page import RIDES, ROAD
from symbody.vehicles.axles import FRONT, REAR, TRACK
from symbody.vehicles.road import WIDTH
from symbody.vehicles.road_scenery import ASPHALT, CONE, LINE, gates
from symbody.vehicles.wheel_looks import TYRE, WIDE
from symbody.visual.shapes import scene
from symbody.visual.surfaces import bar, block, cushion, mirrored, sheet, smooth, turned

SEAT = RIDES[0]
FEW = 15_000  # triangles of the car's own looks: they are drawn without a graphics card, too


def volume(corners):
    """By the theorem of Gauss: positive where the outside is seen."""
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


def triangles(look):
    return look.mesh.vertices[look.mesh.triangles] @ look.place[:, :3].T + look.place[:, 3]


def met(corners, start, way):
    """Whether a ray meets one of the triangles (Möller and Trumbore, 1997)."""
    a, e1, e2 = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    p = np.cross(way, e2)
    det = np.einsum("ij,ij->i", e1, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", start - a, p) / det
        q = np.cross(start - a, e1)
        v, t = q @ way / det, np.einsum("ij,ij->i", e2, q) / det
        return bool(np.any((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)))


# -- surfaces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        (block((-1.0, 0.0, 2.0), (1.0, 3.0, 4.0)), 12.0),
        (bar((0.0, 0.0, 0.0), (0.0, 3.0, 4.0), 0.1), 6.0 * np.sin(np.pi / 6.0) * 0.1**2 * 5.0),  # on twelve sides
        (turned([(0.0, 0.0), (0.3, 0.0), (0.3, 0.5), (0.0, 0.5)], 200), np.pi * 0.3**2 * 0.5),
        (mirrored(block((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))), 6.0),
    ],
)
def test_solids_are_closed_and_seen_from_outside(corners, expected):
    assert volume(corners) == pytest.approx(expected, rel=2e-3)


def test_a_cushion_is_within_its_box_and_nearly_fills_it():
    half = np.array((0.3, 0.2, 0.1))
    corners = cushion(half, (1.0, 2.0, 3.0))
    assert np.abs(corners - (1.0, 2.0, 3.0)).reshape(-1, 3).max(axis=0) == pytest.approx(half)
    assert 0.7 * 8.0 * half.prod() < volume(corners) < 8.0 * half.prod()


def test_a_round_surface_is_smooth_and_an_edge_stays_sharp():
    tube = smooth(turned([(1.0, 0.0), (1.0, 1.0)], 32))
    radial = tube.vertices * (1.0, 0.0, 1.0)
    assert np.einsum("ij,ij->i", tube.normals, radial).min() > 0.999
    assert len(tube.vertices) == 2 * 32
    edged = smooth(block((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    assert len(edged.vertices) == 24
    assert np.sort(np.abs(edged.normals), axis=1) == pytest.approx(np.tile((0.0, 0.0, 1.0), (24, 1)))


def test_a_sheet_is_seen_from_where_its_axes_turn():
    mesh = smooth(sheet(np.array([[(0.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0)]])))
    assert mesh.normals == pytest.approx(np.tile((0.0, 0.0, 1.0), (4, 1)))


# -- the car -----------------------------------------------------------------------------------------------------------


def test_the_looks_are_few_triangles_on_bodies_of_the_car_with_normals_of_length_one():
    found = looks()
    assert sum(len(look.mesh.triangles) for parts in found.values() for look in parts) < FEW
    for parts in found.values():
        for look in parts:
            assert np.linalg.norm(look.mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-4)
    drawn = scene(driven_car(), looks=found)
    assert {*found} <= {*driven_car().bodies}
    # one run: counts of drawn parts
    assert sum(part.role == "body" for part in drawn.parts) > sum(map(len, found.values()))  # rods are drawn, too


def test_wheels_turn_in_their_arches_without_touching_the_body():
    places = body().reshape(-1, 3)
    beside = places[np.abs(np.abs(places[:, 1]) - TRACK) < 1.12 * WIDE]
    for axle in (FRONT, REAR):
        assert np.hypot(beside[:, 0] - axle.x, beside[:, 2]).min() > TYRE


def test_the_body_is_as_wide_and_as_long_as_the_driver_believes():
    places = np.concatenate([body(), bonnet()]).reshape(-1, 3)
    assert 2.0 * np.abs(places[:, 1]).max() == pytest.approx(WIDTH, abs=0.02)
    assert np.unique(np.round(np.abs(places), 6), axis=0) == pytest.approx(
        np.unique(np.round(np.abs(places * (1, -1, 1)), 6), axis=0)
    )


def test_the_driver_sees_the_road_over_the_bonnet_between_the_posts():
    eye = np.array(SEAT.eye)
    opaque = np.concatenate([triangles(look) for look in looks()["chassis"] if look.opacity == 1.0])
    for aside in np.linspace(-0.3, 0.3, 13):
        for down in (0.0, 0.05, 0.1):
            assert not met(opaque, eye, np.array((1.0, aside, -down))), (aside, down)
    assert met(bonnet(), eye, np.array((1.0, 0.0, -0.27)))
    wheel = np.array(COLUMN[0]) - eye
    assert met(opaque, eye, wheel)  # behind it is the dashboard
    assert wheel @ SEAT.ahead / np.linalg.norm(wheel) / np.linalg.norm(SEAT.ahead) > np.cos(
        np.radians(SEAT.field / 2.0)
    )


def test_what_the_driver_sees_of_the_car_is_not_about_the_eye():
    """The page leaves out parts of the car in whose box the eye is."""
    windscreen, *_ = posts()
    for part in (*windscreen, *dashboard(), body(), bonnet()):
        places = part.reshape(-1, 3)
        assert np.any((SEAT.eye < places.min(axis=0)) | (SEAT.eye > places.max(axis=0)))


# -- the road ----------------------------------------------------------------------------------------------------------


def test_the_stopped_car_is_the_obstacle():
    places = np.concatenate([triangles(look).reshape(-1, 3) for look in stopped_car(ROAD)])
    for axis, (low, high) in enumerate(ROAD.obstacle):
        assert places[:, axis].min() == pytest.approx(low, abs=0.05)
        assert places[:, axis].max() == pytest.approx(high, abs=0.05)
    assert -0.02 < places[:, 2].min() < 0.0  # tyres carry it
    assert 1.3 < places[:, 2].max() < 1.5


def test_cones_leave_the_way_free_and_stand_on_the_road():
    right, left = ROAD.borders
    for x, y in gates(ROAD):
        assert abs(y - float(ROAD.way(x))) > WIDTH / 2.0 + 0.4, (x, y)
        assert right <= y <= left
    assert any(x < ROAD.begin for x, _ in gates(ROAD))


def test_lines_are_on_the_asphalt():
    flat = {look.colour: triangles(look).reshape(-1, 3) for look in scenery(ROAD) if look.colour in (ASPHALT, LINE)}
    asphalt, lines = (flat[colour][:, 1] for colour in (ASPHALT, LINE))
    assert all(np.all(places[:, 2] == 0.0) for places in flat.values())
    # one run: places of drawn parts
    assert asphalt.min() < lines.min() < lines.max() < asphalt.max()
    middle = lines[(lines > 0.0) & (lines < ROAD.lane)]
    assert middle.mean() == pytest.approx(ROAD.lane / 2.0)
    assert any(look.colour == CONE for look in scenery(ROAD))
