"""The driving simulator in a real browser: hands turn its wheel, feet its pedals, and the view is the driver's."""

import json
import zlib

import pytest
from studio_pages import open_tools, opened, pixels

from symbody.codegen import only_tier
from symbody.machines.car.page import BY_KEYS, TURNED
from symbody.machines.car.page import page as car_machine
from symbody.studio import Live, Studio
from symbody.studio.messages import Pilot, Reset
from symbody.studio.photograph import chromium
from symbody.studio.visitor import Visitor, hello_message
from symbody.vehicles.pedals import HOLDING, SPEED
from symbody.vehicles.wheel_looks import GRASPED
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
LARGE = {"width": 1280, "height": 760}
COLOURS = """() => { // shares of the view that are about green as meadows, blue as the bonnet, grey as asphalt
  studio.seen.draw(); // what WebGL drew is gone after this task
  const view = document.getElementById("view"), sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [300, 200];
  const pen = sheet.getContext("2d");
  pen.drawImage(view, 0, 0, 300, 200);
  const { data } = pen.getImageData(0, 0, 300, 200), found = { green: 0, blue: 0, grey: 0 };
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b, a] = data.subarray(i, i + 4);
    if (a < 200) continue;
    if (g > r + 8 && g > b + 15) found.green++;
    else if (b > r + 40) found.blue++;
    else if (Math.abs(r - b) < 15 && r > 70 && r < 150) found.grey++;
  }
  return Object.fromEntries(Object.entries(found).map(([name, count]) => [name, count / (data.length / 4)]));
}"""


@pytest.fixture(scope="module")
def studio():
    with only_tier("optimised"):  # a browser beside it needs the processors, too
        source = Live(car_machine()).start()
    with Studio(source) as started:
        yield started


@pytest.fixture
def page(chrome, studio):
    studio.source.obey(Pilot(""))
    made = opened(chrome, studio)
    studio.source.obey(Reset())
    eventually(lambda: value(studio, "x.q") < 20.0)
    yield made
    assert made.errors == []
    made.close()
    eventually(lambda: abs(value(studio, "wheel.q")) < 1e-3)  # a browser that disconnects releases its controls


def value(studio, name):
    loop = studio.source.loop
    return loop.latest().outputs[loop.outputs.index(name)]


def test_the_first_message_is_small(studio):
    """The socket compresses with these settings; most of the message are meshes, which are compressed already."""
    source = studio.source
    scene = json.dumps(source.scene(source.shapes()))
    text = hello_message(source, Visitor(True, source.version), "x" * 16, scene)
    packing = zlib.compressobj(wbits=-12, memLevel=5)
    assert len(packing.compress(text.encode()) + packing.flush()) < 200_000


def on_rim(page, studio):
    """Pixels of the steering wheel's top, and of its middle."""
    frame = list(studio.source.machine.system.model.bodies).index("wheel") + 1
    return [pixels(page, frame, place) for place in ([0, 0, GRASPED], [0, 0, 0])]


def test_the_first_view_is_from_the_seat_over_the_bonnet_onto_the_road(page):
    assert page.text_content("#title") == "Driving simulator"
    view = page.locator("select[aria-label='View from']")
    assert view.input_value() == "Driver's seat"
    seen = page.evaluate(COLOURS)
    assert seen["green"] > 0.05
    assert seen["grey"] > 0.1
    assert seen["blue"] > 0.005
    open_tools(page)
    view.select_option("Front axle")
    page.wait_for_timeout(500)
    assert page.evaluate(COLOURS) != seen


def test_a_key_turns_the_wheel_the_torque_moves_and_the_path_bends(page, studio):
    page.keyboard.down("ArrowLeft")
    page.wait_for_function("studio.plots.get('wheel.effort').rows().length > 5")
    eventually(lambda: value(studio, "wheel.q") > 0.9 * BY_KEYS)
    page.keyboard.up("ArrowLeft")
    page.wait_for_function("studio.plots.get('wheel.effort').rows().some(([, , most]) => most > 3)")
    eventually(lambda: value(studio, "y.q") > 1.0)
    page.wait_for_function("studio.poses[1][1] > 1")  # the car, as the page draws it
    page.wait_for_function("studio.plots.get('y.q over x.q').rows().some(([, , y]) => y > 1)")


