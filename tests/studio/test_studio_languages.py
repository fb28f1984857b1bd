"""Languages and units in a real browser: the whole page changes, and what a language lacks is in English."""

import json
from pathlib import Path

import pytest
from studio_models import crank_machine
from studio_pages import blank, open_tools

from symbody.studio import Gauge, Live, Preset, Studio
from symbody.studio.gallery import GalleryCard, gallery_server
from symbody.studio.photograph import chromium

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
CATALOGUE = json.loads(
    (Path(__file__).parents[2] / "frontend" / "src" / "language" / "catalogue.json").read_text(encoding="utf-8")
)
WIDE = {"width": 1900, "height": 800}
# texts and spoken attributes of a page, as a person meets them
READ = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!["SCRIPT", "STYLE"].includes(parentElement.tagName)) found.push(data.trim());
  }
  for (const one of document.body.querySelectorAll("*"))
    for (const name of ["title", "aria-label", "placeholder"]) found.push(one.getAttribute(name) ?? "");
  return found.filter((text) => /[A-Za-z]{2}/.test(text));
}"""


def machine():
    return crank_machine(
        start="Drive past the obstacle, which nobody has translated.",
        presets=[Preset("Heavy hammer", {"stiffness": 4.0})],
        gauges=[Gauge("Speed", "wheel.qd", "round", -180.0, 180.0, "rad/s", red=[(100.0, 180.0)], set_point=90.0)],
    )


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(machine())) as started:
        yield started


def opened(chrome, studio, preferences=None, **more):
    script = f"localStorage.setItem('preferences', {json.dumps(json.dumps(preferences))})" if preferences else ""
    page = blank(chrome, WIDE, bypass_csp=True, script=script, **more)
    page.goto(studio.address)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    return page


def test_the_page_speaks_the_language_of_the_browser(chrome, studio):
    page = opened(chrome, studio, locale="de-DE")
    assert page.get_attribute("html", "lang") == "de"
    assert page.text_content("#reset") == "Zurücksetzen"
    assert page.get_attribute("#filter", "placeholder") == "Parameter suchen"
    assert page.locator("#preset option").nth(1).text_content() == "Schwerer Hammer"
    page.wait_for_function("/läuft|in Ruhe/.test(document.getElementById('state').textContent)")
    assert page.text_content("#start-line") == "Drive past the obstacle, which nobody has translated."
    model = studio.source.machine.system.model
    joints = {joint.name for body in model.bodies.values() for joint in body.joints}
    names = {*model.bodies, *joints, *model.parameters, *model.links, *model.inputs}  # are no texts
    english = {text for part in CATALOGUE.values() for text, others in part.items() if others["de"] != text} - names
    assert [text for text in page.evaluate(READ) if text in english] == []
    assert page.errors == []
    page.close()


def test_a_person_chooses_language_and_units_which_stay(chrome, studio):
    page = opened(chrome, studio)
    assert page.text_content("#reset") == "Reset"
    open_tools(page)
    page.click("#preferences summary")
    for id_, value in (("#prefer-angle", "°"), ("#prefer-language", "de")):
        page.select_option(id_, value)
        page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
        if page.locator("#preferences[open]").count() == 0:
            open_tools(page)
            page.click("#preferences summary")
    assert page.text_content("#reset") == "Zurücksetzen"
    assert page.input_value("#prefer-angle") == "°"
    page.goto(studio.address)
    page.reload()
    page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
    assert page.text_content("#reset") == "Zurücksetzen"
    assert page.errors == []
    page.close()


def test_gauges_plots_and_lines_are_in_the_preferred_units(chrome, studio):
    page = opened(chrome, studio, {"angle": "°"})
    page.keyboard.press("Escape")
    assert float(page.get_attribute(".gauge.round", "aria-valuemax")) == pytest.approx(180.0 * 57.29578)
    page.keyboard.down("a")  # to 0.8 rad
    page.wait_for_function("Math.abs(parseFloat(document.getElementById('lines').textContent) - 45.8) < 1")
    assert "°" in page.text_content("#lines")
    page.fill("#channel", "wheel.q")
    page.keyboard.press("Enter")
    page.wait_for_function("Math.abs(studio.plots.get('wheel.q').value(studio.t) - 45.8) < 1")
    page.wait_for_function("[...document.querySelectorAll('.plot output')].at(-1).textContent.endsWith('°')")
    assert page.get_attribute(".control", "aria-valuetext").endswith("°")
    page.keyboard.up("a")
    page.close()


def test_the_gallery_speaks_too(chrome):
    cards = [
        GalleryCard(
            "crank",
            "A motion platform to move: a hexapod on an XY table with eight axes.",
            None,
            lambda: Live(machine()),
        )
    ]
    with gallery_server(cards) as server:
        page = blank(chrome, bypass_csp=True)
        page.goto(server.address)
        page.get_by_role("button", name="Start crank").wait_for()
        page.select_option("#prefer-language", "de")
        page.get_by_role("button", name="crank starten").wait_for()
        assert "Bewegungsplattform" in page.text_content("#cards article p")
        assert page.errors == []
        page.close()
