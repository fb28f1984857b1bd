"""The governor: references that follow what is possible, and keep every limit whatever the target does."""

from dataclasses import replace

import numpy as np
import pytest

from hostile_rides import DATA, DT, KINDS, MACHINE, of_kind, stops
from symbody.motion.data import AXES
from symbody.motion.limits import leg_states
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.fast_stop import stoppable
from symbody.motion.safety.governor import SHARES, Target, _fastest, governed, proposed, stopped_rates

pytestmark = pytest.mark.usefixtures("optimised_slack")


def followed(targets, data=DATA, dt=DT, rates=None):
    """References (n, 8) after each of the targets (n, 8), from neutral."""
    r, v = data.neutral_axes[None].copy(), np.zeros((1, 8))
    rows = []
    for k, target in enumerate(targets):
        slope = np.zeros(8) if rates is None else rates[k]
        out = governed(r, v, Target(target[None], slope[None]), data, dt)
        r, v = out.axes, out.rates
        rows.append((r[0], v[0], out.second[0], out.clipped[0]))
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_a_gentle_target_is_followed_without_clipping():
    dt, t = 1e-3, np.arange(0.0, 2.0, 1e-3)
    targets, rates = np.tile(DATA.neutral_axes, (len(t), 1)), np.zeros((len(t), 8))
    for axis, far, f in (("table.x", 0.1, 0.4), ("pitch", 0.05, 0.5), ("z", 0.02, 0.6)):
        w, k = 2.0 * np.pi * f, AXES.index(axis)
        targets[:, k] += far * (1.0 - np.cos(w * t)) / 2.0
        rates[:, k] = far * w * np.sin(w * t) / 2.0
    r, _, _, clipped = followed(targets, dt=dt, rates=rates)
    assert not clipped.any()
    assert np.abs(r[:-1] - targets[1:]).max() < 3e-4


def test_a_step_is_reached_without_overshoot():
    target = DATA.neutral_axes.copy()
    target[AXES.index("table.x")] += 0.3
    r, _, _, clipped = followed(np.tile(target, (400, 1)))
    x = r[:, AXES.index("table.x")]
    assert clipped[0]
    assert x[-1] == pytest.approx(0.3, abs=1e-3)
    assert x.max() < 0.3 + 2e-3


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_streams_keep_every_limit(kind):
    found, _, kept = of_kind(kind, 50, 1.0, np.random.default_rng(7))
    assert found.sum() == 0
    assert stops(kept[-1:])[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_hostile_streams_keep_every_limit(kind):
    assert of_kind(kind, 300, 1.5, np.random.default_rng(8))[0].sum() == 0


def test_the_search_for_broken_limits_finds_references_that_are_not_governed():
    from hostile_rides import broken, targets

    wanted = targets("ramps into the ends", 20, 200, np.random.default_rng(7))
    assert broken(wanted[-1], np.zeros((20, 8)), np.zeros((20, 8)), {}).all()


def test_leg_limits_alone_hold_a_platform_with_wide_axes():
    """A hexapod whose axes could go far beyond its legs: strokes, speed and acceleration of the legs decide."""
    wide = {axis: replace(limit, low=limit.low - 1.0, high=limit.high + 1.0) for axis, limit in DATA.limits.items()}
    data = replace(DATA, limits=wide, legs=replace(DATA.legs, acceleration=1.5))
    rng = np.random.default_rng(3)
    n = 20
    r, v = np.tile(data.neutral_axes, (n, 1)), np.zeros((n, 8))
    far = data.neutral_axes + rng.choice([-0.6, 0.6], (n, 8))
    rows = []
    for _ in range(200):
        out = governed(r, v, Target(far, 0.0 * far), data, DT)
        r, v = out.axes, out.rates
        rows.append((r, v, out.second))
    axes, rates, second = (np.concatenate(column) for column in zip(*rows, strict=True))
    motion = PlatformMotion(np.arange(len(axes), dtype=float), axes, rates, second, data)
    legs, foot, top = leg_states(axes[:, 2:], data)
    assert data.legs.shortest - 3e-3 < legs.min()
    assert legs.max() < data.legs.longest + 3e-3  # within the machine's own limits
    assert foot.max() <= data.legs.foot_tilt
    assert top.max() <= data.legs.top_tilt
    assert np.abs(motion.legs.q3d).max() <= data.legs.speed / 0.98
    assert np.abs(motion.legs.q3dd).max() <= data.legs.acceleration / 0.98
    assert np.abs(axes - data.neutral_axes)[:, 2:].max() > 0.1  # they moved
    assert stoppable(r, v, data, DT).mean() > 0.9


def test_an_axis_that_does_not_exist_stays():
    from symbody.motion.data import FIXED

    data = replace(DATA, limits=DATA.limits | {"table.x": FIXED, "table.y": FIXED})
    r, *_ = followed(np.tile(MACHINE.neutral_axes + 0.1, (50, 1)), data)
    assert not r[:, :2].any()
    assert r[-1, 2] > 0.0


def test_proposals_are_tried_from_the_whole_one_towards_the_stop():
    assert SHARES[0] == 1.0
    assert list(SHARES) == sorted(SHARES, reverse=True)
    assert SHARES[-1] > 0.0


def test_an_axis_that_rests_stays_at_rest_without_a_division_by_zero():
    with np.errstate(all="raise"):
        assert stopped_rates(np.zeros((1, 8)), DATA, DT).tolist() == [8 * [0.0]]


def test_without_room_an_axis_may_not_move():
    with np.errstate(all="raise"):
        found = _fastest(np.array([-1.0, 0.0, 0.625]), np.array([1.0, 1.0, 1.0]), 0.5)
    assert found.tolist() == [0.0, 0.0, pytest.approx(np.sqrt(0.25 + 1.25) - 0.5)]


def test_the_fastest_rate_stops_within_the_room_however_slowly_an_axis_may_brake():
    A, room, dt = np.array([0.25, 0.5, 1.0, 4.0]), 0.75, 0.125
    w = _fastest(np.full(4, room), A, dt)
    np.testing.assert_allclose(w * w / (2.0 * A) + w * dt, room)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_near_an_end_the_rate_is_the_largest_from_which_an_axis_can_still_stop(side):
    low, high, speed, A = map(DATA.ends, ("low", "high", "speed", "acceleration"))
    v, middle = 0.25 * speed, 0.5 * (low + high)
    w = v - 0.25 * A * DT
    far = high - (w**2 / (2.0 * A) + w * DT + 0.5 * DT * v) - middle
    target = Target(middle + side * 3.0 * (high - middle), side * speed)
    _, rates = proposed(middle + side * far, side * v, target, DATA, DT)
    np.testing.assert_allclose(rates, side * w, rtol=1e-9)
