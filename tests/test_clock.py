"""Of tests that fail only those that wait for the clock are run again, once, in CI, and it is told: conftest.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pytest_rerunfailures")
TESTS = """
import pytest
from pathlib import Path

def second(name):
    there = Path(name).exists()
    Path(name).touch()
    return there

def test_passes_then(): assert second("one")
def test_never_passes(): assert second("two") and False
{mark}
def test_elsewhere(): assert second("three")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "mark", "ci", "counts"),
    [
        ("realtime", "", True, {"failed": 1, "passed": 2, "rerun": 3}),
        ("realtime", "", False, {"failed": 3}),
        ("elements", "", True, {"failed": 3}),
        ("elements", "@pytest.mark.clock", True, {"failed": 2, "passed": 1, "rerun": 1}),
    ],
)
def test_what_is_run_again(tmp_path, folder, mark, ci, counts):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "test_some.py").write_text(TESTS.format(mark=mark))
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | ({"CI": "1"} if ci else {})
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
    found = re.findall(r"(\d+) (failed|passed|rerun)", told.splitlines()[-1])
    assert {word: int(number) for number, word in found} == counts
    assert told.count("RUN AGAIN ") == counts.get("rerun", 0)
