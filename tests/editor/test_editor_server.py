"""The editor on the server: one pen, rights, refusals, questions, jobs. Tests of application.py, desk.py, launch.py."""

import json
import random
import threading

import pytest
from random_edits import some_order
from test_document import FOUR_BAR

from symbody.editor.application import EditorApplication
from symbody.editor.desk import Desk
from symbody.editor.document import NEW, ModelDocument
from symbody.editor.jobs import Job
from symbody.editor.launch import EditorServer, edit
from symbody.editor.messages import VERBS, Edit
from symbody.editor.properties import PROPERTIES, words_of_laws
from symbody.editor.yaml_edit import Put
from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.web import rights
from symbody.web.verbs import read_message
from waiting import PATIENCE, eventually

client = pytest.importorskip("websockets.sync.client")
from symbody.web.server import WebServer  # noqa: E402

pytestmark = pytest.mark.clock
WAITS = {"open_timeout": PATIENCE, "close_timeout": 1, "ping_interval": None, "max_size": None}


@pytest.fixture(autouse=True)
def own_drafts(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DRAFTS", str(tmp_path / "drafts"))


@pytest.fixture
def server():
    with WebServer({"/": EditorApplication(ModelDocument(FOUR_BAR))}) as started:
        yield started


def socket(server, token=None):
    offers = rights.offered(server.token if token is None else token)
    return client.connect(f"ws://127.0.0.1:{server.port}/socket", subprotocols=offers, **WAITS)


def until(browser, key):
    """The next message with this key."""
    while True:
        news = json.loads(browser.recv(timeout=PATIENCE))
        if key in news:
            return news[key]


def sends(browser, **message):
    browser.send(json.dumps(message))


def test_one_browser_edits_and_the_others_look(server):
    mass = {"op": "set", "path": ["bodies", "crank", "mass"], "value": 3}
    with socket(server) as first, socket(server) as second, socket(server, token="x" * 20) as stranger:
        assert until(first, "pen")["own"]
        assert not until(second, "pen")["own"]
        sends(second, do="edit", label="mass", changes=[mass])
        assert until(second, "refused")["reason"] == "another browser edits"
        sends(stranger, do="takepen")
        assert until(stranger, "refused")["reason"] == "not allowed"
        sends(second, do="takepen")
        while not until(second, "pen")["own"]:
            pass
        sends(second, do="edit", label="mass", changes=[mass])
        assert until(second, "document")["data"]["bodies"]["crank"]["mass"] == 3
        while until(stranger, "document")["undo"] != "mass":  # a looker sees it
            pass
        sends(second, do="undo")
        assert until(second, "document")["text"] == FOUR_BAR


def test_a_value_is_checked_without_being_set_and_a_law_is_computed(server):
    with socket(server) as browser:
        until(browser, "document")
        sends(browser, do="tryvalue", path=["links", "spring", "law"], value="k*(length - 0.5)")
        tried = until(browser, "tried")
        assert tried["problem"] == ""
        assert tried["curve"]["y"][-1] == pytest.approx(120 * (tried["curve"]["x"][-1] - 0.5))
        sends(browser, do="tryvalue", path=["links", "spring", "law"], value="__import__('os')")
        assert until(browser, "tried")["problem"]
        sends(browser, do="splice", version=77, at=0, removed=0, inserted="x")
        assert until(browser, "refused")["reason"] == "outdated"
        assert until(browser, "document")["text"] == FOUR_BAR


@pytest.mark.parametrize(
    "message",
    [
        {"do": "edit", "label": "x", "changes": []},
        {"do": "edit", "label": "x", "changes": [{"op": "run", "path": ["a"]}]},
        {"do": "edit", "label": "x", "changes": [{"op": "set", "path": [True], "value": 1}]},
        {"do": "edit", "label": "x", "changes": [{"op": "set", "path": ["a"] * 50, "value": 1}]},
        {"do": "rename", "path": [], "name": "x"},
        {"do": "runjob", "kind": "simulate", "until": -1, "dt": 0.1, "values": {}},
        {"do": "save", "name": "x" * 500, "over": True},
        {"do": "shutdown"},
    ],
)
def test_messages_out_of_range_are_refused(message):
    with pytest.raises(Rejected):
        read_message(json.dumps(message), VERBS)


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(Rejected):
        read_message('{"do": "tryvalue", "path": ["a"], "value": NaN}', VERBS)


@pytest.mark.parametrize("seed", range(10))
def test_random_orders_never_break_the_desk(seed):
    """Each order is carried out or refused with a reason, and the state can always be shown."""
    rng, desk = random.Random(100 + seed), Desk(ModelDocument(FOUR_BAR), lambda news: None)
    try:
        for _ in range(25):
            try:
                desk._change(some_order(rng, desk.document))
            except SymbodyError:
                continue
            assert desk.state()["document"]["version"] == desk.document.version
    finally:
        desk.close()


def test_all_sections_have_properties_and_words():
    assert set(words_of_laws()) <= set(PROPERTIES) | {"joint_forces", "trajectories"}


# -- jobs --------------------------------------------------------------------------------------------------------------


def job(kind, text, **options):
    news: list[dict] = []
    made = Job(kind, text, {"until": 0.2, "dt": 1e-3, **options}, news.append)
    return made, news


@pytest.mark.slow
def test_a_simulation_gives_the_numbers_of_the_library(monkeypatch, tmp_path):
    import symbody as sb
    from symbody.files.yaml_file import model_of_text

    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))  # nothing is compiled yet
    made, news = job("simulate", FOUR_BAR)
    assert made.wait(PATIENCE)
    assert news[-1]["state"] == "done", news[-1]
    run = sb.simulate(sb.system(model_of_text(FOUR_BAR)), 0.2, 1e-3)
    assert news[-1]["result"]["last"]["rocker.q"] == pytest.approx(run["rocker.q"][-1], rel=1e-12)
    assert news[-1]["result"]["film"]["pictures"] > 100
    assert {one.get("stage") for one in news} & {"compiling the equations", "tracing the equations"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "key"), [("assemble", "table"), ("modes", "films"), ("code", "files")])
