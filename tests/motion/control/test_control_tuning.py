"""The swarm lowers the acceleration error of sliding mode from gains by hand; motion/control/tuning.py."""

import numpy as np
import pytest

from symbody.machines.platform.data import platform_data
from symbody.motion.control import SlidingMode
from symbody.motion.control.controller import gains
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import acceleration_error, run_loop
from symbody.motion.control.tuning import BOUNDS, tuned_sliding_mode

DATA = platform_data()


@pytest.mark.slow
@pytest.mark.parametrize("alike", [True, False])
def test_a_small_swarm_halves_the_acceleration_error(alike):
    motion = descent_motion(DATA, lasts=1.15)
    found = tuned_sliding_mode(SlidingMode(), [motion], DATA, alike=alike, particles=5, iterations=2)
    rows = gains(found.controller)
    for row, (low, high) in zip(rows, BOUNDS, strict=False):
        assert low <= row.min() * (1.0 + 1e-9)
        assert row.max() <= high * (1.0 + 1e-9)
    assert (rows[-1] == SlidingMode().layer).all()
    assert (np.ptp(rows[:4, 2:], axis=1) == 0.0).all() == alike
    assert (np.diff(found.search.history) <= 0.0).all()
    before, after = (
        acceleration_error(run_loop(one, motion, DATA).settled) for one in (SlidingMode(), found.controller)
    )
    assert found.search.value == pytest.approx(after, rel=1e-6)
    # one run: test_sampled_loop.py has the ordering of both over ten motions
    assert after < 0.5 * before
