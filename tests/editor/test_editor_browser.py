"""The editor in a real browser, by pointer and keyboard events alone."""

from pathlib import Path

import pytest
from test_editor_meshes import cube

import symbody as sb
from symbody.editor.application import EditorApplication
from symbody.editor.document import NEW, ModelDocument, open_document
from symbody.studio.photograph import browser
from symbody.web.server import WebServer
from waiting import PATIENCE

pytestmark = [pytest.mark.clock, pytest.mark.slow]
SHARED = Path(__file__).parents[3] / "shared" / "robotran"


@pytest.fixture(scope="module")
def chrome():
    with browser() as started:
        yield started


@pytest.fixture(autouse=True)
def own_drafts(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))


class Hand:
    """A person at the page: clicks, drags and types, and waits until the page shows the result."""

    def __init__(self, chrome, server, **options):
        self.page = chrome.new_page(**{"viewport": {"width": 1400, "height": 860}, "bypass_csp": True, **options})
        self.page.set_default_timeout(1000 * PATIENCE)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.goto(server.address)
        self.page.wait_for_function("() => window.shownVersion !== undefined")

    @property
    def version(self) -> int:
        return self.page.evaluate("editor.news().version")

    @property
    def data(self):
        return self.page.evaluate("editor.news().data")

    def after(self, version: int) -> None:
        self.page.wait_for_function(
            "old => editor.news().version > old && window.shownVersion === editor.news().version", arg=version
        )

    def click(self, selector: str) -> None:
        version = self.version
        self.page.click(selector)
        self.after(version)

    def type(self, label: str, text: str, where: str = "#panel") -> None:
        version, field = self.version, self.page.locator(where).get_by_label(label, exact=True).first
        if field.input_value() == text:
            return
        field.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text) if text else self.page.keyboard.press("Delete")
        self.page.keyboard.press("Enter")
        self.after(version)

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.page.locator(selector).first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def port(self, node: str, point: str) -> str:
        return f'[data-id="{node}"] [data-point="{point}"]'

    def drag(self, start: str, end: str, changes: bool = True) -> None:
        version = self.version
        self.page.mouse.move(*self.middle(start))
        self.page.mouse.down()
        self.page.mouse.move(*self.middle(end), steps=6)
        self.page.mouse.up()
        if changes:
            self.after(version)

    def select(self, node: str) -> None:
        self.page.mouse.click(*self.middle(f'[data-id="{node}"] > rect'))

    def body(self, name: str, mass: float, com: float, tip: float, q0: float) -> None:
        """Names and numbers of the body that was just added."""
        self.page.wait_for_selector("#panel h2 input")
        self.type("Name", name)
        for label, text in (("mass", f"{mass}"), ("com", f"{com}, 0, 0"), ("inertia", ""), ("q0", f"{q0}")):
            self.type(label, text)
        self.type("Position of tip", f"{tip}, 0, 0")


@pytest.fixture
def drawn(chrome, tmp_path):
    """A new document on a page."""
    path = tmp_path / "four-bar.yaml"
    with WebServer({"/": EditorApplication(ModelDocument(NEW, path))}) as server:
        hand = Hand(chrome, server)
        yield hand, path
        hand.page.close()
    assert hand.errors == []


def readme_model() -> sb.Model:
    """The four-bar of the README."""
    m = sb.Model("four-bar")
    m.parameter("k", 120.0, unit="N/m")
    pivot = m.ground.point("pivot", (0.7, 0, 0))
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(-1.2,))], mass=1.0, com=(0.15, 0, 0))
    tip = crank.point("tip", (0.3, 0, 0))
    coupler = m.body("coupler", tip, [sb.Joint("coupler", "R2", q0=(0.6,))], 2.0, (0.4, 0, 0))
    rocker = m.body("rocker", pivot, [sb.Joint("rocker", "R2", q0=(-1.4,))], mass=1.5, com=(0.3, 0, 0))
    m.cut("loop", "ball", coupler.point("tip", (0.8, 0, 0)), rocker.point("tip", (0.6, 0, 0)))
    m.link("spring", "ground", rocker["tip"])(lambda length, rate, p: p.k * (length - 0.5) + 2.0 * rate)
    return m


