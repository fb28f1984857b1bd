"""`make pictures` knows a command for each picture of docs/images."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from symbody import machines

ROOT = Path(__file__).parents[1]


@pytest.fixture
def pictures(monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import pictures

    yield pictures
    for name in ("pictures", "screenshots"):
        sys.modules.pop(name, None)


def test_each_picture_has_one_command(pictures):
    made = Counter(name for source in pictures.sources() for name in source.files if "/" not in name)
    kept = {path.name for path in (ROOT / "docs" / "images").iterdir()} - set(pictures.BY_HAND)
    assert {name: count for name, count in made.items() if count > 1} == {}
    assert set(made) == kept


def test_commands_name_machines_and_scripts_that_exist(pictures):
    for source in pictures.sources():
        program, first, *more = source.command
        if program == "python":
            assert (ROOT / first).is_file(), first
        elif first == "demo":
            assert machines.entry(more[0]).name == more[0]


def test_patterns_choose(pictures):
    chosen = {name for _, names in pictures.wanted(["demo-piano", "studio-*"]) for name in names}
    phones = {"studio-phone.png", "studio-phone-wide.png"}
    assert chosen == {"demo-piano.png", "studio-start.png", "studio-car.png", "studio-dark.png"} | phones
    assert list(pictures.wanted(["no such picture"])) == []


def test_every_machine_with_a_page_has_a_picture_that_can_be_taken_again(pictures):
    import screenshots

    shown = {one.name for one in machines.entries() if one.has_page}
    assert shown <= {*screenshots.TOUCHED, *screenshots.TEXTBOOK}
    assert {"ride", "tractor", "excavator"} <= shown
