"""A page that is open before there is anything to show: stages, then the scene, or why there is none.

Tests of application.py, preparation.py, session.py, server.py.
"""

import json
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from studio_models import crank_machine, swing
from studio_pages import blank

import symbody as sb
from symbody.errors import ModelError
from symbody.machines.car import page as car_page
from symbody.stages import COMPILING, DRAWING, READING, TRACING, reach_stage
from symbody.studio import Live, Player, Studio
from symbody.studio.appearance import Appearance
from symbody.studio.photograph import chromium
from symbody.studio.preparation import LONGEST_REASON, Preparation
from symbody.studio.preview import offer_preview, previews_heard
from symbody.studio.scene_page import MARKS, standing_preview
from symbody.web import rights
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix

client = pytest.importorskip("websockets.sync.client")


def connected(studio, token=None):
    offers = rights.offered(studio.token if token is None else token)
    return client.connect(
        f"ws://127.0.0.1:{studio.port}/socket", subprotocols=offers, close_timeout=1, ping_interval=None
    )


def heard(browser):
    return json.loads(browser.recv(timeout=30))


@contextmanager
def preparing(studio, make, name=""):
    """`prepare` in a thread; what it raised, in the end."""
    outcome = SimpleNamespace(error=None)

    def prepare():
        try:
            studio.prepare(make, name=name)
        except Exception as error:
            outcome.error = error

    thread = threading.Thread(target=prepare)
    thread.start()
    yield outcome
    thread.join(60.0)
    assert not thread.is_alive()


def test_a_page_hears_each_stage_and_then_the_scene():
    go_on = threading.Event()

    def make():
        for stage in (TRACING, COMPILING, TRACING):
            assert go_on.wait(30.0)
            go_on.clear()
            reach_stage(stage)
        assert go_on.wait(30.0)
        return Live(swing())

    with Studio() as studio, connected_while(studio, make) as browser:
        shares = []
        for stage in (READING, TRACING, COMPILING, TRACING):
            told = heard(browser)["preparing"]
            assert told["stage"] == stage
            shares.append(told["share"])
            go_on.set()
        assert shares == sorted(shares)  # never less, though a stage comes again
        *before, last = until_hello(browser)
        assert before[-1]["preparing"]["stage"] == DRAWING
        assert last["hello"]["title"] == studio.source.title
        assert last["scene"]["bodies"] == 2


def until_hello(browser):
    """All that a browser hears until the machine is there."""
    told = [heard(browser)]
    while "hello" not in told[-1]:
        told.append(heard(browser))
    return told


@pytest.mark.parametrize("make", [swing, lambda: crank_machine(method="rodas3")], ids=["model", "machine"])
def test_what_takes_long_is_drawn_before_it_is_compiled_and_what_does_not_is_drawn_once(make, monkeypatch, tmp_path):
    """A plain model is drawn before it is traced, a machine before the functions of its steps are."""
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    counts = []
    for _ in range(2):
        go_on = threading.Event()

        def prepare(go_on=go_on):
            assert go_on.wait(30.0)
            return Live(make())

        with Studio() as studio, connected_while(studio, prepare) as browser:
            heard(browser)
            go_on.set()
            told = until_hello(browser)
        previews = [message["preview"] for message in told if "preview" in message]
        counts.append(len(previews))
        for preview in previews:
            assert preview["title"] == told[-1]["hello"]["title"]
            for part in ("poses", "parts", "meshes", "geometry"):
                assert preview["scene"][part] == told[-1]["scene"][part]
    assert counts == [1, 0]


@contextmanager
def connected_while(studio, make, name=""):
    with preparing(studio, make, name) as outcome, connected(studio) as browser:
        yield browser
    assert outcome.error is None


def test_who_comes_late_hears_no_stages():
    with Studio() as studio:
        studio.prepare(lambda: Player(sb.simulate(sb.system(swing()), 0.1, 1e-2)))
        with connected(studio) as browser:
            assert "hello" in heard(browser)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("no mass", element="arm", cure="give one"), "no mass"),
        (ModelError("x" * 10 * LONGEST_REASON), "xxx"),
        (RuntimeError("what only the terminal says"), "see the terminal"),
    ],
)
def test_why_there_is_nothing_reaches_the_page_and_the_caller(error, reason):
    go_on = threading.Event()

    def make():
        assert go_on.wait(30.0)
        raise error

    with Studio() as studio, preparing(studio, make) as outcome, connected(studio) as browser:
        assert heard(browser)["preparing"]["stage"] == READING
        go_on.set()
        failed = heard(browser)["failed"]
        assert reason in failed
        assert len(failed) <= LONGEST_REASON
        assert "only the terminal" not in failed
    assert outcome.error is error


