"""The table of attacks: crashes, hangs, foreign errors, slow and large cases are seen and kept; tests of attacks.py."""

import json
import os
import time

import attacks
import pytest
from findings import FINDINGS
from mutate import corpus
from targets import TARGETS

from symbody.errors import ModelError

pytestmark = pytest.mark.posix
NAME = "unit"  # a surface with cheap cases


@pytest.fixture(autouse=True)
def out(tmp_path, monkeypatch):
    monkeypatch.setattr(attacks, "OUT", tmp_path / "out")
    monkeypatch.setattr(attacks, "warm", lambda name: None)
    return tmp_path / "out"


def attacked(tries):
    """The row of one slice."""
    rows = [attacks.empty(NAME, tries)]
    attacks.attack(rows, 0, 1, time.monotonic() + 600.0)
    return rows[0]


def slow(data):
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass


def large(data):
    assert bytearray(b"x") * (attacks.MEGABYTES + 100) * 1_000_000


def foreign(data):
    raise KeyError("not an error of the package")


@pytest.mark.parametrize(
    ("does", "says", "tried"),
    [
        (lambda data: os.abort(), "SIGABRT", 1),
        (lambda data: os._exit(3), "status 3", 1),
        (lambda data: time.sleep(600), "hangs", 1),
        (foreign, "KeyError", 2),
        (slow, "more than 0.2 s", 1),
        (large, "MB", 1),
    ],
    ids=["crash", "exit", "hang", "foreign error", "slow", "large"],
)
def test_a_case_that_breaks_a_promise_is_found_and_kept(monkeypatch, out, does, says, tried):
    monkeypatch.setitem(TARGETS, NAME, does)
    monkeypatch.setattr(attacks, "SILENT", 4.0 if says == "hangs" else 60.0)
    monkeypatch.setattr(attacks, "SLOW", 0.2 if does is slow else attacks.SLOW)  # 150 MB take 0.2 s, too
    monkeypatch.setattr(attacks, "MEGABYTES", 50)
    row = attacked(tried)
    assert says in row["found"][0]
    assert row["tries"] == tried
    assert corpus(NAME)[0] in [path.read_bytes() for path in (out / NAME).iterdir()]


def test_a_worker_without_a_sign_of_life_is_ended_by_its_processor_time(monkeypatch):
    monkeypatch.setitem(TARGETS, NAME, lambda data: sum(range(10**12)))  # one call in C: no timer of Python's ends it
    monkeypatch.setattr(attacks, "HANGING", 3)
    assert "SIGXCPU" in attacked(1)["found"][0]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_run_goes_on_after_a_crash_and_can_be_continued(monkeypatch, out, jobs):
    def target(data):
        if data == FINDINGS[NAME][0]():
            os.abort()
        if data == FINDINGS[NAME][1]():
            raise ModelError("refused")

    monkeypatch.setitem(TARGETS, NAME, target)
    rows = [attacks.empty(NAME, 30)]
    attacks.attack(rows, 0, 10, time.monotonic(), jobs)  # no time
    assert rows[0]["tries"] == 0
    attacks.attack(rows, 0, 10, time.monotonic() + 60.0, jobs)
    (row,) = json.loads((out / "table.json").read_text())["rows"]
    assert (row["tries"], row["taken"], len(row["found"])) == (30, 28, 1)


def test_every_surface_has_its_share():
    assert sorted(attacks.SHARES) == sorted(TARGETS)


def test_the_table_has_a_row_for_each_surface_and_their_sum():
    row = {"surface": "csv", "tries": 12345, "taken": 345, "seconds": 0.125, "megabytes": 3.2, "found": []}
    lines = attacks.table([row, row | {"surface": "obj", "seconds": 0.5}]).splitlines()
    assert lines[2] == "| csv | 12 345 | 12 000 | 345 | 0 | 0.12 | 3 |"
    assert lines[-1] == "| all | 24 690 | 24 000 | 690 | 0 | 0.50 | 3 |"
