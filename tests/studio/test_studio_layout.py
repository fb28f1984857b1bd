"""The page from 360 to 2560 pixels: one row of tools, all inside the view; and a page without WebGL 2."""

from base64 import b64encode

import pytest
from studio_models import crank_machine
from studio_pages import blank, opened, press_tool

from symbody.studio import Gauge, Lamp, Live, Map, Notice, Studio
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
GAUGES = [
    Gauge("Angle", "wheel.q", "round", -60.0, 60.0, "°", 57.3, red=[(20.0, 60.0)], set_point=30.0, corner="top-left"),
    Gauge("Torque", "wheel.effort", "bar", -3.0, 3.0, "N m", corner="top-left"),
    Lamp("Turned", "wheel.q", (0.3, 9.0)),
    Notice("wheel.q", {(0.5, 9.0): "Too far"}, latched=True),
    Map("Places", "wheel.q", "load.q", (-1.0, -1.0, 1.0, 1.0)),
]
BLIND = """(() => {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind === "webgl2" ? null : getContext.call(this, kind, ...more);
  };
})()"""


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(crank_machine(gauges=GAUGES))) as started:
        yield started


def inside(page, selector, outer):
    """Whether all visible elements are within another one, to a pixel."""
    return page.evaluate(
        """([selector, outer]) => {
          const box = document.querySelector(outer).getBoundingClientRect();
          const seen = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
          const all = seen.map((one) => one.getBoundingClientRect());
          return all.filter(({ width }) => width > 0).every(({ left, right, top, bottom }) =>
            left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 1 && bottom <= box.bottom + 1);
        }""",
        [selector, outer],
    )


def overlap(page, one, other):
    """The area (px²) that two elements share."""
    return page.evaluate(
        """(selectors) => {
          const [a, b] = selectors.map((selector) => document.querySelector(selector).getBoundingClientRect());
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          return Math.max(wide, 0) * Math.max(high, 0);
        }""",
        [one, other],
    )


@pytest.mark.parametrize(("wide", "high"), [(360, 640), (740, 360), (900, 600), (1280, 800), (2560, 1300)])
def test_tools_are_one_row_and_all_is_inside_the_view(chrome, studio, wide, high):
    page = opened(chrome, studio, viewport={"width": wide, "height": high})
    assert page.locator("footer").bounding_box()["height"] < 70
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    assert inside(page, "#hud .gauge, #lines, #help", "#stage")
    assert inside(page, ".control", "#middle")
    assert overlap(page, "#controls", "#stage") == 0.0  # never over what is driven
    assert overlap(page, "#help", "#hud .gauge.map") == 0.0  # open or not
    if page.locator("#tools").is_visible():
        page.click("#tools > summary")
    assert inside(page, "#viewing button, #viewing select", "body")
    assert page.locator("#shot").is_visible()
    page.close()


# elements that another one covers, each scrolled into its row
COVERED = """(selector) => {
  const seen = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  return seen.filter((one) => {
    one.scrollIntoView({ inline: "nearest" });
    const { left, right, top, bottom } = one.getBoundingClientRect(), y = (top + bottom) / 2;
    return [left + 4, (left + right) / 2, right - 4].some((x) => !one.contains(document.elementFromPoint(x, y)));
  }).map(({ id }) => id);
}"""


@pytest.mark.parametrize(("wide", "high"), [(360, 640), (390, 844)])
def test_no_tool_covers_another_on_a_phone_and_reset_is_in_sight(chrome, studio, wide, high):
    page = opened(chrome, studio, viewport={"width": wide, "height": high}, has_touch=True)
    assert inside(page, "#play, #reset, #tools > summary", "body")
    assert overlap(page, "#reset", "#tools") == 0.0
    assert page.evaluate(COVERED, "#transport > :is(button, select), #tools > summary") == []
    page.close()


LINES = [f"wheel {k}: estimated -12.3 ± 0.4 N, measured 12.1 N, still consistent" for k in range(1, 9)]


@pytest.mark.parametrize(("wide", "high"), [(390, 844), (740, 360)])
def test_many_lines_take_a_fifth_of_a_phones_view_until_a_tap_opens_them(chrome, wide, high):
    with Studio(Live(crank_machine(gauges=GAUGES, shows=lambda channels: LINES))) as studio:
        page = opened(chrome, studio, viewport={"width": wide, "height": high}, has_touch=True)
        page.wait_for_function("document.getElementById('lines').textContent.includes('wheel 8')")
        share = "strip.getBoundingClientRect().height / stage.clientHeight"  # elements by their names
        assert 0.05 < page.evaluate(share) < 0.2
        assert page.evaluate("parseFloat(getComputedStyle(document.getElementById('lines')).fontSize)") >= 11.0
        for gauge in ("round", "bar", "map", "lamp"):
            assert overlap(page, "#strip", f".gauge.{gauge}") == 0.0
        assert inside(page, "#hud .gauge, #strip", "#stage")
        lines = page.locator("#lines")
        assert "wheel 8" in lines.aria_snapshot()  # a reader has all of them
        lines.tap()
        box = lines.bounding_box()
        assert box["height"] > 0.25 * page.locator("#stage").bounding_box()["height"]
        assert page.get_attribute("#all-lines", "aria-expanded") == "true"
        assert page.evaluate("document.getElementById('lines').scrollTo(0, 1e4), true")
        page.get_by_role("button", name="All lines").tap()
        assert page.evaluate(share) < 0.2
        assert page.errors == []
        page.close()