def test_a_browser_that_was_just_opened_is_told_of_a_failure_that_came_first():
    with Studio() as studio:
        late = threading.Timer(0.3, lambda: told.append(heard_alone(studio)))
        told: list[dict[str, str]] = []
        late.start()
        with pytest.raises(ModelError, match="no mass"):
            studio.prepare(unprepared, patience=30.0)
        eventually(lambda: told)
        assert "no mass" in told[0]["failed"]


def unprepared():
    raise ModelError("no mass", element="arm", cure="give one")


def heard_alone(studio):
    with connected(studio) as browser:
        return heard(browser)


def test_what_is_said_too_early_passes_the_gate_later():
    go_on = threading.Event()

    def make():
        assert go_on.wait(30.0)
        return Live(swing())

    with Studio() as studio, connected_while(studio, make) as browser:
        heard(browser)
        browser.send("garbage")
        browser.send(json.dumps({"do": "pause"}))
        assert not studio.gate.refused
        go_on.set()
        eventually(lambda: studio.gate.refused and studio.source.loop.state == "paused")


def test_who_leaves_while_it_is_prepared_is_forgotten():
    preparation = Preparation()
    with Studio() as studio:
        studio.application._preparation = preparation
        with connected(studio):
            eventually(lambda: preparation._waiting)
        eventually(lambda: not preparation._waiting)


def test_nothing_is_shown_before_it_is_prepared():
    with Studio() as studio:
        assert not studio.visitors
        with pytest.raises(ModelError, match="nothing is shown yet"):
            _ = studio.source


def test_a_machine_that_was_seen_before_is_drawn_at_once_as_it_stood(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    kept_preview_of = []
    for name in ("crank", "crank", "other", ""):
        go_on = threading.Event()

        def prepare(go_on=go_on):
            assert go_on.wait(30.0)
            return Live(crank_machine())

        with Studio() as studio, connected_while(studio, prepare, name) as browser:
            first = [heard(browser), heard(browser)] if name == "crank" and kept_preview_of else [heard(browser)]
            go_on.set()
            hello = until_hello(browser)[-1]
        kept_preview_of.append([message["preview"] for message in first if "preview" in message])
        for preview in kept_preview_of[-1]:
            assert preview["title"] == hello["hello"]["title"]
            assert preview["views"] == hello["hello"]["views"]
            assert preview["scene"] == hello["scene"]
    assert [len(kept) for kept in kept_preview_of] == [0, 1, 0, 0]


def test_the_car_is_drawn_from_its_seat_before_it_is_traced(monkeypatch):
    offered = []
    monkeypatch.setattr(car_page, "system_of", lambda definition: 1 / 0)
    with previews_heard(offered.append), pytest.raises(ZeroDivisionError):
        car_page.page()
    preview = offered[0]()
    seat = preview["scene"]["cameras"][0]
    assert preview["title"] == "Driving simulator"
    assert (preview["views"], seat["name"]) == (["Driver's seat"], "Driver's seat")
    assert len(preview["scene"]["parts"]) > 50  # the car in its looks, and the road
    assert set(MARKS) <= set(preview["scene"]["hidden"])


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_a_page_says_what_is_prepared_then_shows_it_as_it_stands_and_then_it_lives(chrome):
    pytest.importorskip("playwright.sync_api")
    draw, live = threading.Event(), threading.Event()

    def make():
        reach_stage(COMPILING)
        assert draw.wait(PATIENCE)
        s = sb.system(swing())
        offer_preview(lambda: standing_preview("swing", s.model, s.definition.q0, Appearance()))
        reach_stage(TRACING)
        assert live.wait(PATIENCE)
        return Live(swing())

    with Studio() as studio, preparing(studio, make) as outcome:
        page = blank(chrome, own=True, bypass_csp=True)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(studio.address)
        page.wait_for_function(f"document.getElementById('preparing-stage').textContent === '{COMPILING}'")
        assert page.locator("#preparing").is_visible()
        page.keyboard.press("r")  # nobody is there to begin again
        draw.set()
        page.wait_for_function("studio.drawn > 0")
        assert page.locator("#preparing").is_visible()
        assert page.locator("#title").text_content() == "swing"
        assert page.evaluate("studio.status.state") is None
        live.set()
        page.wait_for_function("studio.status.state === 'running'")
        drawn = page.evaluate("studio.drawn")
        page.wait_for_function(f"studio.drawn > {drawn}")
        assert not page.locator("#preparing").is_visible()
        assert not errors
        assert not studio.gate.refused
        page.close()
    assert outcome.error is None
