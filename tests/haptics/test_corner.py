"""The corner of the thesis (thesis_scenes/corner.py, metrics.py): orderings of its experiments E3, E4 and E5."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.haptics.metrics import bounces, intervals, settling
from symbody.haptics.thesis_scenes.corner import GAP, LIMITED, PUSH, pushed
from symbody_bench.validate.documents.haptic_bench import corner as run

corner = cache(pushed)
BOTH = (0, 1)


RUNS = {  # method, limit of the wrench, on the pantograph
    "impulses": ("impulse", "full", False),
    "springs": ("penalty", "full", False),
    "coupler": ("coupler", "full", False),
    **{how: ("impulse", how, False) for how in LIMITED[1:]},
    "full, pantograph": ("impulse", "full", True),
    "spread, pantograph": ("impulse", "spread", True),
    "springs, pantograph": ("penalty", "spread", True),
}


def of(measure):
    """The larger of both axes, by name of a run and seed."""

    def value(name, seed):
        method, limit, on_hardware = RUNS[name]
        return float(np.max(getattr(run(method, seed, limit, on_hardware), measure)))

    return value


ORDERINGS = [
    Ordering("penetration", "impulses", "springs", of("penetration"), 0.4),
    Ordering("penetration", "impulses", "coupler", of("penetration"), 0.4),
    Ordering("penetration", "springs", "coupler", of("penetration")),
    Ordering("peak", "springs", "impulses", of("peak"), 0.25),
    Ordering("energy lost in a tick", "springs", "impulses", of("lost"), 1 / 3),
    Ordering("energy lost in a tick", "coupler", "impulses", of("lost"), 1 / 3),
    Ordering("settling", "impulses", "springs", of("settled"), 0.6),
    Ordering("settling", "impulses", "coupler", of("settled")),
    *(Ordering("penetration", *pair, of("penetration")) for pair in pairwise(("impulses", *LIMITED[1:]))),
    Ordering("settling", "impulses", "spread", of("settled")),
    Ordering("settling", "spread", "scale", of("settled")),
    Ordering("settling", "spread", "saturate", of("settled")),
    Ordering("penetration", "spread", "springs", of("penetration")),
    Ordering("energy lost in a tick", "springs", "spread", of("lost")),
    Ordering("drift of tool and device", "spread", "saturate", of("drift"), 1 / 3),
]
ORDERINGS_ON_PANTOGRAPH = [
    Ordering("energy lost in a tick", "springs, pantograph", "full, pantograph", of("lost")),
    Ordering("settling", "full, pantograph", "springs, pantograph", of("settled")),
    Ordering("bounces", "full, pantograph", "springs, pantograph", of("bounces")),
    Ordering("penetration", "full, pantograph", "springs, pantograph", of("penetration")),
]


@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_orderings_of_the_thesis_hold_for_pushes_within_a_tenth(ordering):
    check(ordering)


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS_ON_PANTOGRAPH, ids=str)
def test_on_the_pantograph_impulses_lose_more_settle_sooner_and_bounce_less(ordering):
    check(ordering)


@pytest.mark.parametrize("axis", BOTH)
def test_the_ideal_peg_stops_at_the_wall(axis):
    assert corner("ideal").penetration[axis] < 1e-3
    assert np.abs(corner("ideal").resting[axis]) < 1e-3  # mm


@pytest.mark.parametrize("axis", BOTH)
def test_impulses_are_felt_and_then_the_hand_is_balanced(axis):
    run = corner("impulse")
    speed = np.sqrt(2 * abs(PUSH[axis]) / 2.0 * GAP[axis])
    assert run.peak[axis] == pytest.approx(2.0 * speed * 512.0, rel=0.1)  # m v/h
    assert run.log["felt"][-200:, axis].mean() == pytest.approx(-PUSH[axis], rel=0.02)
    assert run.resting[axis] == pytest.approx(1e3 * abs(PUSH[axis]) / (2 * 4000.0), rel=0.2)  # F/(2 K)


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


@pytest.mark.parametrize("how", LIMITED[1:])
def test_nothing_above_the_limit_is_rendered(how):
    assert np.all(np.abs(corner("impulse", how).log["felt"][:, :3]) <= (15.0, 15.0, 1.0))


def test_settling_bounces_and_stretches():
    t, x = np.arange(6.0), np.array([3.0, 1.0, 0.0, 2.0, 0.1, 0.0])
    assert settling(t, x, 0.0, 0.5) == 4.0
    assert settling(t, x + 9.0, 9.0, 5.0) == 0.0
    assert np.isnan(settling(t, x, 9.0, 0.5))
    assert intervals(x > 0.5) == [(0, 2), (3, 4)]
    assert bounces(x) == 1
