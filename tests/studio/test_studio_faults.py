"""A page that never lies: another model behind its address, a server that is gone, a picture that is lost."""

import os
import signal
import subprocess
import sys
import time

import pytest
from studio_models import crank_machine, swing
from studio_pages import blank, open_tools, opened, pixels

from symbody.studio import Live, Studio
from symbody.studio.messages import MOST_CHANNELS
from symbody.studio.photograph import chromium
from waiting import eventually

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]

SERVER = """
import time
from studio_models import swing
from symbody.studio import Live, Studio
with Studio(Live(swing())) as studio:
    print(studio.address, flush=True)
    time.sleep(600)
"""
COLOURED = """() => { // pixels of the picture that are not clear
  studio.seen.draw(); // what WebGL drew is gone after this task
  const gl = document.getElementById("view").getContext("webgl2"), { width, height } = gl.canvas;
  const found = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, found);
  return found.filter((x, k) => k % 4 === 3 && x > 0).length;
}"""


def late(route):
    time.sleep(0.5)
    route.continue_()


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(crank_machine())) as started:
        yield started


@pytest.mark.slow
def test_a_tab_that_stays_open_shows_the_model_of_the_next_server(chrome):
    with Studio(Live(swing())) as first:
        page, port = opened(chrome, first), first.port
        page.wait_for_function("document.title.startsWith('swing')")
    page.wait_for_function("document.getElementById('state').textContent.startsWith('not connected')")
    page.route(f"http://127.0.0.1:{port}/", late)  # meanwhile the old page gets messages of the next machine
    with Studio(Live(crank_machine()), port=port, token=first.token):
        page.wait_for_function("window.studio?.drawn > 0 && document.title.startsWith('crank')")
        page.wait_for_function("studio.poses.length === 3")  # ground, wheel and load
        assert page.locator(".control.wheel").count() == 1
        assert page.locator("#dial-friction").count() == 0
        assert page.errors == []
    page.close()


@pytest.mark.slow
def test_a_server_that_was_killed_does_not_run(chrome):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, env=env)
    try:
        address = process.stdout.readline().strip()
        page = blank(chrome, bypass_csp=True)
        page.goto(address)
        page.wait_for_function("document.getElementById('state').textContent.startsWith('running')", timeout=60_000)
        process.send_signal(signal.SIGSTOP)  # the connection stays open: only the heartbeat is missing
        page.wait_for_function("document.body.classList.contains('lost')")
        assert page.text_content("#state").startswith("not connected")
        assert page.evaluate("document.getElementById('play').inert && document.getElementById('dials').inert")
        process.send_signal(signal.SIGCONT)
        page.wait_for_function("document.getElementById('state').textContent.startsWith('running')")
        assert not page.evaluate("document.getElementById('play').inert")
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.wait_for_function(
            "document.getElementById('state').textContent.startsWith('not connected')", timeout=60_000
        )
        page.wait_for_timeout(2500)  # longer than a second, after which the header is written anew
        assert page.text_content("#state").startswith("not connected")
        assert "warn" in page.get_attribute("#state", "class")
        page.close()
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_a_picture_that_was_lost_comes_back(page):
    assert page.evaluate(COLOURED) > 100
    page.evaluate(
        """() => {
          window.lost = document.getElementById("view").getContext("webgl2").getExtension("WEBGL_lose_context");
          lost.loseContext();
        }"""
    )
    page.wait_for_function("document.getElementById('state').textContent.includes('picture lost')")
    page.evaluate("lost.restoreContext()")
    page.wait_for_function("!document.getElementById('state').textContent.includes('picture lost')")
    page.wait_for_function(f"({COLOURED})() > 100")


@pytest.mark.slow
def test_what_stands_still_is_sharp(page, studio):
    page.evaluate("() => { studio.seen.shown.sharpness = 0.35; studio.send({do: 'pause'}); }")
    page.wait_for_function("studio.status.state === 'paused' && studio.care === 'sharp'")
    width = page.evaluate("[document.getElementById('view').width, document.getElementById('view').clientWidth]")
    assert width[0] == width[1]
    page.evaluate("studio.send({do: 'play'})")


@pytest.mark.usefixtures("kept_open")
def test_space_belongs_to_the_button_that_has_the_focus(page, studio):
    page.locator("#sound").focus()
    page.keyboard.press("Space")
    assert page.get_attribute("#sound", "aria-pressed") == "false"
    page.wait_for_timeout(500)
    assert studio.source.loop.state != "paused"
    page.keyboard.press("Space")
    page.locator("#view").focus()
    page.keyboard.press("Space")
    eventually(lambda: studio.source.loop.state == "paused")
    page.wait_for_function("studio.status.state === 'paused'")  # what a key does depends on what the page knows
    page.keyboard.press("Space")
    eventually(lambda: studio.source.loop.state == "running")


