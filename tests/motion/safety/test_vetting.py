"""Vetting: good trajectories pass, bad ones are refused at their first bad sample, with the reason."""

from dataclasses import replace

import numpy as np
import pytest

from hostile_rides import DATA, DT, there_and_back, vetted
from symbody.errors import ModelError
from symbody.motion.data import AXES, AxisLimit
from symbody.motion.limits import leg_states
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.vetting import motion_of, vet

pytestmark = pytest.mark.usefixtures("optimised_slack")


def spoiled(**changes):
    motion = there_and_back()
    return replace(motion, **{name: change(getattr(motion, name).copy()) for name, change in changes.items()})


def at(row, axis, value):
    def change(values):
        values[row:, AXES.index(axis)] = value
        return values

    return change


@pytest.mark.parametrize("axis", AXES)
def test_a_smooth_motion_of_each_axis_is_accepted(axis):
    assert vet(there_and_back(axis, 0.04, 3.0), DT).ok
    motion = there_and_back(axis, 0.04, 3.0)
    assert vet(motion_of(motion.t, motion.axes, DATA), DT).ok


def test_the_first_bad_sample_is_named_with_quantity_value_and_time():
    found = vet(there_and_back(far=0.6, lasts=6.0), DT)
    k = int((there_and_back(far=0.6, lasts=6.0).axes[:, 0] > DATA.limits["table.x"].high).argmax())
    assert (found.ok, found.quantity, found.sample) == (False, "table.x", k)
    assert found.time == pytest.approx(k * DT)
    assert found.reason.startswith(f"sample {k}, t = {k * DT:.4g} s: table.x = 0.4")
    assert "keep it within -0.495 … 0.495 m" in found.reason


@pytest.mark.parametrize(
    ("motion", "quantity", "reason"),
    [
        (there_and_back("table.x", 0.4, 0.9), "acceleration of table.x", "acceleration"),
        (there_and_back("yaw", 0.2, 0.5), "acceleration of yaw", "acceleration"),
        (there_and_back("z", 0.14, 1.9), "speed of leg 1", "speed of leg 1"),
        (there_and_back("roll", 0.35, 4.0), "roll", "roll = 0.2"),
        (spoiled(axes=at(100, "y", np.nan)), "y", "the position of y is not a number"),
        (spoiled(rates=at(100, "y", np.inf)), "y", "the rate of y is not a number"),
        (spoiled(axes=at(100, "z", 0.51)), "position", "do not belong to their derivatives"),
        (spoiled(rates=lambda v: 0.0 * v), "position", "do not belong to their derivatives"),
        (spoiled(t=lambda t: 0.0 * t), "time", "times do not increase"),
        (spoiled(t=lambda t: 50.0 * t), "time", "a gap of 0.25 s"),
        (there_and_back().part(slice(0, 150)), "rest", "does not end at rest"),
        (there_and_back().part(slice(150, 400)), "rest", "does not begin at rest"),
        (there_and_back().part(slice(0, 2)), "time", "fewer than three samples"),
    ],
)
def test_bad_trajectories_are_refused_with_the_reason(motion, quantity, reason):
    found = vet(motion, DT)
    assert not found.ok
    assert found.quantity == quantity
    assert reason in found.reason


def test_a_trajectory_that_could_not_stop_everywhere_is_refused():
    """On a circle the stop goes straight on: the legs have the stroke for the circle, but not for its tangents."""
    t = DT * np.arange(1001)
    radius, turn = 0.09 * np.sin(np.pi * t / t[-1]) ** 2, 2.2 * t
    axes = np.tile(DATA.neutral_axes, (len(t), 1))
    axes[:, AXES.index("x")] += radius * np.cos(turn)
    axes[:, AXES.index("y")] += radius * np.sin(turn)
    motion = motion_of(t, axes, DATA)
    longest = leg_states(motion.pose, DATA)[0].max()
    assert vet(motion, DT).ok
    tight = replace(DATA, legs=replace(DATA.legs, longest=longest + 1e-4))
    assert vet(replace(motion, data=tight), DT).quantity == "fast stop"


def test_legs_that_reach_their_end_are_named():
    short = replace(DATA, legs=replace(DATA.legs, longest=0.53))
    found = vet(there_and_back("z", 0.1, 4.0, short), DT)
    assert found.quantity.startswith("leg ")
    assert "m (keep it within 0.283 … 0.53 m)" in found.reason


def test_a_trajectory_begins_where_the_platform_is():
    here = DATA.neutral_axes.copy()
    assert vet(there_and_back(), DT, here).ok
    here[AXES.index("y")] += 0.01
    assert "y is off by 0.01" in vet(there_and_back(), DT, here).reason


