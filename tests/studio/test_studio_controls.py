"""Controls of a machine in a real browser: keys, the drawn wheel, the body itself, a game controller, a pilot."""

import numpy as np
import pytest
from studio_models import crank_machine
from studio_pages import opened, pixels

from page_numbers import PACKED, unpacked
from symbody.studio import Live, Studio
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(crank_machine())) as started:
        yield started


@pytest.fixture(autouse=True)
def let_go(studio):
    """Whoever leaves has let go."""
    yield
    eventually(lambda: abs(angle(studio)) < 1e-3)


def angle(studio):
    loop = studio.source.loop
    return loop.latest().outputs[loop.outputs.index("wheel.q")]


@pytest.mark.slow
def test_a_key_that_is_held_turns_the_wheel_and_strikes_the_bell(page, studio):
    page.keyboard.down("a")
    eventually(lambda: angle(studio) > 0.75)
    page.wait_for_function("Math.abs(studio.controls[0] - 0.8) < 0.01")
    page.keyboard.up("a")
    eventually(lambda: abs(angle(studio)) < 1e-3)
    page.wait_for_function("studio.heard === 1")


@pytest.mark.slow
def test_a_tap_is_told_and_where_that_is_meant_goes_all_the_way(page, studio):
    loop, begun = studio.source.loop, studio.source.loop.latest().t
    page.keyboard.press("w")
    eventually(lambda: loop.history("wheel.q", since=begun)["wheel.q"].max(initial=0.0) > 0.3)
    eventually(lambda: abs(angle(studio)) < 1e-3)


@pytest.mark.slow
def test_a_page_that_is_closed_in_mid_turn_has_let_go(chrome, studio):
    page = opened(chrome, studio, own=True)
    page.keyboard.down("d")
    eventually(lambda: angle(studio) < -0.3)
    page.close()
    eventually(lambda: abs(angle(studio)) < 1e-3)


@pytest.mark.slow
def test_the_drawn_wheel_is_turned_by_the_pointer(page, studio):
    box = page.locator(".control.wheel svg").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 0.35 * box["width"]
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.mouse.move(x + 0.88 * r, y - 0.48 * r, steps=4)  # half a radian against the clock
    eventually(lambda: abs(angle(studio) - 0.5) < 0.05)
    page.mouse.up()


@pytest.mark.slow
def test_the_body_is_taken_by_the_pointer(page, studio):
    x, y = pixels(page, 1, [0.1, 0, 0])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 30, steps=4)
    eventually(lambda: angle(studio) > 0.05)
    page.mouse.up()


@pytest.mark.slow
def test_a_game_controller_steers(page, studio):
    page.evaluate(
        """() => { navigator.getGamepads = () => [{connected: true, axes: [0.7], buttons: []}]; }"""
    )  # to the right: negative
    eventually(lambda: abs(angle(studio) + 0.7) < 0.01)
    page.evaluate("navigator.getGamepads = () => [{connected: true, axes: [0], buttons: Array(8).fill({value: 0.5})}]")
    eventually(lambda: abs(angle(studio) - 0.5) < 0.01)


@pytest.mark.slow
def test_a_pilot_plays_until_a_hand_comes(page, studio):
    page.select_option("#pilot", "swaying")
    eventually(lambda: angle(studio) > 0.6)
    page.wait_for_function("document.getElementById('pilot').value === 'swaying'")
    page.wait_for_function("studio.plots.get('wheel.effort over wheel.q').rows().length > 20")
    page.keyboard.press("d")
    page.wait_for_function("studio.status.pilot === ''")
    assert page.text_content("#lines").endswith("rad")
    assert "A and D" in page.text_content("#hint")


HEARD = """async ([kind, told]) => {
  const context = new OfflineAudioContext(2, 44100, 44100), rows = [{kind, frame: 1, at: [0, 0, 0], near: 1}];
  const sounds = makeSounds(rows, () => context), ready = await sounds.wake();
  const pause = context.suspend(0.1), whole = context.startRendering();
  await pause;
  sounds.listen(0, () => ({pan: 1, distance: 1}));
  sounds.hear(told);
  await new Promise((then) => setTimeout(then, 200));
  context.resume();
  const made = await whole;
  return [ready, ...[0, 1].map((k) => packed(made.getChannelData(k).slice()))];
}""".replace("packed", PACKED)


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_sounds_are_mixed_in_the_thread_of_the_audio_and_come_from_their_side(page):
    ready, left, right = page.evaluate(HEARD, ["motor", [[0, 1.0, 200.0]]])
    left, right = unpacked(left, "f4"), unpacked(right, "f4")
    assert ready
    assert np.isfinite([left, right]).all()
    assert np.abs(right[:4000]).max() == 0.0  # before it was heard
    late = right[22050:]
    assert abs(np.argmax(np.abs(np.fft.rfft(late * np.hanning(len(late))))) - 100) <= 1  # of half a second
    assert np.linalg.norm(late) > 20.0 * np.linalg.norm(left[22050:])


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_the_sound_can_be_put_out(page):
    page.click("#sound")
    assert page.get_attribute("#sound", "aria-pressed") == "false"
    page.click("#sound")
    assert page.get_attribute("#sound", "aria-pressed") == "true"


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_nonsense_is_refused(page, studio):
    before = studio.gate.refused.total()
    nonsense = [
        "{do: 'move', name: 'wheel.q', value: 1e9, seconds: 0.1}",
        "{do: 'move', name: 'wheel.q', value: null, seconds: 0.1}",
        "{do: 'move', name: 'rudder', value: 0, seconds: 0.1}",
        "{do: 'move', name: 'wheel.q', value: 0, seconds: 0}",
        "{do: 'pilot', name: 'nobody'}",
        "{do: 'letgo', name: 'rudder'}",
    ]
    page.evaluate(f"for (const x of [{', '.join(nonsense)}]) studio.send(x)")
    eventually(lambda: studio.gate.refused.total() == before + len(nonsense))
    assert abs(angle(studio)) < 1e-3


@pytest.mark.slow
def test_shapes_follow_a_length(page, studio):
    reach = """() => studio.seen.onCanvas(studio.seen.onFrame(2, [0, 0, 0])).map(Math.round).join()"""
    before, version = page.evaluate(reach), studio.source.version
    page.locator("#dial-arm").evaluate("dial => { dial.value = 0.29; dial.oninput(); }")
    eventually(lambda: studio.source.version > version)
    page.wait_for_function(f"before => ({reach})() !== before", arg=before)
    page.wait_for_function("studio.renewed > 0")


@pytest.mark.slow
def test_the_policy_of_the_page_admits_its_own_sounds(chrome, studio):
    """Without the driver's leave to run any script: the worklet is loaded after the first touch."""
    page = chrome.new_page(viewport={"width": 900, "height": 500})
    refused = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    page.goto(studio.address)
    page.wait_for_selector("#sound:not([hidden])")
    page.locator("#view").click(position={"x": 5, "y": 5})
    page.wait_for_selector("#sound[data-ready]")
    assert page.is_enabled("#sound")
    assert refused == []
    page.close()
