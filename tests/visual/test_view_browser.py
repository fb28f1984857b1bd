"""The view in a real browser without a screen: seats, scenery, levels of detail, renewed shapes, what it spares."""

import json
import re
import struct
import zlib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symbody as sb
from page_numbers import PACKED, unpacked
from symbody.files.mesh import Mesh
from symbody.files.texture import Texture
from symbody.studio.photograph import browser, chromium
from symbody.visual.built_page import built_page
from symbody.visual.motion import BodyMotion, camera
from symbody.visual.page import Surroundings, page_data
from symbody.visual.primitives import box
from symbody.visual.scene import Cloud, HeightField, Look, placed
from symbody.visual.shapes import scene
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium here")
WIDE, HIGH = 400, 300
EYE, FIELD = (0.2, 0.0, 0.8), 60.0
RIDE = {"name": "Seat", "kind": "seat", "lag": 0.0, "frame": 1, "eye": EYE, "ahead": (1.0, 0.0, 0.0), "field": FIELD}
PAGE = f"""<style>canvas {{ position: absolute; left: 0; top: 0; width: {WIDE}px; height: {HIGH}px; }}</style>
<canvas id="view"></canvas><canvas id="words"></canvas><span id="switches"></span>"""
RED, GREEN, BLUE, ROAD = "#ff0000", "#00ff00", "#0000ff", "#808080"


def view_script():
    """The script of the page of animations: where there is no motion to show, it hands out `makeView`."""
    return re.findall(r"<script>(.*?)</script>", built_page("viewer"), re.DOTALL)[0]


@pytest.fixture(scope="module")
def chrome():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def window(chrome):
    """One for all: to read the script takes longer than most of the tests."""
    made = chrome.new_page(viewport={"width": WIDE, "height": HIGH})
    made.errors = []
    made.on("pageerror", lambda error: made.errors.append(str(error)))
    made.set_content(PAGE)
    made.add_script_tag(content=view_script())
    yield made
    made.close()


@pytest.fixture
def page(window):
    """The window, with canvases that nobody has drawn upon."""
    yield window
    assert window.errors == []
    window.evaluate(
        """page => {
          gl.getExtension("WEBGL_lose_context").loseContext(); // a browser has some, and no more
          document.body.innerHTML = page;
        }""",
        PAGE,
    )


def car(looks=(), scenery=(), size=1.0, clouds=(), fields=(), **more):
    """The page's data of a box that floats, with the pose of its frame at the origin."""
    m = sb.Model("car")
    m.body("body", joints="free", mass=1.0, inertia=(0.1, 0.2, 0.3))
    made = scene(m, looks={"body": looks or [Look("box", placed(size=size), BLUE)]}, scenery=scenery)
    made.parts = [p for p in made.parts if p.role in ("body", "scenery")]
    made.clouds, made.fields = list(clouds), list(fields)
    still = BodyMotion(np.zeros(1), np.zeros((1, 2, 3)), np.tile(np.eye(3), (1, 2, 1, 1)))
    around = Surroundings(**{"cameras": [RIDE], "grid": False, **more})
    return page_data("", made, still, camera(made, still), 1.0, around)


def opened(page, data):
    script = """data => {
      const [view, words] = ["view", "words"].map((id) => document.getElementById(id));
      window.seen = makeView(data, view, words);
      seen.fit();
      seen.draw();
      window.gl = view.getContext("webgl2");
      window.pixel = ([x, y]) => { // red, green, blue, opacity of a place of the picture
        const found = new Uint8Array(4);
        seen.draw();
        gl.readPixels(Math.floor(x), view.height - 1 - Math.floor(y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
        return [...found];
      };
    }"""
    page.evaluate(script, json.loads(json.dumps(data)))


def put(page, position, rotation):
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    page.evaluate("([p, q]) => seen.put(1, p, q)", [list(position), [w, x, y, z]])


def pixel(page, x, y):
    return page.evaluate("at => pixel(at)", [x, y])


def projected(position, rotation, point):
    """Where a point of space is in the picture from the seat, by the rules of perspective."""
    depth, left, up = rotation.T @ (np.array(point) - position) - EYE
    scale = HIGH / 2 / np.tan(np.radians(FIELD) / 2) / depth
    return [WIDE / 2 - scale * left, HIGH / 2 - scale * up]


