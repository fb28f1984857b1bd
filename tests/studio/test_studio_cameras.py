"""Cameras of a machine as data: the rows that the page reads, and what is refused."""

import math

import pytest

from symbody.errors import ModelError
from symbody.studio.cameras import OUTSIDE, Chase, Fixed, Orbit, Ride, camera_rows, first_views

FRAMES = {"ground": 0, "skier": 3}
SEAT = Ride("Seat", "skier", (0.0, 0.0, 1.6), head=0.2)


def test_each_kind_has_its_row():
    seat, chase, orbit, fixed = camera_rows(
        [
            SEAT,
            Chase("Behind", "skier", 6.0, 2.0),
            Orbit("About", "skier", 90.0, 30.0, 4.0),
            Fixed("Gate", (9.0, 0.0, 1.0)),
        ],
        FRAMES,
    )
    assert (seat["kind"], seat["frame"], seat["eye"], seat["lag"]) == ("seat", 3, (0.0, 0.0, 1.6), 0.2)
    assert (chase["kind"], chase["eye"], chase["lag"]) == ("chase", (-6.0, 0.0, 2.0), 0.3)
    assert orbit["eye"] == pytest.approx((0.0, 4.0 * math.cos(math.radians(30.0)), 2.0))
    assert (fixed["kind"], fixed["frame"], fixed["eye"]) == ("fixed", 0, (9.0, 0.0, 1.0))


def test_the_first_views_are_those_of_the_machine_or_its_first_seat():
    cameras = [Chase("Behind", "skier"), SEAT]
    assert first_views([], cameras, outside=False) == ["Seat"]
    assert first_views([], cameras, outside=True) == [OUTSIDE]
    assert first_views([], [], outside=False) == [OUTSIDE]
    assert first_views(["Seat", OUTSIDE], cameras, outside=False) == ["Seat", OUTSIDE]


@pytest.mark.parametrize(
    ("cameras", "words"),
    [
        ([Ride("Seat", "horse", (0.0, 0.0, 0.0))], "no body 'horse'"),
        ([SEAT, SEAT], "names of cameras"),
        ([Ride(OUTSIDE, "skier", (0.0, 0.0, 0.0))], "names of cameras"),
        ([Ride("Seat", "skier", (0.0, 0.0, 0.0), field=180.0)], "field of view"),
        ([Ride("Seat", "skier", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))], "direction that is not zero"),
        ([Chase("Behind", "skier", lag=-1.0)], "not negative"),
        ([Fixed("Gate", (math.nan, 0.0, 0.0))], "finite"),
    ],
)
def test_impossible_cameras_are_refused(cameras, words):
    with pytest.raises(ModelError, match=words):
        camera_rows(cameras, FRAMES)


@pytest.mark.parametrize("views", [["Roof"], ["Seat", OUTSIDE, "Seat"]])
def test_unknown_or_too_many_views_are_refused(views):
    with pytest.raises(ModelError):
        first_views(views, [SEAT], outside=False)
