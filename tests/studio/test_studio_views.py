"""Two views in one page, from cameras of the machine and kept in the address; a landscape that comes in tiles."""

from dataclasses import replace

import numpy as np
import pytest
from studio_models import crank_machine
from studio_pages import blank, open_tools, opened

from symbody.errors import ModelError
from symbody.studio import Chase, Fixed, Landscape, Live, Orbit, Ride, Studio, Trail, Viewpoint
from symbody.studio.cameras import OUTSIDE
from symbody.studio.photograph import chromium
from symbody.terrain import HeightMap

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
CAMERAS = [
    Ride("Rim", "wheel", (0.3, 0.0, 0.0), (0.0, 1.0, 0.0), head=0.1),
    Chase("Behind", "load", 1.0, 0.4),
    Orbit("About", "wheel", 30.0, 10.0, 1.5),
    Fixed("Door", (1.0, -2.0, 0.5), body="wheel"),
]
WIDE = {"width": 1280, "height": 600}
VIEWS = "studio.seen.views()"


@pytest.fixture(scope="module")
def studio():
    machine = crank_machine(cameras=CAMERAS, views=["Rim", OUTSIDE], arrangement="inset")
    with Studio(Live(machine)) as started:
        yield started


def test_seat_and_outside_are_seen_at_once_and_the_choice_stays_in_the_address(chrome, studio):
    page = opened(chrome, studio, viewport=WIDE)
    assert page.evaluate(VIEWS) == {"names": ["Rim", OUTSIDE], "arrangement": "inset"}
    assert page.text_content("#second") == OUTSIDE
    assert page.url.endswith("/")  # nothing to keep yet
    open_tools(page)
    page.get_by_label("View from").select_option("Door")
    page.get_by_label("Second view").select_option("Behind")
    page.get_by_role("button", name="Split").click()
    page.evaluate("location.reload()")
    page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
    assert page.evaluate(VIEWS) == {"names": ["Door", "Behind"], "arrangement": "split"}
    lists = page.evaluate("[...document.querySelectorAll('#switches select')].map((one) => one.value)")
    assert lists == ["Door", "Behind"]
    left, right = page.evaluate("studio.seen.panes().map(({ left, width }) => [left, width])")
    assert (left, right) == ([0, 0.5], [0.5, 0.5])
    open_tools(page)
    page.get_by_label("Second view").select_option("")
    assert page.locator("#second").is_hidden()
    assert page.errors == []
    page.close()


def test_a_body_is_grabbed_in_either_view_and_each_view_turns_alone(chrome, studio):
    page = opened(chrome, studio, viewport=WIDE)
    page.evaluate(f"studio.seen.showViews({{ names: ['{OUTSIDE}', 'About'], arrangement: 'split' }})")
    box = page.locator("#view").bounding_box()
    found = page.evaluate(
        """box => [0.25, 0.75].map((across) => { // some place of each half shows the wheel
          for (let i = -12; i <= 12; i++)
            for (let j = -12; j <= 12; j++) {
              const [x, y] = [across + i / 60, 0.5 + j / 40];
              const event = { clientX: box.x + x * box.width, clientY: box.y + y * box.height };
              if (studio.seen.pick(event, (frame) => frame === 1)) return true;
            }
          return false;
        })""",
        box,
    )
    assert found == [True, True]
    before = page.evaluate("studio.seen.place().azimuth")
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.1 * box["height"], steps=3)
    page.mouse.up()
    assert page.evaluate("studio.seen.place().azimuth") == before
    page.mouse.move(box["x"] + 0.05 * box["width"], box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.1 * box["height"], steps=3)
    page.mouse.up()
    assert page.evaluate("studio.seen.place().azimuth") != before
    page.close()


def hills():
    """8 km of ground, 700 m high, with the origin of the machine on it."""
    step = 50.0
    x = np.arange(-4000.0, 4000.1, step)
    X, Y = np.meshgrid(x, x)
    heights = 350.0 * np.cos(X / 900.0) * np.cos(Y / 1100.0)
    return HeightMap(heights, step, (-4000.0, -4000.0))


