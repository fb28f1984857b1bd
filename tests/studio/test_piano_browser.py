"""The piano key in a real browser: pressed with the mouse and by letters, seen, felt in its plot, heard, regulated."""

from functools import partial

import numpy as np
import pytest
from studio_pages import opened, pixels

from symbody.codegen import only_tier
from symbody.machines.piano.model import FRONT
from symbody.machines.piano.page import DEEPEST, DRAG
from symbody.machines.piano.page import page as piano_machine
from symbody.studio import Live, Studio
from symbody.studio.photograph import chromium
from waiting import eventually, wait_for

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
KEY, HAMMER = 1, 5  # frames
TOP = 9.6e-3  # m, of the white key above its hinge
WIDE = {"width": 1200, "height": 620}


@pytest.fixture(scope="module")
def studio():
    with only_tier("optimised"):  # a browser beside it needs the processors, too
        source = Live(piano_machine()).start()
    with Studio(source) as started:
        yield started


@pytest.fixture
def page(chrome, studio):
    made = opened(chrome, studio)
    made.set_viewport_size(WIDE)
    made.wait_for_function("document.getElementById('view').clientWidth > 500")
    made.evaluate("studio.seen.fit()")
    yield made
    assert made.errors == []
    made.close()
    eventually(lambda: at_rest(studio))  # whoever leaves has let go


def value(studio, name):
    loop = studio.source.loop
    return loop.latest().outputs[loop.outputs.index(name)]


def on_page(page, place):
    """Pixels of a place (m) of the key at rest."""
    return np.array(pixels(page, KEY, place))


def finger(page):
    """Where the key's front is seen, and how far the pointer goes for the dip (pixels), seen from the side."""
    front, pressed = (on_page(page, [FRONT, 0.0, TOP + z]) for z in (0.0, -DRAG))
    return front, pressed - front


def turned(page, frame):
    """The angle (rad) of a frame about y, as the page draws it."""
    return page.evaluate("frame => 2 * Math.atan2(studio.poses[frame][5], studio.poses[frame][3])", frame)


def sounds(page, studio, press, release):
    """Press the key, and again until a note is heard: a busy machine may make a stroke too slow. It is held then."""
    heard = page.evaluate("studio.heard")

    def struck():
        press()
        if wait_for(lambda: page.evaluate("studio.heard") > heard, timeout=2.0):
            return True
        release()
        eventually(lambda: at_rest(studio))
        return False

    eventually(struck)


def at_rest(studio):
    return abs(value(studio, "key.dip")) < 1e-5


def test_the_mouse_presses_the_key_the_hammer_moves_and_a_note_is_heard(page, studio):
    page.wait_for_function("frame => studio.poses[frame]", arg=HAMMER)
    front, way = finger(page)
    assert 15.0 < np.hypot(*way) < 100.0  # pixels of a small page: a hand can meter them
    resting = turned(page, HAMMER)

    def press():
        page.mouse.move(*front)
        page.mouse.down()
        page.mouse.move(*(front + 1.5 * way))

    sounds(page, studio, press, page.mouse.up)
    eventually(lambda: value(studio, "key.q") == pytest.approx(DEEPEST, rel=1e-3))
    page.wait_for_function("frame => 2 * Math.atan2(studio.poses[frame][5], studio.poses[frame][3]) > 0.2", arg=HAMMER)
    assert turned(page, HAMMER) > resting + 0.2
    page.wait_for_function("studio.plots.get('string.load').rows().some(([, , most]) => most > 5)")
    page.mouse.up()
    eventually(lambda: at_rest(studio))


def test_a_slow_mouse_draws_the_bump_of_the_escapement(page, studio):
    front, way = finger(page)
    page.mouse.move(*front)
    page.mouse.down()
    for share in np.linspace(0.5, 1.1, 31):
        before = value(studio, "key.q")
        page.mouse.move(*(front + share * way))
        eventually(lambda before=before: value(studio, "key.q") > before + 1e-4)
        page.wait_for_timeout(100)
    rows = np.array(page.evaluate("studio.plots.get('key.effort over key.dip').rows()"))
    page.mouse.up()
    dip, force = 1e3 * rows[:, 1], rows[:, 2] / FRONT  # mm, N
    ranges = ((5.5, 7.5), (8.5, 9.0), (9.0, 9.3))
    before, escaping, after = (np.median(force[(dip > low) & (dip < high)]) for low, high in ranges)
    assert escaping > before + 0.6  # medians: where the hand stands still
    assert escaping > after
    assert "finger" in page.text_content("#lines")


def test_letters_press_the_key(page, studio):
    for letter in "af":
        sounds(page, studio, partial(page.keyboard.down, letter), partial(page.keyboard.up, letter))
        page.keyboard.up(letter)
        eventually(lambda: at_rest(studio))


def test_a_pilot_plays_until_somebody_touches_the_key(page, studio):
    heard = page.evaluate("studio.heard")
    page.locator("#pilot").select_option("repetition")
    page.wait_for_function("before => studio.heard > before + 5", arg=heard)
    page.keyboard.down("d")
    eventually(lambda: studio.source.hands.pilot == "")
    page.keyboard.up("d")


def test_the_let_off_button_is_regulated_live(page, studio):
    page.locator("#dial-let_off_height").evaluate("dial => { dial.value = 0.0005; dial.oninput(); }")
    eventually(lambda: studio.source.loop.parameters["let_off_height"] == pytest.approx(5e-4))
    page.locator("#dial-let_off_height").evaluate("dial => { dial.value = 0; dial.oninput(); }")
    eventually(lambda: studio.source.loop.parameters["let_off_height"] == 0.0)
    eventually(lambda: studio.source.loop.state == "running")


def test_a_page_that_is_closed_in_mid_stroke_lets_the_key_go(chrome, studio):
    page = opened(chrome, studio, own=True)
    page.keyboard.down("f")
    eventually(lambda: value(studio, "key.q") > 0.9 * DEEPEST)
    page.close()
    eventually(lambda: abs(value(studio, "key.dip")) < 1e-5 and abs(value(studio, "key.effort")) < 0.02)
