"""The first ten seconds of a newcomer with each machine: the page says what to do, and one gesture does it visibly."""

import json
import re
from pathlib import Path

import pytest

from spare_page import blank
from symbody import machines
from symbody.studio import Live, Studio
from symbody.studio.photograph import browser, chromium

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
SIZE, PHONE = {"width": 640, "height": 480}, {"width": 390, "height": 760}
ON_A_PHONE = ("haptic-bench", "piano")  # opened on a phone as well; of the others the texts are checked
CATALOGUE = json.loads(
    (Path(__file__).parents[2] / "frontend" / "src" / "language" / "catalogue.json").read_text(encoding="utf-8")
)
KNOWN = CATALOGUE["page"] | CATALOGUE["machines"]
FORMS = [re.compile("^" + re.sub(r"\\\{\w+\\\}", "(.+?)", re.escape(text)) + "$") for text in KNOWN if "{" in text]
ASKED = re.compile(
    r"\b(pull|press|push|drag|steer|turn|move|hold|lift|take|touch|balance|hits|start|watch)\b", re.IGNORECASE
)
# what a phone has not: a mouse, a game controller, keys by their names and letters
KEYS = re.compile(r"(?i:\b(mouse|keys|keyboard|game controller|space|arrows?)\b)|[←→↑↓]|\b[B-HJ-WZ]\b|[Pp]ress [A-Z]\b")
DIMENSIONLESS = re.compile(r"rank|nis|share|use|transfer|carried")  # and channels whose unit is not known
VISIBLE = 60  # pixels that change
# The picture and the pull that is drawn over it, without instruments. A screenshot of the page takes ten times as long.
PICTURE = """() => {
  const view = document.getElementById("view"), sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [view.clientWidth, view.clientHeight];
  const pen = sheet.getContext("2d", { willReadFrequently: true });
  pen.fillStyle = "white";
  pen.fillRect(0, 0, sheet.width, sheet.height);
  for (const one of document.querySelectorAll("#stage > canvas")) pen.drawImage(one, 0, 0, sheet.width, sheet.height);
  return pen.getImageData(0, 0, sheet.width, sheet.height).data;
}"""
# whether the last picture has the shape of the view, which gets the place of the card of the start
FITTING = """() => {
  const { width, height, clientWidth, clientHeight } = document.getElementById("view");
  return Math.abs(width * clientHeight / clientWidth - height) < 2;
}"""
# whether a person sees the picture: it is the uppermost element in its middle
UNCOVERED = """() => {
  const { left, top, width, height } = document.getElementById("view").getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2)?.id === "view";
}"""
CHANGED = f"""() => {{
  const now = ({PICTURE})(), differs = (k) => Math.abs(now[k] - before[k]) > 25;
  let count = 0;
  for (let k = 0; k < now.length; k += 4) if (differs(k) || differs(k + 1) || differs(k + 2)) count++;
  return count;
}}"""
# where on the page a body is that can be pulled, as the page itself would find it; a grid of so many places
REACH = """([across, down]) => {
  const box = document.getElementById("view").getBoundingClientRect(), found = [];
  for (let i = 1; i < across; i++) for (let j = 1; j < down; j++) {
    const at = { clientX: box.left + box.width * i / across, clientY: box.top + box.height * j / down };
    const hit = studio.seen.pick(at, (frame) => frame > 0);  // not a stand
    if (hit && document.elementFromPoint(at.clientX, at.clientY)?.id === "view") found.push([at.clientX, at.clientY]);
  }
  return found;
}"""
GRIDS = ([12, 9], [40, 30])  # the second where the first finds nothing: a thousand picks take seconds
# what the page was told of the machine; as a text, since the driver takes seconds for many numbers
ABOUT = """() => {
  const { title, start, help, pilots, gauges, presets, controls, dials, pages, plots, units } = studio.about;
  return JSON.stringify({ title, start, help, pilots, gauges, presets, controls, dials, pages, plots, units });
}"""


@pytest.fixture(scope="module")
def chrome():
    with browser() as started:
        yield started


@pytest.fixture(autouse=True)
def private_data(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))


