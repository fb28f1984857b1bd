"""The linkage in the hand (three_link.py, controller.h): drift with and without penalties, from several starts."""

from functools import cache
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from orderings import SEEDS as STARTS
from orderings import Ordering, check
from symbody.haptics.thesis_scenes.three_link import (
    EARLY,
    FAULTS,
    HARDWARE,
    NONE,
    REACH,
    RECOMPUTED,
    drawn,
    drift_against_gain,
    held_linkage,
    pushed,
    pushed_to_stop,
    stop_time,
)


def started(seed):
    """Joints turned a little, and another force."""
    random = np.random.default_rng(seed)
    return {"turned": tuple(random.uniform(-0.1, 0.1, 3)), "force": float(random.uniform(0.8, 1.2))}


@pytest.mark.slow
@pytest.mark.parametrize("link", [2, 3])
def test_the_device_drifts_without_penalty_and_stays_with_both_terms(link):
    """Both terms: penalty and J̇q̇, which the thesis leaves out. test_linkage_drift.py has the orderings."""
    assert min(drawn(link, False, **started(seed)).end for seed in STARTS) > 20.0
    assert max(drawn(link, True, curving=True, **started(seed)).end for seed in STARTS) < 0.1


@pytest.mark.parametrize("link", [2, 3])
def test_drift_is_what_was_recomputed(link):
    """An independent calculation of the same scene, by another program."""
    for penalty, known in zip((False, True), RECOMPUTED[link], strict=True):
        assert drawn(link, penalty).end == pytest.approx(known, rel=0.2)


def test_link_2_has_a_topology_direction_always_and_link_3_at_times():
    second, third = drawn(2, True).log["rank"], drawn(3, True).log["rank"]
    assert set(second) == {2.0}
    assert set(third) == {2.0, 3.0}


@cache
def with_fault(link, fault, penalty, seed):
    """Pushed on a device with a fault; a seed turns the joints."""
    return pushed(link, penalty, fault, started(seed)["turned"])


def end(link, fault):
    """Drift at the end (mm) with and without penalty."""
    return lambda name, seed: with_fault(link, fault, name == "penalty", seed).end


def early_by_fault(name, seed):
    """Drift at 0.7 s (mm) without penalty, by name of the fault."""
    return with_fault(2, name, False, seed).at(EARLY)


ORDERINGS = [
    *(
        Ordering(f"drift at link {link}, fault {fault}", "penalty", "none", end(link, fault), 0.25)
        for link in (2, 3)
        for fault in FAULTS
        if fault != "friction"
    ),
    Ordering("drift at 0.7 s", "none", "observer", early_by_fault, 0.01),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_on_devices_with_faults_the_penalty_helps_and_a_late_observer_makes_drift(ordering):
    check(ordering)


def test_friction_of_the_device_stops_the_motion_and_its_observer_makes_the_drift():
    """The device of the thesis left the manifold within 0.7 s because of its observer, not because of friction."""
    assert pushed(2, False, "friction").most < 0.1
    assert pushed(2, False, "pantograph").at(EARLY) > 10.0
    assert pushed(2, True, "pantograph").at(EARLY) < 0.1


@cache
def observed(link, penalty, gain, reach, seed):
    turned = tuple(np.random.default_rng(seed).uniform(-0.1, 0.1, 3)) if seed else NONE
    return pushed_to_stop(link, penalty, gain, reach, turned, seconds=1.0)


def early(link, gain=15.0):
    """Distance at 0.7 s (mm) with and without penalty."""
    return lambda name, seed: observed(link, name == "penalty", gain, inf, seed).at(EARLY)


def at_gain(link):
    """The same without penalty, by name of the gain."""
    return lambda name, seed: observed(link, False, float(name), inf, seed).at(EARLY)


ORDERINGS_OF_OBSERVERS = [
    *(Ordering(f"drift at 0.7 s, link {link}", "penalty", "none", early(link), 0.25) for link in (2, 3)),
    *(
        Ordering(f"drift at 0.7 s by gain, link {link}", more, less, at_gain(link), 0.8)
        for link in (2, 3)
        for less, more in pairwise(("5", "15", "60"))
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS_OF_OBSERVERS, ids=str)
def test_a_slow_observer_makes_drift_and_the_penalty_removes_it(ordering):
    check(ordering)


@pytest.mark.parametrize(("link", "known"), [(2, (62.0, 0.17)), (3, (50.0, 6.4))])
def test_with_a_gain_of_15_the_drift_at_0_7_s_is_what_was_recomputed(link, known):
    found = [observed(link, penalty, 15.0, inf, 0).at(EARLY) for penalty in (False, True)]
    assert found == pytest.approx(known, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("link", [2, 3])
def test_the_device_meets_its_end_stop_as_in_the_thesis_and_not_with_the_penalty(link):
    """At about 0.7 s with a gain of 15 1/s and stops at 50 mm; with 60 1/s it does not come so far."""
    stops = [stop_time(observed(link, False, 15.0, REACH, seed).log) for seed in STARTS]
    assert np.all(np.abs(np.array(stops) - EARLY) < 0.2)
    for penalty, gain in ((True, 15.0), (False, 60.0)):
        assert all(np.isnan(stop_time(observed(link, penalty, gain, REACH, seed).log)) for seed in STARTS)


def test_rows_of_drift_against_gain():
    rows = drift_against_gain((15.0,))
    assert [row["link"] for row in rows] == [2.0, 3.0]
    assert rows[0]["without_mm"] == pytest.approx(62.0, rel=0.05)
    assert rows[0]["without_stop_s"] < EARLY
    assert np.isnan(rows[0]["penalty_stop_s"])


def test_the_penalty_acts_off_the_manifold_alone():
    """On it nothing changes: device and tool move as without a penalty."""
    runs = [held_linkage(2, gains=gains).run(0.3, (0.3, 0.2, 0.0)) for gains in ((0.0, 0.0), HARDWARE)]
    assert runs[0]["x"][:, :3] == pytest.approx(runs[1]["x"][:, :3], abs=2e-5)


def test_a_hand_that_pulls_along_a_singular_position_is_bounded_and_counted():
    """Stretched out and pulled along the arm: nothing can move; pulled across it moves on."""
    scene = held_linkage(3, (0.0, 0.0, 0.0), HARDWARE)
    log = scene.run(1.0, (20.0, 0.0, 0.0))
    assert set(log["rank"]) == {2.0}
    assert np.abs(log["command"]).max() <= 100.0
    assert np.abs(scene.q).max() < 1e-6
    assert log["apart"][-1] < 1e-3  # L takes the pull away: the device does not leave
    log = scene.run(1.0, (0.0, 2.0, 0.0))
    assert np.abs(scene.q).max() > 0.1
    assert set(log["rank"]) == {2.0, 3.0}
    before = scene.counts["singular"]
    scene.q[1:] = 0.0
    scene.run(0.01)
    assert scene.counts["singular"] > before
    assert scene.counts["faults"] == 0
