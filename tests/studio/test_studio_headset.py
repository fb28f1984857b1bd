"""A headset in the browser, which `headset.js` pretends to have: two eyes, a place, a hand that pulls."""

from pathlib import Path

import numpy as np
import pytest
from studio_models import crank_machine, swing
from studio_pages import blank, opened, press_tool

from symbody.studio import Live, Ride, Studio
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
HEADSET = Path(__file__).with_name("headset.js").read_text(encoding="utf-8")
EYES = "studio.seen.renderer.xr.getCamera().cameras.map(({ matrixWorld }) => [...matrixWorld.elements])"


def worn(chrome, studio, script=HEADSET):
    page = blank(chrome, bypass_csp=True, script=script)
    page.goto(studio.address)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    return page


def enter(page):
    page.wait_for_selector("#vr:not([hidden])", state="attached")  # in the menu
    press_tool(page, "#vr")
    page.wait_for_function("headset.frames > 5 && studio.seen.immersion.active()")
    assert page.text_content("#vr") == "Leave VR"


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(swing())) as started:
        yield started


@pytest.mark.slow
def test_without_a_headset_there_is_no_button(chrome, studio):
    page = opened(chrome, studio)
    assert page.get_attribute("#vr", "hidden") is not None
    assert page.errors == []
    page.close()


@pytest.mark.slow
def test_one_stands_before_the_model_at_its_own_scale(chrome, studio):
    page = worn(chrome, studio)
    enter(page)
    assert page.evaluate("[headset.asked, headset.features]") == [["local-floor"], ["local-floor"]]
    left, right = (np.array(m).reshape(4, 4).T for m in page.evaluate(EYES))
    assert np.linalg.norm(left[:3, 3] - right[:3, 3]) == pytest.approx(0.06, abs=1e-5)  # a metre is a metre
    np.testing.assert_allclose(left[:3, 1], [0, 0, 1], atol=1e-6)  # upright
    middle = np.array([0.0, 0.0, -0.5])  # of the arm
    ahead, way = -left[:3, 2], middle - left[:3, 3]
    assert ahead[:2] @ way[:2] / np.linalg.norm(way[:2]) > 0.9  # it is in front
    assert np.linalg.norm(way[:2]) < 3.0
    press_tool(page, "#vr")
    page.wait_for_function(
        "!studio.seen.immersion.active() && document.getElementById('vr').textContent === 'Enter VR'"
    )
    drawn = page.evaluate("studio.drawn")
    page.wait_for_function(f"studio.drawn > {drawn}")  # on the screen again
    assert page.errors == []
    page.close()


@pytest.mark.slow
def test_both_eyes_see_the_body(chrome, studio):
    """Blue of the arm in each half of the picture, farther to the right for the left eye."""
    studio.source.loop.pause()
    page = worn(chrome, studio)
    enter(page)
    blue = page.evaluate(
        """() => new Promise((found) => {
          const { seen } = studio, { renderer } = seen, render = renderer.render.bind(renderer);
          let tries = 0; // shadows on the floor are drawn by calls of their own
          renderer.render = (...given) => { // read before the browser takes the picture away
            render(...given);
            const gl = renderer.getContext(), [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
            const all = new Uint8Array(4 * w * h), half = Math.floor(w / 2);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
            const places = [[], []];
            for (let k = 0; k < w * h; k++) {
              const [red, green, blue] = all.subarray(4 * k, 4 * k + 3);
              if (blue - red > 45 && blue - green > 12) places[k % w < half ? 0 : 1].push((k % w) % half);
            }
            if (!places[0].length && ++tries < 50) return;
            renderer.render = render;
            found(places.map((xs) => [xs.length, xs.reduce((a, b) => a + b, 0) / xs.length]));
          };
        })"""
    )
    (left, x_left), (right, x_right) = blue
    assert left > 100
    assert right > 100
    assert x_left > x_right
    page.close()
    studio.source.loop.resume()


@pytest.mark.slow
def test_in_a_seat_the_eyes_go_with_the_body(chrome):
    """Its eye is at the hand wheel's rim, 0.3 m out: when the wheel turns, so does the head."""
    ride = Ride("Rim", "wheel", (0.3, 0.0, 0.0), (0.0, 1.0, 0.0))
    with Studio(Live(crank_machine(cameras=[ride]))) as studio:
        page = worn(chrome, studio)
        enter(page)
        assert page.evaluate("[headset.asked, headset.features]") == [["local"], []]
        seen = []

        def looked():
            left, right = (np.array(m).reshape(4, 4).T[:3, 3] for m in page.evaluate(EYES))
            seen.append((left + right) / 2)
            return np.ptp(np.array(seen)[:, 2]) > 0.1

        looked()  # before the wheel turns
        page.evaluate("setInterval(() => studio.send({ do: 'move', name: 'wheel.q', value: 0.9, seconds: 0.2 }), 100)")
        eventually(looked)
        np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 0.3, atol=0.02)
        assert page.errors == []
        page.close()


@pytest.mark.slow
def test_a_controller_pulls_the_body_that_its_ray_meets(chrome, studio):
    page = worn(chrome, studio)
    studio.source.loop.pause()
    enter(page)
    page.evaluate("headset.sessions[0].connect()")
    # the ray through the tip: from the eye's place towards a point of the arm, in the coordinates of who wears it
    aim = """() => {
      const { seen } = studio, inverse = seen.renderer.xr.getCamera().cameras[0].matrixWorld.clone().invert();
      const tip = seen.onFrame(1, [0, 0, -0.7]), v = inverse.elements;
      const own = [0, 1, 2].map((i) => v[i] * tip[0] + v[4 + i] * tip[1] + v[8 + i] * tip[2] + v[12 + i]);
      const n = Math.hypot(...own), z = own.map((x) => -x / n), level = Math.hypot(z[2], z[0]);
      const x = [z[2], 0, -z[0]].map((a) => a / level);
      const y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]];
      headset.hand = new Float32Array([...x, 0, ...y, 0, ...z, 0, -0.03, 1.6, 0, 1]);
    }"""
    page.evaluate(aim)
    frames = page.evaluate("headset.frames")
    page.wait_for_function(f"headset.frames > {frames} + 3")
    page.evaluate("headset.sessions[0].select('selectstart')")
    loop = studio.source.loop
    held = loop.channels.given.index("pull_frame")
    eventually(lambda: loop._sample[held] == 1.0)
    at = loop._sample[[loop.channels.given.index(f"pull_at_{x}") for x in "xyz"]]
    assert at[2] == pytest.approx(-0.7, abs=0.15)
    page.evaluate("headset.sessions[0].select('selectend')")
    eventually(lambda: loop._sample[held] == 0.0)
    loop.resume()
    assert page.errors == []
    page.close()


@pytest.mark.slow
def test_a_headset_that_refuses_is_told_in_words(chrome, studio):
    page = worn(chrome, studio, HEADSET + "\nheadset.refuses = true;")
    page.wait_for_selector("#vr:not([hidden])", state="attached")  # in the menu
    press_tool(page, "#vr")
    page.wait_for_function("document.getElementById('refused').textContent.includes('no headset is connected')")
    page.close()
