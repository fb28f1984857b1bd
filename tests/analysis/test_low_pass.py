"""Filters of measured signals: what is slow stays, in phase, with its derivatives; what is fast goes."""

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.low_pass import derivatives, low_pass

DT = 1e-3
T = np.arange(0.0, 4.0, DT)
INSIDE = slice(500, -500)


def test_a_slow_signal_passes_without_delay_and_a_fast_one_goes():
    slow, fast = np.sin(2 * np.pi * 1.0 * T), np.sin(2 * np.pi * 200.0 * T)
    found = low_pass(np.column_stack([slow, slow + fast]), DT, 20.0)
    np.testing.assert_allclose(found[INSIDE, 0], slow[INSIDE], atol=1e-6)
    np.testing.assert_allclose(found[INSIDE, 1], slow[INSIDE], atol=1e-5)


def test_derivatives_are_exact_for_polynomials_of_degree_four():
    x = np.column_stack([T**4, 2.0 - T])
    first, second = derivatives(x, DT)
    np.testing.assert_allclose(first, np.column_stack([4 * T**3, -np.ones_like(T)]), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(second[:, 0], 12 * T**2, rtol=1e-4, atol=1e-4)


def test_no_cutoff_leaves_a_signal_and_a_wrong_one_is_refused():
    assert np.array_equal(low_pass(T, DT, None), T)
    for cutoff in (0.0, 500.0, np.nan):
        with pytest.raises(sb.ModelError, match="cutoff"):
            low_pass(T, DT, cutoff)
