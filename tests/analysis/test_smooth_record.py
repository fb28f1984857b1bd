"""A filtered record keeps slow motion, with exact derivatives, and loses fast noise and both ends."""

import numpy as np
import pytest

from symbody.analysis.smooth_record import EDGE, smooth_record

DT = 1e-3
T = np.arange(0.0, 2.0, DT)
SLOW = np.sin(2.0 * np.pi * T)[:, None]


def test_slow_motion_and_its_derivatives_pass():
    record = smooth_record(T, SLOW, 3.0 * SLOW, 40.0)
    w = 2.0 * np.pi
    assert record.t[0] == pytest.approx(EDGE)
    assert record.q[:, 0] == pytest.approx(np.sin(w * record.t), abs=1e-4)
    assert record.qd[:, 0] == pytest.approx(w * np.cos(w * record.t), abs=1e-3 * w)
    assert record.qdd[:, 0] == pytest.approx(-(w**2) * np.sin(w * record.t), abs=2e-2 * w**2)
    assert record.forces == pytest.approx(3.0 * record.q)


def test_noise_above_the_cutoff_is_removed_from_all_signals_alike():
    fast = 0.1 * np.sin(2.0 * np.pi * 200.0 * T)[:, None]
    record = smooth_record(T, SLOW + fast, fast, 40.0)
    assert record.q[:, 0] == pytest.approx(np.sin(2.0 * np.pi * record.t), abs=1e-3)
    assert np.abs(record.forces).max() < 1e-3
    assert np.abs(record.filtered(np.sin(2.0 * np.pi * 200.0 * record.t))[100:-100]).max() < 1e-3


def test_without_a_cutoff_nothing_is_filtered():
    assert smooth_record(T, SLOW, SLOW, None).q[:, 0] == pytest.approx(SLOW[100:-100, 0])
