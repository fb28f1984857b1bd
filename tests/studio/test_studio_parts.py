"""Forces, tree, inspector and names of bodies on the page, live and recorded."""

import pytest
from studio_models import swing
from studio_pages import blank, opened, pixels, press_tool

import symbody as sb
from symbody.studio import Live, Player, Studio
from symbody.studio.arrows import arrow_outputs
from symbody.studio.photograph import chromium
from symbody.system.channels import USUAL
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
WEIGHT = 9.81  # N, of the arm


def named():
    """The pendulum, with a mass on a dial, and a hand."""
    m = swing()
    mass = m.parameter("arm_mass", 1.0, "kg")
    m.bodies["arm"].mass = mass
    m.body("left hand", m.bodies["arm"]["tip"], [sb.Joint("wrist", "R2")], mass=0.5, com=(0, 0, -0.1), inertia=0.01)
    return m


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(named())) as started:
        yield started


def force(page, name):
    return page.evaluate("name => studio.seen.arrows.forces().find((f) => f.name === name) ?? null", name)


@pytest.mark.slow
def test_forces_of_a_body_at_rest_are_its_weight(chrome):
    m = swing()
    m.bodies["arm"].joints[0].q0 = (0.0,)
    run = sb.simulate(sb.system(m, outputs=[USUAL, *arrow_outputs(m)]), 0.1, 1e-2)
    with Studio(Player(run)) as studio:
        page = opened(chrome, studio)
        assert page.is_hidden("#legend")
        press_tool(page, "#forces")
        page.wait_for_function("studio.seen.arrows.forces().length === 1")
        found = force(page, "arm")
        assert found["force"] == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-4)
        assert found["tail"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
        page.wait_for_function("/^1 m = \\\\d+ N|^10 cm = /.test(document.querySelector('#legend b').textContent)")
        assert "reactions" in page.text_content("#legend")
        press_tool(page, "#forces")
        page.wait_for_function("studio.seen.arrows.forces().length === 0")
        assert page.is_hidden("#legend")
        assert page.errors == []
        page.close()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_arrows_are_seen_in_the_picture(page, studio):
    """Violet of the reactions, which nothing else here has."""
    studio.source.loop.pause()
    press_tool(page, "#forces")
    page.wait_for_function("studio.seen.arrows.forces().length > 1")
    page.wait_for_timeout(400)
    count = """() => { const { renderer, scene } = studio.seen; studio.seen.draw();
      const gl = renderer.getContext(), [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
      const all = new Uint8Array(4 * w * h);
      gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
      let n = 0;
      for (let k = 0; k < all.length; k += 4) n += all[k + 2] - all[k + 1] > 60 && all[k] - all[k + 1] > 30 ? 1 : 0;
      return n; }"""
    shown = page.evaluate(count)
    press_tool(page, "#forces")
    assert shown > 50
    assert page.evaluate(count) < shown / 10


@pytest.mark.slow
def test_a_pull_is_an_arrow_with_the_force_of_the_hand(page, studio):
    loop = studio.source.loop
    loop.pause()
    press_tool(page, "#forces")
    x, y = pixels(page, 1, [0, 0, -0.6])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    eventually(lambda: loop._sample[loop.channels.given.index("pull_frame")] == 1.0)
    loop.step(1)
    page.wait_for_function("studio.seen.arrows.forces().some((f) => f.kind === 'pull' && f.size > 0.1)")
    found = page.evaluate("studio.seen.arrows.forces().find((f) => f.kind === 'pull' && f.size > 0.1)")
    values = dict(zip(loop.names, loop.newest(), strict=True))
    given = [values[f"pull.arm.force.{axis}"] for axis in "xyz"]
    assert found["force"] == pytest.approx(given, rel=1e-4, abs=1e-4)
    at = page.evaluate("at => studio.seen.onFrame(1, at)", [values[f"pull_at_{axis}"] for axis in "xyz"])
    assert found["tail"] == pytest.approx(at, abs=1e-4)
    page.mouse.up()


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_what_the_pointer_is_on_shines_and_is_named(page, studio):
    studio.source.loop.pause()
    page.wait_for_function("studio.status.state === 'paused'")
    page.mouse.move(*pixels(page, 1, [0, 0, -0.5]))
    page.wait_for_function("document.getElementById('pointed').textContent === 'arm'")
    assert page.is_visible("#pointed")
    page.mouse.move(*pixels(page, 2, [0, 0, -0.1]))
    page.wait_for_function("document.getElementById('pointed').textContent === 'left hand'")
    page.mouse.move(5, 5)
    page.wait_for_function("document.getElementById('pointed').hidden")


@pytest.mark.slow
@pytest.mark.usefixtures("kept_open")
def test_the_tree_is_walked_by_keys_and_read_by_names(page):
    page.click("#show-model")
    first = page.locator("#tree > li > [role=treeitem]")
    assert first.text_content() == "arm"
    first.focus()
    focused = "document.activeElement.textContent"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "arm turns about y"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "left hand"
    page.keyboard.press("ArrowLeft")  # folds it
    assert page.get_by_role("treeitem", name="left hand").get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowLeft")  # to its parent
    assert page.evaluate(focused) == "arm"
    page.keyboard.press("End")
    assert page.evaluate(focused) == "left hand"
    state = page.evaluate("studio.status.state")
    page.keyboard.press("Space")  # chooses, and does not pause
    page.wait_for_selector("#inspector h2")
    assert page.text_content("#inspector h2") == "left hand"
    assert page.evaluate("studio.status.state") == state
    page.click("#show-model")


@pytest.mark.slow
def test_the_inspector_shows_numbers_as_they_are_now(page, studio):
    page.click("#show-model")
    page.click("#tree .body >> text=arm")
    found = "[...document.querySelectorAll('#inspector dt')].find((t) => t.textContent === name)"
    value = f"name => {found}.nextSibling.textContent"
    page.wait_for_function(f"({value})('mass') === '1 kg'")
    assert page.evaluate(value, "centre of mass") == "0, 0, -0.5 m"
    first = page.evaluate(value, "angle")
    assert "rad (" in first
    page.wait_for_function(f"first => ({value})('angle') !== first", arg=first)
    loop = studio.source.loop
    loop.pause()
    page.wait_for_function("studio.status.state === 'paused'")
    angle = loop.latest().outputs[loop.outputs.index("arm.q")]
    page.wait_for_function(f"angle => Math.abs(parseFloat(({value})('angle')) - angle) < 1e-3", arg=float(angle))
    page.locator("#inspector #dial-arm_mass").evaluate("dial => { dial.value = 1.5; dial.oninput(); }")
    page.wait_for_function(f"({value})('mass') === '1.5 kg'")
    page.locator("#inspector #dial-arm_mass").evaluate("dial => { dial.value = 1; dial.oninput(); }")
    page.click("#show-model")  # closed, the dial is in its list again
    assert page.locator("#dial-list #dial-arm_mass").count() == 1


@pytest.mark.slow
def test_a_click_on_a_body_chooses_it(page, studio):
    studio.source.loop.pause()
    page.wait_for_function("studio.status.state === 'paused'")
    page.click("#show-model")
    page.wait_for_timeout(200)
    page.mouse.click(*pixels(page, 1, [0, 0, -0.5]))
    page.wait_for_function("document.querySelector('#inspector h2')?.textContent === 'arm'")
    assert page.locator("[role=treeitem][aria-selected=true]").text_content() == "arm"


@pytest.mark.slow
def test_those_who_only_watch_see_forces_and_numbers_too(chrome, studio):
    studio.source.loop.resume()
    page = blank(chrome, bypass_csp=True)
    page.goto(studio.place)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    press_tool(page, "#forces")
    page.wait_for_function("studio.seen.arrows.forces().length > 1")
    page.click("#show-model")
    page.click("#tree .body >> text=arm")
    page.wait_for_function("document.querySelector('#inspector dd').textContent.endsWith('kg')")
    assert studio.gate.refused.total() == 0
    page.close()
