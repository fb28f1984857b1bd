"""Homing: ends are found by stalls of ten reports, encoders are zeroed there, the platform goes to neutral.

Tests of motion/safety/homing.py, motion/safety/platform_drives.py.
"""

from dataclasses import replace

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.data import ACTUATORS, FIXED
from symbody.motion.drives import resolutions
from symbody.motion.geometry import inverse_geometry
from symbody.motion.safety.homing import (
    ARRIVED,
    LONGER,
    REPORT,
    SHARE,
    STALLED,
    STARTING,
    HomingSpeeds,
    StallDetector,
    end_stops,
    home,
)
from symbody.motion.safety.margins import END_STOP, LEG_STOP
from symbody.motion.safety.platform_drives import PlatformDrives

DATA = platform_data()
NEUTRAL = np.asarray(inverse_geometry(DATA.neutral_axes, DATA)[0])
FAST = HomingSpeeds(table=0.25, leg=0.1)


class IdealDrives:
    """Drives that follow speeds exactly between stiff ends; `blocked`: an actuator that never moves."""

    def __init__(self, start, blocked=None, loose=None):
        self.q, self.blocked, self.loose = np.array(start, dtype=float), blocked, loose
        self.zero = np.arange(8) * 1000.0
        self.low, self.high = end_stops(DATA)
        self.speeds = []  # of each report

    def advance(self, speeds):
        self.speeds.append(speeds.tolist())
        q = self.q + REPORT * speeds
        held = np.clip(q, self.low, self.high)
        if self.loose is not None:
            held[self.loose] = q[self.loose]
        if self.blocked is not None:
            held[self.blocked] = self.q[self.blocked]
        self.q = held

    def positions(self):
        return np.round(self.q / resolutions(DATA)) + self.zero


def test_a_stall_is_ten_successive_reports_below_the_threshold():
    detector = StallDetector(0.1)
    assert detector.threshold == pytest.approx(0.5 * REPORT * 0.1)
    moving = [detector.update(0.1 * REPORT * k) for k in range(20)]
    assert not any(moving)
    last = 0.1 * REPORT * 19
    stalled = [detector.update(last) for _ in range(STALLED + 1)]
    assert stalled == [False] * (STALLED - 1) + [True, True]
    again = StallDetector(0.1)
    jerks = [again.update(last + (0.01 if k % 9 == 0 else 0.0)) for k in range(60)]
    assert not any(jerks)  # friction that sticks now and then is not an end


def test_the_ends_of_the_sliders_are_five_centimetres_beyond_the_software():
    low, high = end_stops(DATA)
    assert (low[0], high[1]) == (-0.5 - END_STOP, 0.5 + END_STOP)
    assert high[0] - low[0] == pytest.approx(1.1)  # the physical stroke of the table


def test_ideal_drives_are_homed_to_an_increment():
    drives = IdealDrives(NEUTRAL + 0.03)
    found = home(drives, DATA, FAST)
    np.testing.assert_allclose(found.positions(drives.positions(), DATA), drives.q, atol=1.01 * resolutions(DATA).max())
    np.testing.assert_allclose(drives.q, NEUTRAL, atol=5e-4)
    assert found.duration > 0.58 / FAST.table


def test_an_axis_without_an_end_is_an_error_that_names_it():
    with pytest.raises(ModelError, match=r"table\.x: no end within 1\.21 m"):
        home(IdealDrives(NEUTRAL, loose=0), DATA, FAST)


def test_an_axis_that_does_not_move_is_an_error_that_names_it():
    with pytest.raises(ModelError, match="rod3: does not come to its neutral position"):
        home(IdealDrives(NEUTRAL, blocked=ACTUATORS.index("rod3")), DATA, FAST)


@pytest.mark.slow
def test_the_full_model_is_homed_within_a_millimetre_from_any_pose():
    axes = DATA.neutral_axes.copy()
    axes += [-0.45, -0.45, 0.02, 0.01, -0.1, 0.05, -0.03, 0.1]
    drives = PlatformDrives(DATA, axes, seed=3)
    found = home(drives, DATA)
    np.testing.assert_allclose(found.positions(drives.positions(), DATA), drives.true, atol=1e-3)
    np.testing.assert_allclose(drives.true, NEUTRAL, atol=1.5e-3)


def test_numbers_of_homing_are_those_of_the_source():
    assert (REPORT, STALLED, STARTING, SHARE, LONGER, ARRIVED) == (6e-3, 10, 0.3, 0.5, 1.1, 2e-4)
    assert (HomingSpeeds().table, HomingSpeeds().leg) == (0.05, 0.02)
    low, high = end_stops(DATA)
    assert low[2:].tolist() == 6 * [DATA.legs.shortest - LEG_STOP]
    assert high[2:].tolist() == 6 * [DATA.legs.longest + LEG_STOP]


def test_a_move_by_the_threshold_is_no_stall():
    detector = StallDetector(0.1)
    detector.update(0.0)
    detector.update(detector.threshold)
    assert detector.count == 0
    detector.update(1.5 * detector.threshold)
    assert detector.count == 1


def test_the_sliders_are_homed_one_after_the_other_and_then_all_legs_together():
    """At its end an axis stalls after the time to begin, a first report, and ten like it."""
    low, _ = end_stops(DATA)
    drives = IdealDrives(low)
    found = home(drives, DATA, FAST)
    stall = round(0.3 / REPORT) + 1 + 10
    table, leg = -FAST.table, -FAST.leg
    groups = ([0.0, table, *6 * [0.0]], [table, *7 * [0.0]], [0.0, 0.0, *6 * [leg]])
    assert drives.speeds[: 3 * stall] == [speeds for speeds in groups for _ in range(stall)]
    assert max(drives.speeds[3 * stall]) > 0.0
    assert drives.speeds[-1] == 8 * [0.0]
    assert found.duration == REPORT * len(drives.speeds)
    away = NEUTRAL - found.positions(drives.positions(), DATA)
    assert np.abs(away).max() < 2e-4
    usual = IdealDrives(low)
    home(usual, DATA)
    assert usual.speeds[0] == [0.0, -0.05, *6 * [0.0]]


def test_a_platform_without_a_table_homes_its_legs_only():
    data = replace(DATA, limits=DATA.limits | dict.fromkeys(("table.x", "table.y", "x"), FIXED))
    drives = IdealDrives(NEUTRAL)
    home(drives, data, FAST)
    assert not any(speeds[0] or speeds[1] for speeds in drives.speeds)
    assert drives.speeds[0] == [0.0, 0.0, *6 * [-FAST.leg]]


def test_a_drive_without_a_position_is_an_error_that_names_it():
    drives = IdealDrives(NEUTRAL)
    drives.zero[1] = np.nan
    with pytest.raises(ModelError, match=r"table\.y: the drive reports no position"):
        home(drives, DATA, FAST)
