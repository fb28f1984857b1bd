"""The page in a real browser: starts and stops in words, typed values, scenarios, looking back, shared setups."""

import itertools
import json
from urllib.parse import urlsplit

import numpy as np
import pytest
from studio_models import crank_machine, swing
from studio_pages import blank, open_tools, opened

from symbody.studio import Gauge, Live, Preset, Studio
from symbody.studio.machine_loop import machine_loop
from symbody.studio.photograph import chromium
from waiting import eventually

PageTimeout = pytest.importorskip("playwright.sync_api").TimeoutError
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
PRESETS = [Preset("Stiff", {"stiffness": 4.0}, "hard to turn"), Preset("Swaying", pilot="swaying")]


@pytest.fixture(scope="module")
def studio():
    made = crank_machine(
        presets=PRESETS, start="Turn the wheel, and strike the bell.", labels={"wheel.effort": "hand torque"}
    )
    with Studio(Live(made)) as started:
        yield started


def scrub_to(page, t):
    """Move the slider of the time, once its end is beyond t.

    The page updates that end with its text, on a busy machine half a second after the motion or later. A slider cuts
    off a value beyond its end.
    """
    page.wait_for_function("t => Number(document.getElementById('scrub').max) >= t", arg=t)
    page.locator("#scrub").evaluate("(scrub, t) => { scrub.value = t; scrub.oninput(); scrub.onchange(); }", t)


def wait_until(page, studio, t):
    """Wait until the page shows a later time (s); if it never does, say what stands still: loop, server or page."""
    try:
        page.wait_for_function("t => studio.t > t", arg=t)
    except PageTimeout as error:
        known = page.evaluate("[studio.t, studio.received, studio.drawn, studio.status, document.hidden]")
        loop = studio.source.loop
        raise AssertionError(f"wanted {t}, the page has {known}, the loop {loop} {loop.latest()[:2]}") from error


def dials(studio):
    return studio.source.status()["dials"]


@pytest.mark.slow
def test_the_start_says_what_to_do_and_a_scenario_begins(chrome, studio):
    page = blank(chrome, bypass_csp=True)
    page.goto(studio.address)
    page.wait_for_function("studio.status.state")
    card = page.locator("#start")
    assert "Turn the wheel, and strike the bell." in card.text_content()
    begun = studio.source.status()["begun"]
    card.get_by_role("button", name="Stiff").click()
    assert not card.is_visible()
    eventually(lambda: dials(studio)["stiffness"] == 4.0 and studio.source.status()["begun"] == begun + 1)
    page.locator("#preset").select_option("Swaying")
    eventually(lambda: studio.source.hands.pilot == "swaying" and dials(studio)["stiffness"] == 2.0)
    page.evaluate("studio.send({do: 'pilot', name: ''})")
    page.close()