# -- seats ------------------------------------------------------------------------------------------------------------


def test_a_seat_shows_what_its_body_would_see(page):
    opened(page, car())
    outside = page.evaluate("seen.onCanvas([4, 1, 0.5])")
    page.evaluate("seen.ride(0)")
    chance = np.random.default_rng(1)
    for angles in ((0, 0, 0), (10, -5, 70), (25, 10, -130)):
        position, rotation = chance.normal(size=3), Rotation.from_euler("xyz", angles, degrees=True).as_matrix()
        put(page, position, rotation)
        point = position + rotation @ (EYE + np.array([6.0, 0.7, -0.4]))
        assert page.evaluate("p => seen.onCanvas(p)", point.tolist()) == pytest.approx(
            projected(position, rotation, point), abs=0.1
        )
    put(page, (0, 0, 0), np.eye(3))
    page.evaluate("seen.ride(null)")
    assert page.evaluate("seen.onCanvas([4, 1, 0.5])") == pytest.approx(outside)


def test_up_is_the_axis_of_the_body_that_points_up(page):
    """A body whose y is up: what is above stays above."""
    opened(page, car())
    rotation = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    put(page, (0, 0, 0), rotation)
    page.evaluate("seen.ride(0)")
    eye = rotation @ np.array(EYE)
    x, y = page.evaluate("p => seen.onCanvas(p)", (eye + np.array([5.0, 0.0, 1.0])).tolist())
    assert x == pytest.approx(WIDE / 2, abs=0.1)
    assert y < HIGH / 2


def test_what_is_about_the_eye_is_not_drawn_and_the_bonnet_is(page):
    cabin = Look("box", placed((0.2, 0, 0.8), size=1.0), BLUE)
    bonnet = Look("box", placed((1.6, 0, 0.3), size=0.5), RED)
    opened(page, car([cabin, bonnet]))
    page.evaluate("seen.ride(0)")
    assert pixel(page, WIDE / 2, HIGH / 2)[3] == 0
    red, green, blue, opacity = pixel(page, *projected(np.zeros(3), np.eye(3), (1.35, 0.0, 0.3)))
    assert (opacity, green, blue) == (255, pytest.approx(0, abs=45), pytest.approx(0, abs=45))
    assert red > 80
    page.evaluate("seen.ride(null)")
    assert pixel(page, *page.evaluate("seen.onCanvas([0.2, 0, 0.8])"))[2] > 60


def test_dragging_looks_around_a_little_and_a_double_click_looks_ahead(page):
    opened(page, car())
    page.evaluate("() => { seen.handle(() => seen.draw()); seen.ride(0); }")
    ahead = page.evaluate("seen.onCanvas([9, 0, 0.8])")
    page.mouse.move(200, 150)
    page.mouse.down()
    page.mouse.move(260, 130, steps=3)
    page.mouse.up()
    x, y = page.evaluate("seen.onCanvas([9, 0, 0.8])")
    assert x - ahead[0] == pytest.approx(60, abs=8)  # the world goes with the pointer
    assert y - ahead[1] == pytest.approx(-20, abs=5)
    for _ in range(5):
        page.mouse.move(0, 150)
        page.mouse.down()
        page.mouse.move(399, 150, steps=2)
        page.mouse.up()
    assert page.evaluate("seen.onCanvas([9, 0, 0.8])")[0] > WIDE  # far aside, yet not behind
    page.mouse.dblclick(200, 150)
    assert page.evaluate("seen.onCanvas([9, 0, 0.8])") == pytest.approx(ahead)


def test_views_are_chosen_from_a_list(page):
    opened(page, car())
    page.evaluate("seen.switches(document.getElementById('switches'), () => seen.draw())")
    seats = page.get_by_label("View from")
    assert seats.locator("option").all_text_contents() == ["Outside", "Seat"]
    outside = page.evaluate("seen.onCanvas([9, 0, 0.8])")
    seats.select_option("Seat")
    assert page.evaluate("seen.onCanvas([9, 0, 0.8])") == pytest.approx([WIDE / 2, HIGH / 2], abs=0.1)
    page.evaluate("seen.ride(null)")
    assert seats.input_value() == "Outside"
    assert page.evaluate("seen.onCanvas([9, 0, 0.8])") == pytest.approx(outside)