def test_the_four_bar_of_the_readme_is_drawn_closed_simulated_and_saved(drawn):
    hand, path = drawn
    hand.click('[data-part="body"]')
    hand.body("crank", 1, 0.15, 0.3, -1.2)
    hand.click('[data-part="body"]')  # on the tip of the crank, which is selected
    hand.body("coupler", 2, 0.4, 0.8, 0.6)
    hand.select("ground")
    hand.page.wait_for_selector("#panel h2:has-text('Ground')")
    hand.click("#panel button:has-text('Add a point')")
    hand.type("Name of the point", "pivot")
    hand.type("Position of pivot", "700 mm, 0, 0")
    hand.drag('[data-part="body"]', hand.port("ground", "pivot"))
    hand.body("rocker", 1.5, 0.3, 0.6, -1.4)
    hand.drag(hand.port("bodies.coupler", "tip"), hand.port("bodies.rocker", "tip"))
    assert hand.data["cuts"] == {"loop": {"kind": "ball", "between": ["coupler.tip", "rocker.tip"]}}
    hand.page.mouse.click(*(x + 8 for x in (hand.page.locator("#drawing").bounding_box()[k] for k in ("x", "y"))))
    hand.click("#panel button:has-text('Add a parameter')")
    hand.type("Value of k", "120")
    hand.type("Unit of k", "N/m")
    hand.type("name", "four-bar")
    hand.page.select_option("#connect", "link")
    hand.drag(hand.port("ground", "origin"), hand.port("bodies.rocker", "tip"))
    hand.page.click("#panel .cm-content")
    version = hand.version
    hand.page.keyboard.press("Control+A")
    hand.page.keyboard.type("k*(length - 0.5) + 2.0*rate")
    hand.page.keyboard.press("Escape")
    hand.page.keyboard.press("Tab")
    hand.page.locator("#until").focus()
    hand.after(version)
    hand.page.click('[data-run="simulate"]')
    hand.page.wait_for_function("() => ['done', 'failed'].includes(document.getElementById('job').dataset.state)")
    assert hand.page.inner_text("#job") == ""
    hand.page.keyboard.press("Control+s")
    hand.page.wait_for_function("() => editor.news().saved")
    run = sb.simulate(sb.system(readme_model()), until=2.0, dt=1e-3)
    last = hand.page.evaluate("editor.result().last")
    for channel in ("crank.q", "coupler.q", "rocker.q", "rocker.qd"):
        assert last[channel] == pytest.approx(run[channel][-1], rel=1e-9, abs=1e-12)
    again = sb.simulate(sb.system(sb.load(path)), until=2.0, dt=1e-3)
    assert again["rocker.q"][-1] == pytest.approx(run["rocker.q"][-1], rel=1e-9)


def test_edits_are_undone_by_keys_and_symbols_can_be_moved(chrome, tmp_path):
    path = tmp_path / "bar.yaml"
    path.write_text(NEW + "bodies:\n  bar: {on: ground, joints: R2, mass: 1, points: {tip: [1, 0, 0]}}  # mine\n")
    original = path.read_text()
    with WebServer({"/": EditorApplication(open_document(path))}) as server:
        hand = Hand(chrome, server)
        before = hand.middle('[data-id="bodies.bar"] > rect')
        version = hand.version
        hand.page.mouse.move(*before)
        hand.page.mouse.down()
        hand.page.mouse.move(before[0] + 60, before[1] + 40, steps=5)
        hand.page.mouse.up()
        hand.after(version)
        after = hand.middle('[data-id="bodies.bar"] > rect')
        assert after == pytest.approx((before[0] + 60, before[1] + 40), abs=2)
        hand.select("bodies.bar")
        hand.page.wait_for_selector("#panel h2 input")
        hand.type("mass", "2500 g")
        assert hand.data["bodies"]["bar"]["mass"] == 2.5
        hand.page.locator("#drawing").focus()
        version = hand.version
        hand.page.keyboard.press("Delete")
        hand.after(version)
        assert "bodies" not in hand.data
        for _ in range(3):
            version = hand.version
            hand.page.keyboard.press("Control+z")
            hand.after(version)
        assert hand.page.evaluate("editor.news().text") == original
        hand.page.close()
        assert hand.errors == []


