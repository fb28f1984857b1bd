"""Attempts in the real-time loop: their logged inputs, simulated again without a clock, give the same score."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody.scenario.attempt import AttemptState
from symbody.scenario.game import read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.input_log import Drive, InputLog
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.simulated_again import simulated_again
from symbody.studio import Live
from symbody.studio.machine import Control, Machine
from symbody.studio.messages import Reset, Set
from waiting import eventually

FILE = """
scenario: Push
sensors:
  way: {formula: x, of: {x: cart.q}}
  effort: {formula: abs(f * v), of: {f: pushed, v: cart.qd}, gather: integral}
tasks:
  - {name: Go, say: Go, until: way > 0.1, within: 20}
game:
  name: push
  attempts: 100
  options: [light, heavy]
  measures: {time: {formula: time}, effort: {formula: effort}}
"""
MASSES = {"light": 2.0, "heavy": 3.0}


def cart():
    m = sb.Model("cart")
    m.body("cart", joints="T1", mass=m.parameter("load", 2.0, "kg"))
    m.input("force", 0.0, "N")
    m.joint_force("cart")(lambda q, qd, p: p.force - 0.5 * qd - 3.0 * np.sin(5.0 * q))
    m.signal("pushed")(lambda s, p: p["force"])
    return sb.system(m, outputs=["*.q", "*.qd", "pushed"])


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "push.yaml"
    path.write_text(FILE, encoding="utf-8")
    return read_game(path)


@pytest.mark.parametrize("seed", range(10))
def test_logged_changes_are_the_inputs_of_each_step(seed):
    """Records in pieces of any length, some of them twice, as a loop that pauses gives them."""
    rng = np.random.default_rng(seed)
    first, n = int(rng.integers(0, 1000)), 500
    u = np.repeat(rng.normal(size=(n // 10, 3)), 10, axis=0)
    u[rng.random(n) < 0.2] += 1.0
    steps, log, rows, k = np.arange(first, first + n).astype(float), InputLog(), [], 0
    while k < n:
        end = k + int(rng.integers(1, 90))
        some = slice(max(k - int(rng.integers(0, 3)), 0), end)  # repeats the last ones
        log.take(steps[some], u[some])
        rows += list(log.taken_rows())
        k = end
    changes = {int(row[0]): row[1:] for row in rows}
    assert log.complete
    assert log.first == first
    assert len(changes) == 1 + np.count_nonzero(np.any(np.diff(u, axis=0) != 0.0, axis=1))
    now = np.zeros(3)
    for k in range(n):
        now = changes.get(first + k, now)
        np.testing.assert_array_equal(now, u[k])
    log.take(np.array([first + n + 1.0]), u[:1])  # one is missing
    assert not log.complete


@pytest.mark.posix
@pytest.mark.clock
def test_live_attempts_simulated_again_have_the_same_score_bit_for_bit(game, tmp_path):
    """Ten attempts of a hand that moves at random, one after the other in one running loop."""
    book, s = ScoreBook(tmp_path / "scores.sqlite"), cart()
    referee = GameReferee(game, book, tick=1e-3)
    control = Control("force", "Force", -8.0, 8.0, unit="N", seconds=0.05)
    machine = Machine("Cart", s, controls=[control], referee=referee, dials=(), stale=None)
    rng = np.random.default_rng(0)
    with Live(machine) as live:
        for k in range(10):
            option = ("light", "heavy")[k % 2]
            referee.enter(f"P{k}", option)
            live.loop.parameters["load"] = MASSES[option]
            live.obey(Reset())

            def driven():
                live.hands.move("force", float(rng.uniform(1.0, 8.0)))
                live.status()
                return not referee.player

            eventually(driven)
        assert referee.last.startswith("P9: done")
    played = book.attempts("push")
    assert len(played) == 10
    again = cart()
    firsts = set()
    for one in played:
        drive = book.drive(one.number)
        firsts.add(drive.first)
        assert drive.exact
        assert drive.parameters["load"] == MASSES[one.option]
        assert len(drive.rows) > 5
        attempt = simulated_again(again, game, drive)
        assert attempt.state is AttemptState.DONE
        assert game.results(attempt) == dict(one.results)
        other = replace(drive, rows=drive.rows * np.array([1.0, 0.9]))  # another hand has another score
        assert game.results(simulated_again(again, game, other)) != dict(one.results)
    assert len(firsts) == 10
    with pytest.raises(sb.ModelError, match="do not belong to this machine"):
        simulated_again(again, game, replace(drive, inputs=["torque"]))


@pytest.mark.posix
@pytest.mark.clock
def test_parameters_stay_while_somebody_plays(game, tmp_path):
    book = ScoreBook(tmp_path / "scores.sqlite")
    referee = GameReferee(game, book, tick=1e-3)
    control = Control("force", "Force", -8.0, 8.0, unit="N")
    with Live(Machine("Cart", cart(), controls=[control], referee=referee, stale=None)) as live:
        live.obey(Set("load", 2.5))
        referee.enter("Ann", "light")
        live.obey(Reset())
        with pytest.raises(sb.SymbodyError, match="an attempt is running"):
            live.obey(Set("load", 0.1))
        assert live.loop.parameters["load"] == 2.5


def test_a_drive_is_kept_with_its_attempt_and_deleted_with_its_player(tmp_path):
    book = ScoreBook(tmp_path / "scores.sqlite")
    number = book.begin("push", "Ann", "light", ["cart.q"], 3)
    rows = np.array([[7.0, 0.5], [9.0, 0.25]])
    book.write_inputs(number, 0, rows[:1])
    book.write_inputs(number, 1, rows[1:])
    book.keep_drive(number, Drive(["force"], 7, 1e-3, {"load": 2.0}, "quick"))
    book.finish(number, "done", {"time": 1.0})
    found = ScoreBook(book.path).drive(number)
    assert (found.first, found.period, found.parameters) == (7, 1e-3, {"load": 2.0})
    assert (found.tier, found.exact) == ("quick", True)
    np.testing.assert_array_equal(found.rows, rows)
    assert book.delete_player("ann")
    assert book.drive(number) is None
