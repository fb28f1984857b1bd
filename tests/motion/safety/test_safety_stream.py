"""The check of a live stream: samples are accepted, clipped or refused with a clear word; the reference stays inside.

Tests of motion/safety/stream.py, motion/safety/watchdog.py.
"""

import numpy as np
import pytest

from hostile_rides import DATA, DT, broken
from symbody.errors import ModelError
from symbody.motion.data import AXES
from symbody.motion.safety.stream import ACCEPTED, REFUSED, StreamGuard
from symbody.motion.safety.watchdog import Watchdog

pytestmark = pytest.mark.usefixtures("optimised_slack")

NEUTRAL = DATA.neutral_axes


def with_axis(axis, value):
    sample = NEUTRAL.copy()
    sample[AXES.index(axis)] = value
    return sample


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (with_axis("y", np.nan), "y is not a number"),
        (with_axis("table.x", np.inf), "table.x is not a number"),
        (NEUTRAL[:6], "6 numbers in a sample (give eight: table.x"),
        ("eight words", "does not consist of numbers"),
        (with_axis("z", 520.0), "z = 520 m is far outside 0.352 … 0.648 m; is it in mm?"),
        (with_axis("roll", 5.0), "roll = 5 rad is far outside -0.2568 … 0.2568 rad; is it in degrees?"),
        (with_axis("yaw", 900.0), "yaw = 900 rad is far outside -0.2568 … 0.2568 rad"),
        (with_axis("table.y", 0.1), "table.y jumps by 0.1 m in 0.005 s"),
    ],
)
def test_wrong_samples_are_refused_with_the_reason_and_the_reference_stays(sample, reason):
    guard = StreamGuard(DATA, DT)
    assert guard.offer(0.0, NEUTRAL).status == ACCEPTED
    verdict = guard.offer(DT, sample)
    assert verdict.status == REFUSED
    assert reason in verdict.reason
    guard.advance()
    np.testing.assert_allclose(guard.axes, NEUTRAL, atol=1e-12)
    assert guard.counts[REFUSED] == 1


@pytest.mark.parametrize("now", [0.0, -1.0, np.nan])
def test_a_time_that_does_not_increase_is_refused(now):
    guard = StreamGuard(DATA, DT)
    guard.offer(0.0, NEUTRAL)
    assert "does not increase" in guard.offer(now, NEUTRAL).reason


def test_the_reference_moves_towards_the_sample():
    guard, x = StreamGuard(DATA, DT), AXES.index("table.x")
    guard.offer(0.0, with_axis("table.x", 0.1))
    guard.advance()
    assert guard.axes[x] == pytest.approx(0.5 * DT * guard.rates[x])
    assert guard.second[x] == pytest.approx(guard.rates[x] / DT)
    assert guard.rates[x] > 0.0


def test_a_gap_starves_the_guard_and_a_sample_feeds_it():
    guard = StreamGuard(DATA, DT)
    assert not guard.starved(0.0)
    guard.offer(0.0, NEUTRAL)
    assert not guard.starved(0.1)
    assert guard.starved(0.101)
    guard.offer(0.2, with_axis("z", np.nan))
    assert guard.starved(0.2)
    guard.offer(0.21, NEUTRAL)
    assert not guard.starved(0.3)


def test_a_hundred_times_the_acceleration_is_clipped():
    guard = StreamGuard(DATA, DT)
    push = DATA.limits["table.x"].acceleration
    clipped = []
    for k in range(60):
        t = k * DT
        guard.offer(t, with_axis("table.x", min(50.0 * push * t * t, 0.4)))
        clipped.append(guard.advance())
        assert abs(guard.second[0]) <= push * (1.0 + 1e-9)
    assert np.mean(clipped) > 0.8


def test_random_samples_of_all_kinds_never_move_the_reference_out_of_the_limits():
    rng = np.random.default_rng(6)
    guard = StreamGuard(DATA, DT)
    low, high = DATA.ends("low"), DATA.ends("high")
    rows, at = [], NEUTRAL.copy()
    for k in range(600):
        at = at + rng.normal(0.0, 0.02, 8) * (high - low)
        sample = at.copy()
        if rng.random() < 0.1:
            sample[rng.integers(8)] = rng.choice([np.nan, np.inf, 1e6, -1e300])
        if rng.random() < 0.05:
            at = rng.uniform(low, high)
        if rng.random() < 0.8:
            guard.offer(k * DT, sample)
        if guard.starved(k * DT):
            guard.brake()
        else:
            guard.advance()
        rows.append((guard.axes, guard.rates, guard.second))
    axes, rates, second = (np.array(column) for column in zip(*rows, strict=True))
    assert not broken(axes, rates, second, {}).any()
    assert np.ptp(axes[:, 0]) > 0.05
    assert guard.counts[REFUSED] > 50


def test_a_watchdog_expires_after_its_limit():
    dog = Watchdog(0.1)
    assert not dog.expired(5.0)  # nobody was there yet
    dog.feed(5.0)
    assert not dog.expired(5.1 - 1e-9)
    assert dog.expired(5.11)
    assert dog.expired(float("nan"))
    with pytest.raises(ModelError, match="watchdog"):
        Watchdog(0.0)
    assert Watchdog(0.1).silent(5.0) == 0.0
    with pytest.raises(ModelError, match="watchdog"):
        Watchdog(float("inf"))
    dog = Watchdog(0.125)
    dog.feed(5.0)
    assert not dog.expired(5.125)


def test_without_any_sample_the_guard_starves_too():
    guard = StreamGuard(DATA, DT)
    assert not guard.starved(7.0)
    assert not guard.starved(7.1 - 1e-9)
    assert guard.starved(7.101)


@pytest.mark.parametrize(
    ("axis", "value", "hint"),
    [
        ("roll", 14.3, "is it in degrees?"), ("roll", 17.0, ""), ("yaw", -14.3, "is it in degrees?"),
        ("yaw", 4.0, "is it in degrees?"), ("z", 352.1, "is it in mm?"), ("z", 351.9, ""),
        ("z", 647.9, "is it in mm?"), ("z", 648.1, ""), ("x", 98.0, "is it in mm?"), ("x", -98.0, "is it in mm?"),
    ],
)  # fmt: skip
def test_a_unit_is_guessed_only_if_the_value_would_then_be_within_its_range(axis, value, hint):
    reason = StreamGuard(DATA, DT).offer(0.0, with_axis(axis, value)).reason
    assert "is far outside" in reason
    assert reason.endswith(hint or " m" if axis == "z" else hint or " rad")