def test_names_with_markup_stay_text(chrome):
    name = "<img src=x onerror=window.bad=1>"
    text = NEW + f'bodies:\n  "{name}": {{on: ground, joints: R2, mass: 1}}\n'
    with WebServer({"/": EditorApplication(ModelDocument(text))}) as server:
        hand = Hand(chrome, server)
        hand.page.wait_for_selector("#remarks .error")
        assert name in hand.page.inner_text("#remarks")
        assert hand.page.evaluate("window.bad") is None
        hand.page.close()
        assert hand.errors == []


def test_two_browsers_share_one_pen(chrome):
    with WebServer({"/": EditorApplication(ModelDocument(NEW))}) as server:
        first, second = Hand(chrome, server), Hand(chrome, server)
        second.page.wait_for_selector("#pen:visible")
        second.page.evaluate("() => document.querySelector('[data-part=\"body\"]').click()")
        second.page.wait_for_selector("#said.warn")
        assert "bodies" not in first.data
        second.page.click("#pen")
        first.page.wait_for_selector("#pen:visible")
        version = second.version
        second.page.click('[data-part="body"]')
        second.after(version)
        first.page.wait_for_function("() => editor.news().data.bodies !== undefined")  # lookers see it at once
        for hand in (first, second):
            hand.page.close()
            assert hand.errors == []


@pytest.mark.skipif(not SHARED.exists(), reason="no shared .mbs files")
def test_an_mbs_file_is_edited_in_the_browser(chrome, tmp_path):
    path = tmp_path / "suspension.mbs"
    original = (SHARED / path.name).read_bytes()
    path.write_bytes(original)
    with WebServer({"/": EditorApplication(open_document(path))}) as server:
        hand = Hand(chrome, server)
        name = next(n for n, b in hand.data["bodies"].items() if b.get("mass"))
        hand.page.fill("#find", name)
        hand.page.click(f"#found button:text-is('{name}')")
        hand.type("mass", "3.25")
        hand.page.keyboard.press("Control+s")
        hand.page.wait_for_function("() => editor.news().saved")
        hand.page.close()
        assert hand.errors == []
    changed = [
        new for old, new in zip(original.splitlines(), path.read_bytes().splitlines(), strict=True) if old != new
    ]
    assert [line.strip() for line in changed] == [b"<mass>3.25</mass>"]


DROP = """([selector, name, bytes, x, y]) => {
  const moved = new DataTransfer();
  moved.items.add(new File([new Uint8Array(bytes)], name));
  const target = document.elementFromPoint(x, y) ?? document.querySelector(selector);
  const how = { dataTransfer: moved, clientX: x, clientY: y, bubbles: true, cancelable: true };
  for (const type of ["dragover", "drop"]) target.dispatchEvent(new DragEvent(type, how));
}"""