# -- scenery ----------------------------------------------------------------------------------------------------------


def sheet(width, length):
    """A flat rectangle, x from −length to length."""
    x, y = length, width / 2
    corners = np.array([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], dtype=float)
    return Mesh(corners, np.tile([0.0, 0, 1], (4, 1)), np.array([(0, 1, 2), (0, 2, 3)]))


def test_a_road_is_seen_to_the_horizon_where_it_fades(page):
    road = [Look(sheet(20.0, 800.0), placed((0, 0, -0.5)), ROAD), Look(sheet(4.0, 800.0), placed((0, 0, -0.5)), GREEN)]
    opened(page, car(scenery=road))
    page.evaluate("seen.ride(0)")
    high = np.array([0.0, 0.0, 25.0])
    put(page, high, np.eye(3))
    along = [(x, 0.0, -0.5) for x in (50.0, 100.0, 250.0, 550.0, 690.0)]
    seen = [pixel(page, *projected(high, np.eye(3), point)) for point in along]
    opacity = [colour[3] for colour in seen]
    assert opacity[:3] == [255, 255, 255]
    assert 255 > opacity[3] > opacity[4] > 0
    assert seen[0][1] > 2 * seen[0][0]  # the line lies on the road although both are at one height
    grey = pixel(page, *projected(high, np.eye(3), (50.0, 4.0, -0.5)))
    assert max(grey[:3]) - min(grey[:3]) < 12
    assert pixel(page, WIDE / 2, 20)[3] == 0  # sky


def test_what_stands_hides_and_is_hidden(page):
    """A red box before a green one, on the road and off it, from both sides."""
    boxes = [Look(box(), placed((x, 0, 0.5)), colour) for x, colour in ((6.0, RED), (9.0, GREEN))]
    opened(page, car(scenery=[Look(sheet(4.0, 100.0), placed((0, 0, -0.5)), ROAD), *boxes]))
    page.evaluate("seen.ride(0)")
    red, green, _, opacity = pixel(page, WIDE / 2, HIGH / 2)
    assert (red > 100, green < 60, opacity) == (True, True, 255)
    put(page, (15.0, 0, 0), Rotation.from_euler("z", 180, degrees=True).as_matrix())
    red, green, _, opacity = pixel(page, WIDE / 2, HIGH / 2)
    assert (red < 60, green > 100, opacity) == (True, True, 255)
    put(page, (30.0, 0, 0), np.eye(3))  # all of it is behind
    assert pixel(page, WIDE / 2, HIGH / 2)[3] == 0


def test_scenery_does_not_move_the_camera(page):
    opened(page, car())
    alone = page.evaluate("seen.onCanvas([0.5, 0.5, 0.5])")
    opened(page, car(scenery=[Look(sheet(20.0, 800.0), placed((0, 0, -0.5)), ROAD)]))
    assert page.evaluate("seen.onCanvas([0.5, 0.5, 0.5])") == pytest.approx(alone)


def test_the_grid_is_there_unless_it_is_not_wanted(page):
    drawn = """() => {
      let n = 0;
      const call = gl.drawArrays;
      gl.drawArrays = () => { n++; };
      seen.draw();
      gl.drawArrays = call;
      return n;
    }"""
    opened(page, car(grid=True))
    assert page.evaluate(drawn) == 1
    opened(page, car(grid=False))
    assert page.evaluate(drawn) == 0


# -- levels of detail, renewed shapes, what is spared -----------------------------------------------------------------

COUNTED = """() => {
  let n = 0;
  const { drawElements, drawElementsInstanced } = gl;
  gl.drawElements = (...a) => { n += a[1] / 3; drawElements.apply(gl, a); };
  gl.drawElementsInstanced = (...a) => { n += (a[1] / 3) * a[4]; drawElementsInstanced.apply(gl, a); };
  seen.draw();
  Object.assign(gl, { drawElements, drawElementsInstanced });
  return n;
}"""
PICTURE = """() => {
  seen.draw();
  const { width, height } = gl.canvas, found = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, found);
  return packed(found.filter((_, i) => i % 4 === 3));
}""".replace("packed", PACKED)


