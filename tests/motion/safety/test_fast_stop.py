"""Fast stops: constant braking of each axis, whole samples, the rest of a stop is a stop, limits along it.

Tests of motion/safety/fast_stop.py, motion/safety/slack.py, motion/safety/margins.py.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hostile_rides import DATA, DT, MACHINE, random_stoppable, stops
from symbody.errors import ModelError
from symbody.motion.data import AXES, FIXED
from symbody.motion.safety.fast_stop import FRACTIONS, stop_end, stop_motion, stop_time, stoppable, stopping
from symbody.motion.safety.margins import END_STOP, LEG_STOP, SoftwareMargins, with_margins
from symbody.motion.safety.slack import slack, slack_function, slack_names

pytestmark = pytest.mark.usefixtures("optimised_slack")


@pytest.fixture(scope="module")
def states():
    return random_stoppable(300, np.random.default_rng(1))


def test_a_stop_brakes_each_axis_at_a_constant_rate_to_rest(states):
    r, v = states
    for k in range(20):
        motion = stop_motion(r[k], v[k], DATA, DT)
        assert not motion.rates[-1].any()
        assert np.abs(motion.second).max(axis=0) == pytest.approx(
            np.abs(v[k]) / np.maximum(stop_time(v[k], DATA, DT), DT)
        )
        assert (np.abs(motion.second) <= DATA.ends("acceleration") * (1.0 + 1e-9)).all()
        np.testing.assert_allclose(motion.axes[-1], stop_end(r[k], v[k], DATA, DT), atol=1e-12)


def test_the_rest_of_a_stop_is_the_stop_from_there(states):
    r, v = states
    for later in (1, 3, 10):
        axes, rates, _ = (x[:, 0] for x in stopping(r, v, np.full((len(r), 1), later * DT), DATA, DT))
        np.testing.assert_allclose(stop_end(axes, rates, DATA, DT), stop_end(r, v, DATA, DT), atol=1e-12)


def test_stops_from_three_hundred_states_end_at_rest_inside(states):
    assert stops([states]) == (0, 300)


@pytest.mark.slow
def test_stops_from_ten_thousand_states_end_at_rest_inside():
    assert stops([random_stoppable(10_000, np.random.default_rng(2))]) == (0, 10_000)


@pytest.mark.parametrize("acceleration", [0.5, 1.0, 4.0])
def test_a_stop_takes_the_rate_over_the_acceleration(acceleration):
    """n dt is the shortest time that is not below |v|/a, however small a is."""
    data = SimpleNamespace(ends=lambda name: np.full(8, acceleration))
    np.testing.assert_allclose(stop_time(np.full(8, -1.0), data, 0.25), 1.0 / acceleration)


def test_a_state_may_be_a_list():
    assert stoppable(DATA.neutral_axes.tolist(), [0.0] * 8, DATA, DT)
    assert not stoppable(DATA.ends("high").tolist(), [0.1] * 8, DATA, DT)


def test_a_state_too_fast_near_an_end_is_not_stoppable():
    at, v = DATA.neutral_axes.copy(), np.zeros(8)
    x = AXES.index("table.x")
    v[x] = 1.0
    room = 0.5 * v[x] * stop_time(v, DATA, DT)[x]
    for beyond, good in ((-1e-6, True), (1e-3, False)):
        at[x] = DATA.limits["table.x"].high - room + beyond
        assert stoppable(at, v, DATA, DT) == good
    at[x] = np.nan
    assert not stoppable(at, v, DATA, DT)


def test_legs_and_singular_poses_bound_what_is_stoppable():
    at, v = DATA.neutral_axes, np.zeros(8)
    assert stoppable(at, v, DATA, DT)
    v[AXES.index("z")] = 0.5  # within the limit of the axis, but the motors of the legs turn too fast
    assert not stoppable(at, v, DATA, DT)
    short = replace(DATA, legs=replace(DATA.legs, longest=0.53))
    v[AXES.index("z")] = 0.05
    assert stoppable(at, v, short, DT)
    v[AXES.index("z")] = 0.2  # the legs would be too long before it rests
    assert not stoppable(at, v, short, DT)
    stiff = replace(DATA, legs=replace(DATA.legs, acceleration=0.5))
    assert not stoppable(at, v, stiff, DT)


def test_the_compiled_slack_is_that_of_arrays(states):
    r, v = (x[:50, 2:] for x in states)
    data = replace(DATA, legs=replace(DATA.legs, acceleration=2.0))
    found = slack_function(data)(r, v, 0.3 * v)
    np.testing.assert_allclose(found, np.stack(slack(r, v, 0.3 * v, data), axis=-1), rtol=1e-9, atol=1e-9)
    assert found.shape[1] == len(slack_names(data))


def test_margins_narrow_every_limit_and_must_leave_something():
    for axis in AXES:
        inner, outer = DATA.limits[axis], MACHINE.limits[axis]
        # one run: an interval in another
        assert outer.low < inner.low < inner.high < outer.high
        assert inner.speed < outer.speed
        assert inner.acceleration < outer.acceleration
    assert DATA.legs.speed == pytest.approx(0.98 * 0.2749, rel=1e-3)  # of the motors
    with pytest.raises(ModelError, match=r"x: margins leave no range"):
        with_margins(MACHINE, SoftwareMargins(travel=0.2))
    with pytest.raises(ModelError, match="legs: margins leave no stroke"):
        with_margins(MACHINE, SoftwareMargins(leg=0.3))
    for axis in AXES:  # by the margin of its kind
        by = 0.005 if "table" in axis or axis in ("roll", "pitch", "yaw") else 0.002
        inner, outer = DATA.limits[axis], MACHINE.limits[axis]
        assert (inner.low, inner.high) == (outer.low + by, outer.high - by)
        assert (inner.speed, inner.acceleration) == (0.98 * outer.speed, 0.98 * outer.acceleration)
    assert DATA.legs.shortest == MACHINE.legs.shortest + 0.003
    assert DATA.legs.longest == MACHINE.legs.longest - 0.003
    assert with_margins(replace(MACHINE, limits=MACHINE.limits | {"x": FIXED})).limits["x"] == FIXED
    margins = SoftwareMargins(table=0.1, travel=0.01, turn=0.2, speed=0.5, leg=0.01)
    limits = with_margins(MACHINE, margins).limits
    assert [limits[axis].high for axis in ("table.y", "x", "roll")] == [
        MACHINE.limits[axis].high - by for axis, by in (("table.y", 0.1), ("x", 0.01), ("roll", 0.2))
    ]
    assert (END_STOP, LEG_STOP) == (0.05, 0.01)


def test_margins_that_leave_a_single_point_are_refused():
    half = MACHINE.limits["table.x"].high
    with pytest.raises(ModelError, match=r"table\.x: margins leave no range"):
        with_margins(MACHINE, SoftwareMargins(table=half))
    legs = replace(MACHINE.legs, shortest=0.25, longest=0.5)
    with pytest.raises(ModelError, match="legs: margins leave no stroke"):
        with_margins(replace(MACHINE, legs=legs), SoftwareMargins(leg=0.125))


def test_legs_without_a_limit_have_no_distance_to_it():
    pose, rest = DATA.neutral, np.zeros(6)
    for speed, acceleration, names in (
        (np.inf, np.inf, []),
        (0.2, np.inf, ["leg speed"]),
        (np.inf, 2.0, ["leg acceleration"]),
    ):
        data = replace(DATA, legs=replace(DATA.legs, speed=speed, acceleration=acceleration))
        assert [name for name in slack_names(data) if name in ("leg speed", "leg acceleration")] == names
        assert len(slack(pose, rest, rest, data)) == len(slack_names(data))


def test_instants_of_a_stop_are_equally_spaced_from_its_begin_to_its_end():
    np.testing.assert_allclose(FRACTIONS, np.arange(12) / 11.0)
    motion = stop_motion(DATA.neutral_axes, 0.5 * DATA.ends("speed"), DATA, DT)
    assert motion.t[0] == 0.0
    assert motion.t[-1] == pytest.approx(stop_time(0.5 * DATA.ends("speed"), DATA, DT).max())
    np.testing.assert_allclose(np.diff(motion.t), DT)
