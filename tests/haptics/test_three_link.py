"""The linkage in the hand (three_link.py, controller.h): drift with and without penalties, from several starts."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check_ordering
from symbody.haptics.thesis_scenes.three_link import EARLY, FAULTS, HARDWARE, RECOMPUTED, drawn, held_linkage, pushed

SEEDS = range(4)
WAYS = {"without": (False, False), "penalty": (True, False), "curving": (False, True), "both": (True, True)}


def started(seed):
    """Joints turned a little, and another force."""
    random = np.random.default_rng(seed)
    return {"turned": tuple(random.uniform(-0.1, 0.1, 3)), "force": float(random.uniform(0.8, 1.2))}


def drift(link):
    """Drift at the end (mm), by penalty and curving."""

    def value(name, seed):
        penalty, curving = WAYS[name]
        return drawn(link, penalty, curving=curving, **started(seed)).end

    return cache(value)


DRIFT = {link: drift(link) for link in (2, 3)}
ORDERINGS = [
    *(Ordering(f"drift at link {link}", "penalty", "without", DRIFT[link], 0.5) for link in DRIFT),
    *(Ordering(f"drift at link {link}", "curving", "without", DRIFT[link], 0.1) for link in DRIFT),
    *(Ordering(f"drift at link {link}", "both", "penalty", DRIFT[link], 0.2) for link in DRIFT),
]


@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_penalty_and_the_curvature_keep_the_device_at_the_linkage(ordering):
    check_ordering(ordering)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("link", [2, 3])
def test_without_penalty_the_device_drifts_far_and_with_both_it_does_not(link, seed):
    assert DRIFT[link]("without", seed) > 20.0
    assert DRIFT[link]("both", seed) < 0.1


@pytest.mark.parametrize("link", [2, 3])
def test_drift_is_what_was_recomputed(link):
    """An independent calculation of the same scene, by another program."""
    for penalty, known in zip((False, True), RECOMPUTED[link], strict=True):
        assert drawn(link, penalty).end == pytest.approx(known, rel=0.2)


def test_link_2_has_a_topology_direction_always_and_link_3_at_times():
    second, third = drawn(2, True).log["rank"], drawn(3, True).log["rank"]
    assert set(second) == {2.0}
    assert set(third) == {2.0, 3.0}


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "friction"])
@pytest.mark.parametrize("link", [2, 3])
def test_on_devices_with_faults_the_penalty_helps(link, fault):
    without, with_penalty = (pushed(link, penalty, fault) for penalty in (False, True))
    assert with_penalty.end < 0.25 * without.end


def test_friction_of_the_device_stops_both_and_a_late_observer_makes_drift():
    """What may be behind the thesis' device that left the manifold within 0.7 s: not friction, but the observer."""
    assert pushed(2, False, "friction").most < 0.1
    assert pushed(2, False, "observer").at(EARLY) > 100 * pushed(2, False).at(EARLY)
    assert pushed(2, False, "pantograph").at(EARLY) > 10.0
    assert pushed(2, True, "pantograph").at(EARLY) < 0.1


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
