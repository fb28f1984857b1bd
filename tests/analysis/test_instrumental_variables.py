"""Instrumental variables remove the bias of noisy regressors; their standard deviations are honest."""

from functools import cache

import numpy as np
import pytest

import symbody as sb
from orderings import SEEDS, Ordering, check
from symbody.analysis.instrumental_variables import instrumental_variables, variance_weights

NAMES = ("mass", "friction")
TRUE = np.array([2.0, 0.5])


def noisy(seed, count=4000, noise=0.5):
    """True regressor (instants, 1, 2), the same with noise, and measurements."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(count, 1, 2))
    return Z, Z + noise * rng.normal(size=Z.shape), Z @ TRUE + 0.1 * rng.normal(size=(count, 1))


def test_least_squares_is_biased_and_instruments_are_not():
    Z, W, Y = noisy(0)
    biased, sound = instrumental_variables(W, W, Y, NAMES), instrumental_variables(Z, W, Y, NAMES)
    sigma = np.sqrt(np.diag(sound.covariance))
    assert np.all(np.abs(sound.x - TRUE) < 4.0 * sigma)
    assert biased.x == pytest.approx(TRUE / 1.25, rel=0.05)  # E[WᵀW] is larger by the variance 0.25 of the noise


def test_deviations_have_the_stated_size():
    found = [instrumental_variables(*noisy(seed)[:2], noisy(seed)[2], NAMES) for seed in range(30)]
    scaled = [(one.x - TRUE) / np.sqrt(np.diag(one.covariance)) for one in found]
    assert 0.6 < np.mean(np.square(scaled)) < 1.5


def test_correlated_errors_widen_the_standard_deviation():
    """A moving average over eight rows: Newey and West see it, a single lag does not."""
    W = np.ones((4000, 1, 1))

    @cache
    def variance(lags, seed):
        rng = np.random.default_rng(seed)
        rho = np.convolve(rng.normal(size=4007), np.ones(8) / 8.0, mode="valid")[:, None]
        return instrumental_variables(W, W, 1.0 + rho, ["mean"], lags=int(lags)).covariance[0, 0]

    check(Ordering("variance by lags", "0", "20", variance, 0.25))
    assert [variance("20", seed) for seed in SEEDS] == pytest.approx([1.0 / 4000] * len(SEEDS), rel=0.4)


def test_weights_follow_the_variance_of_the_errors():
    rng = np.random.default_rng(2)
    shapes = np.stack([np.ones((20000, 1)), np.linspace(0.0, 1.0, 20000)[:, None]], axis=-1)
    residual = rng.normal(size=(20000, 1)) * np.sqrt(shapes @ [0.04, 1.0])
    assert 1.0 / variance_weights(residual, shapes)[[0, -1], 0] == pytest.approx([0.2, 1.02], rel=0.2)


def test_a_parameter_without_excitation_is_named():
    Z, _, Y = noisy(0)
    with pytest.raises(sb.ModelError, match=r"friction.*does not excite this parameter"):
        instrumental_variables(Z * [1.0, 0.0], Z * [1.0, 0.0], Y, NAMES)
    with pytest.raises(sb.ModelError, match="does not excite all parameters"):
        instrumental_variables(Z[..., :1] * [1.0, 2.0], Z[..., :1] * [1.0, 2.0], Y, NAMES)
