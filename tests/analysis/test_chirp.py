"""A sine of rising frequency: derivatives, cycles, and the largest value in each cycle."""

import numpy as np
import pytest

from symbody.analysis.chirp import Chirp, highest_frequency, longest_band

CHIRP = Chirp(5.0, 25.0, 4.0)
T = np.linspace(0.0, 3.99, 40001)


def test_rates_are_derivatives_and_cycles_the_integral_of_the_frequency():
    x, xd, xdd = CHIRP.lift(T)
    assert np.gradient(x, T)[2:-2] == pytest.approx(xd[2:-2], abs=2e-3 * np.abs(xd).max())
    assert np.gradient(xd, T)[2:-2] == pytest.approx(xdd[2:-2], abs=2e-3 * np.abs(xdd).max())
    assert np.gradient(CHIRP.cycles(T), T)[2:-2] == pytest.approx(CHIRP.frequency(T)[2:-2])
    assert (x.min(), x.max()) == pytest.approx((0.0, 1.0), abs=1e-6)


def test_each_whole_cycle_has_its_largest_value():
    heights = 1.0 + np.floor(CHIRP.cycles(T))
    frequencies, peaks = CHIRP.peaks(T, heights * CHIRP.lift(T)[0])
    assert peaks == pytest.approx(np.arange(1.0, 60.0), rel=1e-3)  # the 60th is not complete
    assert np.all(np.diff(frequencies) > 0.0)
    assert frequencies[0] == pytest.approx(CHIRP.frequency(0.1), rel=0.1)


@pytest.mark.parametrize(
    ("kept", "misses", "band"),
    [("0111011", 1, (1, 4)), ("0111011", 2, (0, 7)), ("1100111", 2, (4, 7)), ("111", 1, (0, 3)), ("000", 1, (0, 0))],
)
def test_the_longest_band_has_no_row_of_misses(kept, misses, band):
    found = longest_band(np.array([letter == "1" for letter in kept]), misses)
    assert found.stop - found.start == band[1] - band[0]
    if found.stop > found.start:
        assert (found.start, found.stop) == band


@pytest.mark.parametrize(
    ("kept", "highest"), [("1111100", 14.0), ("1111000", 0.0), ("0011111", 16.0), ("1111101", 14.0)]
)
def test_the_highest_frequency_ends_a_band_of_five_cycles(kept, highest):
    frequencies = np.arange(10.0, 17.0)
    assert highest_frequency(frequencies, np.array([letter == "1" for letter in kept])) == highest