@pytest.mark.slow
def test_the_start_card_is_beside_the_picture_and_the_first_use_closes_it(chrome, studio):
    """Today's keys drove the machine behind a card that covered it."""
    page = blank(chrome, bypass_csp=True)
    page.goto(studio.address)
    card = page.locator("#start")
    card.wait_for()
    page.wait_for_function("studio.status.state === 'running'")
    assert page.text_content("#begin") == "Close"  # the crank runs: nothing starts here
    box, view = card.bounding_box(), page.locator("#view").bounding_box()
    assert box["y"] + box["height"] <= view["y"] + 1
    page.keyboard.press("a")  # a key of the machine
    card.wait_for(state="hidden")
    page.reload()
    card.wait_for()
    view = page.locator("#view").bounding_box()
    page.mouse.click(view["x"] + 5, view["y"] + view["height"] - 40)  # the picture
    card.wait_for(state="hidden")
    page.reload()
    card.wait_for()
    wheel = page.locator(".control.wheel").bounding_box()
    page.mouse.move(wheel["x"] + 20, wheel["y"] + 20)
    page.mouse.down()
    page.mouse.move(wheel["x"] + 60, wheel["y"] + 5)
    page.wait_for_function("studio.controls[0] !== 0")
    assert card.is_visible()  # nothing moves under the pointer
    page.mouse.up()
    card.wait_for(state="hidden")
    page.close()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_keys_belong_to_the_machine_after_a_click_on_a_slider_or_a_list(page, studio):
    """A slider keeps the focus after a click, and took the keys of the machine with it."""
    angle, loop = studio.source.loop.outputs.index("wheel.q"), studio.source.loop
    page.locator("#dial-stiffness").click(position={"x": 30, "y": 5})
    eventually(lambda: dials(studio)["stiffness"] == float(page.locator("#dial-stiffness").input_value()) != 2.0)
    stiffness = dials(studio)["stiffness"]
    page.keyboard.down("PageUp")
    eventually(lambda: loop.latest().outputs[angle] > 0.4)
    page.keyboard.up("PageUp")
    assert float(page.locator("#dial-stiffness").input_value()) == stiffness
    page.locator("#speed").click()  # opens the list, which Escape closes
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "speed"
    page.keyboard.down("d")
    eventually(lambda: loop.latest().outputs[angle] < -0.1)
    page.keyboard.up("d")
    page.keyboard.press("Space")
    page.wait_for_function("studio.status.state === 'paused'")
    page.keyboard.press("Space")
    eventually(lambda: loop.state != "paused")
    page.locator("#filter").click()
    page.keyboard.type("a")  # text is typed
    assert page.input_value("#filter") == "a"
    page.fill("#filter", "")
    for _ in range(20):  # a slider that the Tab key reaches keeps its own keys
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "dial-stiffness":
            break
    page.keyboard.press("ArrowLeft")
    eventually(lambda: dials(studio)["stiffness"] < stiffness)
    page.click("#defaults")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)
    eventually(lambda: abs(loop.latest().outputs[angle]) < 1e-3)


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_values_are_typed_and_all_are_put_back(page, studio):
    field = page.get_by_label("stiffness, in N m/rad")
    field.fill("3.5")
    field.press("Enter")
    eventually(lambda: dials(studio)["stiffness"] == 3.5)
    assert float(page.locator("#dial-stiffness").input_value()) == 3.5
    assert page.locator("#dial-stiffness").get_attribute("aria-valuetext") == "3.5 N m/rad"
    field.fill("900")  # beyond the end of the slider
    field.press("Enter")
    eventually(lambda: dials(studio)["stiffness"] == 4.0)
    assert page.locator("#defaults").is_enabled()
    page.click("#defaults")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)
    page.wait_for_function("document.getElementById('defaults').disabled")


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_a_mark_shows_where_a_slider_was_at_first(page):
    box, mark = (
        page.locator(f".dial:has(#dial-stiffness) {what}").bounding_box() for what in ("input[type=range]", ".mark")
    )
    share = (2.0 - 0.2) / (4.0 - 0.2)  # between a tenth and twice its value
    assert mark["x"] + mark["width"] / 2 == pytest.approx(box["x"] + 8 + share * (box["width"] - 16), abs=2)


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_arrow_keys_on_a_slider_are_for_the_slider(page, studio):
    page.locator("#dial-stiffness").focus()
    page.keyboard.press("ArrowRight")
    eventually(lambda: dials(studio)["stiffness"] > 2.0)
    page.click("#defaults")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)


@pytest.mark.slow
def test_plumbing_is_folded_away(chrome):
    with Studio(Live(swing())) as studio:
        page = opened(chrome, studio)
        assert page.locator("#dial-friction").is_visible()
        assert not page.locator("#dial-pull_stiffness").is_visible()
        page.click("#more summary")
        assert page.locator("#dial-pull_stiffness").is_visible()
        page.close()


@pytest.mark.slow
def test_plots_have_names_that_people_read(page):
    headings = page.locator(".plot b").all_text_contents()
    assert "hand torque" in headings
    assert "hand torque over wheel angle" in headings
    field = page.locator("#channel")
    field.fill("load angular velocity")
    field.press("Enter")
    assert page.evaluate("studio.plots.has('load.qd')")


@pytest.mark.slow
def test_a_channel_over_another_several_in_one_plot_and_a_table(page, tmp_path):
    field = page.locator("#channel")
    for typed in ("load.q over wheel.q", "load.q, load.qd"):
        field.fill(typed)
        field.press("Enter")
    assert page.evaluate("[...studio.plots.keys()]")[-2:] == ["load.q over wheel.q", "load.q, load.qd"]
    assert page.locator(".plot").last.locator(".line").count() == 2
    page.wait_for_function("studio.plots.get('load.q, load.qd').rows().length > 3")
    with page.expect_download() as download:
        page.click("#csv")
    download.value.save_as(tmp_path / "table.csv")
    head, first, *_ = (tmp_path / "table.csv").read_text().splitlines()
    assert head.startswith("time [s],wheel.effort least [N m],wheel.effort largest [N m],load.q least [rad]")
    assert first.count(",") == head.count(",")