def test_other_analyses(kind, key):
    text = NEW + "bodies:\n  rod: {on: ground, joints: R2, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
    made, news = job(kind, text)
    assert made.wait(PATIENCE)
    assert news[-1]["state"] == "done", news[-1]
    assert news[-1]["result"][key]
    if kind == "modes":  # ω² = m g l / (I + m l²)
        hz = (1 * 9.81 * 0.5 / (0.1 + 0.25)) ** 0.5 / 6.283185307179586
        assert news[-1]["result"]["table"]["rows"][0][2] == pytest.approx(hz, rel=1e-6)


@pytest.mark.slow
def test_an_analysis_is_cancelled_and_a_broken_model_is_reported():
    made, news = job("simulate", FOUR_BAR, until=1e4)
    made.cancel()
    assert made.wait(PATIENCE)
    assert news[-1]["state"] == "cancelled"
    made, news = job("simulate", FOUR_BAR.replace("mass: 1.5", "mass: -1"))
    assert made.wait(PATIENCE)
    assert news[-1]["state"] == "failed"
    assert "rocker" in news[-1]["problem"]
    with pytest.raises(Rejected):
        job("shell", FOUR_BAR)


# -- from Python -------------------------------------------------------------------------------------------------------


def test_a_script_gets_the_edited_model(monkeypatch):
    from symbody.files.yaml_file import model_of_text

    began: list[EditorServer] = []
    start = EditorServer.start

    def started(self):
        began.append(self)
        return start(self)

    monkeypatch.setattr(EditorServer, "start", started)
    given, found = model_of_text(FOUR_BAR), []
    thread = threading.Thread(target=lambda: found.append(edit(given, browser=False)))
    thread.start()
    eventually(lambda: began and began[0].application._desk is not None)
    desk = began[0].application.desk
    desk.obey(Edit("mass", (Put(("bodies", "crank", "mass"), 7),)))
    desk.finished.set()
    thread.join(PATIENCE)
    assert found[0].bodies["crank"].mass == 7
    assert given.bodies["crank"].mass == 1