def test_positions_of_the_wrong_shape_are_refused():
    with pytest.raises(ModelError, match="positions of the shape"):
        motion_of(np.arange(5.0), np.zeros((5, 6)), DATA)


def test_what_vetting_accepts_keeps_every_limit():
    accepted, wrong = vetted(30, np.random.default_rng(4))
    assert accepted >= 4
    assert wrong == 0


def test_a_motion_of_positions_alone_has_their_derivatives():
    exact = there_and_back(lasts=3.0)
    found = motion_of(exact.t.tolist(), exact.axes.tolist(), DATA)
    np.testing.assert_allclose(found.rates, exact.rates, atol=1e-4)
    np.testing.assert_allclose(found.second[2:-2], exact.second[2:-2], atol=1e-3)
    three = motion_of([0.0, 1.0, 3.0], np.outer([0.0, 1.0, 5.0], np.ones(8)), DATA)
    np.testing.assert_allclose(three.rates[:, 0], [1.0, 4.0 / 3.0, 2.0])
    with pytest.raises(ModelError, match="positions of the shape"):
        motion_of([0.0, 1.0], np.zeros((2, 8)), DATA)


def test_the_first_bad_sample_is_counted_from_zero():
    assert vet(there_and_back(), DT).sample == -1
    assert vet(spoiled(axes=at(100, "y", np.nan)), DT).sample == 100
    assert vet(spoiled(axes=at(100, "z", 0.51)), DT).sample == 100
    assert vet(there_and_back().part(slice(0, 150)), DT).sample == 149
    assert vet(there_and_back().part(slice(150, 400)), DT).sample == 0
    away = DATA.neutral_axes.copy()
    away[1] += 0.01
    found = vet(there_and_back(), DT, away)
    assert (found.sample, found.quantity, found.value) == (0, "table.y", pytest.approx(0.01))
    for n in (0, 2):
        found = vet(there_and_back().part(slice(0, n)), DT)
        assert (found.ok, found.sample, found.quantity, found.value) == (False, 0, "time", n)
        assert np.isnan(found.time) == (n == 0)


PLAIN = replace(DATA, limits=DATA.limits | {"table.x": AxisLimit(-1.0, 1.0, 1.0, 4.0)})


def resting(n=40, dt=DT, **changed):
    """A table at rest in the middle, but for positions, rates and accelerations (n,) of table.x."""
    rows = {name: np.zeros((n, 8)) for name in ("axes", "rates", "second")}
    rows["axes"] += PLAIN.neutral_axes
    for name, values in changed.items():
        rows[name][:, 0] = values
    return PlatformMotion(dt * np.arange(n), *rows.values(), PLAIN)


def test_three_samples_at_the_largest_distance_are_a_trajectory():
    assert vet(resting(3, 0.1), 0.1).ok
    assert "a gap of 0.101 s" in vet(resting(3, 0.101), 0.101).reason


@pytest.mark.parametrize(("share", "ok"), [(1e-3, True), (1.001e-3, False)])
def test_a_thousandth_of_the_largest_speed_is_rest(share, ok):
    for place in (0, -1):
        rates = np.zeros(40)
        rates[place] = share
        assert vet(resting(rates=rates), DT).ok == ok


@pytest.mark.parametrize(("away", "ok"), [(0.002, True), (-0.002, True), (0.0021, False), (-0.0021, False)])
def test_a_trajectory_begins_within_a_thousandth_of_the_range(away, ok):
    start = PLAIN.neutral_axes.copy()
    start[0] = away
    drift = -np.sign(away) * 1e-7 * np.arange(40)  # only the first sample counts
    assert vet(resting(axes=drift), DT, start).ok == ok


@pytest.mark.parametrize(("share", "ok"), [(0.24, True), (0.26, False)])
def test_positions_may_jump_by_a_quarter_of_what_the_largest_acceleration_does_in_a_sample(share, ok):
    found = vet(resting(axes=np.where(np.arange(40) < 20, 0.0, share * 4.0 * DT**2)), DT)
    assert found.ok == ok
    assert ok or (found.quantity, found.sample) == ("position", 20)


@pytest.mark.parametrize(("jump", "ok"), [(0.037, True), (0.043, False)])
def test_rates_may_jump_by_twice_the_largest_acceleration_times_a_sample(jump, ok):
    rates = np.where(np.arange(61) < 20, 0.0, jump * (60 - np.arange(61)) / 40)
    second = np.where(rates > 0.0, -jump / 40 / DT, 0.0)
    places = np.concatenate([[0.0], np.cumsum(0.5 * DT * (rates[1:] + rates[:-1]))])
    found = vet(resting(61, axes=places, rates=rates, second=second), DT)
    assert found.ok == ok
    assert ok or (found.quantity, found.sample) == ("rate", 20)
