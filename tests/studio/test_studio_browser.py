"""The page in a real browser without a screen: it draws, plots, turns dials, pulls bodies and takes pictures."""

import pytest
from studio_models import swing
from studio_pages import blank, opened, pixels, press_tool

import symbody as sb
from symbody.estimation import NoisySensor
from symbody.realtime import LiveTwin
from symbody.studio import Live, Machine, Player, Studio
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(swing())) as opened:
        yield opened


def paused(page, studio):
    page.keyboard.press("Space")
    page.wait_for_function("studio.status.state === 'paused'")
    assert studio.source.loop.state == "paused"


def tip(page):
    """Of the arm, in pixels of the page."""
    return pixels(page, 1, [0, 0, -0.8])


def test_a_recorded_run_is_scrubbed(chrome):
    run = sb.simulate(sb.system(swing()), 1.0, 1e-2)
    with Studio(Player(run)) as studio:
        page = opened(chrome, studio)
        page.locator("#scrub").evaluate("scrub => { scrub.value = 0.5; scrub.oninput(); scrub.onchange(); }")
        page.wait_for_function("Math.abs(studio.t - 0.5) < 1e-9")
        turned = page.evaluate("2 * Math.atan2(studio.poses[1][5], studio.poses[1][3])")
        assert turned == pytest.approx(run["arm.q"][50], abs=1e-5)
        assert page.errors == []
        page.close()


def test_a_saved_animation_is_drawn_by_the_same_view(chrome, tmp_path):
    run = sb.simulate(sb.system(swing()), 1.0, 1e-2)
    page = blank(chrome, locale="de-DE")
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(run.animate(tmp_path / "swing.html").as_uri() + "#t=0.5&labels")
    page.wait_for_selector("#switches button[aria-pressed=true]")
    assert page.text_content("#clock") == "0.500 s"
    # in the language of the reader, from the catalogue of the studio
    assert page.text_content("#fit") == "Einpassen"
    assert page.text_content("#switches button[aria-pressed=true]") == "Namen"
    assert page.get_attribute("#play", "aria-label") == "Abspielen oder anhalten"
    assert page.text_content("#note") == "1 Körper · 1 Koordinate · 1 s"
    assert "Leertaste" in page.text_content("#help dl")
    assert page.get_attribute("html", "lang") == "de"
    seen = page.locator("#view").screenshot(path=tmp_path / "view.png")
    page.keyboard.press("End")
    page.wait_for_timeout(200)
    assert page.locator("#view").screenshot() != seen
    assert errors == []
    page.close()


# -- a studio that runs ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_bodies_move_and_pause_stops_them(page, studio):
    assert page.text_content("#title") == "swing"
    page.keyboard.press("r")  # it may have come to rest by now
    first = page.evaluate("[...studio.poses[1]]")
    page.wait_for_function("before => studio.poses[1].some((x, k) => Math.abs(x - before[k]) > 1e-3)", arg=first)
    paused(page, studio)
    loop = studio.source.loop
    step = loop.latest().step
    page.wait_for_function("t => Math.abs(studio.t - t) < 1e-9", arg=loop.latest().t)
    page.keyboard.press(".")
    eventually(lambda: loop.latest().step == step + 1)
    page.keyboard.press("r")
    eventually(lambda: abs(loop.latest().outputs[loop.outputs.index("arm.q")] - 0.4) < 1e-3)
    page.keyboard.press("Space")
    page.wait_for_function("studio.status.state === 'running'")


@pytest.mark.slow
def test_a_dial_turns_a_parameter_for_all(page, studio, chrome):
    watcher = opened(chrome, studio)
    page.locator("#dial-friction").evaluate("dial => { dial.value = 0.51; dial.oninput(); }")
    eventually(lambda: studio.source.loop.parameters["friction"] == pytest.approx(0.51))
    watcher.wait_for_function("document.getElementById('dial-friction').value === '0.51'")
    watcher.close()


@pytest.mark.usefixtures("kept_open")
def test_plots_are_drawn(page):
    page.fill("#channel", "arm.qd")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.plot').length === 2")
    drawn = """() => [...document.querySelectorAll('.plot canvas')].every((c) => c.width &&
        c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((x) => x))"""
    page.wait_for_function(drawn)


@pytest.mark.slow
def test_a_pulled_body_follows_the_pointer(page, studio):
    """The spring outweighs gravity at half a metre aside: the arm settles where torque of hand and weight balance."""
    loop = studio.source.loop
    loop.parameters["friction"] = 0.6
    angle = loop.outputs.index("arm.q")
    paused(page, studio)
    x, y = tip(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y - 60, steps=4)
    held = loop.channels.given.index("pull_frame")
    eventually(lambda: loop._sample[held] == 1.0)
    page.keyboard.press("Space")
    page.wait_for_timeout(300)
    eventually(lambda: abs(loop.latest().outputs[angle]) > 0.3 and _rests(loop))
    pulled = loop.latest().outputs[angle]
    page.mouse.up()
    eventually(lambda: abs(loop.latest().outputs[angle]) < 0.5 * abs(pulled))


def _rests(loop):
    speed = loop.history("arm.qd")["arm.qd"][-300:]
    return len(speed) == 300 and abs(speed).max() < 0.02


