"""The table of attacks: crashes, hangs, foreign errors and large memory are seen and kept; tests of attacks.py."""

import random

import attacks
import pytest
from mutate import corpus
from targets import TARGETS

pytestmark = pytest.mark.posix
SAYS = """
import json, os, sys, time
at = sys.argv.index("--work")
with open(sys.argv[at + 2], "r+b") as file:
    file.write((5).to_bytes(8, "little") + b"cause")
print(json.dumps({"tries": 3, "taken": 1, "seconds": 0.5, "megabytes": 7.0, "found": []}), flush=True)
"""


@pytest.fixture(autouse=True)
def out(tmp_path, monkeypatch):
    monkeypatch.setattr(attacks, "OUT", tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("last", "ended"), [("os.abort()", "SIGABRT"), ("sys.exit(3)", "status 3"), ("time.sleep(600)", "hangs"), ("", "")]
)
def test_how_a_process_ended_and_of_what(tmp_path, monkeypatch, out, last, ended):
    """A process that is not the real one, and dies as it is told."""
    script = tmp_path / "script.py"
    script.write_text(SAYS + last)
    monkeypatch.setattr(attacks, "__file__", str(script))
    monkeypatch.setattr(attacks, "SILENT", 2.0)
    row = attacks.attacked("studio", "changed", 10, 0)
    assert (row["tries"], row["taken"], row["megabytes"]) == (3, 1, 7.0)
    assert len(row["found"]) == bool(ended)
    if ended:
        assert row["found"][0].endswith(ended)
        assert [path.read_bytes() for path in (out / "studio").iterdir()] == [b"cause"]


def test_foreign_errors_and_slow_cases_are_kept(monkeypatch, capsys, tmp_path, out):
    def bad(data):
        if data in good:
            return
        raise KeyError("not one of the package's own")

    good = corpus("studio")
    monkeypatch.setitem(TARGETS, "studio", bad)
    last = tmp_path / "last"
    last.write_bytes(bytes(attacks.LONGEST))
    attacks.work("studio", "changed", 500, 0, last)
    said = capsys.readouterr().out
    assert "KeyError" in said
    assert len(list((out / "studio").iterdir())) >= 1


def test_every_surface_has_its_share_and_its_attacks():
    assert sorted(attacks.SHARES) == sorted(TARGETS)
    assert sum(share for share, _ in attacks.ATTACKS.values()) == pytest.approx(1.0)
    rng, kept = random.Random(0), corpus("csv")
    sizes = [len(attacks.blow_up(rng.choice(kept), rng, kept, [b"word"])) for _ in range(100)]
    assert max(sizes) > attacks.BLOWN
    assert max(sizes) < attacks.LONGEST


def test_a_row_of_the_table():
    row = {
        "surface": "csv",
        "attack": "changed",
        "tries": 12345,
        "taken": 345,
        "seconds": 0.125,
        "megabytes": 3.2,
        "found": [],
    }
    assert attacks.table([row]).splitlines()[-1] == "| csv | changed | 12 345 | 345 | 12 000 | 0 | 0.12 | 3 |"