@pytest.mark.slow
def test_what_is_far_has_few_triangles_and_the_same_outline(page):
    counts = []
    for away in (2.0, 10.0, 25.0):
        data = car([Look("ball", placed((away, 0, 0.8), size=0.5), RED)])
        opened(page, data)
        page.evaluate("() => { seen.shown.sharpness = 0.7; seen.ride(0); }")  # no shadows
        counts.append(page.evaluate(COUNTED))
        coarse = unpacked(page.evaluate(PICTURE), "u1") > 0
        finest = {**data, "meshes": [[*row[:2], -1, *row[3:]] for row in data["meshes"]]}
        opened(page, finest)
        page.evaluate("() => { seen.shown.sharpness = 0.7; seen.ride(0); }")
        fine = unpacked(page.evaluate(PICTURE), "u1") > 0
        rim = 2 * np.sqrt(np.pi * fine.sum())  # pixels around it
        assert fine.sum() > 3
        assert (coarse != fine).sum() <= rim
    assert counts[0] > 2 * counts[1] > 2 * counts[2]


def test_renewed_shapes_leave_the_camera_where_it_is(page):
    opened(page, car(size=1.0))
    before, at = page.evaluate("seen.onCanvas([1, 1, 1])"), page.evaluate("seen.onCanvas([0, 0, 0.45])")
    assert pixel(page, *at)[3] == 255
    page.evaluate("data => seen.renew(data)", json.loads(json.dumps(car(size=0.3))))
    assert pixel(page, *at)[3] == 0
    assert page.evaluate("seen.onCanvas([1, 1, 1])") == pytest.approx(before)


def test_pictures_get_cheaper_when_there_are_few_and_better_again(page):
    opened(page, car())
    sharpness = "seen.shown.sharpness"
    page.evaluate("() => { for (let k = 0; k < 20; k++) seen.pace(12); }")
    least = page.evaluate(sharpness)
    assert 0.2 < least < 0.5
    page.evaluate("seen.draw()")
    assert page.evaluate("gl.canvas.width") == pytest.approx(least * WIDE, abs=1)
    page.evaluate("() => { for (let k = 0; k < 10; k++) seen.pace(35); }")
    assert page.evaluate(sharpness) == least  # enough, but nothing to spare
    page.evaluate("() => { for (let k = 0; k < 60; k++) seen.pace(60); }")
    assert page.evaluate(sharpness) == 1


def test_a_sharper_picture_that_was_too_much_is_tried_ever_less_often(page):
    opened(page, car())
    tries = """() => { // a machine that draws 60 coarse pictures a second, or 20 sharp ones
      let n = 0, was = seen.shown.sharpness;
      for (let k = 0; k < 200; k++) {
        seen.pace(seen.shown.sharpness > 0.6 ? 25 : 60);
        if (seen.shown.sharpness > was) n++;
        was = seen.shown.sharpness;
      }
      return n;
    }"""
    assert 2 <= page.evaluate(tries) <= 8


def test_no_more_pictures_are_due_than_leave_the_processor_to_others(page):
    opened(page, car())
    screen = (
        "hz => { let n = 0; for (let k = 0; k < 10 * hz; k++) n += seen.due(1000 * k / hz + k % 2); return n / 10; }"
    )
    assert page.evaluate(screen, 60) == pytest.approx(40, abs=1)
    opened(page, car())
    assert page.evaluate(screen, 25) == 25


def test_the_sheet_for_words_is_there_only_with_words(page):
    opened(page, car())
    style = "() => { seen.draw(); seen.draw(); return document.getElementById('words').style.display; }"
    assert page.evaluate(style) == "none"
    page.evaluate("seen.shown.labels = true")
    assert page.evaluate(style) == ""
    page.evaluate("seen.shown.labels = false")
    assert page.evaluate(style) == "none"
    assert page.evaluate("() => { seen.draw(); seen.pen.fillRect(0, 0, 9, 9); return words.style.display; }") == ""


# -- what changes its shape, and what shares a place ------------------------------------------------------------------