@pytest.mark.slow
def test_all_plots_share_one_cursor(page):
    page.locator("#channel").fill("load.q")
    page.locator("#channel").press("Enter")
    page.wait_for_function("studio.plots.get('load.q').rows().length > 5")
    page.evaluate("studio.send({do: 'pause'})")
    page.wait_for_function("studio.status.state === 'paused'")
    page.locator(".plot .u-over").first.hover(position={"x": 60, "y": 40})
    times = "[...document.querySelectorAll('.chart')].map((chart) => chart.title.split(' at ')[1])"
    page.wait_for_function(f"{times}.length > 1 && {times}.every((t) => t && t === {times}[0])")
    page.evaluate("studio.send({do: 'play'})")


@pytest.mark.slow
def test_a_live_plot_is_zoomed_by_a_drag_and_has_the_records_there(page):
    """It was scaled anew with each message, and its curve had one point in eight records."""
    plot = "studio.plots.get('wheel.effort')"
    page.wait_for_function(f"{plot}.rows().length > 200")
    over = page.locator(".plot .u-over").first.bounding_box()
    y = over["y"] + 40
    page.mouse.move(over["x"] + 0.3 * over["width"], y)
    page.mouse.down()
    page.mouse.move(over["x"] + 0.6 * over["width"], y, steps=4)
    page.mouse.up()
    page.wait_for_function("studio.zoom.range !== null")
    first, last = page.evaluate("studio.zoom.range")
    assert 0.5 < last - first < 5.0
    page.wait_for_function(f"{plot}.records().length > 0")
    times = page.evaluate(f"{plot}.records().map(([t]) => t)")
    assert times[0] <= first + 1e-3
    assert times[-1] >= last - 1e-3
    steps = sorted(b - a for a, b in itertools.pairwise(times))
    assert steps[len(steps) // 2] == pytest.approx(1e-3, rel=1e-6)  # the rate of the loop
    shown = page.evaluate("studio.t")
    page.wait_for_function("t => studio.t > t + 0.3", arg=shown)
    assert page.evaluate("studio.zoom.range") == [first, last]  # it stays, while the machine goes on
    page.locator(".plot .u-over").first.dblclick()
    page.wait_for_function(f"studio.zoom.range === null && {plot}.records().length === 0")


WRITTEN = """window.written = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
  if (this.canvas.closest(".plot")) written.push([String(text), parseFloat(this.font)]);
  return draw.call(this, text, ...at);
};"""  # all texts of plots, with the sizes of their letters


@pytest.mark.slow
def test_tick_labels_can_be_read_on_a_screen_of_twice_the_pixels_and_axes_have_names(chrome, studio):
    """Of "10.5px" a regular expression of uPlot took the 5: labels of 5 pixels on every phone."""
    page = blank(chrome, bypass_csp=True, device_scale_factor=2, script=WRITTEN)
    page.goto(studio.address)
    page.wait_for_function("written.some(([text]) => text === 'hand torque (N m)')")
    page.wait_for_function("written.some(([text]) => text === 'time (s)')")
    written = page.evaluate("written")
    assert min(size for _, size in written) >= 2 * 10
    assert {"time (s)", "N m", "hand torque (N m)", "wheel angle (rad)"} <= {text for text, _ in written}
    page.close()


def look_back_at_a_turn(page, studio):
    """Turn the wheel by 0.6 rad and let it return, then look back at that time (s)."""
    angle, loop = studio.source.loop.outputs.index("wheel.q"), studio.source.loop
    began = loop.latest().t
    page.locator(".control.wheel").focus()
    for _ in range(6):
        page.keyboard.press("ArrowUp")

    def turned_at():
        """Times (s) with the angle, also if the wheel has turned back since because the page stalls."""
        _, t, values = studio.source.samples(0, ["wheel.q"])
        return t[(t > began) & (abs(values[:, 0] - 0.6) < 1e-2)]

    eventually(lambda: len(turned_at()) > 50)  # 50 ms: three instants of the kept past, which has 60 a second
    turned = float(np.median(turned_at()))  # the first of them is within a fast motion, where the past is less exact
    page.locator("#view").focus()
    eventually(lambda: abs(loop.latest().outputs[angle]) < 1e-3)
    wait_until(page, studio, turned + 0.5)
    scrub_to(page, turned)
    return turned


# the loudness that the page asks for, in its order
LOUDNESS = """window.loudness = [];
const { setTargetAtTime } = AudioParam.prototype;
AudioParam.prototype.setTargetAtTime = function (...target) {
  loudness.push(target[0]);
  return setTargetAtTime.apply(this, target);
};"""


@pytest.mark.slow
def test_who_looks_back_hears_nothing_and_reads_plots_and_gauges_of_then(chrome):
    angle = Gauge("Angle", "wheel.q", "round", -60.0, 60.0, "°", 57.3)
    with Studio(Live(crank_machine(gauges=[angle]))) as studio:
        page = blank(chrome, bypass_csp=True, script=LOUDNESS)
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state === 'running'")
        page.keyboard.press("Escape")
        plotted = "parseFloat(studio.plots.get('wheel.effort').output.textContent.replace('−', '-'))"
        shown = "parseFloat(document.querySelector('.gauge.round b').textContent.replace('−', '-'))"
        page.locator("#view").click()  # wakes the sound
        page.wait_for_function("document.getElementById('sound').dataset.ready !== undefined")
        turned = look_back_at_a_turn(page, studio)
        _, t, efforts = studio.source.samples(0, ["wheel.effort"])
        then, live = float(np.interp(turned, t, efforts[:, 0])), float(efforts[-1, 0])
        assert abs(then - live) > 0.5
        page.wait_for_function(f"Math.abs({plotted} - {then}) < 0.2")
        page.wait_for_function(f"Math.abs({shown} - 34.4) < 1.5")  # 0.6 rad
        page.wait_for_function("window.loudness.at(-1) === 0")
        now = studio.source.loop.latest().outputs[studio.source.loop.outputs.index("wheel.q")]
        assert abs(now) < 0.05  # meanwhile
        page.click("#now")
        page.wait_for_function("window.loudness.at(-1) === 1")
        page.wait_for_function(f"Math.abs({plotted} - {live}) < 0.4 && Math.abs({shown}) < 2")
        assert page.errors == []
        page.close()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_one_looks_back_while_the_machine_goes_on(page, studio):
    loop = studio.source.loop
    turned = look_back_at_a_turn(page, studio)
    page.wait_for_function("t => Math.abs(studio.t - t) < 0.05", arg=turned)
    page.wait_for_function("Math.abs(2 * Math.atan2(studio.poses[1][5], studio.poses[1][3]) - 0.6) < 0.02")
    page.wait_for_function("document.getElementById('state').textContent.startsWith('looking back')")
    page.wait_for_function("Math.abs(studio.controls[0] - 0.6) < 0.02")  # the wheel in the corner is that of then, too
    then = "\n".join(studio.source.past_lines(turned))
    page.wait_for_function(
        "then => document.getElementById('lines').textContent.match(/^looking back: .* s\\n(.*)$/s)?.[1] === then",
        arg=then,
    )
    assert loop.state != "paused"
    assert loop.latest().t > turned + 0.5
    page.click("#play")  # a replay, at the pace of the machine
    page.wait_for_function("t => studio.t > t + 0.2", arg=turned)
    page.click("#now")
    page.wait_for_function(
        "Math.abs(studio.poses[1][5]) < 0.01 && !document.getElementById('state').textContent.startsWith('look')"
    )
    assert loop.state != "paused"


@pytest.mark.slow
def test_who_only_watches_may_look_back_and_nobody_else_sees_it(page, chrome, studio):
    stranger = blank(chrome, bypass_csp=True)
    stranger.goto(studio.place)
    stranger.wait_for_function("studio.status.since !== null && studio.t > 0")
    t = stranger.evaluate("studio.t")
    wait_until(stranger, studio, t + 0.7)
    scrub_to(stranger, t)
    stranger.wait_for_function("t => Math.abs(studio.t - t) < 0.1", arg=t)
    wait_until(page, studio, t + 0.5)
    assert stranger.text_content("#refused") == ""
    stranger.close()


@pytest.mark.slow
def test_a_setup_is_shared_as_a_link_without_the_token(page, chrome, studio):
    page.locator("#dial-stiffness").evaluate("dial => { dial.value = 3; dial.oninput(); }")
    page.locator("#channel").fill("load.q")
    page.locator("#channel").press("Enter")
    open_tools(page)
    page.locator("select[aria-label='Direction of view']").select_option("Top")
    page.evaluate("studio.seen.move(studio.seen.place())")  # as a person does: it no longer glides
    page.click("#setups summary")
    page.click("#setup-link")
    link = page.locator("#setup-address").input_value()
    assert studio.token not in link
    assert "setup=" in urlsplit(link).fragment
    place = page.evaluate("studio.seen.place()")
    page.evaluate("studio.send({do: 'settings', values: {stiffness: 2}})")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)
    wary, other = (blank(chrome, own=True, bypass_csp=True) for _ in range(2))
    asked = []
    wary.on("dialog", lambda dialog: asked.append(dialog.message) or dialog.dismiss())
    wary.goto(studio.address + "&" + urlsplit(link).fragment)
    wary.wait_for_function("studio.drawn > 0 && studio.plots.has('load.q')")
    assert "stiffness = 3" in asked[0]
    assert dials(studio)["stiffness"] == 2.0  # a link from anybody sets nothing without a question
    wary.close()
    other.on("dialog", lambda dialog: dialog.accept())
    other.goto(studio.address + "&" + urlsplit(link).fragment)
    other.wait_for_function("studio.drawn > 0 && studio.plots.has('load.q')")
    eventually(lambda: dials(studio)["stiffness"] == 3.0)
    assert other.evaluate("studio.seen.place()") == place
    kept = urlsplit(other.url).fragment  # the address keeps the plots
    assert "setup" not in kept
    assert studio.token not in kept
    other.close()
    page.click("#defaults")


