"""Twins of the hydraulic four-bar: what theory says of sensor sets and rates, over seeds; noisy_sensor.py."""

from itertools import pairwise

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.estimation.consistency import nees, nis
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.machines.estimator.experiment import (
    NAMES,
    coverage_over,
    observability_of,
    observed,
    observed_over,
    sensors_alone,
    unmeasured_pressures,
)
from symbody.machines.estimator.model import SETS, WITHOUT_GYROSCOPE

SEEDS, MANY = range(10), range(50)
UNTIL = 4.0  # s: with the first move, from 1 s to 2.5 s


@pytest.fixture(scope="module")
def found():
    """Errors in %, by sensors and rate: name → one for each seed."""
    asked = [(sensors, 1000) for sensors in SETS.values()]
    asked += [(SETS[2], rate) for rate in (500, 200, 100)]
    return {key: errors(observed_over(*key, SEEDS, UNTIL)) for key in asked}


def errors(runs):
    return {name: np.array([one.rmse_percent(name) for one in runs]) for name in NAMES}


def smaller(a, b, share=1.0):
    """Whether errors a are below b: on average, and in nine of ten seeds at least."""
    return bool(np.mean(a) < share * np.mean(b) and np.mean(a < b) >= 0.9)


def test_an_ordering_fails_when_its_names_are_exchanged():
    rng = np.random.default_rng(0)
    a, b = rng.normal(1.0, 0.1, 10), rng.normal(2.0, 0.1, 10)
    assert smaller(a, b)
    assert not smaller(b, a)
    assert not smaller(a, a + 1e-3 * rng.normal(size=10))


@pytest.mark.slow
def test_the_crank_is_better_known_than_its_encoder_tells(found):
    for sensors in SETS.values():
        assert smaller(found[sensors, 1000]["crank.q"], sensors_alone()["crank.q"], 0.2)


@pytest.mark.slow
def test_pressures_are_better_known_than_their_sensors_tell(found):
    for name in ("hose_p", "piston_p", "rod_p"):
        for sensors in SETS.values():
            assert smaller(found[sensors, 1000][name], sensors_alone()[name])


@pytest.mark.slow
def test_all_sensors_are_best_where_the_other_sets_have_one_less(found):
    best = found[SETS[2], 1000]
    for k, names in ((1, ("crank.q", "crank.qd")), (3, ("rod_p",)), (4, ("piston_p",))):
        for name in names:
            assert smaller(best[name], found[SETS[k], 1000][name]), (k, name)


@pytest.mark.slow
def test_it_is_worse_at_lower_rates(found):
    at = [found[SETS[2], rate]["crank.qd"] for rate in (1000, 500, 200, 100)]
    assert all(smaller(a, b) for a, b in pairwise(at))


# -- does a gyroscope replace a pressure sensor? ------------------------------------------------------------------


@pytest.fixture(scope="module")
def unmeasured():
    """Errors of p3 without its sensor, by filter: with and without gyroscope, one for each seed."""
    asked = {kind: unmeasured_pressures(SEEDS, kind, UNTIL, sets=[3])["rod_p"] for kind in ("printed", "own")}
    return {kind: (np.array(one["gyroscope"]), np.array(one["none"])) for kind, one in asked.items()}


@pytest.mark.slow
def test_a_gyroscope_replaces_a_pressure_sensor_if_errors_of_pressures_are_held(unmeasured):
    """The filter of the source: the pressure without a sensor is known by the acceleration that it causes."""
    with_gyroscope, without = unmeasured["printed"]
    assert smaller(with_gyroscope, without, 0.3)
    assert smaller(with_gyroscope, sensors_alone()["rod_p"], 0.5)
    assert smaller(sensors_alone()["rod_p"], without)


@pytest.mark.slow
def test_a_gyroscope_is_not_needed_if_the_oil_moves_the_errors_of_pressures(unmeasured):
    """The oil ties the chambers of the cylinder together: without gyroscope p3 is still better than by a sensor."""
    with_gyroscope, without = unmeasured["own"]
    assert not smaller(with_gyroscope, without, 0.6)
    assert smaller(without, sensors_alone()["rod_p"], 0.7)
    assert smaller(without, unmeasured["printed"][1], 0.4)


# -- bands ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3])
def test_bands_hold_the_truth_over_fifty_seeds(k):
    """A single seed may be outside for long: the crank's angle is off by a constant, which only its encoder tells."""
    runs = observed_over(SETS[k], 1000, MANY, UNTIL)
    one = coverage_over(runs)
    for name in NAMES:
        assert one["coverage"][name] > 0.95 - 3.0 * one["standard_error"][name], name
        assert one["coverage"][name] > 0.9, name
    assert one["doubted"] < 0.01
    assert 0.5 < nis(runs).mean.mean() < 1.1
    assert nees(runs).mean.mean() < 1.1


@pytest.mark.slow
def test_a_filter_that_is_wrong_doubts_itself_and_widens_its_bands():
    """The printed filter without gyroscope and rod sensor: its pressures are worse than their sensors."""
    one = coverage_over(observed_over(WITHOUT_GYROSCOPE[3], 1000, SEEDS, UNTIL, "printed"))
    assert one["doubted"] > 0.3
    for name in ("hose_p", "piston_p", "rod_p"):
        assert one["coverage"][name] < 0.8
        assert one["coverage_with_doubt"][name] > one["coverage"][name] + 0.03


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
