"""Bands that widen where measurements contradict them, and stay where they do not."""

import numpy as np
import pytest

from symbody.estimation.inflation import LONG, doubted, doubting, inflation, running_mean
from symbody.estimation.twin import TwinRun

N, NOISE, BAND = 4000, 0.1, 0.005


def run(offset=0.0, louder=1.0, seed=0):
    """An estimate that is off by a constant, of a value that a sensor with noise measures."""
    rng = np.random.default_rng(seed)
    truth = np.sin(np.linspace(0.0, 6.0, N))[:, np.newaxis]
    mean = truth + offset
    z = truth[:, 0] + louder * NOISE * rng.normal(size=N)
    shares = ((z - mean[:, 0]) ** 2 / (NOISE**2 + BAND**2))[:, np.newaxis]
    sigma = np.full((N, 1), BAND)
    return TwinRun(np.arange(N) * 1e-3, ["arm.q"], truth, mean, sigma, {"arm.q": z}, np.full(N, np.nan), shares, 1,
                   {"arm.q": NOISE})  # fmt: skip


def test_a_running_mean_skips_what_is_not_measured():
    mean, count = running_mean(np.array([[1.0], [np.nan], [3.0], [5.0]]), 2.0)
    assert mean[:, 0].tolist() == [1.0, 1.0, 2.0, 3.5]
    assert count[:, 0].tolist() == [1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize("seed", range(10))
def test_chance_alone_is_not_doubted(seed):
    assert doubted(run(offset=BAND, seed=seed)) < 0.01
    assert np.array_equal(doubting(run(seed=seed)).sigma, run(seed=seed).sigma)


@pytest.mark.parametrize("seed", range(10))
def test_a_constant_error_far_outside_the_band_is_seen_though_it_is_small_beside_the_noise(seed):
    """0.3 σ of the sensor: y²/S does not show it, the mean of many measurements does."""
    made = run(offset=0.3 * NOISE, seed=seed)
    assert np.mean(made.shares) < 1.2
    assert doubted(made) > 0.5
    assert made.coverage("arm.q") == 0.0
    expected = (0.3 * NOISE) ** 2 / (BAND**2 + NOISE**2 / LONG)
    assert inflation(made)[-1] == pytest.approx(expected, rel=0.5)


@pytest.mark.parametrize("seed", range(10))
def test_more_noise_than_was_told_is_seen(seed):
    made = run(louder=2.0, seed=seed)
    assert doubted(made) > 0.9
    assert inflation(made)[-1] == pytest.approx(4.0, rel=0.5)


def test_a_running_mean_follows_its_definition():
    rng = np.random.default_rng(0)
    values = np.where(rng.random((60, 3)) < [0.0, 0.4, 1.0], np.nan, rng.normal(size=(60, 3)))
    mean, count = running_mean(values, 10)
    now, seen = np.zeros(3), np.zeros(3)
    for k, row in enumerate(values):
        known = np.isfinite(row)
        seen += known
        now[known] += (row - now)[known] / np.minimum(seen, 10)[known]
        np.testing.assert_allclose(mean[k], now, atol=1e-14)
        np.testing.assert_array_equal(count[k], np.clip(seen, 1, 10))
