"""In CI, a failed test runs once more only if it waits for the clock, and the summary reports it: conftest.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symbody.studio.photograph import chromium

pytest.importorskip("pytest_rerunfailures")
HERE = Path(__file__).parent
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
    for name in ("conftest.py", "costly.txt"):
        (tmp_path / name).write_text((HERE / name).read_text(encoding="utf-8"))
    told = output_of(tmp_path, ci)
    assert counts_in(told) == counts
    assert told.count("RUN AGAIN ") == counts.get("rerun", 0)


def output_of(folder, ci):
    """What pytest prints in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | ({"CI": "1"} if ci else {})
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout


def counts_in(told):
    found = re.findall(r"(\d+) (failed|passed|rerun)", told.splitlines()[-1])
    return {word: int(number) for number, word in found}


PAGES = """
import pytest
from studio_models import swing
from symbody.studio import Live, Studio

FAILED = []

@pytest.fixture(scope="module")
def studio():
    with Studio(Live(swing())) as started:
        yield started

@pytest.mark.usefixtures("kept_open")
@pytest.mark.parametrize("name", ["first", "last"])
def test_fails_once(page, chrome, studio, name):
    assert not page.evaluate("window.left")
    assert len(chrome.contexts) == 1
    if name not in FAILED:
        FAILED.append(name)
        page.evaluate("() => { window.left = true; }")
        chrome.new_page()
        raise AssertionError
"""


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_a_studio_test_is_run_again_with_a_new_page_in_the_same_browser(tmp_path):
    """It got the page as the failure had left it; the last test got a browser that was closed."""
    pytest.importorskip("playwright.sync_api")
    (tmp_path / "studio").mkdir()
    for name in ("conftest.py", "studio_pages.py", "studio_models.py"):
        (tmp_path / "studio" / name).write_text((HERE / "studio" / name).read_text(encoding="utf-8"))
    for name in ("conftest.py", "costly.txt", "spare_page.py", "waiting.py"):
        (tmp_path / name).write_text((HERE / name).read_text(encoding="utf-8"))
    (tmp_path / "studio" / "test_pages.py").write_text(PAGES)
    assert counts_in(output_of(tmp_path, ci=True)) == {"passed": 2, "rerun": 2}
