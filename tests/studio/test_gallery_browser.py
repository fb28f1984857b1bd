"""The gallery in a real browser: cards start machines on one server, each at its own address, and end them."""

import pytest
from studio_models import crank_machine, swing
from studio_pages import blank

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
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


@pytest.mark.slow
def test_machines_are_started_one_after_the_other_and_ended(chrome):
    with gallery_server(CARDS) as server:
        gallery = server.application_at("/")
        page = blank(chrome, bypass_csp=True)
        page.goto(server.address)
        page.get_by_role("button", name="Start swing").wait_for()
        page.fill("#search", "wheel")
        assert page.locator("article:visible").count() == 1
        page.fill("#search", "")
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
        page = blank(chrome, bypass_csp=True)
        page.goto(server.place)
        page.get_by_role("button", name="Start swing").wait_for()
        assert page.get_by_role("button", name="Start swing").is_disabled()
        assert "watching only" in page.text_content("#said")
        page.close()