def test_instruments_show_channels_and_a_latched_message_stays_until_the_start(chrome, studio):
    page = opened(chrome, studio)
    meter = page.get_by_role("meter", name="Angle")
    page.keyboard.down("a")  # to 0.8 rad, 46°
    page.wait_for_function("document.querySelector('.gauge.message').textContent === 'Too far'")
    page.wait_for_function("Number(document.querySelector('.gauge.round').getAttribute('aria-valuenow')) > 30")
    assert "alarm" in meter.get_attribute("class")
    page.keyboard.up("a")
    page.wait_for_function("Number(document.querySelector('.gauge.round').getAttribute('aria-valuenow')) < 10")
    assert page.text_content(".gauge.message") == "Too far"
    assert page.get_attribute(".gauge.lamp", "aria-label") == "Turned: off"
    page.keyboard.press("r")
    page.wait_for_function("document.querySelector('.gauge.message').textContent === ''")
    page.close()


def test_without_webgl_2_dials_plots_instruments_and_controls_work(chrome, studio):
    page = blank(chrome, bypass_csp=True, script=BLIND)
    page.goto(studio.address)
    page.wait_for_function("document.getElementById('state').textContent.includes('WebGL 2 is missing')")
    page.locator("#dial-stiffness").evaluate("dial => { dial.value = 3; dial.oninput(); }")
    eventually(lambda: studio.source.status()["dials"]["stiffness"] == 3.0)
    assert page.locator("#plot-list .plot").count() == 2
    page.keyboard.down("a")
    page.wait_for_function("Number(document.querySelector('.gauge.round').getAttribute('aria-valuenow')) > 10")
    page.keyboard.up("a")
    page.evaluate("studio.send({ do: 'set', name: 'stiffness', value: 2 })")
    assert page.errors == []
    page.close()


# the last picture of a film: its size, and how many pixels of its part from a column on are not of one colour
LAST_PICTURE = """async ([film, from]) => {
  const video = Object.assign(document.createElement("video"), { muted: true, src: film });
  await new Promise((done, fail) => {
    video.onended = done;
    video.onerror = () => fail(new Error(video.error.message));
    void video.play();
  });
  const { videoWidth: width, videoHeight: height } = video;
  const pen = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  pen.drawImage(video, 0, 0);
  const dots = pen.getImageData(from, 0, width - from, height).data, paper = dots.slice(dots.length - 4);
  let drawn = 0;
  for (let k = 0; k < dots.length; k += 4) drawn += Math.abs(dots[k] - paper[0]) > 40;
  return { width, height, drawn };
}"""


def filmed(page, tmp_path):
    """A film of some pictures, as the address of its data."""
    press_tool(page, "#film")
    seen = page.evaluate("studio.drawn")
    page.wait_for_function(f"studio.drawn > {seen} + 10")
    page.wait_for_timeout(1000)  # instruments and plots follow within a quarter of a second
    with page.expect_download() as download:
        press_tool(page, "#film")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    return f"data:video/{path.suffix[1:]};base64,{b64encode(path.read_bytes()).decode()}"


def test_screenshots_and_films_have_instruments_and_plots_on_request(chrome, studio, tmp_path):
    page, sizes = opened(chrome, studio), []
    for wanted in (False, True):
        page.locator("#with-hud").evaluate("(box, on) => { box.checked = on; }", wanted)
        with page.expect_download() as download:
            press_tool(page, "#shot")
        path = tmp_path / f"{wanted}.png"
        download.value.save_as(path)
        sizes.append(pytest.importorskip("matplotlib.image").imread(path))
    plain, whole = sizes
    assert plain.shape[1] == page.evaluate("document.getElementById('view').clientWidth")
    assert whole.shape[1] > plain.shape[1] + 150  # the plots are beside it
    corner = whole[: plain.shape[0], : plain.shape[1], :3] - plain[..., :3]
    assert abs(corner[10:90, 15:120]).max() > 0.3  # the round gauge
    last = page.evaluate(LAST_PICTURE, [filmed(page, tmp_path), plain.shape[1] + 10])
    assert last["width"] == pytest.approx(whole.shape[1], abs=3)  # codecs need even numbers
    assert last["height"] == pytest.approx(plain.shape[0], abs=1)
    assert last["drawn"] > 300  # axes and curves of the plots
    assert page.errors == []
    page.close()