@pytest.mark.slow
def test_a_setup_is_kept_under_a_name_and_in_a_file(page, studio, tmp_path):
    page.locator("#dial-stiffness").evaluate("dial => { dial.value = 1; dial.oninput(); }")
    open_tools(page)
    page.click("#setups summary")
    page.fill("#setup-name", "soft <b>")
    page.click("#setup-save")
    with page.expect_download() as download:
        page.click("#setup-file")
    path = tmp_path / "soft.json"
    download.value.save_as(path)
    assert json.loads(path.read_text())["dials"] == {"stiffness": 1}
    page.click("#defaults")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)
    open_tools(page)  # a press outside closed the menu
    page.get_by_role("button", name="soft <b>", exact=True).click()
    eventually(lambda: dials(studio)["stiffness"] == 1.0)
    page.click("#defaults")
    eventually(lambda: dials(studio)["stiffness"] == 2.0)
    page.set_input_files("#setup-open", path)
    eventually(lambda: dials(studio)["stiffness"] == 1.0)
    path.write_text('{"machine": "another", "dials": {}, "plots": [], "view": null}')
    page.set_input_files("#setup-open", path)
    page.wait_for_function("document.getElementById('setup-note').textContent.includes('another machine')")
    path.write_text("nonsense")
    page.set_input_files("#setup-open", path)
    page.wait_for_function("document.getElementById('setup-note').textContent.includes('not a setup')")
    open_tools(page)
    page.get_by_role("button", name="Remove soft <b>").click()
    assert page.locator("#setup-list li").count() == 0
    page.click("#defaults")