def test_balls_of_a_cloud_are_where_they_are_told_to_be(page):
    opened(page, car(clouds=[Cloud(0, 5000, 0.1, GREEN)]))
    page.evaluate("seen.ride(0)")
    ball = page.evaluate("seen.onCanvas([6, 1, 1.5])")
    assert pixel(page, *ball)[3] == 0
    page.evaluate("seen.cloud(0, new Float32Array([6, 1, 1.5, 6, -1, 1.5]))")
    red, green, blue, opacity = pixel(page, *ball)
    assert (opacity, red, blue) == (255, 0, 0)
    assert green > 100
    radius = 0.1 / 5.8 * HIGH / 2 / np.tan(np.radians(FIELD) / 2)  # pixels: the eye is 0.2 m before the origin
    assert pixel(page, ball[0], ball[1] - 0.7 * radius)[3] == 255
    assert pixel(page, ball[0], ball[1] - 1.6 * radius)[3] == 0
    page.evaluate("seen.cloud(0, new Float32Array(15000).fill(6))")
    assert pixel(page, *ball)[3] == 0


def test_balls_have_their_own_sizes_and_colours(page):
    opened(page, car(clouds=[Cloud(0, 10, 0.2, GREEN)]))
    page.evaluate("seen.ride(0)")
    large, small = page.evaluate("[[6, 1, 1.5], [6, -1, 1.5]].map((place) => seen.onCanvas(place))")
    page.evaluate("seen.balls(0, 3, new Uint32Array([7, 8]), new Uint8Array([255, 0, 0, 255, 0, 0, 255, 128]))")
    page.evaluate("seen.cloud(0, new Float32Array([6, 1, 1.5, 6, -1, 1.5]))")
    assert pixel(page, *large)[0] > 100 > pixel(page, *large)[2]
    assert pixel(page, *small)[2] > 100 > pixel(page, *small)[0]
    radius = 0.2 / 5.8 * HIGH / 2 / np.tan(np.radians(FIELD) / 2)  # pixels
    assert pixel(page, large[0] + 0.75 * radius, large[1])[3] == 255
    assert pixel(page, small[0] + 0.4 * radius, small[1])[3] == 255
    assert pixel(page, small[0] + 0.75 * radius, small[1])[3] == 0
    page.evaluate(
        "seen.balls(0, 1, new Uint32Array([7, 8]), new Uint8Array([0, 0, 0, 255, 0, 0, 0, 255]))"
    )  # sizes only
    red, green, blue, _ = pixel(page, *large)
    assert (red, blue) == (0, 0)
    assert green > 100
    assert pixel(page, small[0] + 0.75 * radius, small[1])[3] == 255


def test_balls_glide_between_messages_and_a_new_one_is_not_dragged(page):
    opened(page, car(clouds=[Cloud(0, 10, 0.2, GREEN)]))
    page.evaluate("seen.ride(0)")
    first, middle, last, new = page.evaluate("[1, 0.5, 0, -1].map((y) => seen.onCanvas([6, y, 1.5]))")
    page.evaluate(
        """() => {
          window.now = 1000;
          performance.now = () => now;
          seen.balls(0, 0, new Uint32Array([7, 8]), new Uint8Array(8));
          seen.cloud(0, new Float32Array([6, 1, 1.5, 6, 9, 1.5]));
          now += 100;
          seen.balls(0, 0, new Uint32Array([7, 9]), new Uint8Array(8)); // 8 has gone, and 9 has its row
          seen.cloud(0, new Float32Array([6, 0, 1.5, 6, -1, 1.5]));
        }"""
    )
    assert [pixel(page, *place)[3] for place in (first, middle, last, new)] == [255, 0, 0, 255]
    assert page.evaluate("seen.gliding()")
    page.evaluate("now += 50")
    assert [pixel(page, *place)[3] for place in (first, middle, last, new)] == [0, 255, 0, 255]
    page.evaluate("now += 60")
    assert [pixel(page, *place)[3] for place in (first, middle, last, new)] == [0, 0, 255, 255]
    assert not page.evaluate("seen.gliding()")
    page.evaluate("delete performance.now")