def test_eight_kilometres_come_in_tiles_fine_near_the_eye_and_are_seen_to_the_horizon(chrome, tmp_path):
    ground = hills()
    top = float(ground.height(0.0, 0.0))
    trees = np.column_stack([np.linspace(20.0, 900.0, 200), np.full(200, 30.0), np.zeros(200)])
    trees[:, 2] = ground.height(trees[:, 0], trees[:, 1])
    raised = [0.0]  # m, of a patch about the machine

    def heights(x, y):
        return ground.height(x, y) + raised[0] * ((abs(x) < 30.0) & (abs(y) < 30.0))

    landscape = replace(Landscape.of(ground, origin=(0.0, 0.0, top + 0.6), snow=100.0, trees=trees), height=heights)
    machine = crank_machine(
        landscape=landscape, grid=False, sky=True, cameras=[Chase("Behind", "wheel", 4.0, 1.5)], views=["Behind"],
        trails=[Trail("load")],
    )  # fmt: skip
    with Studio(Live(machine)) as studio:
        page = blank(chrome, bypass_csp=True)
        page.goto(studio.address)
        page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
        page.keyboard.press("Escape")
        under = "studio.seen.ground({ clientX: box.left + box.width / 2, clientY: box.bottom - 40 })"
        near = page.wait_for_function(  # the finest tiles have come: the hill is flat here
            """() => {
              const box = document.getElementById('view').getBoundingClientRect(), at = {under};
              return at && Math.abs(at[2] + 0.6) < 0.02 && at;
            }""".replace("{under}", under)
        ).json_value()
        assert near[2] == pytest.approx(float(ground.height(near[0], near[1])) - top - 0.6, abs=0.02)
        sky, hill = page.evaluate(
            """() => {
              const view = document.getElementById("view"), gl = view.getContext("webgl2"), at = (share) => {
                const found = new Uint8Array(4);
                gl.readPixels(view.width >> 1, Math.floor(share * view.height), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
                return [...found];
              };
              studio.seen.draw();
              return [at(0.97), at(0.2)];
            }"""
        )
        assert sky[3] == hill[3] == 255
        assert sky[2] > sky[0]  # blue
        assert np.abs(np.array(sky[:3]) - hill[:3]).max() > 10
        page.screenshot(path=tmp_path / "landscape.png")
        raised[0] = 0.3  # a changed patch reaches the page
        landscape.changes.append((-30.0, -30.0, 30.0, 30.0))
        page.wait_for_function(
            """() => {
              const box = document.getElementById('view').getBoundingClientRect(), at = {under};
              return at && Math.abs(at[2] + 0.3) < 0.02;
            }""".replace("{under}", under)
        )
        assert page.errors == []
        page.close()


def test_a_missed_grab_turns_the_view_no_further_than_the_machine_allows(chrome):
    """A drag of 250 px turned a flat machine edge-on."""
    with Studio(Live(crank_machine(view=Viewpoint(10.0, 8.0, most_turn=40.0)))) as studio:
        page = opened(chrome, studio)
        box = page.locator("#view").bounding_box()
        x, y = box["x"] + 20, box["y"] + 20  # beside all bodies
        turned = "studio.seen.place().azimuth * 180 / Math.PI"
        assert page.evaluate(turned) == pytest.approx(10.0)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 250, y, steps=4)
        assert page.evaluate(turned) == pytest.approx(-30.0)
        page.mouse.move(x + 240, y)  # back: the view follows at once
        assert page.evaluate(turned) > -29.0
        page.mouse.up()
        assert page.errors == []
        page.close()


def test_a_view_that_cannot_turn_at_all_is_refused():
    with pytest.raises(ModelError, match="most_turn"):
        Viewpoint(10.0, 8.0, most_turn=0.0)
