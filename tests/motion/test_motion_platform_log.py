"""Logs that cannot be used are refused by name: what is no number, dropped samples, stuck encoders, wrong zeros."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.machines.platform.data import platform_data
from symbody.motion.excitation import AxisMove
from symbody.motion.identification import identify_platform
from symbody.motion.platform_log import LogNoise, check_log, synthetic_log

DATA = platform_data()
HOME = np.array([0.0, 0.0, *DATA.neutral])
AWAY = HOME + np.array([0.3, -0.2, 0.04, 0.03, 0.05, 0.1, -0.1, 0.1])


@pytest.fixture
def log():
    made, _ = synthetic_log([AxisMove(HOME, AWAY, 1.5, "trapezoidal"), AxisMove(AWAY, HOME, 1.5, "triangular")], DATA)
    return replace(made, q=made.q.copy(), forces=made.forces.copy(), t=made.t.copy())


def refused(log, *words):
    with pytest.raises(sb.ModelError) as told:
        check_log(log, DATA)
    assert all(word in str(told.value) for word in words), told.value
    with pytest.raises(sb.ModelError):
        identify_platform(log, DATA)


def test_a_sound_log_passes_with_and_without_references(log):
    check_log(log, DATA)
    check_log(replace(log, reference=None), DATA)


def test_what_is_no_number(log):
    log.forces[700, 4] = np.nan
    refused(log, "rod3", "forces", "0.7 s")
    log.q[300, 1] = np.inf
    refused(log, "table.y", "0.3 s")


def test_dropped_samples(log):
    kept = np.r_[0:500, 512:2000, 2003 : len(log.t)]
    short = replace(log, t=log.t[kept], q=log.q[kept], forces=log.forces[kept], reference=log.reference[kept])
    refused(short, "12 samples", "0.499 s", "1 more")
    log.t[80] = log.t[78]
    refused(log, "time goes")


@pytest.mark.parametrize("referenced", [True, False])
def test_a_stuck_encoder(log, referenced):
    log.q[400:800, 5] = log.q[400, 5]
    refused(log if referenced else replace(log, reference=None), "rod4", "0.4 s")


def test_a_stuck_slider_is_seen_by_its_reference(log):
    log.q[400:800, 0] = log.q[400, 0]
    refused(log, "table.x", "0.4 s")


def test_an_axis_that_rests_is_not_stuck(log):
    moves = [AxisMove(HOME, HOME + np.r_[0.3, np.zeros(7)], 1.5, "trapezoidal")]
    check_log(synthetic_log(moves, DATA, noise=LogNoise())[0], DATA)


def test_a_wrong_zero_and_wrong_shapes(log):
    log.q[:, 3] += 0.4
    refused(log, "rod2", "zero")
    refused(replace(log, forces=log.forces[:, :6]), "forces", "(3000, 6)")
    with pytest.raises(sb.ModelError, match="50 samples"):
        check_log(replace(log, t=log.t[:50], q=log.q[:50], forces=log.forces[:50], reference=None), DATA)


def test_a_motion_that_shows_too_little_is_refused(log):
    with pytest.raises(sb.ModelError, match="parameter"):
        identify_platform(log, DATA)
    with pytest.raises(sb.ModelError, match="instruments"):
        identify_platform(replace(log, reference=None), DATA, method="instruments")
