"""A recorded run under a hand on the clock."""

import numpy as np
import pytest

import symbody as sb
from symbody.links.rejected import Rejected
from symbody.studio.messages import Pause, Play, Pull, Reset, Seek, Set, Speed, Step
from symbody.studio.player import Player


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture(scope="module")
def run():
    m = sb.Model("swing", gravity=(0, 0, -9.81))
    m.body("bob", joints=[sb.Joint("bob", "R2", q0=(0.5,))], mass=1.0, com=(0.0, 0.0, -1.0))
    return sb.simulate(sb.system(m), 2.0, 1e-2)


@pytest.fixture
def played(run):
    clock = Clock()
    return Player(run, clock), clock


def angle(player):
    """About y, from the quaternion that the view gets."""
    _, rows = player.poses()
    return 2 * np.arctan2(rows[1, 5], rows[1, 3])


def test_time_goes_with_the_clock_and_its_speed(played):
    player, clock = played
    clock.now += 5.0
    assert player.t == 0.0
    player.obey(Play())
    clock.now += 0.5
    assert player.t == pytest.approx(0.5)
    player.obey(Speed(0.1))
    clock.now += 1.0
    assert player.t == pytest.approx(0.6)
    player.obey(Pause())
    clock.now += 1.0
    assert player.t == pytest.approx(0.6)
    assert player.status()["state"] == "paused"
    player.obey(Reset())
    assert player.t == 0.0


def test_it_stays_at_the_end_and_begins_again(played):
    player, clock = played
    player.obey(Play())
    clock.now += 50.0
    assert player.t == 2.0
    assert player.status()["state"] == "paused"
    player.obey(Play())
    assert player.t == 0.0


def test_steps_are_records(played):
    player, _ = played
    player.obey(Step(3))
    assert player.t == pytest.approx(0.03)
    player.obey(Step(1))
    assert player.t == pytest.approx(0.04)
    player.obey(Step(1000))
    assert player.t == 2.0


def test_the_view_shows_the_records(played, run):
    player, _ = played
    for k in (0, 17, 120, 200):
        player.obey(Seek(float(run.t[k])))
        assert angle(player) == pytest.approx(run["bob.q"][k], abs=1e-9)
    player.obey(Seek(1e5))
    assert player.t == 2.0


def test_plots_are_sent_whole_once(played, run):
    player, _ = played
    head, t, values = player.samples(0, ["bob.qd", "bob.q"])
    np.testing.assert_array_equal(t, run.t)
    np.testing.assert_array_equal(values[:, 1], run["bob.q"])
    assert len(player.samples(head, ["bob.q"])[1]) == 0


@pytest.mark.parametrize("message", [Set("k", 1.0), Pull(1, (0, 0, 0), (0, 0, 0))])
def test_what_was_is_not_changed(played, message):
    with pytest.raises(Rejected):
        played[0].obey(message)


def test_a_run_that_went_astray_is_shown_up_to_there(run):
    values = run.values.copy()
    values[50:] = np.nan
    player = Player(sb.Run(None, run.t, values, names=run.names, model=run.model))
    player.obey(Seek(10.0))
    assert player.t == run.t[49]
    with pytest.raises(sb.ModelError, match="no motion"):
        Player(sb.Run(None, run.t, values * np.nan, names=run.names, model=run.model))
