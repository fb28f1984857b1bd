"""Logs as they come: times that go back or stay, gaps, NaN, stuck sensors; each found where it was put."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.estimation.sensor_log import changes_only, held_on, sensor_log, stuck_values

RNG = np.random.default_rng(1)
T = np.arange(200) * 0.01
NOISY = np.sin(T) + 0.01 * RNG.normal(size=200)


def test_a_good_log_stays_as_it_is():
    log = sensor_log(T, {"a": NOISY, "u": T}, {"a": 0.01}, ["u", "v"], 0.01)
    assert np.array_equal(log.z[:, 0], NOISY)
    assert np.array_equal(log.u["u"], T)
    assert np.allclose(log.t, T)
    f = log.faults
    assert (f.not_a_time, f.reversed, f.repeated, f.gaps, f.missing, f.stuck) == (0, 0, 0, 0, {"a": 0}, {"a": 0})


def test_rows_between_measurements_are_steps_without_any():
    log = sensor_log(T, {"a": NOISY}, {"a": 0.01}, [], 0.005)
    assert np.array_equal(log.z[::2, 0], NOISY)
    assert np.all(np.isnan(log.z[1::2]))


def test_wrong_times_are_left_out_and_counted():
    t = T.copy()
    t[50], t[60], t[70] = np.nan, t[59], 0.2
    log = sensor_log(t, {"a": NOISY}, {"a": 0.01}, [], 0.01)
    assert (log.faults.not_a_time, log.faults.repeated, log.faults.reversed) == (1, 1, 1)
    assert np.flatnonzero(np.isnan(log.z[:, 0])).tolist() == [50, 60, 70]
    assert log.z[20, 0] == NOISY[20]  # the one that came too late does not take its place


def test_gaps_are_counted_and_stay_empty():
    kept = np.r_[0:80, 120:200]
    log = sensor_log(T[kept], {"a": NOISY[kept]}, {"a": 0.01}, [], 0.01)
    assert log.faults.gaps == 1
    assert log.faults.longest_gap == pytest.approx(0.41)
    assert np.all(np.isnan(log.z[80:120]))
    assert len(log.z) == 200


def test_a_stuck_sensor_is_told_from_a_coarse_one():
    stuck = NOISY.copy()
    stuck[100:150] = stuck[100]
    assert np.flatnonzero(stuck_values(stuck, 0.01)).tolist() == list(range(101, 150))
    assert not stuck_values(0.1 * np.round(np.sin(T) / 0.1), 0.01).any()  # its steps are coarser than its noise
    some = 0.01 * np.round(NOISY / 0.01)  # equal neighbours are to be expected
    assert not stuck_values(some, 0.01).any()


def test_what_is_not_finite_was_not_measured():
    values = NOISY.copy()
    values[[3, 4]] = np.nan, np.inf
    log = sensor_log(T, {"a": values}, {"a": 0.01}, [], 0.01)
    assert log.faults.missing == {"a": 2}
    assert np.all(np.isnan(log.z[[3, 4], 0]))


def test_inputs_are_held():
    assert held_on(np.array([1, 3]), np.array([5.0, 6.0]), 5).tolist() == [5, 5, 5, 6, 6]
    assert held_on(np.array([0, 1, 2]), np.array([5.0, np.nan, 6.0]), 3).tolist() == [5, 5, 6]
    assert np.isnan(held_on(np.array([0]), np.array([np.nan]), 2)).all()


def test_repetitions_are_no_measurements():
    assert np.array_equal(changes_only(np.array([1.0, 1, 2, 2, 1])), [1, np.nan, 2, np.nan, 1], equal_nan=True)


def test_what_cannot_be_meant_is_named():
    with pytest.raises(ModelError, match="did you mean arm"):
        sensor_log(T, {"arm": NOISY}, {"amr": 0.1}, [], 0.01)
    with pytest.raises(ModelError, match="jump"):
        sensor_log(np.array([0.0, 1.7e9]), {"a": np.zeros(2)}, {"a": 0.1}, [], 0.001)
    with pytest.raises(ModelError, match="no row"):
        sensor_log(np.array([np.nan]), {"a": np.zeros(1)}, {"a": 0.1}, [], 0.001)