@pytest.mark.usefixtures("kept_open")
def test_arrow_keys_turn_the_view_and_a_control_that_has_the_focus(page, studio):
    before = pixels(page, 1, [0.2, 0, 0])
    page.locator("#view").focus()
    page.keyboard.press("ArrowLeft")
    assert pixels(page, 1, [0.2, 0, 0]) != before
    wheel, angle = page.locator(".control.wheel"), studio.source.loop.outputs.index("wheel.q")
    assert wheel.get_attribute("role") == "slider"
    wheel.focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    eventually(lambda: abs(studio.source.loop.latest().outputs[angle] - 0.3) < 1e-2)  # 3 × 0.05 of a way of 2 rad
    page.wait_for_function("Number(document.querySelector('.control.wheel').ariaValueNow) > 0.25")
    page.locator("#view").focus()
    eventually(lambda: abs(studio.source.loop.latest().outputs[angle]) < 1e-3)


@pytest.mark.usefixtures("kept_open")
def test_views_by_name_show_the_same_from_there(page):
    """From the top, what is above a place is at the same place."""
    open_tools(page)
    page.locator("select[aria-label='Direction of view']").select_option("Top")
    low, high = (page.evaluate("p => studio.seen.onCanvas(p)", [0.1, 0.0, z]) for z in (0.0, 0.1))
    assert low == pytest.approx(high, abs=16)
    open_tools(page)
    page.locator("select[aria-label='Direction of view']").select_option("Front")
    low, high = (page.evaluate("p => studio.seen.onCanvas(p)", [0.1, 0.0, z]) for z in (0.0, 0.1))
    assert low[0] == pytest.approx(high[0], abs=1)
    assert low[1] > high[1] + 20


@pytest.mark.usefixtures("kept_open")
def test_names_that_are_not_known_and_the_ninth_channel_are_told(page):
    field, note = page.locator("#channel"), page.locator("#channel-note")
    field.fill("wheel.speed")
    field.press("Enter")
    assert "Unknown channel “wheel.speed”" in note.text_content()
    assert "wheel.q" in note.text_content()  # what it may have been
    count = page.locator(".plot").count()
    page.evaluate(
        """() => {
          const field = document.getElementById("channel");
          for (const { value } of document.querySelectorAll("#channels option")) {
            field.value = value;
            field.onchange();
          }
        }"""
    )
    names = page.evaluate("[...new Set([...studio.plots.values()].flatMap((plot) => plot.channels))].length")
    total = page.locator("#channels option").count()
    assert names == min(total, MOST_CHANNELS)
    assert page.locator(".plot").count() > count
    assert total <= MOST_CHANNELS or f"At most {MOST_CHANNELS} channels" in note.text_content()


@pytest.mark.slow
def test_a_slide_goes_up_for_more(chrome):
    machine = crank_machine()
    slide = type(machine.controls[0])(**{**vars(machine.controls[0]), "shape": "slide"})
    with Studio(Live(crank_machine(controls=[slide]))) as studio:
        page = opened(chrome, studio)
        box = page.locator(".control.slide svg").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 20, steps=3)
        angle = studio.source.loop.outputs.index("wheel.q")
        eventually(lambda: studio.source.loop.latest().outputs[angle] > 0.2)
        page.mouse.up()
        page.close()


@pytest.mark.slow
def test_a_model_named_with_markup_is_shown_as_text(chrome):
    model = swing()
    model.name = "<img src=x onerror=alert(1)>"
    with Studio(Live(model)) as studio:
        page = opened(chrome, studio)
        assert page.text_content("#title") == model.name
        assert page.locator("#title img").count() == 0
        page.close()


@pytest.mark.slow
def test_only_the_script_of_the_page_is_run(chrome, studio):
    page = blank(chrome)  # with its policy
    blocked = []
    page.on("console", lambda line: blocked.append(line.text) if "Content Security Policy" in line.text else None)
    page.goto(studio.address)
    page.wait_for_selector(".plot canvas")  # its own script runs, in spite of the policy
    with pytest.raises(playwright.Error):
        page.add_script_tag(content="document.body.dataset.evil = 1")
    assert page.locator("body").get_attribute("data-evil") is None
    assert blocked
    assert page.locator("link[rel=icon]").get_attribute("href").startswith("data:image/svg+xml")
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("wide", "high"), [(390, 844), (844, 390)])
def test_a_phone_has_the_picture_and_drawers(page, wide, high):
    page.set_viewport_size({"width": wide, "height": high})
    page.wait_for_function(  # on its side it has the controls beside the picture
        "high => document.getElementById('view').clientWidth +"
        " (high < innerWidth ? document.getElementById('controls').offsetWidth : 0) === innerWidth",
        arg=high,
    )
    assert page.evaluate(
        "document.documentElement.scrollWidth <= innerWidth && document.body.scrollHeight <= innerHeight"
    )
    assert page.locator("#view").bounding_box()["height"] > 0.6 * high
    assert not page.locator("#dials").is_visible()
    page.click("#show-plots")
    assert page.locator(".plot").first.is_visible()
    page.click("#show-dials")
    assert page.locator("#dial-arm").is_visible()
    assert not page.locator(".plot").first.is_visible()
    page.click("#show-dials")
    assert page.get_attribute("#show-dials", "aria-expanded") == "false"
