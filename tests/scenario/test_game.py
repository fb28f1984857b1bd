"""Games: rules as data, a referee that logs and scores on the server, and replays that give the same score."""

import numpy as np
import pytest

import symbody as sb
from symbody.links.rejected import Rejected
from symbody.scenario.attempt import AttemptState
from symbody.scenario.game import read_game
from symbody.scenario.game_referee import GameReferee, replayed
from symbody.scenario.ghosts import Ghosts
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_export import export_scores
from symbody.scenario.score_tables import ScoreTables, game_pages
from symbody.studio.machine_pages import PageDesk

FILE = """
scenario: Run
sensors:
  way: {formula: x, of: {x: x.q}, unit: m}
  work: {formula: abs(f * v), of: {f: force, v: x.qd}, gather: integral}
  reach: {formula: x, of: {x: x.q}}
tasks:
  - {name: Go, say: Go, until: way > 1}
breakdowns:
  - {name: Back, when: way < -1, say: Back}
game:
  name: run
  attempts: 3
  options: [A, B]
  measures:
    time: {formula: time, unit: s}
    work: {formula: work, unit: J, weight: 2}
  inputs: [force]
  questions: {enjoyed: ["yes", "no"]}
"""


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(FILE, encoding="utf-8")
    return read_game(path)


@pytest.fixture
def book(tmp_path):
    return ScoreBook(tmp_path / "scores.sqlite")


def played(referee, seed, player, option="A", sign=1.0):
    """An attempt of a mass that is pushed at random, shown in pieces as a loop does."""
    referee.enter(player, option)
    referee.begin_again()
    rng = np.random.default_rng(seed)
    t = np.arange(5000) * 1e-3
    x = sign * np.cumsum(np.abs(rng.normal(size=t.size))) * 1e-3
    records = {"x.q": x, "force": rng.normal(size=t.size), "x.qd": np.gradient(x, 1e-3)}
    values = np.column_stack([records[name] for name in referee.channels])
    number, k = referee.number, 0
    while k < len(t) and referee.player:
        some = slice(k, k + int(rng.integers(1, 300)))
        referee.see(t[some], values[some])
        k = some.stop
    return number


def test_the_rules_come_from_the_file(game):
    assert (game.name, game.attempts, list(game.options)) == ("run", 3, ["A", "B"])
    assert {name: one.weight for name, one in game.measures.items()} == {"time": 1.0, "work": 2.0}
    assert game.channels == ["x.q", "force", "x.qd"]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ("    work: {formula: wrk, unit: J, weight: 2}", "unknown name 'wrk'"),
        ("    work: {formula: work, weight: -1}", "weight"),
        ("    work: {formula: work, better: many}", "better"),
        ("    work: {formula: work, wieght: 1}", "wieght"),
    ],
)
def test_mistakes_in_the_rules_are_named(tmp_path, wrong, match):
    path = tmp_path / "run.yaml"
    path.write_text(FILE.replace("    work: {formula: work, unit: J, weight: 2}", wrong), encoding="utf-8")
    with pytest.raises(sb.ModelError, match=match):
        read_game(path)


@pytest.mark.parametrize("seed", range(10))
def test_a_replayed_log_gives_the_same_score_bit_for_bit(game, book, seed):
    referee = GameReferee(game, book)
    number = played(referee, seed, "Ann")
    (kept,) = book.attempts("run")
    again = replayed(game, book.log(number))
    assert again.state is AttemptState.DONE
    assert game.results(again) == dict(kept.results)


def test_a_breakdown_stops_the_machine_and_is_kept(game, book):
    referee = GameReferee(game, book)
    played(referee, 0, "Ann", sign=-1.0)
    assert referee.stops()
    assert [one.state for one in book.attempts("run")] == ["broken"]
    referee.begin_again()
    assert not referee.stops()


def test_one_who_starts_again_gives_up(game, book):
    referee = GameReferee(game, book)
    referee.enter("Ann", "A")
    referee.begin_again()
    referee.see(np.array([0.0, 0.02]), np.zeros((2, 3)))
    referee.begin_again()
    assert [one.state for one in book.attempts("run")] == ["given up"]


def test_two_cannot_play_one_machine_at_once(game, book):
    referee = GameReferee(game, book)
    referee.enter("Ann", "A")
    for player in ("Ann", "Bob"):
        with pytest.raises(Rejected, match="already playing"):
            referee.enter(player, "A")
    with pytest.raises(Rejected, match="unknown option"):
        GameReferee(game, book).enter("Bob", "C")
    assert book.refused["already playing"] == 2


def test_without_a_player_nothing_is_judged(game, book):
    referee = GameReferee(game, book)
    referee.begin_again()
    referee.see(np.array([0.0, 0.02]), np.full((2, 3), -5.0))
    assert not referee.stops()
    assert list(referee.lines()) == []
    assert book.attempts("run") == []


def test_tables_follow_the_book(game, book, tmp_path):
    desk = PageDesk(game_pages(game, {}), {"attempt": _verb(), "answer": _verb("answer")}, ScoreTables(game, book))
    assert desk.current_rows()["leaderboard"] == []
    played(GameReferee(game, book), 0, "Ann")
    played(GameReferee(game, book), 1, "Bob", "B")
    book.answer("run", "Bob", {"enjoyed": "yes"})
    rows = desk.current_rows()
    assert {row[0] for row in rows["leaderboard"]} == {"Ann", "Bob"}
    assert sorted(row[0] for row in rows["choices"]) == ["A", "B"]
    assert rows["answers"] == [["enjoyed", "yes", 1, 100]]
    other = ScoreBook(book.path)  # as another process
    other.delete_player("Ann")
    assert {row[0] for row in desk.current_rows()["leaderboard"]} == {"Bob"}
    with pytest.raises(Rejected, match="computed"):
        desk.store.put("leaderboard", [{"player": "Eve", "score": 100.0}])


def _verb(kind="play"):
    from dataclasses import make_dataclass

    from symbody.studio.machine_pages import MachineVerb

    fields = {"play": ["player", "option"], "answer": ["player", "enjoyed"]}[kind]
    return MachineVerb(make_dataclass(kind.capitalize(), fields, frozen=True), lambda *_: None)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_exports_hold_attempts_and_logs(game, book, tmp_path, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    number = played(GameReferee(game, book), 0, "Ann")
    paths = export_scores(book, "run", game.measures, tmp_path / "out", kind)
    assert [path.name for path in paths] == [f"attempts.{kind}", f"log-{number}.{kind}"]
    if kind == "csv":
        assert paths[0].read_text(encoding="utf-8").splitlines()[0] == "attempt,player,option,state,score,time,work"
    else:
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(paths[0]).to_pydict()
        assert (table["player"], table["state"]) == (["Ann"], ["done"])
    run = sb.Run.load(paths[1])
    np.testing.assert_allclose(run["x.q"], book.log(number)["x.q"], rtol=1e-15)


def test_ghosts_are_where_the_best_were_at_the_same_time(game, book):
    first = GameReferee(game, book)
    number = played(first, 0, "Ann")
    referee = GameReferee(game, book)
    ghosts = Ghosts(game, book, referee, 2, ("x.q", "force", "x.qd"))
    log = book.log(number)
    referee.enter("Bob", "A")
    referee.begin_again()
    for k in range(5):
        referee.see(np.array([0.02 * k]), np.zeros((1, 3)))
    assert ghosts.points()[0] == pytest.approx([np.interp(0.08, log["t"], log[n]) for n in ("x.q", "force", "x.qd")])
    assert ghosts.points()[1][2] < -50.0
