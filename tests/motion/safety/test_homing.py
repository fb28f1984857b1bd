"""Homing: ends are found by stalls of ten reports, encoders are zeroed there, the platform goes to neutral.

Tests of motion/safety/homing.py, motion/safety/platform_drives.py.
"""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.data import ACTUATORS
from symbody.motion.drives import resolutions
from symbody.motion.geometry import inverse_geometry
from symbody.motion.safety.homing import REPORT, STALLED, HomingSpeeds, StallDetector, end_stops, home
from symbody.motion.safety.margins import END_STOP
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

    def advance(self, speeds):
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
