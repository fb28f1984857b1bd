"""Twins of the hydraulic four-bar: what theory says of sensor sets and rates, over seeds; noisy_sensor.py."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from optimised_code import optimised_code
from orderings import Ordering, check
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


@pytest.fixture(scope="module", autouse=True)
def _optimised():
    """Filters run for minutes, over up to fifty seeds."""
    with optimised_code():
        yield


@cache
def errors(k, rate=1000):
    """Errors in % with sensor set k at a rate (Hz): name → one for each seed."""
    runs = observed_over(SETS[k], rate, SEEDS, UNTIL)
    return {name: np.array([one.rmse_percent(name) for one in runs]) for name in NAMES}


def error_of(name):
    """Its error in % by "set K", "R Hz" (of set 2) or "sensor", for an ordering."""

    def measure(way, seed):
        if way == "sensor":
            return sensors_alone()[name]
        kind, number = way.removesuffix(" Hz"), way.removeprefix("set ")
        return errors(2, int(kind))[name][seed] if way.endswith(" Hz") else errors(int(number))[name][seed]

    return measure


RATES = ("1000 Hz", "500 Hz", "200 Hz", "100 Hz")
ORDERINGS = [
    *(Ordering("crank.q", f"set {k}", "sensor", error_of("crank.q"), 0.2) for k in SETS),
    *(Ordering(name, f"set {k}", "sensor", error_of(name)) for name in ("hose_p", "piston_p", "rod_p") for k in SETS),
    *(Ordering(name, "set 2", "set 1", error_of(name)) for name in ("crank.q", "crank.qd")),
    Ordering("piston_p", "set 2", "set 4", error_of("piston_p")),
    *(Ordering("crank.qd", *pair, error_of("crank.qd")) for pair in pairwise(RATES)),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_filter_is_better_than_sensors_and_best_with_all_of_them_at_their_highest_rate(ordering):
    check(ordering)


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
def test_the_sensor_of_the_rod_side_improves_its_pressure_on_average():
    """Not in each seed: the oil ties the chambers together."""
    assert smaller(errors(2)["rod_p"], errors(3)["rod_p"])


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
        # one run: a figure over fifty seeds and its standard error
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
        # one run: the wider band contains the other; over ten seeds
        assert one["coverage_with_doubt"][name] > one["coverage"][name] + 0.03


def test_fewer_sensors_tell_less():
    """What sensors do not tell of the start fades: nothing stays unknown.

    Of the rate, a gyroscope tells more than an encoder.
    """
    told = {k: observability_of(SETS[k], 0.1) for k in (1, 2)}
    # one run: rank and size of one matrix
    assert all(one["unobservable"] == [] and one["rank"] < one["of"] for one in told.values())
    # one run: covariances do not depend on noise; ORDERINGS has the errors of these sets over ten seeds
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