def test_the_steering_wheel_is_taken_by_the_pointer_while_the_car_moves(page, studio):
    page.set_viewport_size(LARGE)
    page.wait_for_timeout(500)
    (x, y), (_, below) = on_rim(page, studio)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 0.5 * (below - y), y, steps=4)
    eventually(lambda: value(studio, "wheel.q") > 0.2)
    page.wait_for_timeout(500)
    assert 0.2 < value(studio, "wheel.q") < 1.5  # it stays with the pointer, however far the car has gone
    page.mouse.up()
    eventually(lambda: abs(value(studio, "wheel.q")) < 1e-3)


def test_the_drawn_wheel_is_turned_by_the_pointer(page, studio):
    box = page.locator(".control.wheel svg").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 0.35 * box["width"]
    page.mouse.move(x, y - r)
    page.mouse.down()
    page.mouse.move(x + 0.48 * r, y - 0.88 * r, steps=4)  # half a radian with the clock
    eventually(lambda: abs(value(studio, "wheel.q") + 0.5) < 0.05)
    eventually(lambda: value(studio, "yaw.q") < -0.05)
    page.mouse.up()


def test_the_throttle_speeds_up_and_the_brake_slows_down(page, studio):
    page.keyboard.down("ArrowUp")
    eventually(lambda: value(studio, "car.speed") > SPEED + 1.0)
    page.keyboard.up("ArrowUp")
    page.keyboard.down("ArrowDown")
    eventually(lambda: value(studio, "car.speed") < SPEED - 5.0)
    page.keyboard.up("ArrowDown")
    page.wait_for_function("Number.parseInt(document.querySelector('.gauge.round b').textContent) < 60")
    eventually(lambda: studio.source.hands.values == {"wheel.q": 0.0, "throttle": HOLDING, "brake": 0.0})


def test_the_scripted_driver_avoids_the_obstacle_until_a_person_takes_the_wheel(page, studio):
    page.locator("#pilot").select_option("scripted driver")
    page.wait_for_function("studio.status.pilot === 'scripted driver'")
    page.keyboard.press("r")
    page.wait_for_function("studio.status.lines.some((line) => line.startsWith('obstacle avoided by'))")
    page.keyboard.down("ArrowRight")
    eventually(lambda: studio.source.hands.pilot == "")
    page.keyboard.up("ArrowRight")


def test_the_car_waits_for_a_touch(page, studio):
    page.wait_for_function("studio.status.waiting")
    place = value(studio, "x.q")
    page.wait_for_timeout(500)
    assert value(studio, "x.q") == place
    page.keyboard.press("ArrowUp")
    eventually(lambda: value(studio, "x.q") > place + 5.0)


def test_a_crash_stops_the_car_and_is_felt_and_heard(page, studio):
    before = page.evaluate("studio.shakes")
    page.keyboard.press("ArrowUp")  # and straight on
    page.wait_for_function("before => studio.shakes > before", arg=before)
    page.wait_for_function("studio.status.lines.some((line) => line.startsWith('obstacle hit'))")
    eventually(lambda: value(studio, "car.speed") < 5.0)
    assert page.evaluate("studio.status.stop") is None


def test_a_page_that_is_closed_in_mid_turn_lets_go(chrome, studio):
    page = opened(chrome, studio, own=True)
    page.keyboard.down("ArrowRight")
    page.keyboard.down("ArrowUp")
    eventually(lambda: value(studio, "wheel.q") < -0.5 and studio.source.hands.values["throttle"] > 0.5)
    page.close()
    eventually(lambda: studio.source.hands.values == {"wheel.q": 0.0, "throttle": HOLDING, "brake": 0.0})
    assert abs(value(studio, "wheel.q")) < TURNED