def test_a_trail_is_drawn_behind_a_body_and_grows(page):
    above = RIDE | {"kind": "fixed", "frame": 0, "eye": (-4.0, 0.0, 4.0), "ahead": (1.0, 0.0, -0.6)}
    data = car(trails=[(1, (0.0, 0.0, -1.0), 0.5, RED)], cameras=[above])
    opened(page, data)
    page.evaluate("seen.ride(0)")
    floor = data["camera"]["floor"]

    def driven(places, height=1.0):
        """The red pixels after the body was at some places along x."""
        for x in places:
            put(page, (x, 0.0, floor + height), np.eye(3))
            page.evaluate("seen.draw()")
        return page.evaluate(
            """() => {
              seen.draw();
              const found = new Uint8Array(4 * view.width * view.height);
              gl.readPixels(0, 0, view.width, view.height, gl.RGBA, gl.UNSIGNED_BYTE, found);
              return found.filter((x, k) => k % 4 === 0 && x > 120 && found[k + 1] < 110 && found[k + 2] < 110).length;
            }"""
        )

    start, short, long = driven([0.0]), driven([0.4, 0.8, 1.2]), driven([1.6, 2.0, 2.4, 2.8])
    assert start == 0
    assert 50 < short < long
    assert driven([2.8]) == long  # at rest
    flown = driven([3.2, 3.6, 4.0, 4.4], height=3.0)
    assert flown == long  # in the air
    assert driven([4.4, 4.8, 5.2]) > flown


def test_a_patch_lifts_its_part_of_a_height_field(page):
    opened(page, car(fields=[HeightField(0, (21, 21), (0.5, 0.5), (5.0, -5.0, -1.0), RED)]))
    page.evaluate("seen.ride(0)")
    wall = page.evaluate("seen.onCanvas([8, 0, 0.8])")
    assert pixel(page, *wall)[3] == 0
    assert pixel(page, *page.evaluate("seen.onCanvas([8, 0, -1])"))[3] == 255
    page.evaluate("seen.patch(0, 9, 5, 3, 3, new Float32Array(9).fill(2.5))")  # over x = 7.5 … 8.5, y = −0.5 … 0.5
    assert pixel(page, *wall)[3] == 255
    assert pixel(page, *page.evaluate("seen.onCanvas([8, 3, 0.8])"))[3] == 0
    assert "beyond the edge" in page.evaluate(
        "() => { try { seen.patch(0, 20, 0, 2, 1, new Float32Array(2)); } catch (error) { return error.message; } }"
    )


def test_two_shapes_at_one_place_do_not_flicker(page):
    """Boxes of two bodies that share all their surfaces: one colour is seen, wherever the eye goes."""
    m = sb.Model("pair")
    for name in ("one", "other"):
        m.body(name, joints="free", mass=1.0, inertia=(0.1, 0.2, 0.3))
    looks = {"one": [Look("box", placed(), RED)], "other": [Look("box", placed(), GREEN)]}
    made = scene(m, looks=looks)
    made.parts = [p for p in made.parts if p.role == "body"]
    still = BodyMotion(np.zeros(1), np.zeros((1, 3, 3)), np.tile(np.eye(3), (1, 3, 1, 1)))
    opened(page, page_data("", made, still, camera(made, still), 1.0, Surroundings(grid=False)))
    mixed = """() => {
      const { width, height } = gl.canvas, found = new Uint8Array(4 * width * height), seenOf = { red: 0, green: 0 };
      for (const key of ["ArrowLeft", "ArrowUp", "ArrowLeft", "ArrowDown"]) {
        seen.steer(key, false);
        seen.draw();
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, found);
        for (let k = 0; k < found.length; k += 4) {
          if (found[k] > found[k + 1] + 40) seenOf.red++;
          if (found[k + 1] > found[k] + 40) seenOf.green++;
        }
      }
      return seenOf;
    }"""
    counts = page.evaluate(mixed)
    assert counts["red"] > 5000
    assert counts["green"] < 0.01 * counts["red"]


@pytest.mark.slow
@pytest.mark.parametrize("care", ["sharp", "best"])
def test_a_shadow_lies_on_the_floor_away_from_the_sun(page, care):
    """Of a ball above the floor: along the light (0.45, −0.5, 0.9), and once, however many shapes are there."""
    ball, twin = (Look("ball", placed((0.0, 0.0, 1.0), size=0.3), RED) for _ in range(2))
    feet = Look("box", placed((2.0, 2.0, -0.45), size=0.1), BLUE)  # they say where the floor is
    data = car([ball, twin, feet])
    opened(page, data)
    page.evaluate("care => seen.refine(care)", care)
    floor = data["camera"]["floor"]
    rise = 1.0 - floor
    lit, dark = ([x, y, floor] for x, y in ((0.9, 0.9), (-0.5 * rise, 0.5 / 0.9 * rise)))
    assert pixel(page, *page.evaluate("p => seen.onCanvas(p)", lit))[3] == 0
    shade = pixel(page, *page.evaluate("p => seen.onCanvas(p)", dark))
    assert shade[:3] == [0, 0, 0]
    assert shade[3] == pytest.approx(0.14 * 255, abs=2)


