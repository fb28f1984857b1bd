"""Scores in a file: nothing finished is lost, one attempt at a time, and nothing of a person but a nickname."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

from symbody.links.rejected import Rejected
from symbody.scenario.score_book import UNFINISHED, ScoreBook, ScoreBookError, nickname

CHANNELS = ["a", "b"]


@pytest.fixture
def book(tmp_path):
    made = ScoreBook(tmp_path / "scores.sqlite")
    yield made
    made.close()


def begun(book, player="Ann", option="L/M", most=3):
    return book.begin("game", player, option, CHANNELS, most)


def test_an_attempt_is_kept_with_its_log(book):
    number = begun(book)
    rows = np.random.default_rng(0).normal(size=(120, 3))
    book.write_log(number, 0, rows[:50])
    book.write_log(number, 50, rows[50:])
    book.finish(number, "done", {"time": 12.5})
    (one,) = book.attempts("game")
    assert (one.player, one.option, one.state, one.results) == ("Ann", "L/M", "done", {"time": 12.5})
    log = book.log(number)
    np.testing.assert_array_equal(np.column_stack([log["t"], log["a"], log["b"]]), rows)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "<b>Ann</b>", "Ann'; DROP TABLE player; --", "x" * 25, "x" * 10_000_000, "a\nb", "=1+1", "\u202eabc",
     None, 3, "_x", '"', "../../x"],
)  # fmt: skip
def test_hostile_nicknames_are_refused_and_counted(book, text):
    with pytest.raises(Rejected, match="not a nickname"):
        begun(book, text)
    assert book.refused["not a nickname"] == 1
    assert book.attempts("game") == []


@pytest.mark.parametrize("text", ["Ann", "Jörg", "Ann-Marie 2", "x.y_z", "小林"])
def test_usual_nicknames(text):
    assert nickname(f" {text} ") == text


def test_one_attempt_at_a_time_and_not_more_than_three(book):
    first = begun(book)
    with pytest.raises(Rejected, match="already playing"):
        begun(book, "ANN")  # the same player
    begun(book, "Bob")
    for k in range(3):
        book.finish(first if k == 0 else begun(book), "done", {"time": 1.0})
    with pytest.raises(Rejected, match="no attempt left"):
        begun(book)
    assert book.refused == {"already playing": 1, "no attempt left": 1}


def test_a_finished_attempt_cannot_be_forged(book):
    number = begun(book)
    book.finish(number, "done", {"time": 100.0})
    with pytest.raises(Rejected, match="not a running attempt"):
        book.finish(number, "done", {"time": 1.0})
    assert book.attempts("game")[0].results == {"time": 100.0}


def test_deletion_leaves_nothing(book):
    number = begun(book, "Zaphod")
    book.write_log(number, 0, np.ones((3, 3)))
    book.finish(number, "done", {"time": 1.0})
    book.answer("game", "Zaphod", {"enjoyed": "yes"})
    assert book.answers("game") == {"enjoyed": {"yes": 1}}
    assert book.delete_player("zaphod")
    assert not book.delete_player("zaphod")
    assert book.attempts("game") == []
    assert book.answers("game") == {}
    left = sqlite3.connect(book.path)
    assert left.execute("SELECT count(*) FROM log").fetchone() == (0,)
    book.close()
    for file in book.path.parent.iterdir():
        assert b"Zaphod" not in file.read_bytes()


def test_nothing_of_a_person_but_a_nickname(book):
    begun(book)
    columns = {
        (table, row[1])
        for (table,) in sqlite3.connect(book.path).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for row in sqlite3.connect(book.path).execute(f"PRAGMA table_info({table})")
    }
    assert {name for table, name in columns if table == "player"} == {"number", "nickname", "folded"}
    assert {name for table, name in columns if table == "attempt"} == {
        "number", "player", "game", "option", "state", "results", "channels", "process",
    }  # fmt: skip


def test_a_hundred_players_write_at_once(book):
    rows = np.arange(150.0).reshape(50, 3)
    failed = []

    def player(k):
        try:
            number = begun(book, f"Player {k}")
            for chunk in range(3):
                book.write_log(number, 50 * chunk, rows + k)
            book.finish(number, "done", {"time": float(k)})
        except Exception as error:
            failed.append(error)
        finally:
            book.close()

    threads = [threading.Thread(target=player, args=(k,)) for k in range(100)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert failed == []
    kept = {one.player: one for one in book.attempts("game")}
    assert {kept[f"Player {k}"].results["time"] for k in range(100)} == set(map(float, range(100)))
    for k in (0, 57, 99):
        log = book.log(kept[f"Player {k}"].number)
        np.testing.assert_array_equal(log["t"], np.tile(rows[:, 0] + k, 3))


KILLED = """
import sys, numpy as np
from symbody.scenario.score_book import ScoreBook
book = ScoreBook(sys.argv[1])
k = 0
while True:
    number = book.begin("game", f"P{k}", "L/M", ["a", "b"], 3)
    book.write_log(number, 0, np.full((50, 3), k))
    book.finish(number, "done", {"time": float(k)})
    print(k, flush=True)
    k += 1
    if k == int(sys.argv[2]):
        number = book.begin("game", "last", "L/M", ["a", "b"], 3)
        book.write_log(number, 0, np.zeros((50, 3)))
        print("mid", flush=True)
        import time; time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("after", [3, 17])
