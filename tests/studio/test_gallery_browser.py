"""The gallery in a real browser: cards start machines on one server, each at its own address, and end them."""

import urllib.error
import urllib.request

import pytest
from studio_models import crank_machine, swing
from studio_pages import blank, pixels

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.machines import entries
from symbody.studio import Live
from symbody.studio import gallery as gallery_module
from symbody.studio.gallery import EndMachine, GalleryCard, StartMachine, gallery_server
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]


def broken():
    raise ModelError("no mass", element="arm", cure="give it one")


CARDS = [
    GalleryCard("swing", "a pendulum", None, lambda: Live(swing())),
    GalleryCard("crank", "a hand wheel", None, lambda: Live(crank_machine())),
    GalleryCard("broken", "it cannot start", None, broken),
]


def test_only_known_machines_start_and_not_too_many(monkeypatch):
    monkeypatch.setattr(gallery_module, "MOST_RUNNING", 1)
    with gallery_server(CARDS) as server:
        gallery = server.application_at("/")
        with pytest.raises(Rejected, match="no such machine"):
            gallery.obey(StartMachine("../etc"))
        gallery.obey(StartMachine("broken"))
        eventually(lambda: gallery.states["broken"] != "preparing")
        assert gallery.states["broken"] == "arm: no mass (give it one)"
        with pytest.raises(Rejected, match="too many machines run"):
            gallery.obey(StartMachine("swing"))
        gallery.obey(EndMachine("broken"))
        assert gallery.states == {}
        assert server.application_at("/broken/") is None
        gallery.obey(EndMachine("broken"))  # there is nothing to end


def test_of_twenty_machines_at_once_four_run_and_the_others_are_refused_with_a_cure():
    cards = [GalleryCard(f"swing-{k}", "a pendulum", None, lambda: Live(swing())) for k in range(20)]
    with gallery_server(cards) as server:
        gallery, refused = server.application_at("/"), []
        for card in cards:
            try:
                gallery.obey(StartMachine(card.name))
            except Rejected as refusal:
                refused.append((refusal.reason, refusal.detail))
        assert len(refused) == 20 - gallery_module.MOST_RUNNING
        assert set(refused) == {("too many machines run", "end one of swing-0, swing-1, swing-2, swing-3")}
        eventually(lambda: set(gallery.states.values()) == {"running"})
        gallery.obey(EndMachine("swing-1"))
        gallery.obey(StartMachine("swing-19"))
        eventually(lambda: gallery.states["swing-19"] == "running")


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [{"width": 1000, "height": 600}, {"width": 390, "height": 760}])
def test_three_machines_are_found_started_left_and_opened_again(chrome, viewport):
    cards = [*CARDS[:2], GalleryCard("other", "another pendulum", None, lambda: Live(swing()))]
    with gallery_server(cards) as server:
        page = blank(chrome, viewport, bypass_csp=True, own=True)
        page.goto(server.address)
        for name in ("swing", "crank", "other"):
            page.get_by_role("button", name=f"Start {name}").wait_for()
            page.fill("#search", name)
            assert page.locator("article:visible").count() == 1
            page.get_by_role("button", name=f"Start {name}").click()
            page.wait_for_url(f"**/{name}/")
            page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
            page.get_by_role("link", name="All machines").click()
        page.get_by_role("button", name="Open other").wait_for()
        page.get_by_role("button", name="Open crank").click()
        page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
        assert page.errors == []
        page.close()


@pytest.fixture
def films(tmp_path):
    """Cards with films in three colours, more than a page shows at once."""
    image = pytest.importorskip("PIL.Image")
    cards = []
    for k in range(24):
        frames = [image.new("RGB", (40 + k, 25), colour) for colour in ("red", "blue", "lime")]
        path = tmp_path / f"{k}.webp"
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=100, loop=0)
        cards.append(GalleryCard(f"swing-{k}", "a pendulum", None, lambda: Live(swing()), path))
    return cards


FRAME = "k => document.querySelectorAll('.film canvas')[k].width === 40 + k"  # its first frame is drawn


@pytest.mark.slow
def test_films_move_while_their_cards_are_in_sight_and_stand_still_for_a_person_who_prefers_that(chrome, films):
    with gallery_server(films) as server:
        page = blank(chrome, bypass_csp=True, own=True)
        page.goto(server.address)
        page.wait_for_function(FRAME, arg=0)
        first = page.evaluate(
            "[...document.querySelector('.film canvas').getContext('2d').getImageData(9, 9, 1, 1).data]"
        )
        assert first[0] > 200
        assert first[2] < 60
        page.locator("article[data-name=swing-0] .film img").wait_for()
        assert page.locator("article[data-name=swing-23] .film img").count() == 0  # it was not seen
        page.locator("article[data-name=swing-23]").scroll_into_view_if_needed()
        page.locator("article[data-name=swing-23] .film img").wait_for()
        page.wait_for_function("!document.querySelector('article[data-name=swing-0] .film img')")
        page.get_by_label("Moving pictures").uncheck()
        page.wait_for_function("!document.querySelector('.film img')")
        page.get_by_label("Moving pictures").check()
        page.locator("article[data-name=swing-23] .film img").wait_for()
        page.emulate_media(reduced_motion="reduce")
        page.wait_for_function("!document.querySelector('.film img')")
        page.reload()
        page.wait_for_function(FRAME, arg=0)
        assert not page.get_by_label("Moving pictures").is_checked()
        assert page.locator(".film img").count() == 0
        assert page.errors == []
        page.close()


