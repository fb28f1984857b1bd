"""Vetting: good trajectories pass, bad ones are refused at their first bad sample, with the reason."""

from dataclasses import replace

import numpy as np
import pytest

from hostile_rides import DATA, DT, there_and_back, vetted
from symbody.errors import ModelError
from symbody.motion.data import AXES
from symbody.motion.limits import leg_states
from symbody.motion.safety.vetting import motion_of, vet


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
