"""`symbody scores`: leaderboard, attempts, statistics, replay, export and deletion, over a file of scores."""

import json

import numpy as np
import pytest

from symbody.cli import main
from symbody.cli.scores import SUMMARY
from symbody.machines.games import game_of, games
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.score_book import ScoreBook


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """Two descents of the ride, of different speed, after the platform has homed for 6 s."""
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    book, game = ScoreBook(tmp_path / "scores.sqlite"), game_of("ride")
    for player, speed in (("Ann", 20.0), ("Bob", 12.0)):
        referee = GameReferee(game, book)
        referee.enter(player, "")
        referee.begin_again()
        t = np.arange(0.0, 40.0, 0.02)
        values = {"ski.speed": speed * (t > 6.0), "ski.waits": 1.0 * (t <= 6.0)}
        referee.see(t, np.column_stack([values.get(name, 0.0 * t) for name in referee.channels]))
    return tmp_path


def printed_scores(capsys, *words):
    assert main(["scores", "ride", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_leaderboard(scores, capsys):
    rows = printed_scores(capsys)
    assert [(row["rank"], row["player"], row["score"]) for row in rows] == [(1, "Ann", 100.0), (2, "Bob", 20.0)]
    assert rows[0]["time"] == pytest.approx(300.0 / 20.0, abs=0.05)


def test_attempts_statistics_and_replay(scores, capsys):
    first, second = printed_scores(capsys, "--attempts")
    assert (first["player"], first["state"], second["player"]) == ("Ann", "done", "Bob")
    found = printed_scores(capsys, "--statistics")
    assert (found["attempts"], found["finished"], found["best_option"]) == (2, 2, "")
    again = printed_scores(capsys, "--replay", str(first["attempt"]))
    assert again["same"] is True
    assert main(["scores", "ride", "--again", str(first["attempt"])]) != 0
    assert "no logged inputs" in capsys.readouterr().err
    assert main(["scores", "ride", "--simulate", "1"]) != 0
    assert "no simulated users" in capsys.readouterr().err


def test_export_and_deletion(scores, capsys):
    written = printed_scores(capsys, "--export", str(scores / "out"))["written"]
    assert len(written) == 3
    assert printed_scores(capsys, "--delete", "ann") == {"deleted": "ann"}
    assert [row["player"] for row in printed_scores(capsys)] == ["Bob"]
    assert main(["scores", "ride", "--delete", "ann"]) != 0
    assert "unknown player" in capsys.readouterr().err


def test_mistakes(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    assert main(["scores", "ride"]) != 0
    assert "no scores yet" in capsys.readouterr().err
    assert main(["scores", "piano"]) != 0
    assert "no game" in capsys.readouterr().err
    assert {"car", "excavator", "ride"} <= set(games())
    assert SUMMARY.endswith(".")