@pytest.mark.slow
def test_the_card_of_every_machine_shows_its_film(chrome):
    cards = [GalleryCard(one.name, one.line, one.picture, lambda: Live(swing()), one.motion) for one in entries()]
    with gallery_server(cards) as server:
        page = blank(chrome, bypass_csp=True, own=True)
        page.goto(server.address)
        for card in cards:
            shown = page.locator(f"article[data-name={card.name}]")
            shown.scroll_into_view_if_needed()
            film = shown.locator(".film img")
            film.wait_for()
            page.wait_for_function("one => one.complete && one.naturalWidth > 0", arg=film.element_handle())
        assert page.errors == []
        page.close()


def test_films_are_files_that_browsers_keep(films):
    with gallery_server(films) as server:
        gallery = server.application_at("/")
        address = gallery._row(films[0])["motion"]
        with urllib.request.urlopen(server.place + address) as answer:
            assert answer.read() == films[0].motion.read_bytes()
            assert answer.headers["Content-Type"] == "image/webp"
            assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert len({gallery._row(card)["motion"] for card in films}) == len(films)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(server.place + address.replace(".webp", ".png"))


@pytest.mark.slow
def test_machines_are_started_one_after_the_other_and_ended(chrome):
    with gallery_server(CARDS) as server:
        gallery = server.application_at("/")
        page = blank(chrome, bypass_csp=True, own=True)
        page.goto(server.address)
        page.get_by_role("button", name="Start swing").wait_for()
        page.fill("#search", "wheel")
        assert page.locator("article:visible").count() == 1
        page.fill("#search", "excavator")
        assert "Clear the search to see all" in page.text_content("#unmatched")
        page.fill("#search", "")
        assert page.text_content("#unmatched") == ""
        for name in ("swing", "crank"):
            page.get_by_role("button", name=f"Start {name}").click()
            page.wait_for_url(f"**/{name}/")
            page.wait_for_function("window.studio?.drawn > 0 && studio.status.state")
            assert not page.evaluate("document.getElementById('play').disabled")  # the tab still has the token
            page.get_by_role("link", name="All machines").click()
            page.get_by_role("button", name=f"Open {name}").wait_for()
        assert gallery.states == {"swing": "running", "crank": "running"}
        page.get_by_role("button", name="End swing").click()
        page.get_by_role("button", name="Start swing").wait_for()
        assert gallery.states == {"crank": "running"}
        page.get_by_role("button", name="Start broken").click()
        page.wait_for_function("document.body.textContent.includes('no mass')")  # on its card, or on its own page
        page.goto(server.place)
        page.locator("article p.why:visible").wait_for()
        assert "Failed: arm: no mass" in page.text_content("article[data-name=broken] .why")
        assert page.errors == []
        page.close()


@pytest.mark.slow
def test_without_the_token_nothing_is_started(chrome):
    with gallery_server(CARDS) as server:
        page = blank(chrome, bypass_csp=True, own=True)
        page.goto(server.place)
        page.get_by_role("button", name="Start swing").wait_for()
        assert page.get_by_role("button", name="Start swing").is_disabled()
        assert "watching only" in page.text_content("#said")
        page.close()


ROBOT = """<robot name="robot"><link name="base"/><link name="arm">
<visual><origin xyz="0 0 -0.5"/><geometry><box size="0.2 0.2 1"/></geometry></visual>
<inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true }));
}"""


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [{"width": 1000, "height": 600}, {"width": 390, "height": 760}])
def test_a_urdf_is_dropped_and_pulled_and_a_broken_one_says_why(chrome, monkeypatch, tmp_path, viewport):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "cache"))
    with gallery_server(CARDS) as server:
        page = blank(chrome, viewport, bypass_csp=True, own=True)
        page.goto(server.address)
        page.get_by_role("button", name="Start swing").wait_for()
        page.evaluate(DROP, ["broken.urdf", ROBOT.replace('value="1"', 'value="heavy"')])
        page.wait_for_function("document.getElementById('said').textContent.includes('heavy')")
        assert "broken.urdf" in page.text_content("#said")
        page.evaluate(DROP, ["picture.png", "x"])
        page.wait_for_function("document.getElementById('said').textContent.includes('not a model file')")
        for characters in (3_000_000, 9_000_000):  # refused by the server, and by the page, which does not even read it
            page.evaluate("document.getElementById('said').textContent = ''")
            page.evaluate(f"([name, size]) => ({DROP})([name, 'x'.repeat(size)])", ["huge.urdf", characters])
            page.wait_for_function("document.getElementById('said').textContent.includes('too large')")
            said = page.text_content("#said")
            assert "huge.urdf" in said
            assert "at most 2" in said
            assert "warn" in page.get_attribute("#said", "class")
        page.evaluate(DROP, ["robot.urdf", ROBOT])
        page.wait_for_url("**/robot/")
        page.wait_for_function("window.studio?.drawn > 0 && studio.status.state === 'running'")
        page.keyboard.press("Escape")
        frame = page.evaluate("studio.poses.length - 1")
        x, y = pixels(page, frame, [0.0, 0.0, -0.8])
        before = page.evaluate("frame => [...studio.poses[frame]]", frame)
        page.mouse.move(x, y)
        page.mouse.down()
        assert "holding" in page.get_attribute("#view", "class")
        page.mouse.move(x + 120, y - 40, steps=5)
        page.wait_for_function(
            "([frame, was]) => studio.poses[frame].some((x, k) => Math.abs(x - was[k]) > 1e-3)", arg=[frame, before]
        )
        page.mouse.up()
        page.get_by_role("link", name="All machines").click()
        page.locator("#recent article[data-name=robot]").wait_for()
        assert page.errors == []
        page.close()
    with gallery_server(CARDS) as server:  # another day
        page = blank(chrome, bypass_csp=True, own=True)
        page.goto(server.address)
        page.locator("#recent article[data-name=robot]").wait_for()
        page.close()