# -- materials, ground, images ----------------------------------------------------------------------------------------


def test_glass_is_seen_in_front_of_what_stands_about(page):
    """The meshes of surroundings have no place of their own: by these places the glass would be the farther one."""
    across = RIDE | {"kind": "fixed", "frame": 0, "eye": (-4.0, 0.0, 0.0), "ahead": (1.0, 0.0, 0.0)}
    wall = Look(box(), placed((30.0, 0.0, 0.0), size=20.0), RED)
    data = car([Look("box", placed((9.0, 0.0, 0.0), size=2.0), BLUE, 0.5)], [wall], cameras=[across])
    opened(page, data)
    page.evaluate("() => { seen.ride(0); while (seen.draw()); }")
    through, aside = (pixel(page, *page.evaluate("p => seen.onCanvas(p)", [8, y, 0])) for y in (0, 3))
    assert aside[2] < 60 < 120 < aside[0]
    assert through[2] > aside[2] + 60
    assert 60 < through[0] < aside[0] - 20


@pytest.mark.parametrize("care", ["sharp", "best"])
def test_the_ground_hides_nothing_and_is_seen_through_glass(page, care):
    """A body that has sunk into the ground, and one of glass: the ground is drawn last, and below all shapes."""
    above = RIDE | {"kind": "fixed", "frame": 0, "eye": (0.0, -3.0, 2.0), "ahead": (0.0, 3.0, -2.0)}
    pane = Look("box", placed((2.0, 0.0, 0.0), size=0.5), GREEN, 0.4)
    data = car([Look("box", placed(), BLUE), pane], sky=True, ground="soil", cameras=[above])
    opened(page, data)
    page.evaluate("care => { seen.refine(care); seen.ride(0); while (seen.draw()); }", care)
    put(page, (0.0, 0.0, data["camera"]["floor"] - 0.2), np.eye(3))
    floor = data["camera"]["floor"]
    at = [[0.0, 0.0, floor - 0.1], [2.0, 0.0, floor], [-2.0, 0.0, floor]]
    body, glass, ground = (pixel(page, *page.evaluate("p => seen.onCanvas(p)", point)) for point in at)
    assert body[2] > body[0] + 60  # blue all the same
    assert ground[0] > ground[2]  # soil
    assert glass[1] - glass[0] > ground[1] - ground[0] + 20
    assert glass[0] > 0.3 * ground[0]


@pytest.mark.parametrize("place", [(0.0, 0.0), (-3000.0, 800.0), (60_000.0, -9000.0)])
def test_the_ground_goes_to_the_horizon_wherever_the_machine_is(page, place):
    opened(page, car(sky=True, ground="grass"))
    page.evaluate("seen.ride(0)")
    page.evaluate("() => { while (seen.draw()); }")  # the first pictures come part by part
    for turn in (0, 120, 240):
        put(page, (*place, 0.5), Rotation.from_euler("z", turn, degrees=True).as_matrix())
        column = [pixel(page, WIDE / 2, y) for y in (20, HIGH / 2 + 3, HIGH - 10)]
        assert [colour[3] for colour in column] == [255, 255, 255]  # nowhere a hole
        sky, far, near = column
        assert near[1] > near[0] > near[2]  # grass
        assert sky[2] > sky[1] > sky[0]
        assert np.ptp(far[:3]) < 0.5 * np.ptp(near[:3])  # haze has less colour


def test_without_a_sky_the_ground_is_a_disc_below_the_machine(page):
    opened(page, car(ground="soil"))
    page.evaluate("() => { while (seen.draw()); }")
    below, above = (pixel(page, WIDE / 2, y) for y in (HIGH - 20, 5))
    assert below[3] > 100
    assert below[0] > below[2]
    assert above[3] == 0


