"""The build of the pages: a lock file without addresses, bundles that follow their sources, words where npm fails."""

import json
import os
import runpy
from pathlib import Path

import pytest

from symbody.errors import ModelError
from symbody.visual import built_page

ROOT = Path(__file__).parents[1]
FRONTEND = ROOT / "frontend"


@pytest.fixture
def build(tmp_path):
    """The functions of frontend/build.py, on a folder of their own."""
    found = runpy.run_path(str(FRONTEND / "build.py"))
    names = found["stale"].__globals__
    (tmp_path / "src").mkdir()
    for name in ("src/main.ts", "package.json", "package-lock.json", "build.mjs"):
        (tmp_path / name).write_text("")
    names["FRONTEND"], names["BUILT"] = tmp_path, tmp_path / "built"
    return names


def test_the_lock_file_pins_everything_and_holds_no_address():
    text = (FRONTEND / "package-lock.json").read_text()
    assert "://" not in text
    packages = {name: row for name, row in json.loads(text)["packages"].items() if name}
    assert all(row["version"] and row["integrity"] for row in packages.values())


def test_pages_are_built_again_when_a_source_is_newer(build, tmp_path):
    assert build["stale"]()
    (tmp_path / "built").mkdir()
    for name in (*build["MADE"], "studio.html.br"):
        (tmp_path / "built" / name).write_text("")
    assert not build["stale"]()
    later = (tmp_path / "built" / "studio.html").stat().st_mtime + 10
    os.utime(tmp_path / "src" / "main.ts", (later, later))
    assert build["stale"]()
    (tmp_path / "frontend").mkdir()
    build["FRONTEND"] = tmp_path / "frontend"
    (tmp_path / "PKG-INFO").write_text("")  # as in an sdist, whose files are as old as pip makes them
    assert not build["stale"]()


BUNDLED = ("@preact/signals-core", "fflate", "three", "uplot")
ECLIPSE = "elkjs"  # under the Eclipse Public License; all other packages have the MIT licence


def test_the_editor_holds_the_licences_of_its_packages():
    text = built_page.built_page("editor")
    notices = text[text.rindex("<!--") :]
    assert f"\n{ECLIPSE} " in notices
    assert "Eclipse Public License" in notices
    for name in ("three", "uplot", "@codemirror/view", "@codemirror/state", "@lezer/common"):
        assert f"\n{name} " in notices


def test_each_page_holds_the_licences_of_the_packages_in_it():
    """A page is copied and sent alone, so a list beside it is not enough."""
    for page in ("studio", "viewer"):
        text = built_page.built_page(page)
        notices = text[text.rindex("<!--") :]
        held = [name for name in BUNDLED if f"\n{name} " in notices]
        assert set(held) >= {"three"}
        assert notices.count("Copyright") >= len(held)
        assert notices.count("Permission is hereby granted") == len(held)


def test_an_npm_that_reaches_nothing_is_told_with_its_words_and_a_cure(build):
    build["npm_command"] = lambda: ["sh", "-c", "echo getaddrinfo ENOTFOUND >&2; exit 1"]
    with pytest.raises(SystemExit, match=r"ENOTFOUND[\s\S]*registry can be reached"):
        build["install"](tools=False)


def test_pages_that_were_never_built_are_told_with_a_cure(monkeypatch, tmp_path):
    built_page.built_page.cache_clear()
    monkeypatch.setattr(built_page, "files", lambda package: tmp_path)
    with pytest.raises(ModelError, match="make front"):
        built_page.built_page("viewer")
    built_page.built_page.cache_clear()
