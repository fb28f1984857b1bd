"""Charts of a game against NumPy: shares, means with intervals, reach and heat maps, of people and simulated users."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from symbody.scenario.game import read_game
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_charts import PEOPLE, SIMULATED, charts_of, simulated_game
from symbody.scenario.score_tables import ScoreTables, game_pages

FILE = """
scenario: Run
sensors:
  reach: {formula: r, of: {r: reach}}
tasks:
  - {name: Go, say: Go, until: reach > 1}
game:
  name: run
  options: [A, B, C]
  measures: {time: {formula: time}}
  inputs: [tool.x, tool.y]
  questions: {enjoyed: ["yes", "no"]}
"""
PLACES = ("tool.x", "tool.y")


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(FILE, encoding="utf-8")
    return read_game(path)


def played(book, game, player, option, time, seed):
    """A finished attempt with a random log; returns its number and the log."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(500, 1500))
    log = np.column_stack([10.0 + 0.02 * np.arange(n), rng.normal(5.0, 0.5, (n, 3))])
    number = book.begin(game.name, player, option, game.channels, 99)
    book.write_log(number, 0, log)
    book.finish(number, "done", {"time": time})
    return number, log


@pytest.mark.parametrize("seed", range(10))
def test_charts_are_the_statistics_of_the_book(game, tmp_path, seed):
    rng, book = np.random.default_rng(seed), ScoreBook(tmp_path / "scores.sqlite")
    store = ScoreTables(game, book, PLACES)
    assert all(not store.get(key)["series"] for key in charts_of(game, {}, PLACES))
    times = {"A": rng.uniform(30.0, 60.0, 4), "B": rng.uniform(20.0, 50.0, 1)}
    people = [
        played(book, game, f"P{k}", option, float(x), 100 * seed + k)
        for k, (option, x) in enumerate((option, x) for option, some in times.items() for x in some)
    ]
    played(book, replace(game, name=simulated_game("run")), "expert", "B", 25.0, seed)
    book.begin("run", "Zoe", "C", game.channels, 3)  # not finished
    for k in range(4):
        book.answer("run", f"P{k}", {"enjoyed": "no" if k else "yes"})
    means = store.get("time-chart")
    assert means["names"] == ["A", "B"]
    mine, theirs = means["series"]
    assert (mine["label"], theirs["label"]) == (PEOPLE, SIMULATED)
    assert mine["y"] == pytest.approx([times["A"].mean(), times["B"][0]])
    assert mine["high"][0] - mine["y"][0] == pytest.approx(3.182 * times["A"].std(ddof=1) / 2.0)  # Student, n = 4
    assert (mine["high"][1], theirs["y"][0], theirs["y"][1]) == (None, None, 25.0)
    shares = store.get("choices-chart")
    assert dict(zip(shares["names"], shares["series"][0]["y"], strict=True)) == pytest.approx(
        {"A": 100.0 * 4 / 6, "B": 100.0 / 6, "C": 100.0 / 6}
    )
    answers = store.get("answers-chart")
    assert (answers["names"], answers["series"][0]["y"]) == (["Enjoyed: no", "Enjoyed: yes"], [75.0, 25.0])
    best = "A" if times["A"].mean() < times["B"].mean() else "B"
    assert f"Best combination, people: {best}" in store.get("score-chart")["note"]
    x, y = (np.concatenate([log[:, k] for _, log in people]) for k in (2, 3))
    grid = np.array(store.get("places-people")["grid"])
    expected = np.histogram2d(y, x, bins=30, range=[(y.min(), y.max()), (x.min(), x.max())])[0]
    np.testing.assert_allclose(grid, 100.0 * expected / len(x), atol=0.2)  # points on the edge of a cell
    assert grid.sum() == pytest.approx(100.0, abs=0.05)
    reach = store.get("reach-chart")["series"]
    assert len(reach) == 5  # three best, the last, and the simulated one
    assert all(len(one["y"]) <= 400 and one["x"][0] == 0.0 for one in reach)
    assert reach[-1]["label"] == "expert, B (simulated)"
    for one in store.get("reach-shares")["series"]:
        assert sum(one["y"]) == pytest.approx(100.0)


def test_charts_change_when_an_attempt_ends_and_not_with_its_log(game, tmp_path):
    book = ScoreBook(tmp_path / "scores.sqlite")
    store = ScoreTables(game, book, PLACES)
    versions = [store.version]
    number = book.begin("run", "Ann", "A", game.channels, 3)
    book.write_log(number, 0, np.zeros((5, 4)))
    assert store.version == versions[-1]
    book.finish(number, "done", {"time": 3.0})
    versions.append(store.version)
    book.answer("run", "Ann", {"enjoyed": "yes"})
    versions.append(store.version)
    book.answer("run", "Ann", {"enjoyed": "no"})
    versions.append(store.version)
    other = ScoreBook(book.path)  # as another process
    other.delete_player("Ann")
    versions.append(store.version)
    assert all(a != b for a, b in pairwise(versions))
    assert store.get("time-chart")["series"] == []
    played(book, replace(game, name=simulated_game("run")), "expert", "B", 25.0, 0)
    assert store.get("simulated")[0]["player"] == "expert"
    assert book.delete_attempts(simulated_game("run")) == 1
    assert store.get("simulated") == []


def test_the_page_of_statistics_draws_what_the_store_has(game, tmp_path):
    store = ScoreTables(game, ScoreBook(tmp_path / "scores.sqlite"), PLACES)
    statistics = game_pages(game, {"time": "Time (s)"}, places=PLACES)[-1]
    titles = {chart.title for chart in statistics.charts}
    assert {chart.key for chart in statistics.charts} <= set(store.keys())
    assert titles >= {"Choices", "Score (%)", "Time (s)", "Reach over time", "Answers"}
    without = replace(game, options=("",), questions={})
    assert "Choices" not in {chart.title for chart in game_pages(without, {})[-1].charts}
