"""Panels of the page in a real browser: their widths by pointer and keys, plots on a large screen, and the address."""

import re

import pytest
from studio_models import crank_machine
from studio_pages import blank, opened

from symbody.studio import Live, Studio
from symbody.studio.photograph import chromium

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
DESKTOP, LARGE = {"width": 1000, "height": 560}, {"width": 2560, "height": 1200}


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(crank_machine())) as started:
        yield started


def width(page, selector):
    return page.locator(selector).bounding_box()["width"]


def drag(page, selector, by):
    box = page.locator(selector).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=4)
    page.mouse.up()


def test_panels_are_resized_by_pointer_and_keys_and_the_address_keeps_them(chrome, studio):
    page = opened(chrome, studio, viewport=DESKTOP)
    left, right = width(page, "#dials"), width(page, "#plots")
    drag(page, "#edge-left", 60)
    drag(page, "#edge-right", -120)
    assert width(page, "#dials") == pytest.approx(left + 60, abs=2)
    assert width(page, "#plots") == pytest.approx(right + 120, abs=2)
    for key, by in (("ArrowLeft", 16), ("Shift+ArrowLeft", 64), ("ArrowRight", -16)):
        before = width(page, "#plots")
        page.locator("#edge-right").focus()
        page.keyboard.press("Tab")  # an element reached by Tab keeps its keys
        page.keyboard.press("Shift+Tab")
        page.keyboard.press(key)
        assert width(page, "#plots") == pytest.approx(before + by, abs=2)
    assert int(page.get_attribute("#edge-right", "aria-valuenow")) == pytest.approx(width(page, "#plots"), abs=1)
    page.keyboard.press("End")
    assert width(page, "#stage") >= 239  # the picture keeps its room
    page.keyboard.press("Home")
    assert width(page, "#plots") == pytest.approx(160, abs=1)
    page.dblclick("#edge-right")
    assert width(page, "#plots") == pytest.approx(right, abs=2)
    drag(page, "#edge-right", -100)
    kept = width(page, "#plots")
    assert re.search(r"#.*left=\d+.*right=\d+|#.*right=\d+.*left=\d+", page.url)
    page.reload()
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    assert width(page, "#plots") == pytest.approx(kept, abs=1)
    assert width(page, "#dials") == pytest.approx(left + 60, abs=2)
    page.set_viewport_size({"width": 900, "height": 600})
    page.wait_for_function("document.getElementById('stage').clientWidth > 200")  # panels yield
    assert page.errors == []
    page.close()


def test_plots_fill_a_large_screen(chrome, studio):
    page = opened(chrome, studio, viewport=LARGE)
    panel, list_ = page.locator("#plots").bounding_box(), page.locator("#plot-list").bounding_box()
    assert panel["width"] > 600
    assert list_["height"] > 0.85 * panel["height"]
    for plot in page.locator("#plot-list .plot").all():
        assert plot.bounding_box()["width"] > 280
        assert plot.bounding_box()["height"] > 400
    drawn = page.evaluate("[...document.querySelectorAll('#plot-list .uplot canvas')].map((one) => one.clientHeight)")
    assert min(drawn) > 350  # the curve itself, and not only its box
    page.set_viewport_size(DESKTOP)
    page.wait_for_function("document.querySelector('#plot-list .uplot').clientHeight < 300")  # and shrink again
    page.close()


def test_channels_share_a_plot_and_the_address_keeps_plots(chrome, studio):
    page = opened(chrome, studio, viewport=DESKTOP)
    page.get_by_role("button", name="Add a channel to the plot of").first.click()
    assert "Add to wheel.effort" in page.get_attribute("#channel", "placeholder")
    page.fill("#channel", "load.q")
    page.keyboard.press("Enter")
    assert page.evaluate("[...studio.plots.keys()]") == ["wheel.effort, load.q", "wheel.effort over wheel.q"]
    page.get_by_role("button", name="Add a channel to the plot of").first.click()
    page.fill("#channel", "lod.q")
    page.keyboard.press("Enter")
    assert "Unknown channel" in page.text_content("#channel-note")
    assert page.evaluate("studio.plots.size") == 2  # the plot stays
    page.wait_for_function("[...studio.plots.values()][0].rows().length > 5")
    assert page.evaluate("[...studio.plots.values()][0].rows()[0].length") == 5  # the time, and the ends of two bands
    page.reload()
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    assert page.evaluate("[...studio.plots.keys()]") == ["wheel.effort, load.q", "wheel.effort over wheel.q"]
    page.goto(studio.address.replace("#", "#plots=nothing|wheel.q&"))
    page.reload()
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    assert page.evaluate("[...studio.plots.keys()]") == ["wheel.q"]  # what is unknown is left out, with a message
    assert page.errors == []
    page.close()


def test_the_pointer_shows_one_time_in_all_plots(chrome, studio):
    page = opened(chrome, studio, viewport=DESKTOP)
    page.wait_for_function("[...studio.plots.values()].every((plot) => plot.rows().length > 20)")
    assert page.evaluate("studio.zoom.at") is None
    box = page.locator(".chart .u-over").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("studio.zoom.at !== null")
    page.wait_for_function(
        "[...document.querySelectorAll('.plot output')].every((one) => / s: /.test(one.textContent))"
    )
    page.mouse.move(5, 5)
    page.wait_for_function("studio.zoom.at === null")
    page.close()


def test_a_wrong_address_changes_nothing(chrome, studio):
    page = blank(chrome, DESKTOP, bypass_csp=True)
    page.goto(studio.address.replace("#", "#left=NaN&right=-5&page=Fly&views=%00|x&"))
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    assert 180 <= width(page, "#dials") <= 260
    assert page.errors == []
    page.close()


def test_a_channel_has_a_floor_of_its_own_below_which_it_is_zero(chrome):
    machine = crank_machine(floors={"wheel.effort": 100.0}, plots=["wheel.effort", "wheel.q"])
    with Studio(Live(machine)) as studio:
        page = opened(chrome, studio, viewport=DESKTOP)
        page.keyboard.down("a")
        page.wait_for_function("document.querySelectorAll('.plot output')[1].textContent.startsWith('0.8')")
        assert page.locator(".plot output").first.text_content() == "0 N m"  # the spring's torque is 1.6 N m
        page.keyboard.up("a")
        assert page.errors == []
        page.close()