def test_kill_9_loses_no_finished_attempt(tmp_path, after):
    path = tmp_path / "scores.sqlite"
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path), str(after)], stdout=subprocess.PIPE, text=True)
    said = []
    for line in child.stdout:
        said.append(line.strip())
        if said[-1] == "mid":
            break
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    played = ScoreBook(path).attempts("game")
    assert [one.state for one in played] == ["done"] * after + [UNFINISHED]
    assert [one.results["time"] for one in played[:-1]] == list(map(float, range(after)))
    begun(ScoreBook(path), "last")  # the abandoned attempt does not block its player


def filled(book, attempt, rows):
    for k in range(100):
        book.write_log(attempt, len(rows) * k, rows)


def test_a_full_disk_keeps_what_is_finished(book):
    first, second = begun(book, "Ann"), begun(book, "Bob")
    book.finish(first, "done", {"time": 1.0})
    pages = book._connection.execute("PRAGMA page_count").fetchone()[0]
    book._connection.execute(f"PRAGMA max_page_count = {pages}")
    noise = np.random.default_rng(0).normal(size=(2000, 3))
    with pytest.raises(ScoreBookError, match="full"):
        filled(book, second, noise)
    book.finish(second, "done", {"time": 2.0, **{f"measure {k}": 0.1 for k in range(400)}})  # needs pages: the reserve
    assert [one.results["time"] for one in book.attempts("game")[:2]] == [1.0, 2.0]
    assert book._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


FULL_DISK = """
import os, subprocess, sys
from pathlib import Path
folder = Path(sys.argv[1])
done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True)
if done.returncode:
    print("no mount")
    sys.exit()
import numpy as np
from symbody.scenario.score_book import ScoreBook, ScoreBookError
book = ScoreBook(folder / "scores.sqlite")
first, second = (book.begin("game", name, "L/M", ["a", "b"], 3) for name in ("Ann", "Bob"))
book.finish(first, "done", {"time": 1.0})
other = os.open(folder / "other", os.O_WRONLY | os.O_CREAT)
for size in (65536, 4096, 1):
    try:
        while True:
            os.write(other, b"x" * size)
    except OSError:
        pass
refused = 0
for k in range(20):
    try:
        book.write_log(second, 500 * k, np.random.default_rng(k).normal(size=(500, 3)))
    except ScoreBookError:
        refused += 1
book.finish(second, "done", {"time": 2.0})
book.close()
again = ScoreBook(folder / "scores.sqlite")
print(refused > 0, [one.results for one in again.attempts("game")])
print(again._connection.execute("PRAGMA integrity_check").fetchone()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a small file system of its own needs Linux")
def test_a_file_system_without_space_keeps_what_is_finished(tmp_path):
    """A file system of 4 MB that another file fills to its last byte."""
    command = ["unshare", "--map-root-user", "--mount", sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "no mount" in done.stdout or "unshare" in done.stderr:
        pytest.skip("no rights to mount")
    assert done.stdout.splitlines() == ["True [{'time': 1.0}, {'time': 2.0}]", "ok"], done.stderr


def test_of_many_attempts_at_once_by_one_player_one_begins(book):
    begun(book, "Bob")  # the file is there
    found, barrier = [], threading.Barrier(20)

    def player():
        barrier.wait()
        try:
            found.append(begun(book, "Ann"))
        except Rejected as refusal:
            found.append(refusal.reason)
        finally:
            book.close()

    threads = [threading.Thread(target=player) for _ in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(isinstance(one, int) for one in found) == 1
    assert book.refused["already playing"] == 19


PLAYERS = """
import sys, numpy as np
from symbody.scenario.score_book import ScoreBook
book, first = ScoreBook(sys.argv[1]), int(sys.argv[2])
numbers = [book.begin("game", f"Player {first + k}", "L/M", ["a", "b"], 3) for k in range(25)]
for chunk in range(3):
    for number in numbers:
        book.write_log(number, 50 * chunk, np.full((50, 3), number))
