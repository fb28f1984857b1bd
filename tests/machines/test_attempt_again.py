"""Attempts at the games of machines in the real-time loop, simulated again from their inputs, bit for bit."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.machines.excavator import players
from symbody.machines.games import attempt_again, game_of, keep_simulated_users
from symbody.scenario.attempt import Attempt
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_charts import simulated_game
from symbody.scenario.scripted_play import ScriptedPlay
from symbody.studio import Live
from symbody.studio.messages import Move, Reset, Set
from waiting import eventually


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.clock
def test_a_drive_of_the_car_ends_again_as_it_did(monkeypatch, tmp_path):
    """On a slippery road, with a wheel that is moved at random: filters follow it, and the method is implicit."""
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    machine, rng = machines.entry("car").page(), np.random.default_rng(0)
    referee = machine.referee
    with Live(machine) as live:
        live.obey(Set("friction", 0.6))
        number = referee.enter("Ann", "")
        live.obey(Reset())

        def driven():
            live.obey(Move("wheel.q", float(rng.uniform(-0.5, 0.5)), 0.5))
            live.obey(Move("throttle", 1.0, 0.5))
            live.status()
            return not referee.player

        eventually(driven)
    (kept,) = referee.book.attempts("car")
    drive = referee.book.drive(number)
    assert drive.exact
    assert drive.parameters["friction"] == 0.6
    assert len(drive.rows) > 100
    again = attempt_again("car", referee.book, number)
    assert again.state.value == kept.state
    assert game_of("car").results(again) == dict(kept.results)


def test_simulated_users_replace_earlier_ones_and_stay_apart_from_people(monkeypatch, tmp_path):
    game, book = game_of("excavator"), ScoreBook(tmp_path / "scores.sqlite")
    log = np.zeros((5, 1 + len(game.channels)))
    log[:, 0] = 0.02 * np.arange(5)
    attempt = Attempt(game.scenario)
    for t in log[:, 0]:
        attempt.see(float(t), dict.fromkeys(game.scenario.channels, 0.0))
    one = ScriptedPlay(attempt, log[:, 0], {}, log)
    monkeypatch.setattr(players, "simulated_users", lambda seeds: (("expert", "L/M", one) for _ in seeds))
    for count in (5, 2):
        assert list(keep_simulated_users("excavator", book, range(count))) == [("expert", "L/M")] * count
        assert [one.state for one in book.attempts(simulated_game("excavator"))] == ["given up"] * count
    assert book.attempts("excavator") == []


def test_attempts_without_logged_inputs_and_games_without_simulated_users_are_named(tmp_path):
    book = ScoreBook(tmp_path / "scores.sqlite")
    number = book.begin("car", "Ann", "", ["x.q"], 3)
    book.finish(number, "done", {"time": 1.0, "roll": 1.0})
    for wrong in (number, number + 1):
        with pytest.raises(sb.ModelError, match="no logged inputs"):
            attempt_again("car", book, wrong)
    with pytest.raises(sb.ModelError, match="no simulated users"):
        list(keep_simulated_users("car", book))