def gesture(page):
    """Hold the first key of the first control, or pull a body."""
    keys = [key for control in page.evaluate("window.studio.about.controls ?? []") for key in control["keys"]]
    if keys:
        page.keyboard.down(keys[0])
        return lambda: page.keyboard.up(keys[0])
    for _ in range(20):  # a body that swings may be gone before the button goes down
        places = next((found for grid in GRIDS if (found := page.evaluate(REACH, grid))), None)
        assert places, "there is nothing to take"
        x, y = places[len(places) // 2]
        page.mouse.move(x, y)
        page.mouse.down()
        if "holding" in (page.get_attribute("#view", "class") or ""):
            break
        page.mouse.up()
    else:
        pytest.fail("no body could be taken")
    page.mouse.move(x + 90, y - 60, steps=4)
    return page.mouse.up


@pytest.mark.parametrize("name", [one.name for one in machines.entries()])
def test_the_first_seconds(chrome, name):
    entry = machines.entry(name)
    with Studio(Live(entry.page())) as studio:
        page = blank(chrome, SIZE, bypass_csp=True)
        page.goto(studio.address)
        page.wait_for_function("studio.drawn > 0 && studio.status.state")
        said = page.text_content("#start-line") if page.locator("#start").is_visible() else page.text_content("#hint")
        assert ASKED.search(said), said
        page.keyboard.press("Escape")  # the picture gets the place of what was read
        page.wait_for_function(FITTING)
        assert page.evaluate(UNCOVERED)
        page.evaluate(f"() => {{ window.before = ({PICTURE})(); }}")  # it stays there: to take it takes two seconds
        release = gesture(page)
        most, lines = 0, set()
        for _ in range(60):
            page.wait_for_timeout(150)
            lines.update(studio.source.status().get("lines", []))
            most = max(most, page.evaluate(CHANGED))
            if most >= VISIBLE:
                break
        release()
        assert most >= VISIBLE
        model = studio.source.machine.system.model
        names = {model.name, *(joint.name for body in model.bodies.values() for joint in body.joints)}
        about = json.loads(page.evaluate(ABOUT))
        assert untranslated(about, [*studio.source.labels.values(), *lines], names) == []
        assert [line for line in spoken(about, "touch") if KEYS.search(line)] == []
        assert [channel for channel in plotted(about) if not about["units"][channel]] == []
        assert page.errors == []
        page.close()
        if name in ON_A_PHONE:
            the_first_seconds_on_a_phone(chrome, studio)


def the_first_seconds_on_a_phone(chrome, studio):
    """What is asked is on the screen and speaks of no mouse; a missed grab leaves the machine in sight."""
    page = blank(chrome, PHONE, own=True, bypass_csp=True, has_touch=True, is_mobile=True)
    page.goto(studio.address)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    assert page.locator("#start-line").is_visible()
    said = page.text_content("#start-line")
    assert ASKED.search(said), said
    for text in (said, page.text_content("#hint")):
        assert not KEYS.search(text), text
    page.close()


def spoken(about, kind):
    """The start line and the help of a machine: for mouse and keys ("text"), or for fingers ("touch")."""
    return [line[kind] for line in [about["start"], *about["help"]]]


def plotted(about):
    """Channels of the plots that have a unit."""
    names = [name for plot in about["plots"] for name in (plot.split(", ") if isinstance(plot, str) else plot)]
    return [name for name in names if not DIMENSIONLESS.search(name)]


def untranslated(about, labels, names):
    """Texts of a machine that the catalogue does not have; names of models and joints are not texts."""
    gauges = [text for gauge in about.get("gauges", []) for text in (gauge["label"], *gauge["texts"])]
    presets = [text for preset in about.get("presets", []) for text in (preset["name"], preset["line"])]
    controls = [control["label"] for control in about.get("controls", [])]
    dials = [text for dial in about["dials"] for text in (dial["label"], *dial["choices"])]
    pages = [
        text
        for one in about.get("pages", [])
        for text in (
            one["name"],
            *(text for board in one["boards"] for text in (board["title"], *board["columns"])),
            *(text for chart in one["charts"] for text in (chart["title"], chart["x"], chart["y"])),
            *(
                text
                for form in one["forms"]
                for text in (form["title"], form["button"], *(f["label"] for f in form["fields"]))
            ),
        )
    ]
    given = [about["title"], *spoken(about, "text"), *spoken(about, "touch"), *about.get("pilots", [])]
    every = {*given, *gauges, *presets, *controls, *dials, *pages, *labels}
    every -= names | set(machines.names())
    return sorted(text for text in every if text and text not in KNOWN and not any(f.match(text) for f in FORMS))