for k, number in enumerate(numbers):
    book.finish(number, "done", {"time": float(first + k)})
"""


@pytest.mark.slow
def test_a_hundred_players_of_several_processes_write_at_once(tmp_path):
    path = tmp_path / "scores.sqlite"
    children = [subprocess.Popen([sys.executable, "-c", PLAYERS, str(path), str(25 * k)]) for k in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    book = ScoreBook(path)
    played = book.attempts("game")
    assert sorted(one.results["time"] for one in played) == list(map(float, range(100)))
    assert {one.state for one in played} == {"done"}
    for one in played[::9]:
        np.testing.assert_array_equal(book.log(one.number)["t"], np.full(150, float(one.number)))


MIDWAY = """
import sys, time, numpy as np
from symbody.scenario.game import read_game
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.score_book import ScoreBook
referee = GameReferee(read_game(sys.argv[1]), ScoreBook(sys.argv[2]), tick=1e-3)
referee.enter("Ann", "")
referee.begin_again()
for k in range(2300):
    step = np.array([float(k)])
    referee.see_inputs(step, np.sin(step)[:, np.newaxis])
    referee.see(1e-3 * step, np.full((1, len(referee.channels)), 1e-3 * k))
print("mid", flush=True)
time.sleep(60)
"""
RULES = """
scenario: Run
sensors: {way: {formula: x, of: {x: x.q}}}
tasks: [{name: Go, say: Go, until: way > 10}]
game: {name: run, measures: {time: {formula: time}}}
"""


@pytest.mark.slow
@pytest.mark.posix
def test_kill_9_in_mid_attempt_keeps_the_log_of_its_whole_seconds(tmp_path):
    (tmp_path / "run.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "scores.sqlite"
    child = subprocess.Popen(
        [sys.executable, "-c", MIDWAY, str(tmp_path / "run.yaml"), str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline().strip() == "mid"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    book = ScoreBook(path)
    (one,) = book.attempts("run")
    assert (one.state, one.results) == (UNFINISHED, {})
    np.testing.assert_allclose(book.log(one.number)["t"], np.arange(100) * 0.02, atol=1e-12)
    inputs = book._rows("input_log", one.number, 2)
    np.testing.assert_array_equal(inputs[:, 0], np.arange(len(inputs)))
    assert len(inputs) > 1900


def test_a_damaged_file_is_an_error_with_a_cure(tmp_path):
    path = tmp_path / "scores.sqlite"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(ScoreBookError, match="not a database"):
        ScoreBook(path)


def test_a_running_attempt_of_a_living_process_is_left_alone(book):
    number = begun(book)
    other = subprocess.run(
        [sys.executable, "-c", f"from symbody.scenario.score_book import ScoreBook as B; import json;"
         f"print(json.dumps([a.state for a in B({str(book.path)!r}).attempts('game')]))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(other.stdout) == ["running"]
    book.finish(number, "done", {})
