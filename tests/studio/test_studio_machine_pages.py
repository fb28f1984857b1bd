"""Pages of a machine as data (machine_pages.py): panels, forms, tables, and verbs of its own that the gate checks."""

import json
from dataclasses import dataclass

import pytest
from studio_models import crank_machine
from studio_pages import opened

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.studio import Live, Studio
from symbody.studio.machine_pages import Board, Form, FormField, MachinePage, MachineVerb, PageDesk
from symbody.studio.photograph import chromium
from symbody.web.checks import text
from symbody.web.gate import RateLimit
from symbody.web.store import FileStore
from symbody.web.verbs import checked


@dataclass(frozen=True)
class Sign:
    """Enter the angle of the wheel into the table."""

    name: str = checked(text(1, 20))


def sign(message, channels, store):
    if message.name == "nobody":
        raise Rejected("no such person")
    if message.name == "bug":
        raise ZeroDivisionError
    row = {"name": message.name, "angle": channels["wheel.q"]}
    store.update("angles", lambda rows: [*rows, row], [])


BOARD = Board("angles", "Largest angle", {"name": "Name", "angle": "rad"}, "angle", most=3)
FORM = Form("sign", "Sign", [FormField("name", "Name", most=20)])
PAGES = [
    MachinePage("Drive"),
    MachinePage("Study", ["view", "dials", "plots"], ["load.q"]),
    MachinePage("Leaderboard", ["controls"], boards=[BOARD], forms=[FORM]),
]
VERBS = {"sign": MachineVerb(Sign, sign, rate=20.0)}


def signing(folder):
    return crank_machine(pages=PAGES, verbs=VERBS, store=FileStore(folder))


def test_a_verb_of_a_machine_passes_the_gate_and_writes_the_store(tmp_path):
    with Studio(Live(signing(tmp_path))) as studio:
        calm = RateLimit()
        say = json.dumps({"do": "sign", "name": "Ada"})
        with pytest.raises(Rejected, match="not allowed"):
            studio.gate.admit(say, False, calm)
        with pytest.raises(Rejected, match="out of range"):
            studio.gate.admit(json.dumps({"do": "sign", "name": "A" * 21}), True, calm)
        studio.source.obey(studio.gate.admit(say, True, calm))
        assert studio.source.status()["tables"]["angles"][0][0] == "Ada"
        for name, reason in (("nobody", "no such person"), ("bug", "not possible")):
            with pytest.raises(Rejected, match=reason):
                studio.source.obey(Sign(name))
        assert studio.source.loop.state == "running"
    assert FileStore(tmp_path).get("angles")[0]["name"] == "Ada"
    with Studio(Live(crank_machine())) as other, pytest.raises(Rejected, match="no such command"):
        other.gate.admit(say, True, RateLimit())


def test_a_table_has_the_best_rows_and_survives_what_people_write_into_its_file(tmp_path):
    store = FileStore(tmp_path)
    store.put(
        "angles",
        [{"name": n, "angle": x} for n, x in (("a", 1.0), ("b", 3.0), ("c", 2.0), ("d", 0.0))] + [3, {"name": "e"}],
    )
    assert PageDesk(PAGES, VERBS, store).rows == {"angles": [["b", 3.0], ["c", 2.0], ["a", 1.0]]}
    (tmp_path / "angles.json").write_text("[")
    assert PageDesk(PAGES, VERBS, store).rows == {"angles": []}


@pytest.mark.parametrize(
    ("pages", "verbs", "has_store", "match"),
    [
        ([MachinePage("a"), MachinePage("a")], {}, True, "different names"),
        ([MachinePage("a", boards=[BOARD])], {}, False, "store"),
        ([MachinePage("a", forms=[FORM])], {}, True, "unknown verb"),
        (
            [MachinePage("a", forms=[Form("sign", "x", [FormField("nom", "Nom")])])],
            VERBS,
            True,
            "a field for each of name",
        ),
    ],
)
def test_pages_that_do_not_fit_together_are_refused(tmp_path, pages, verbs, has_store, match):
    with pytest.raises(ModelError, match=match):
        PageDesk(pages, verbs, FileStore(tmp_path) if has_store else None)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_pages_in_a_browser(chrome, tmp_path):
    pytest.importorskip("playwright.sync_api")
    with Studio(Live(signing(tmp_path))) as studio:
        page = opened(chrome, studio)
        assert page.locator("#plots").is_visible()
        page.get_by_role("button", name="Study").click()
        assert not page.locator("#controls").is_visible()
        assert page.evaluate("[...studio.plots.keys()]") == ["load.q"]
        page.get_by_role("button", name="Leaderboard").click()
        assert not page.locator("#plots").is_visible()
        assert not page.locator("#dials").is_visible()
        assert page.locator("#sheet p").text_content() == "No entries yet."
        assert "page=Leaderboard" in page.url
        page.fill("#sheet input[name=name]", "Ada")
        page.keyboard.press("Enter")
        page.locator("#sheet td >> text=Ada").wait_for()
        page.fill("#sheet input[name=name]", "nobody")
        page.keyboard.press("Enter")
        page.wait_for_function("document.getElementById('refused').textContent.includes('no such person')")
        page.reload()
        page.locator("#sheet td >> text=Ada").wait_for()  # the page of the address, and what the store has kept
        assert page.get_by_role("button", name="Leaderboard").get_attribute("aria-current") == "page"
        assert page.errors == []
        page.close()
