"""`sb.studio` (launch.py): what it takes, how it ends, and the page in the cell of a notebook."""

import http.client
import sys
import threading
import time
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from studio_models import crank_machine, swing
from studio_pages import blank

import symbody as sb
from symbody.errors import ModelError
from symbody.studio import Live, Player, Studio
from symbody.studio.photograph import chromium
from symbody.visual import browser
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix


def asked(studio):
    """Status and headers of the page."""
    place = urlsplit(studio.place)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers


@pytest.fixture
def notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object())))


@pytest.mark.parametrize("what", ["model", "system", "machine", "run"])
def test_models_systems_machines_and_runs_are_shown(what):
    given = {
        "model": swing,
        "system": lambda: sb.system(swing()),
        "machine": crank_machine,
        "run": lambda: sb.simulate(sb.system(swing()), 0.1, 1e-2),
    }[what]()
    with sb.studio(given, browser=False) as studio:
        assert isinstance(studio, Studio)
        assert isinstance(studio.source, Player if what == "run" else Live)
        assert studio.url == studio.address
        assert asked(studio)[0] == 200


def test_other_things_are_refused_with_a_cure():
    with pytest.raises(ModelError, match=r"machines\.entry"):
        sb.studio("piano", browser=False)


def test_the_package_and_the_function_are_one():
    from symbody.studio import studio as function

    assert callable(sb.studio)
    assert sb.studio.studio is function
    with pytest.raises(AttributeError, match="no attribute 'studioo'"):
        _ = sb.studioo


def test_it_waits_until_it_is_closed_by_another_thread_or_the_time_is_over():
    studio = sb.studio(swing(), browser=False)
    began = time.monotonic()
    studio.wait(0.3)
    assert time.monotonic() - began >= 0.3
    closer = threading.Timer(0.2, studio.close)
    closer.start()
    studio.wait()  # a test that hangs has failed
    closer.join()
    assert studio.source.loop.state == "stopped"


def test_a_browser_is_led_there_by_a_file_that_goes_with_it(monkeypatch):
    opened = []
    monkeypatch.setattr("symbody.studio.launch.open_page", lambda address: opened.append(address) or True)
    with sb.studio(swing()) as studio:
        path = browser.Path(urlsplit(opened[0]).path)
        assert studio.address in path.read_text()
        assert studio.token not in opened[0]
    assert not path.exists()


def test_only_a_notebook_may_frame_it_and_only_where_it_was_opened_in_one(notebook, monkeypatch):
    monkeypatch.setattr("symbody.studio.launch.open_page", lambda address: pytest.fail("a notebook opens no browser"))
    with sb.studio(swing()) as studio:
        assert "frame-ancestors http://localhost:*" in asked(studio)[1]["Content-Security-Policy"]
        assert studio.address in studio._repr_html_()
    with Studio(Live(swing())) as plain:
        assert asked(plain)[1]["Content-Security-Policy"].endswith("frame-ancestors 'none'")


def test_a_token_of_ones_own_is_not_written_into_a_notebook(notebook):
    with sb.studio(swing(), token="a-token-of-my-own") as studio:
        assert "a-token-of-my-own" not in studio._repr_html_()
        assert studio.place in studio._repr_html_()


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_the_page_appears_in_the_cell_and_can_be_touched(notebook, chrome):
    pytest.importorskip("playwright.sync_api")
    run = sb.simulate(sb.system(swing()), 0.1, 1e-2)
    with sb.studio(swing()) as studio, sb.studio(run) as other:  # a notebook is a page of another port of this machine
        page = blank(chrome, bypass_csp=True)
        page.goto(other.place)
        page.evaluate("text => { document.body.innerHTML = text; }", studio._repr_html_())
        frame = page.frame_locator("iframe")
        frame.locator("#play").wait_for()
        frame.locator("#play").click()
        eventually(lambda: studio.source.loop.state == "paused")
        page.close()
