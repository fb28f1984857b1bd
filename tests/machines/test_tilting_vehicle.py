"""The tilting vehicle: its steady curve beside the textbook, and the lean by several ways; laws.py, experiment.py."""

from functools import cache

import numpy as np
import pytest

import symbody as sb
from orderings import SEEDS, Ordering, check
from symbody import machines
from symbody.estimation.consistency import nees, twin_figures
from symbody.machines.tilting_vehicle.experiment import (
    FILTER,
    NAMES,
    PERFECT,
    WAYS,
    controlled,
    driven,
    lean_by,
    observed,
    truth,
)
from symbody.machines.tilting_vehicle.model import FRAME_MASS, FRONT, REAR
from symbody.machines.tilting_vehicle.report import report
from symbody.system.varied_parameters import varied
from symbody.visual.report_options import ReportOptions

SPEED, STEER, G = 12.0, 0.03, 9.81
SHORT, LONG = 20.0, 20e-3  # s: of the run, of its steps


@pytest.fixture(scope="module")
def curve():
    """A steady curve to the left."""
    s = sb.system(machines.model("tilting-vehicle"))
    return s, sb.simulate(s, 15.0, 5e-3, inputs={"steer": STEER})


def test_in_a_steady_curve_it_turns_as_the_bicycle_model(curve):
    """ψ̇ = v δ/(L + (m v²/L)(b/C_f − a/C_r)), a, b from the centre of mass to the axles."""
    s, run = curve
    p, L = s.parameters, FRONT + REAR
    mass = FRAME_MASS + p["cabin_mass"]
    ahead = 0.1 * p["cabin_mass"] / mass
    a, b = FRONT - ahead, REAR + ahead
    v = run["wheel.speed"][-1]
    understeer = mass / L * (b / p["cornering_front"] - a / p["cornering_rear"])
    assert run["yaw.qd"][-1] == pytest.approx(v * STEER / (L + understeer * v * v), rel=5e-3)


def test_in_a_steady_curve_a_passenger_feels_no_side_force(curve):
    """The cabin leans by atan(v ψ̇/g), to the left, and the load stays inside: its accelerometer tells g only."""
    _, run = curve
    lateral = run["wheel.speed"][-1] * run["yaw.qd"][-1]
    assert lateral > 1.0
    assert run["lean"][-1] == pytest.approx(-np.arctan(lateral / G), abs=0.02)
    assert abs(run["unit.accelerometer.y"][-1]) < 0.05 * lateral


def test_without_leaning_more_load_moves(curve):
    """In ten curves."""
    s, _ = curve

    @cache
    def moved(name, seed):
        with varied(s, leaning=float(name == "leaning")):
            run = sb.simulate(s, 15.0, 1e-2, inputs={"steer": (0.8 + 0.04 * seed) * STEER})
        return abs(run["load_transfer"][-1])

    check(Ordering("load transfer", "leaning", "stiff", moved, 0.5))


def test_a_plumb_line_lies_in_a_curve_and_a_gyroscope_drifts():
    run, _ = truth(20.0)
    lean = run["lean"][1:]
    late = run.t[1:] > 18.0
    assert np.abs(lean[late]).min() > np.radians(10.0)
    assert np.abs(lean_by("pendulum angle", 0, 20.0)[late].mean()) < np.radians(4.0)
    drift = lean_by("integrated gyroscope", 0, 20.0) - lean
    assert np.abs(drift[-1]) > np.radians(8.0)


# -- orderings over ten seeds ----------------------------------------------------------------------------------------


@cache
def seen():
    """The filter in ten seeds: the first 20 s in long steps."""
    return observed(SEEDS, SHORT, LONG)


def lean_error(way, seed):
    """Error of the lean (rms, rad) in this seed."""
    if way == FILTER:
        return seen()[seed].rmse("lean")
    return float(np.sqrt(np.mean((lean_by(way, seed, SHORT, LONG) - truth(SHORT, LONG)[0]["lean"][1:]) ** 2)))


@cache
def steered(way, seed):
    return controlled(way, seed, dt=LONG)


def load_transfer(way, seed):
    return steered(way, seed)["load_transfer_max"]


def side_acceleration(way, seed):
    return steered(way, seed)["side_acceleration_rms"]


GYROSCOPE, PLUMB = "integrated gyroscope", "pendulum angle"
ORDERINGS = [
    *(Ordering("error of the lean", FILTER, way, lean_error, 0.3) for way in WAYS),
    Ordering("load transfer", PERFECT, GYROSCOPE, load_transfer, 1.0 / 1.5),
    Ordering("load transfer", FILTER, GYROSCOPE, load_transfer, 1.0 / 1.5),
    Ordering("load transfer", FILTER, PLUMB, load_transfer, 1.0 / 1.5),
    Ordering("side acceleration", PERFECT, GYROSCOPE, side_acceleration, 1.0 / 3.0),
    Ordering("side acceleration", FILTER, GYROSCOPE, side_acceleration, 1.0 / 3.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_filter_is_better_than_simple_ways(ordering):
    check(ordering)


@pytest.mark.slow
def test_errors_of_the_filter_are_small_and_its_bands_hold():
    """Over the whole road; biases and what the gear transmits are within their bands in the end."""
    runs = observed(range(2), dt=10e-3)
    found = twin_figures(runs, NAMES)
    assert max(one.rmse("lean") for one in runs) < np.radians(0.5)
    for name, share in found["coverage"].items():
        assert share > 0.85, name
    for name in ("roll_bias", "yaw_bias", "transmitted"):
        for one in runs:
            assert abs(one.error(name)[-1]) < 3.0 * one.sigma[-1, one.place(name)]


@pytest.mark.slow
def test_a_controller_fed_by_the_filter_keeps_all_wheels_down():
    best = steered(PERFECT, 0)
    for seed in SEEDS:
        filtered = steered(FILTER, seed)
        assert filtered["wheels_lift_at_s"] is None
        # one run: a bound, over ten seeds
        assert filtered["load_transfer_max"] < 1.3 * best["load_transfer_max"]
        assert steered(PLUMB, seed)["wheels_lift_at_s"] is not None  # it follows every push of its own motor


@pytest.mark.slow
def test_the_strain_gauge_tells_what_the_gear_transmits():
    (run,) = observed([0], 6.0)
    place = run.place("transmitted")
    assert run.truth[-1, place] == 0.95
    assert abs(run.error("transmitted")[-1]) < 3.0 * run.sigma[-1, place]
    assert run.sigma[-1, place] < 0.01  # 0.1 at the start


def test_the_same_seed_drives_the_same_way():
    first, second = (driven("complementary filter", 3, 1.0)[0] for _ in range(2))
    assert np.array_equal(first.values, second.values)


@pytest.mark.slow
def test_its_report_has_its_plots(tmp_path):
    report(ReportOptions(until=4.0)).save(tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 5


@pytest.mark.slow
@pytest.mark.parametrize("dt", [10e-3, LONG])
def test_bands_hold_in_long_steps(dt):
    """Roll, bank and what the potentiometer slipped by are told apart by nothing but motion, and none is made up."""
    runs = seen() if dt == LONG else observed(range(3), SHORT, dt)
    assert 0.2 < np.mean(nees(runs).mean) < 1.0
    for name in ("roll.q", "tilt.q", "bank", "offset", "mount", "roll_bias"):
        assert np.mean([one.coverage(name) for one in runs]) > 0.85, name
