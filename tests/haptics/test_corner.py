"""The corner of the thesis (thesis_scenes/corner.py, metrics.py): orderings of its experiments E3, E4 and E5."""

from functools import cache

import numpy as np
import pytest

from symbody.haptics.metrics import bounces, intervals, settling
from symbody.haptics.thesis_scenes.corner import GAP, LIMITED, METHODS, PUSH, hardware, pushed

corner = cache(pushed)
BOTH = (0, 1)


@pytest.mark.parametrize("axis", BOTH)
def test_impulses_let_the_hand_sink_in_least(axis):
    depth = {method: corner(method).penetration[axis] for method in METHODS}
    assert depth["impulse"] < 0.4 * depth["penalty"]
    assert depth["impulse"] < 0.4 * depth["coupler"]
    assert depth["penalty"] < depth["coupler"]


@pytest.mark.parametrize("axis", BOTH)
def test_the_ideal_peg_stops_at_the_wall(axis):
    assert corner("ideal").penetration[axis] < 1e-3
    assert np.abs(corner("ideal").resting[axis]) < 1e-3  # mm


@pytest.mark.parametrize("axis", BOTH)
def test_impulses_are_felt_and_then_the_hand_is_balanced(axis):
    run = corner("impulse")
    speed = np.sqrt(2 * abs(PUSH[axis]) / 2.0 * GAP[axis])
    assert run.peak[axis] == pytest.approx(2.0 * speed * 512.0, rel=0.1)  # m v/h
    assert run.peak[axis] > 4.0 * corner("penalty").peak[axis]
    assert run.log["felt"][-200:, axis].mean() == pytest.approx(-PUSH[axis], rel=0.02)
    assert run.resting[axis] == pytest.approx(1e3 * abs(PUSH[axis]) / (2 * 4000.0), rel=0.2)  # F/(2 K)


def test_impulses_take_most_energy_from_the_hand_and_settle_first():
    lost = {method: corner(method).lost for method in METHODS}
    assert lost["impulse"] > 3.0 * max(lost["penalty"], lost["coupler"])
    settled = {method: max(corner(method).settled) for method in METHODS}
    assert settled["impulse"] < 0.5 * settled["penalty"]
    assert settled["impulse"] < settled["coupler"]


def test_orders_of_magnitude_are_those_recomputed():
    """Penetration x, y (mm): impulses .08 .12, springs .92 1.47, coupler 1.96 3.07; peaks 82 129 and 8.5 13.6 N."""
    assert corner("penalty").penetration == pytest.approx((0.92, 1.47), rel=0.2)
    assert corner("coupler").penetration == pytest.approx((1.96, 3.07), rel=0.2)
    assert corner("impulse").peak == pytest.approx((82.0, 129.0), rel=0.05)
    assert corner("penalty").peak == pytest.approx((8.5, 13.6), rel=0.1)
    # the device feels an impulse within the tick after it: half a tick further in than the tool
    assert np.max(corner("impulse").log["depth"]) < 2.5e-4


def test_two_redundant_contacts_a_face():
    assert corner("impulse").impacts >= 2
    assert corner("impulse").growth <= 0.0


@pytest.mark.parametrize("axis", BOTH)
def test_limits_cost_quality_in_the_order_of_the_thesis(axis):
    depth = [corner("impulse", how).penetration[axis] for how in LIMITED]
    assert depth == sorted(depth)
    assert depth[3] > 1.1 * depth[2]  # saturated: tool and device come apart
    assert corner("impulse", "spread").penetration[axis] < corner("penalty").penetration[axis]
    settled = [corner("impulse", how).settled[axis] for how in LIMITED]
    assert settled == sorted(settled)
    assert corner("impulse", "saturate").drift > 3.0 * corner("impulse", "spread").drift


@pytest.mark.parametrize("how", LIMITED[1:])
def test_nothing_above_the_limit_is_rendered(how):
    assert np.all(np.abs(corner("impulse", how).log["felt"][:, :3]) <= (15.0, 15.0, 1.0))


def test_spreading_loses_more_energy_at_once_than_springs():
    assert corner("impulse", "spread").lost > corner("penalty", "saturate").lost


def test_on_the_pantograph_impulses_lose_more_settle_sooner_and_bounce_less():
    impulse, penalty = (corner(method, "spread", hardware()) for method in ("impulse", "penalty"))
    assert impulse.lost > penalty.lost
    assert max(impulse.settled) < max(penalty.settled)
    assert impulse.bounces < penalty.bounces
    assert max(impulse.penetration) < max(penalty.penetration)


def test_settling_bounces_and_stretches():
    t, x = np.arange(6.0), np.array([3.0, 1.0, 0.0, 2.0, 0.1, 0.0])
    assert settling(t, x, 0.0, 0.5) == 4.0
    assert settling(t, x + 9.0, 9.0, 5.0) == 0.0
    assert np.isnan(settling(t, x, 9.0, 0.5))
    assert intervals(x > 0.5) == [(0, 2), (3, 4)]
    assert bounces(x) == 1