def roughness(page, material, care):
    """Mean difference of neighbouring pixels on a face, as the material is drawn."""
    opened(page, car([Look("box", placed(), "#a08060", material=material)]))
    page.evaluate("care => { seen.refine(care); seen.look('Front'); }", care)
    pixels = page.evaluate(
        """() => {
          seen.draw();
          const found = new Uint8Array(4 * 60 * 60);
          gl.readPixels(gl.canvas.width / 2 - 30, gl.canvas.height / 2 - 30, 60, 60, gl.RGBA, gl.UNSIGNED_BYTE, found);
          return packed(found);
        }""".replace("packed", PACKED)
    )
    grey = unpacked(pixels, "u1").astype(float).reshape(60, 60, 4)[..., :3].mean(axis=2)
    return np.abs(np.diff(grey, axis=0)).mean() + np.abs(np.diff(grey, axis=1)).mean()


@pytest.mark.slow
def test_wood_has_a_grain_and_paint_has_none(page):
    paint, wood = (roughness(page, material, "best") for material in ("paint", "wood"))
    assert wood > 2.0
    assert wood > 5.0 * paint
    assert roughness(page, "wood", "quick") < 0.2 * wood  # a processor draws no patterns in time
    assert page.evaluate("() => { seen.refine('quick'); return seen.level(); }") == "plain"
    assert page.evaluate("() => { seen.refine('best'); return seen.level(); }") == "full"


@pytest.mark.slow
def test_metal_mirrors_the_sky_and_rubber_does_not(page):
    """The same ball in two materials: its upper half against its lower one."""
    contrast = {}
    for material in ("steel", "rubber"):
        opened(page, car([Look("ball", placed(), "#9098a0", material=material)]))
        page.evaluate("() => { seen.refine('quick'); seen.look('Front'); }")
        middle = page.evaluate("seen.onCanvas([0, 0, 0])")
        up, down = (sum(pixel(page, middle[0], middle[1] + y)[:3]) for y in (-45, 45))
        contrast[material] = up / down
    assert contrast["steel"] > 1.4 * contrast["rubber"]


def png(rows):
    """An image of rows of (red, green, blue)."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    lines = b"".join(b"\0" + bytes(np.ravel(row).tolist()) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


@pytest.mark.slow
@pytest.mark.parametrize("care", ["quick", "best"])
def test_an_image_lies_on_its_mesh_the_right_way_up(page, care):
    red, green, blue, white = (220, 20, 20), (20, 220, 20), (20, 20, 220), (220, 220, 220)
    image = Texture(png([[red] * 8 + [green] * 8] * 8 + [[blue] * 8 + [white] * 8] * 8), "image/png")
    corners = np.array(
        [(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)], dtype=float
    )  # y to the right, z up, seen along −x
    uv = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=float)
    wall = Mesh(corners, np.tile([1.0, 0, 0], (4, 1)), np.array([(0, 1, 2), (0, 2, 3)]), uv=uv)
    opened(page, car([Look(wall, placed(), texture=image)]))
    page.evaluate("care => { seen.refine(care); seen.look('Front'); }", care)
    spots = [
        page.evaluate("p => seen.onCanvas(p)", [0, y, z])
        for y, z in ((-0.5, 0.5), (0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))
    ]
    eventually(lambda: max(pixel(page, *spots[0])[:3]) > 1.5 * min(pixel(page, *spots[0])[:3]))  # it is decoded
    seen = [pixel(page, *spot)[:3] for spot in spots]
    assert [int(np.argmax(colour)) for colour in seen[:3]] == [0, 1, 2]
    assert np.ptp(seen[3]) < 30


@pytest.mark.slow
def test_the_floor_is_dark_where_something_touches_it(page):
    """Beside a box, on the side of the sun, where its shadow does not lie; farther away there is nothing."""
    data = car([Look("box", placed((0.0, 0.0, 0.5)), RED)])
    opened(page, data)
    page.evaluate("seen.refine('best')")
    floor = data["camera"]["floor"]
    near, far = (page.evaluate("p => seen.onCanvas(p)", [x, 0.0, floor]) for x in (0.53, 1.0))
    assert pixel(page, *near)[3] > 20
    assert pixel(page, *far)[3] < 6
