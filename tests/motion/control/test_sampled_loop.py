"""Controllers on the full model: loads, encoders, drives; what the swarm gains over gains by hand (items 9 and 10).

Tests of motion/control/sampled_loop.py, motion/control/ride_motion.py.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.errors import DivergenceError, ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.control import SWARM, ComputedTorque, LoopOptions, Pid, SlidingMode, loop_figures, run_loop
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import DT, chatter
from symbody.motion.drives import resolutions
from symbody.motion.safety.margins import with_margins
from symbody.motion.safety.vetting import vet

DATA = platform_data()
MODES = {"by hand": SlidingMode(), "by a swarm": SWARM}


@cache
def motion_of_seed(seed):
    return descent_motion(DATA, seed, lasts=1.6)


@cache
def figures(name, seed):
    return loop_figures(run_loop(MODES[name], motion_of_seed(seed), DATA).settled)


def figure(what):
    return lambda name, seed: figures(name, seed)[what]


ORDERINGS = [
    Ordering("acceleration error", "by a swarm", "by hand", figure("acceleration_error"), 0.5),
    Ordering("chattering", "by a swarm", "by hand", figure("chatter_N"), 0.3),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_gains_by_a_swarm_are_better_than_by_hand_in_every_descent(ordering):
    check(ordering)


def test_gains_by_a_swarm_do_not_chatter():
    quiet = figures("by a swarm", 0)
    assert quiet["chatter_N"] < 5.0
    assert quiet["largest_mm"] < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.0, 8.0, 16.0, 50.0])
def test_computed_torque_tracks_every_load_alike(load):
    run = run_loop(ComputedTorque(), motion_of_seed(0), DATA, LoopOptions(load)).settled
    assert loop_figures(run)["rms_mm"] < 0.15


def test_the_first_part_of_a_descent_is_within_the_machine_and_begins_at_rest():
    motion = descent_motion(DATA)
    assert np.abs(np.diff(motion.t) - DT).max() < 1e-9
    assert np.abs(motion.rates[0]).max() < 1e-3
    some = replace(motion.part(slice(None, None, 20)), data=with_margins(DATA))
    assert vet(some, DT).quantity in ("", "rest")  # it ends while it moves


def test_encoders_and_drives_have_steps():
    motion = motion_of_seed(0).part(slice(0, 200))
    coarse, fine = (run_loop(ComputedTorque(), motion, DATA, LoopOptions(steps=steps)) for steps in (True, False))
    unit = 0.37 * 2.0 / 0.0015 / 1000.0  # N, a thousandth of the rated force of a leg
    np.testing.assert_allclose(coarse.forces[:, 2:] / unit, np.round(coarse.forces[:, 2:] / unit), atol=1e-6)
    assert np.abs(fine.q - fine.wanted).max() < 1e-6
    assert np.abs(coarse.q - coarse.wanted).max() > 0.2 * resolutions(DATA).min()


def test_an_unstable_loop_ends_with_the_actuator_and_the_time():
    with pytest.raises(DivergenceError, match=r"PID: \S+ is off by more than 0\.05 m"):
        run_loop(Pid(stiffness=100.0, damping=-300.0), motion_of_seed(0), DATA)


def test_a_motion_at_another_rate_is_refused():
    motion = motion_of_seed(0)
    with pytest.raises(ModelError, match="not sampled at the loop's rate"):
        run_loop(Pid(), replace(motion, t=2.0 * motion.t), DATA)


def test_chattering_measures_fast_forces_only():
    t = np.arange(0.0, 1.0, 1e-3)[:, None]
    slow, fast = (
        100.0 * np.sin(2.0 * np.pi * t) * np.ones(8),
        3.0 * np.cos(np.pi * np.arange(1000))[:, None] * np.ones(8),
    )
    assert chatter(slow) < 0.5
    assert chatter(slow + fast) == pytest.approx(3.0, rel=0.1)
