"""Scripted attempts without a clock: a cart that is pushed to a place, again from its inputs, and plots of attempts."""

import numpy as np
import pytest

import symbody as sb
from symbody.scenario.attempt import AttemptState
from symbody.scenario.game import read_game
from symbody.scenario.game_referee import replayed
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_plots import heat_plot, options_plot, reach_plot
from symbody.scenario.scripted_play import keep_play, play, play_again
from symbody.scenario.standings import leaderboard

FILE = """
scenario: Push
sensors:
  way: {formula: x, of: {x: cart.q}}
  effort: {formula: abs(f), of: {f: pushed}, gather: integral}
tasks:
  - {name: Go, say: Go, until: way > 1, within: 20}
game:
  name: push
  options: [A, B]
  measures: {time: {formula: time}, effort: {formula: effort}}
  inputs: [cart.qd]
"""


@pytest.fixture(scope="module")
def cart():
    m = sb.Model("cart")
    m.body("cart", joints="T1", mass=2.0)
    m.input("force", 0.0, "N")
    m.joint_force("cart")(lambda q, qd, p: p.force - 0.5 * qd)
    m.signal("pushed")(lambda s, p: p["force"])
    return sb.system(m, outputs=["*.q", "*.qd", "pushed"])


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "push.yaml"
    path.write_text(FILE, encoding="utf-8")
    return read_game(path)


class Source:
    """A system as a source of a loop."""

    def __init__(self, s):
        self.s = s

    def loop_model(self, dt, substeps, steps):
        from symbody.realtime.stepper import system_model

        return system_model(self.s, dt, steps)


def pushing(seed):
    rng = np.random.default_rng(seed)
    return lambda t, channels: {"force": float(2.0 + rng.normal())}


@pytest.mark.parametrize("seed", range(10))
def test_the_same_inputs_give_the_same_motion_and_score(cart, game, tmp_path, seed):
    first = play(Source(cart), 1e-3, game, pushing(seed))
    assert first.attempt.state is AttemptState.DONE
    again = play_again(Source(cart), 1e-3, game, first)
    np.testing.assert_array_equal(again.log, first.log)
    assert game.results(again.attempt) == game.results(first.attempt)
    book = ScoreBook(tmp_path / "scores.sqlite")
    number = keep_play(book, game, first, "Ann", "A", 3)
    assert game.results(replayed(game, book.log(number))) == dict(book.attempts("push")[0].results)


def test_a_constant_force_takes_the_time_of_the_equation_of_motion(cart, game):
    """m v̇ = F − c v from rest: x = (F/c) t − (F m/c²)(1 − e^(−ct/m)), reached at x = 1 m within a period of 20 ms."""
    one = play(Source(cart), 1e-3, game, lambda t, channels: {"force": 2.0})
    t = one.attempt.finished["Go"] - 1e-3  # the first step has no force yet
    x = 4.0 * t - 16.0 * (1.0 - np.exp(-t / 4.0))
    speed = 4.0 * (1.0 - np.exp(-t / 4.0))
    assert 0.0 < x - 1.0 < 0.021 * speed


def test_an_attempt_that_takes_too_long_ends(cart, game):
    one = play(Source(cart), 1e-3, game, lambda t, channels: {}, longest=0.5)
    assert one.attempt.state is AttemptState.RUNNING
    assert one.log[-1, 0] == pytest.approx(0.48)


def test_plots_of_attempts_are_drawn(cart, game, tmp_path):
    figure = pytest.importorskip("matplotlib.figure")
    plays = [play(Source(cart), 1e-3, game, pushing(seed)) for seed in range(3)]
    book = ScoreBook(tmp_path / "scores.sqlite")
    for k, one in enumerate(plays):
        keep_play(book, game, one, f"P{k}", "AB"[k % 2], 3)
    assert len(leaderboard(book.attempts("push"), game.measures)) == 3
    histories = {f"P{k}": (one.log[:, 0], one.column(game, "cart.q")) for k, one in enumerate(plays)}
    columns = [[one.column(game, name) for one in plays] for name in ("cart.q", "cart.qd")]
    for plot in (reach_plot(histories), options_plot(book.attempts("push"), game.measures), heat_plot(*columns)):
        drawn = figure.Figure()
        plot.draw(drawn)
        assert drawn.axes