@pytest.mark.slow
def test_a_stop_is_told_on_a_card_and_reset_puts_back_what_caused_it(chrome):
    m = swing()
    m.parameter("k", 0.0, "N m/rad", low=0.0, high=1e9)
    m.joint_force("arm")(lambda q, qd, p: p.torque - p.friction * qd - p.k * q)
    with Studio(Live(m)) as studio:
        page = opened(chrome, studio)
        assert not page.locator("#stop").is_visible()
        page.locator("#dial-k").evaluate("dial => { dial.value = 1e9; dial.oninput(); }")
        page.locator("#stop").wait_for()
        text = page.text_content("#stop")
        assert "The simulation diverged." in text
        assert "arm moved at" in text
        assert "Changed since the start: k." in text
        page.click("#again")
        page.locator("#stop").wait_for(state="hidden")
        eventually(lambda: studio.source.loop.state == "running")
        assert studio.source.loop.parameters["k"] == 0.0
        page.wait_for_function("document.getElementById('dial-k').value === '0'")
        page.close()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_controls_tell_their_names_and_values_with_units(page):
    wheel = page.get_by_role("slider", name="Wheel")
    assert wheel.get_attribute("aria-valuetext").endswith(" rad")
    assert page.get_by_role("slider", name="stiffness").get_attribute("aria-valuetext").endswith("N m/rad")
    wheel.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"  # focus is seen


@pytest.mark.slow
@pytest.mark.parametrize(("wide", "high"), [(390, 844), (844, 390)])
def test_a_phone_shows_cards_menus_and_sliders_whole(chrome, studio, wide, high):
    page = blank(chrome, viewport={"width": wide, "height": high}, bypass_csp=True)
    page.goto(studio.address)
    page.locator("#start").wait_for()

    def within(selector):
        box = page.locator(selector).bounding_box()
        return box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= wide and box["y"] + box["height"] <= high

    assert within("#start")
    assert within("#begin")
    page.click("#begin")
    page.click("#tools > summary")
    assert within("#viewing")
    page.click("#setups summary")
    assert within("#viewing")
    page.click("#tools > summary")
    page.locator("#show-dials").scroll_into_view_if_needed()
    page.click("#show-dials")
    assert within("#dials")
    page.locator(".typed").first.fill("3")
    page.locator(".typed").first.press("Enter")
    page.close()


def test_the_loop_of_a_machine_is_that_of_its_page():
    loop = machine_loop(crank_machine())
    assert loop.rate == 1000.0
    loop.stop()
