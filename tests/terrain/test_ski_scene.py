"""The scene in C: the same skier as in Python, recorded tracks, streams that fail, soft signals."""

import ctypes

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from symbody.codegen.native import optimised_runtime
from symbody.model.plain_numbers import GRAVITY
from symbody.model.rotation import matrix
from symbody.terrain import Piste, mountain, ski_step, spline_path
from symbody.terrain.ski_scene import (
    STRUCTURES,
    SkiScene,
    Track,
    ground_structure,
    path_track,
    skier_structure,
    standing_track,
    state_structure,
)
from symbody.terrain.skier import USUAL, standing

DT = 1e-3
LARGEST, SLOPES = np.repeat([20.0, 3.0], 3), np.repeat([100.0, 20.0], 3)
HILL = mountain(seed=0)


def c_step():
    library = optimised_runtime("skier.c", *STRUCTURES, package="symbody.terrain")
    library.ski_step.argtypes = [*3 * [ctypes.c_void_p], *3 * [ctypes.c_double]]
    library.ski_step.restype = None
    return library.ski_step


@pytest.mark.parametrize("seed", range(10))
def test_the_skier_in_c_is_the_skier_in_python(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-500.0, 500.0), rng.uniform(400.0, 2000.0)
    now = standing(HILL.ground, x, y, rng.uniform(-3.0, 3.0), rng.uniform(1.0, 20.0))
    step, (ground, _kept), skier, state = (
        c_step(),
        ground_structure(HILL.ground),
        skier_structure(USUAL),
        state_structure(now),
    )
    flown = 0
    for k in range(600):
        steer, brake = float(np.sin(0.01 * k + seed)), float(k % 100 > 80)
        now = ski_step(now, steer, brake, 5e-3, HILL.ground)
        step(*(ctypes.addressof(one) for one in (state, ground, skier)), steer, brake, 5e-3)
        flown += now.flying
    np.testing.assert_allclose(state.p, now.position, atol=1e-7)
    np.testing.assert_allclose(state.v, now.velocity, atol=1e-7)
    assert (state.heading, state.lean, bool(state.flying)) == (
        pytest.approx(now.heading, abs=1e-8), pytest.approx(now.lean, abs=1e-10), now.flying,
    )  # fmt: skip


def ridden(scene, steps, inputs):
    """Outputs of a scene by name, without a clock."""
    return CStage(scene, DT).run(steps, inputs)


def scene(**tracks):
    return SkiScene(HILL.ground, HILL.piste, LARGEST, SLOPES, tracks)


def test_the_signals_of_the_seat_are_those_of_the_path():
    run = ridden(scene(), 3000, lambda k: {"steer": 0.4 * np.sin(2e-3 * k)})
    place = np.column_stack([run[f"ski_{axis}.q"] for axis in "xyz"])
    angles = np.column_stack([run["ski_roll.q"] + run["lean.q"], run["ski_pitch.q"], run["ski_heading.q"]])
    R = np.array([matrix(one) for one in angles.tolist()])
    up = np.array([0.0, 0.0, GRAVITY])
    acceleration = np.einsum("nji,nj->ni", R, np.gradient(np.gradient(place, DT, axis=0), DT, axis=0) + up) - up
    turn = np.einsum("nji,njk->nik", R, np.gradient(R, DT, axis=0))
    late = slice(1000, 2990)  # after the ramp at the start
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(run[f"seat.{axis}"][late], acceleration[late, k], atol=5e-3)
    for name, value in (("roll", turn[:, 2, 1]), ("pitch", turn[:, 0, 2]), ("yaw", turn[:, 1, 0])):
        np.testing.assert_allclose(run[f"seat.{name}"][late], value[late], atol=5e-3)


def test_a_path_is_played_as_it_was_planned():
    path = spline_path(HILL.piste.line[:300:60], HILL.ground, speed=12.0)
    run = ridden(scene(spline=path_track(path, HILL.ground)), 4000, lambda k: {"source": 1.0})
    np.testing.assert_allclose(run["ski_x.q"][3000], np.interp(3.0, path.t, path.position[:, 0]), atol=1e-6)
    assert run["ski.speed"][3000] == pytest.approx(12.0, rel=0.1)
    assert set(run["ski.source"]) == {1.0}


def test_jumps_become_ramps_and_wild_values_are_clipped():
    wild = {"source": 1.0, "stream_x": 1e3, "stream_y": float("nan"), "stream_yaw": -50.0}
    run = ridden(scene(), 600, lambda k: wild)
    assert np.abs(np.diff(run["seat.x"], prepend=0.0)).max() <= 100.0 * DT * (1.0 + 1e-9)
    assert run["seat.x"][-1] == 20.0
    assert run["seat.yaw"][-1] == -3.0
    assert not run["seat.y"].any()


def test_a_silent_stream_comes_to_rest():
    run = ridden(scene(), 800, lambda k: {"source": 1.0, "stream_x": 2.0, "stream_age": max(0.0, DT * (k - 300))})
    assert run["seat.x"][300] == 2.0
    assert run["seat.x"][540] == 2.0
    assert run["seat.x"][700] == 0.0


@pytest.mark.parametrize("source", [0.0, 1.0])
def test_a_scene_that_is_not_released_waits_and_a_stream_does_not(source):
    path = spline_path(HILL.piste.line[:300:60], HILL.ground, speed=12.0)
    both = scene(spline=path_track(path, HILL.ground))
    free = ridden(both, 1000, lambda k: {"source": source})
    held = ridden(both, 2500, lambda k: {"source": source, "released": float(not (k < 700 or 1200 <= k < 2000))})
    moving = held["ski.waits"] == 0.0
    for name in ("ski_x.q", "ski_z.q", "ski_heading.q", "ski.played"):
        np.testing.assert_array_equal(held[name][moving], free[name])
    assert not held["ski.speed"][~moving].any()
    assert not held["seat.x"][1900:2000].any()
    stream = ridden(both, 300, lambda k: {"source": 2.0, "stream_x": 2.0, "released": 0.0})
    assert stream["seat.x"][-1] == 2.0


def test_a_drive_stands_at_its_place():
    track = standing_track(np.ones((100, 3)), np.zeros((100, 3)), 0.01, HILL.piste.line[0])
    run = ridden(scene(log=track), 500, lambda k: {"source": 1.0})
    assert run["ski.speed"].max() == 0.0
    assert run["seat.x"][400] == 1.0
    assert scene(log=track).sources == ("skier", "log", "stream")


def test_a_skier_at_the_end_of_the_piste_begins_again():
    end = Piste(HILL.piste.line[:30])
    run = ridden(SkiScene(HILL.ground, end, LARGEST, SLOPES), 20000, lambda k: {"steer": 0.0})
    start = end.at(0.0)
    away = np.hypot(run["ski_x.q"] - start[0], run["ski_y.q"] - start[1])
    assert away.max() > 30.0
    assert away[-2000:].min() < away.max()
    assert (np.diff(away) < -20.0).sum() >= 1


@pytest.mark.parametrize("rows", [np.zeros((5, 12)), np.zeros((1, 13)), np.full((3, 13), np.nan)])
def test_a_wrong_track_is_refused(rows):
    with pytest.raises(sb.ModelError, match="track"):
        Track(rows, 0.01)
