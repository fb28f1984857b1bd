"""The page of common mistakes shows the present error messages; each is short and has a cure."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "mistakes.py"
spec = importlib.util.spec_from_file_location("mistakes", SCRIPT)
assert spec is not None
assert spec.loader is not None
mistakes = importlib.util.module_from_spec(spec)
sys.modules["mistakes"] = mistakes  # its dataclass looks itself up there
spec.loader.exec_module(mistakes)


def test_there_are_fifteen():
    assert len(mistakes.MISTAKES) == 15


@pytest.mark.parametrize("mistake", mistakes.MISTAKES, ids=lambda m: m.title)
def test_the_page_shows_the_message(mistake):
    said = mistake.message()
    page = mistakes.PAGE.read_text(encoding="utf-8")
    assert f"```text\n{said}\n```" in page, f"python docs/mistakes.py writes the page: {said}"
    assert mistake.lines in page
    assert "\n" not in said
    assert len(said) < 450
    assert "(" in said or ";" in said  # a cure
    assert "Traceback" not in said


def test_the_page_has_nothing_else():
    page = mistakes.PAGE.read_text(encoding="utf-8")
    assert page.startswith(mistakes.HEAD.rstrip("\n"))
    assert page.count("\n## ") == len(mistakes.MISTAKES)
