"""The tilting vehicle: its steady curve beside the textbook, and the lean by several ways; laws.py, experiment.py."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.estimation.consistency import nees
from symbody.machines.tilting_vehicle.experiment import (
    FILTER,
    PERFECT,
    WAYS,
    controlled,
    driven,
    figures,
    lean_by,
    observed,
    truth,
)
from symbody.machines.tilting_vehicle.model import FRAME_MASS, FRONT, REAR
from symbody.machines.tilting_vehicle.report import report
from symbody.visual.report_options import ReportOptions

SPEED, STEER, G = 12.0, 0.03, 9.81


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
    s, leaning = curve
    s.parameters["leaning"] = 0.0
    stiff = sb.simulate(s, 15.0, 5e-3, inputs={"steer": STEER})
    s.parameters["leaning"] = 1.0
    assert abs(stiff["load_transfer"][-1]) > 2.0 * abs(leaning["load_transfer"][-1])


def test_a_plumb_line_lies_in_a_curve_and_a_gyroscope_drifts():
    run, _ = truth(20.0)
    lean = run["lean"][1:]
    late = run.t[1:] > 18.0
    assert np.abs(lean[late]).min() > np.radians(10.0)
    assert np.abs(lean_by("pendulum angle", 0, 20.0)[late].mean()) < np.radians(4.0)
    drift = lean_by("integrated gyroscope", 0, 20.0) - lean
    assert np.abs(drift[-1]) > np.radians(8.0)


@pytest.mark.slow
def test_the_filter_is_better_than_all_simple_ways_and_its_bands_hold():
    runs = observed(range(2))
    found = figures(runs)
    errors = found["lean_rmse_deg"]
    assert errors[FILTER] < 0.3 * min(errors[way] for way in WAYS)
    assert errors[FILTER] < 0.5
    for name, share in found["coverage"].items():
        assert share > 0.85, name
    for name in ("roll_bias", "yaw_bias", "transmitted"):
        for one in runs:
            assert abs(one.error(name)[-1]) < 3.0 * one.sigma[-1, one.place(name)]


@pytest.mark.slow
def test_a_controller_fed_by_the_filter_keeps_all_wheels_down():
    best, filtered = controlled(PERFECT), controlled(FILTER)
    assert filtered["wheels_lift_at_s"] is None
    assert filtered["load_transfer_max"] < 1.3 * best["load_transfer_max"]
    assert controlled("pendulum angle")["wheels_lift_at_s"] is not None  # it follows every push of its own motor
    drifted = controlled("integrated gyroscope")
    assert drifted["load_transfer_max"] > 1.5 * best["load_transfer_max"]
    assert drifted["side_acceleration_rms"] > 3.0 * best["side_acceleration_rms"]


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
@pytest.mark.parametrize("dt", [10e-3, 20e-3])
def test_bands_hold_in_long_steps(dt):
    """Roll, bank and what the potentiometer slipped by are told apart by nothing but motion, and none is made up."""
    runs = observed(range(3), 20.0, dt)
    assert 0.2 < np.mean(nees(runs).mean) < 1.0
    for name in ("roll.q", "tilt.q", "bank", "offset", "mount", "roll_bias"):
        assert np.mean([one.coverage(name) for one in runs]) > 0.85, name