@pytest.mark.usefixtures("kept_open")
def test_garbage_from_a_page_is_refused_and_told(page, studio):
    before = studio.gate.refused.total()
    page.evaluate("for (const x of [{}, {do: 'fly'}, {do: 'step', n: -1}, 7]) studio.send(x)")
    eventually(lambda: studio.gate.refused.total() == before + 4)
    page.wait_for_function("n => studio.status.refused >= n", arg=before + 4)
    assert "refused" in page.text_content("#state")


@pytest.mark.slow
def test_the_token_leaves_the_address_bar_and_stays_in_the_tab(page, studio, chrome):
    assert page.url == studio.place
    page.reload()
    page.wait_for_function("studio.status.state && !document.getElementById('play').disabled")
    stranger = blank(chrome, own=True, bypass_csp=True)
    stranger.goto(studio.place)
    stranger.wait_for_function("studio.status.state && document.getElementById('play').disabled")
    stranger.on("dialog", lambda asked: asked.accept(studio.token))
    stranger.click("#enter")
    stranger.wait_for_function("window.studio?.status.state && !document.getElementById('play').disabled")
    assert stranger.url == studio.place
    stranger.close()


@pytest.mark.usefixtures("kept_open")
def test_what_is_refused_is_told_in_words(page):
    page.evaluate("studio.send({do: 'watch', channels: ['no.such']})")
    page.wait_for_function("document.getElementById('refused').textContent === 'no such channel: no.such'")


@pytest.mark.slow
def test_a_tab_that_stays_open_over_a_restart_shows_the_new_machine(chrome):
    with Studio(Live(swing())) as first:
        page, port = opened(chrome, first), first.port
    with Studio(Player(sb.simulate(sb.system(one_more()), 0.1, 1e-2)), port=port):
        page.wait_for_function("document.getElementById('title').textContent === 'one more'")
        page.wait_for_function("studio.drawn > 0 && studio.poses.length === 3")
    page.close()


def one_more():
    """A pendulum with another one below it."""
    m = swing()
    m.name = "one more"
    m.body(
        "leg", m.bodies["arm"]["tip"], [sb.Joint("leg", "R2")], mass=0.5, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.01)
    )
    return m


@pytest.mark.slow
def test_screenshots_show_the_body(page, tmp_path):
    with page.expect_download() as download:
        press_tool(page, "#shot")
    path = tmp_path / "shot.png"
    download.value.save_as(path)
    pixels = pytest.importorskip("matplotlib.image").imread(path)
    assert pixels.shape[0] > 100
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    assert ((blue - red > 0.15) & (blue > green)).sum() > 200  # the arm is blue


@pytest.mark.slow
def test_a_film_of_the_view_is_begun_and_ended_by_a_button(page, studio, tmp_path):
    paused(page, studio)  # what stands still is filmed, too
    press_tool(page, "#film")
    assert page.get_attribute("#film", "aria-pressed") == "true"
    seen = page.evaluate("studio.drawn")
    page.wait_for_function(f"studio.drawn > {seen} + 10")  # a film of no picture is empty
    page.wait_for_timeout(1000)
    with page.expect_download() as download:
        press_tool(page, "#film")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix in (".webm", ".mp4")
    head = path.read_bytes()[:12]
    assert head[:4] == b"\x1aE\xdf\xa3" or head[4:8] == b"ftyp"  # Matroska or MP4
    assert page.get_attribute("#film", "aria-pressed") == "false"


@pytest.mark.slow
def test_an_animation_runs_in_a_frame_of_a_notebook_or_report(chrome):
    shown = sb.simulate(sb.system(swing()), 0.3, 1e-2).animate()._repr_html_()
    page = blank(chrome)
    page.set_content(f"<!doctype html><title>report</title>{shown}")
    page.frame_locator("iframe").locator("#switches button").first.wait_for()  # a frame has no storage of its own
    page.frame_locator("iframe").locator("#scrub").press("End")
    assert page.frame_locator("iframe").locator("#note").text_content() == "1 body · 1 coordinate · 0.3 s"
    page.close()


@pytest.mark.slow
def test_an_estimate_is_plotted_with_its_band(chrome):
    """A filter beside the arm: its plot watches the standard deviation, too, and fills between the ends of the band."""
    truth, model = sb.system(swing()), sb.system(swing())
    twin = sb.estimate(model, ["arm.q"], {"arm.q": 0.05}, {"arm.qd": 0.5})
    both = LiveTwin(truth, twin, [NoisySensor("arm.q", 0.05)])
    machine = Machine("twin", truth, source=both, plots=["arm.q, est.arm.q"])
    with Studio(Live(machine)) as shown:
        page = opened(chrome, shown)
        channels = page.evaluate("studio.plots.get('arm.q, est.arm.q').channels")
        assert channels == ["arm.q", "est.arm.q", "est.arm.q.sigma"]
        page.wait_for_function("studio.plots.get('arm.q, est.arm.q').rows().length > 50")
        faint = """() => {  // pixels of the second colour that are neither the curve's nor the paper's
          const chart = document.querySelector("#plot-list canvas");
          const dots = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height).data;
          let count = 0;
          for (let k = 0; k < dots.length; k += 4) count += dots[k + 3] > 30 && dots[k + 3] < 90 && dots[k] > 180;
          return count;
        }"""
        page.wait_for_function(f"({faint})() > 1000")  # 200 without a band
        assert page.errors == []
        page.close()