def test_a_mesh_is_dropped_axes_and_points_are_dragged_and_a_slider_moves_the_model(chrome, tmp_path):
    path = tmp_path / "bar.yaml"
    bar = "bar: {on: ground, joints: R2, mass: 1, com: [L/2, 0, 0], points: {tip: [L, 0, 0], end: [1, 0, 0.5]}}"
    path.write_text(f"{NEW}parameters: {{L: {{value: 1, low: 0.5, high: 2}}}}\nbodies:\n  {bar}\n")
    with WebServer({"/": EditorApplication(open_document(path))}) as server:
        hand = Hand(chrome, server)
        page = hand.page
        page.wait_for_function("() => editor.drawn() > 0")

        # a mesh on a symbol of the diagram, then on the body in the 3-D view
        for selector in ('[data-id="bodies.bar"] > rect', "#view"):
            version, (x, y) = hand.version, hand.middle(selector)
            page.evaluate(DROP, [selector, "cube.stl", [*cube(0.3)], x, y])
            hand.after(version)
            hand.select("bodies.bar")
        assert hand.data["bodies"]["bar"]["looks"] == [{"file": "cube.stl"}] * 2
        assert (tmp_path / "cube.stl").read_bytes() == cube(0.3)
        assert "12" in page.inner_text("#said")

        # documentation, dimensions, handles of points and of the axis
        page.click("#panel .about summary")
        assert "rigid body" in page.inner_text("#panel .about")
        assert "1 m" in page.evaluate("[...document.querySelectorAll('.dimensions text')].map(t => t.textContent)")
        version, (x, y) = hand.version, hand.middle('[aria-label="bar.end"]')
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 30, y - 25, steps=4)
        assert "bar.end" in page.inner_text("#measure")
        page.mouse.up()
        hand.after(version)
        assert hand.data["bodies"]["bar"]["points"]["end"] != [1, 0, 0.5]
        version = hand.version
        page.locator('[data-joint="bar"]').focus()
        page.keyboard.press("ArrowRight")
        hand.after(version)
        assert hand.data["bodies"]["bar"]["joints"] == "R3"
        page.wait_for_function(f"() => Number(document.getElementById('handles').dataset.version) > {version}")
        version, (x, y) = hand.version, hand.middle('[data-joint="bar"]')
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 45, y + 30, steps=4)
        page.mouse.up()
        hand.after(version)
        turned = hand.data["ground"]["points"]["bar_axis"]["rotation"] if "ground" in hand.data else None
        assert turned is not None or hand.data["bodies"]["bar"]["joints"] != "R3"

        # a slider: the model follows, and one drag is one step
        page.mouse.click(*(x + 8 for x in (page.locator("#drawing").bounding_box()[k] for k in ("x", "y"))))
        slider, undone = page.get_by_label("Slider of L", exact=True), hand.version
        box = slider.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        hand.after(undone)
        page.wait_for_function("() => editor.news().data.parameters.L.value > 1.4")
        page.click("#undo")  # its answer may come after those of the drag
        page.wait_for_function("() => editor.news().data.parameters.L.value === 1")

        # refused files say why, and leave the model as it is
        version = hand.version
        page.evaluate(DROP, ["#canvas", "run.sh", [1, 2, 3], *hand.middle('[data-id="bodies.bar"] > rect')])
        page.wait_for_selector("#said.warn")
        assert hand.version == version
        page.close()
        assert hand.errors == []


def test_an_analysis_of_the_command_line_runs_from_its_form(chrome, tmp_path):
    path = tmp_path / "bar.yaml"
    rod = "bar: {on: ground, joints: [{type: R2, q0: 0.1}], mass: 1, com: [0, 0, -0.5]}"
    path.write_text(f"{NEW}parameters: {{c: 0.1}}\nbodies:\n  {rod}\njoint_forces: {{bar: -c*qd}}\n")
    with WebServer({"/": EditorApplication(open_document(path))}) as server:
        hand = Hand(chrome, server)
        page = hand.page
        page.click("#all-analyses")
        page.wait_for_function("() => document.getElementById('analysis').options.length > 10")
        page.select_option("#analysis", "sensitivity")
        form = page.locator("#analysis-form")
        form.get_by_label("final", exact=True).fill("bar.q")
        form.get_by_label("until", exact=True).fill("0.2")
        page.click("#analysis-form button.main")
        page.wait_for_function("() => ['done', 'failed'].includes(document.getElementById('job').dataset.state)")
        assert page.inner_text("#job") == ""
        assert "gradient" in page.inner_text("#result")
        row = next(one for one in page.evaluate("editor.result().tables") if one["title"] == "gradient")["rows"][0]
        found = sb.sensitivity(sb.load(path), sb.Objective(final="bar.q"), until=0.2, dt=1e-3)
        assert row[3] == pytest.approx(found.gradient["c"], rel=1e-9)
        page.close()
        assert hand.errors == []
