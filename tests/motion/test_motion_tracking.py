"""Lifts with unknown loads: PID does not mind them, PD with feed-forward is exact without one and sags with one."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.errors import ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.data import AXES
from symbody.motion.servo import STIFFNESS
from symbody.motion.tracking import (
    CONTROLLERS,
    HIGH,
    LIFTED,
    LOADS,
    LOW,
    SETTLE,
    lift,
    tracked,
    tracking_figures,
    tracking_table,
)

DATA = platform_data()


@pytest.mark.parametrize("template", LIFTED)
def test_a_lift_rests_goes_up_and_comes_down(template):
    motion = lift(template, DATA)
    z, rate = motion.axes[:, AXES.index("z")], np.abs(motion.rates[:, AXES.index("z")])
    assert np.all(z[motion.t < SETTLE] == LOW)
    assert z.max() == pytest.approx(HIGH, abs=1e-6)
    steady = np.mean(rate[motion.t >= SETTLE] > 0.99 * rate.max())
    assert (steady > 0.7) == (template == "constant speed")


@pytest.fixture(scope="module")
def rows():
    return {(row["controller"], row["template"], row["load_kg"]): row for row in tracking_table(DATA)}


@pytest.mark.slow
def test_pid_tracks_every_load_alike(rows):
    for template in LIFTED:
        errors = [rows["PID", template, load]["rms_mm"] for load in LOADS]
        assert max(errors) < 1.5 * min(errors)
        assert max(errors) < 0.2


def error_with(load):
    """Error of a lift (mm) with a load (kg), by controller; a seed selects the template and the duration."""
    return cache(
        lambda controller, seed: tracking_figures(
            tracked(controller, LIFTED[seed % 2], load, DATA, lasts=1.2 + 0.05 * seed)
        )["rms_mm"]
    )


ORDERINGS = [
    Ordering("error without a load", "PD with feed-forward", "PID", error_with(0.0), 0.1),
    Ordering("error with 8 kg", "PID", "PD with feed-forward", error_with(8.0), 1.0 / 3.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_feed_forward_is_better_without_a_load_and_worse_with_one(ordering):
    check(ordering)


@pytest.mark.slow
def test_feed_forward_sags_as_a_spring_does(rows):
    for template in LIFTED:
        _, one, two = (rows["PD with feed-forward", template, load]["rms_mm"] for load in LOADS)
        assert two == pytest.approx(2.0 * one, rel=0.1)


@pytest.mark.slow
def test_the_sag_of_feed_forward_is_the_load_on_the_springs_of_the_legs():
    run = tracked(CONTROLLERS[1], LIFTED[0], 8.0, DATA)
    sag = (run.wanted - run.q)[0, 2:]
    assert STIFFNESS[2] * sag.sum() * 0.9 < 8.0 * 9.81 < STIFFNESS[2] * sag.sum()  # legs lean


def test_an_unknown_controller_is_refused():
    with pytest.raises(ModelError, match="PID"):
        tracked("LQR", LIFTED[0], 0.0, DATA)
