"""Twins of the hydraulic four-bar: what theory says of sensor sets and rates, over seeds; noisy_sensor.py."""

from itertools import pairwise

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.estimation.consistency import nees
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.machines.estimator.experiment import (
    NAMES,
    figures,
    observability_of,
    observed,
    observed_over,
    sensors_alone,
)
from symbody.machines.estimator.model import SETS

SEEDS = range(3)
NO_GYRO_NO_ROD = ("crank.q", "hose_p", "piston_p")


@pytest.fixture(scope="module")
def found():
    asked = [(sensors, 1000) for sensors in (*SETS.values(), NO_GYRO_NO_ROD)]
    asked += [(SETS[2], rate) for rate in (500, 200, 100)]
    return {key: figures(observed_over(*key, SEEDS)) for key in asked}


def error(found, sensors, rate=1000):
    return found[sensors, rate]["rmse_percent"]


@pytest.mark.slow
def test_the_crank_is_better_known_than_its_encoder_tells(found):
    for sensors in SETS.values():
        assert error(found, sensors)["crank.q"] < 0.2 * sensors_alone()["crank.q"]


@pytest.mark.slow
def test_pressures_are_better_known_than_their_sensors_tell(found):
    for name in ("hose_p", "piston_p", "rod_p"):
        for sensors in SETS.values():
            assert error(found, sensors)[name] < sensors_alone()[name]


@pytest.mark.slow
def test_all_sensors_are_best(found):
    for name in NAMES:
        for k in (1, 3, 4):
            assert error(found, SETS[2])[name] < 1.05 * error(found, SETS[k])[name]


@pytest.mark.slow
def test_it_is_worse_at_lower_rates(found):
    at = [error(found, SETS[2], rate) for rate in (1000, 500, 200, 100)]
    for name in ("crank.q", "crank.qd"):
        assert all(a[name] < b[name] for a, b in pairwise(at))


@pytest.mark.slow
def test_with_a_gyroscope_a_pressure_sensor_can_be_left_out(found):
    for k in (3, 4):
        assert error(found, SETS[k])["crank.qd"] < 1.05 * error(found, SETS[2])["crank.qd"]
    assert error(found, NO_GYRO_NO_ROD)["crank.qd"] > 3.0 * error(found, SETS[3])["crank.qd"]


@pytest.mark.slow
def test_bands_hold_the_truth_with_every_set(found):
    for key, one in found.items():
        for name in NAMES:
            assert 0.90 <= one["coverage"][name] <= 1.0, (key, name)


@pytest.mark.slow
def test_measurements_are_as_surprising_as_expected(found):
    """Both at or below 1: the filter doubts parameters that happen to be right, too, and is careful, not sure."""
    for key, one in found.items():
        assert 0.5 < one["nis"] < 1.1, key
        assert 0.2 < one["nees"] < 1.1, key


@pytest.mark.slow
def test_nees_stays_below_its_upper_bound():
    """2.5 % of χ² are above; where the valve jumps, too, as the filter is told the jump in the step in which it is."""
    assert nees(observed_over(SETS[1], 1000, SEEDS)).above < 0.025


def test_fewer_sensors_tell_less():
    """What sensors do not tell of the start fades: nothing stays unknown.

    Of the rate, a gyroscope tells more than an encoder.
    """
    told = {k: observability_of(SETS[k], 0.1) for k in (1, 2)}
    assert all(one["unobservable"] == [] and one["rank"] < one["of"] for one in told.values())
    assert told[2]["sigma_by_start"]["crank.qd"] < told[1]["sigma_by_start"]["crank.qd"]


def test_between_measurements_the_band_grows():
    run = observed(SETS[2], 200, 0, until=1.0)
    sigma = run.sigma[500:505, run.place("crank.q")]
    measured = np.isfinite(run.measured["crank.q"][500:505])
    assert measured.sum() == 1
    grown = np.diff(sigma)
    assert np.all(grown[~measured[1:]] >= 0.0)


def test_a_sensor_tells_what_it_is_made_to_tell():
    t, rng = np.arange(2000) * 1e-3, np.random.default_rng(0)
    truth = np.sin(t)
    assert np.std(NoisySensor("a", 0.1).measured(t, truth, rng) - truth) == pytest.approx(0.1, rel=0.1)
    assert np.allclose(NoisySensor("a", 0.0, bias=2.0).measured(t, truth, rng), truth + 2.0)
    late = NoisySensor("a", 0.0, delay=0.05).measured(t, truth, rng)
    assert np.allclose(late[100:], truth[50:-50])
    steps = NoisySensor("a", 0.0, step=0.25).measured(t, truth, rng)
    assert np.allclose(steps * 4, np.round(steps * 4))
    assert np.abs(steps - truth).max() <= 0.125 + 1e-12
    some = NoisySensor("a", 0.0, rate=100.0).measured(t, truth, rng)
    assert np.isfinite(some).sum() == 200
    assert NoisySensor("a", 0.0, high=0.5).measured(t, truth, rng).max() == 0.5
    drift = [NoisySensor("a", 0.0, drift=1.0).measured(t, 0 * t, np.random.default_rng(k))[-1] for k in range(200)]
    assert np.std(drift) == pytest.approx(np.sqrt(2.0), rel=0.15)


@pytest.mark.parametrize("wrong", [{"sigma": -1.0}, {"rate": 0.0}, {"low": 1.0, "high": 0.0}, {"delay": np.nan}])
def test_a_sensor_that_cannot_be_is_named(wrong):
    with pytest.raises(ModelError, match="crank"):
        NoisySensor("crank.q", **{"sigma": 0.1} | wrong)
