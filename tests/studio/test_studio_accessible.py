"""axe-core has nothing to say about the pages, in light and dark: names, roles, contrasts."""

from pathlib import Path

import pytest
from studio_models import crank_machine, swing
from studio_pages import SMALL, blank, open_tools, opened, pixels, press_tool

import symbody as sb
from symbody import machines
from symbody.machines.overview import overview_page
from symbody.studio import Live, Preset, Studio
from symbody.studio.gallery import GalleryCard, gallery_server
from symbody.studio.photograph import chromium
from symbody.visual.animate import Page

pytest.importorskip("playwright.sync_api")
PHONE = {"width": 390, "height": 760}
AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(chromium() is None, reason="no Chromium here"),
    pytest.mark.skipif(not AXE.exists(), reason="axe-core comes with `python frontend/build.py check`"),
]
FOUND = """axe.run({ resultTypes: ["violations"] }) // all rules, without the nodes that pass
  .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]))"""


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(crank_machine())) as started:
        yield started


def findings(page):
    if page.evaluate("window.axe === undefined"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(FOUND)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_studio(chrome, studio, scheme):
    page = opened(chrome, studio)
    page.emulate_media(color_scheme=scheme)
    assert findings(page) == []
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_model_its_numbers_and_forces(chrome, scheme):
    with Studio(Live(swing())) as studio:
        page = opened(chrome, studio)
        page.emulate_media(color_scheme=scheme)
        page.click("#show-model")
        page.click("#tree .body >> text=arm")
        press_tool(page, "#forces")
        page.mouse.move(*pixels(page, 1, [0, 0, -0.5]))
        page.wait_for_function("studio.seen.arrows.forces().length > 0 && document.querySelector('#inspector dd')")
        assert findings(page) == []
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cards_and_menus(chrome, scheme):
    machine = crank_machine(start="Turn the wheel.", presets=[Preset("Stiff", {"stiffness": 4.0})])
    with Studio(Live(machine)) as studio:
        page = blank(chrome, bypass_csp=True, color_scheme=scheme)
        page.goto(studio.address)
        page.locator("#start").wait_for()
        assert findings(page) == []
        page.click("#begin")
        open_tools(page)
        page.click("#setups summary")
        page.click("#setup-link")
        page.fill("#setup-name", "one")
        page.click("#setup-save")
        page.evaluate("document.getElementById('stop').hidden = false")
        assert findings(page) == []
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "size"), [("light", SMALL), ("dark", SMALL), ("light", PHONE), ("dark", PHONE)])
def test_the_gallery(chrome, scheme, size):
    cards = [GalleryCard(name, "a pendulum", None, lambda: Live(swing())) for name in ("one", "two")]
    with gallery_server(cards) as server:
        page = blank(chrome, size, bypass_csp=True, color_scheme=scheme)
        page.goto(server.address)
        page.get_by_role("button", name="Start one").wait_for()
        assert findings(page) == []
        page.fill("#search", "three")
        assert "No machine matches “three”" in page.text_content("#unmatched")
        assert findings(page) == []
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["car", "piano"])
def test_the_pages_of_machines(chrome, name, monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    with Studio(Live(machines.entry(name).page())) as studio:
        for number, size in enumerate(({"width": 1000, "height": 600}, PHONE)):
            page = blank(chrome, size, bypass_csp=True, color_scheme=("light", "dark")[number])
            page.goto(studio.address)
            page.wait_for_function("studio.drawn > 0 && studio.status.state")
            assert findings(page) == []
            for button in page.locator("#pages button").all():
                button.click()
                assert findings(page) == []
            page.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ride", "tractor", "excavator", "platform"])
def test_the_pages_of_large_machines(chrome, name, monkeypatch, tmp_path):
    """One page for all sizes and schemes: what they show is expensive to draw."""
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    with Studio(Live(machines.entry(name).page())) as studio:
        page = blank(chrome, {"width": 1000, "height": 600}, bypass_csp=True, color_scheme="light")
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        assert findings(page) == []
        page.keyboard.press("Escape")
        for button in page.locator("#pages button").all():
            button.click()
            assert findings(page) == []
        page.set_viewport_size({"width": 390, "height": 760})
        page.emulate_media(color_scheme="dark")
        assert findings(page) == []
        assert page.errors == []
        page.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_of_machines(chrome, tmp_path, scheme):
    """The word "touch" on its cards had a contrast of 2.98:1."""
    page = blank(chrome, color_scheme=scheme)
    page.goto(Page(overview_page(machines.entries())).save(tmp_path / "machines.html").as_uri())
    assert findings(page) == []
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_animation(chrome, tmp_path, scheme):
    page = blank(chrome, bypass_csp=True, color_scheme=scheme)
    page.goto(sb.simulate(sb.system(swing()), 0.2, 1e-2).animate(tmp_path / "swing.html").as_uri())
    page.wait_for_selector("#switches button")
    assert findings(page) == []
    page.close()
