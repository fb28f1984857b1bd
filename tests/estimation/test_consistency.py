"""NEES and NIS of filters that are told the truth about their noise, and of some that are not."""

import numpy as np
import pytest
from test_error_state import hydraulic_twin, pendulum

import symbody as sb
from symbody.estimation.consistency import chi_square, nees, nis
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.twin import twin_run, twin_runs

DT, SIGMA = 5e-3, 0.02
START = {"arm.q": 0.05, "arm.qd": 0.05}


def runs(told=SIGMA, count=20):
    """Truths from starts at random, as unsure as the filter is told."""
    s, rng = pendulum(), np.random.default_rng(4)
    found = []
    for seed in range(count):
        truth = sb.simulate(s, 0.5, DT, x0=s.x0 + 0.05 * rng.normal(size=2))
        seen = [NoisySensor("arm.q", SIGMA)]
        if told != SIGMA:
            truth.values[:, truth.names.index("arm.q")] += np.sqrt(SIGMA**2 - told**2) * rng.normal(size=len(truth))
            seen = [NoisySensor("arm.q", told)]
        found.append(twin_run(truth, s, seen, np.zeros((len(truth) - 1, 0)), seed, model_error={}, start=START))
    return found


def test_bounds_hold_what_they_should():
    rng = np.random.default_rng(0)
    found = chi_square(rng.chisquare(3, size=(10, 4000)), np.full((10, 4000), 3))
    assert found.inside == pytest.approx(0.95, abs=0.015)
    assert found.above == pytest.approx(0.025, abs=0.01)
    assert found.mean.mean() == pytest.approx(1.0, abs=0.01)


def test_a_filter_that_is_told_right_is_consistent():
    made = runs()
    assert nees(made).inside > 0.85  # instants in a row are alike: 20 runs, not 2000 samples
    assert nees(made).mean.mean() == pytest.approx(1.0, abs=0.25)
    assert nis(made).inside == pytest.approx(0.95, abs=0.06)
    assert nis(made).mean.mean() == pytest.approx(1.0, abs=0.1)


def test_a_filter_that_is_told_too_little_noise_is_not():
    made = runs(told=SIGMA / 2)
    assert nis(made).mean.mean() == pytest.approx(4.0, rel=0.2)
    assert nis(made).above > 0.9


def test_nees_of_c_is_that_of_python_through_oil():
    u, rng = np.full((40, 1), 3.0), np.random.default_rng(0)
    fast, slow = (hydraulic_twin(backend) for backend in ("auto", "python"))
    z = np.array([[fast.mean[n] + s * rng.normal() for n, s in fast.sensors.items()] for _ in u])
    truth = fast.x + np.sqrt(np.diag(fast.P)) * rng.normal(size=(len(u), len(fast.x)))
    assert fast.follow(u, z, truth).nees == pytest.approx(slow.follow(u, z, truth).nees, rel=1e-4)


def test_seeds_on_all_cores_are_those_one_after_the_other():
    s = pendulum()
    truth = sb.simulate(s, 0.3, DT)
    asked = truth, s, [NoisySensor("arm.q", SIGMA)], np.zeros((len(truth) - 1, 0))
    together = twin_runs(*asked, range(6), workers=3)
    for seed, one in enumerate(together):
        assert np.array_equal(one.mean, twin_run(*asked, seed).mean)
    assert not np.array_equal(together[0].mean, together[1].mean)
