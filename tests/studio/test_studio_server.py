"""Browsers as the server meets them: several watch, some touch, some send garbage; the loop goes on.

Tests of live.py, live_dials.py, loop_records.py, machine_scene.py, source.py, visitor.py.
"""

import gzip
import json
import re
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack

import numpy as np
import pytest
from studio_models import crank_machine, swing

import symbody as sb
from symbody.errors import ModelError
from symbody.realtime.loop_layout import HEAD
from symbody.studio import (
    ChangingSurface,
    Cloud,
    HeightField,
    Live,
    Particles,
    Player,
    Struck,
    Studio,
    machine_loop,
)
from symbody.studio.landscape import Landscape
from symbody.studio.messages import MOST_CHANNELS, Pause
from symbody.studio.session import BEAT
from symbody.studio.stream import CLOUD, PATCH, PLOT, POSES, TILE, VALUES
from symbody.web import connection_limit, gate, rights
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix  # the real-time loop

client = pytest.importorskip("websockets.sync.client")
exceptions = pytest.importorskip("websockets.exceptions")
WAITS = {"open_timeout": PATIENCE, "close_timeout": 1, "ping_interval": None}


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(swing())) as opened:
        yield opened


@pytest.fixture(autouse=True)
def as_before(request):
    """Each test finds a machine that runs."""
    yield
    if "studio" in request.fixturenames:
        live = request.getfixturevalue("studio").source
        live.loop.slow(1.0)
        live.loop.resume()


class Browser:
    """One socket: says JSON, hears JSON and binary messages."""

    def __init__(self, studio, path="/socket", token=None, **more):
        self.opened = ExitStack()
        more = {"subprotocols": rights.offered(studio.token if token is None else token)} | more
        self.socket = self.opened.enter_context(client.connect(f"ws://127.0.0.1:{studio.port}{path}", **WAITS, **more))
        told = json.loads(self.socket.recv(timeout=PATIENCE))
        self.hello, self.scene = told["hello"], told["scene"]

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def hold(self, name, value, seconds, reached):
        """Move a control until something is true, telling it again and again, as a page does while a key is held."""

        def moved():
            self.say(do="move", name=name, value=value, seconds=seconds)
            time.sleep(0.02)  # seldom enough for the gate
            return reached()

        eventually(moved)

    def hear(self, kind, such=lambda heard: True):
        """The next message of a kind: "status", "controls", "sounds", "changed", POSES or PLOT; such: a binary one."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            heard = self.socket.recv(timeout=PATIENCE)
            if isinstance(heard, str) and kind in (told := json.loads(heard)):
                return told[kind]
            if isinstance(heard, bytes) and struct.unpack_from("<I", heard)[0] == kind and such(heard):
                return heard
        raise TimeoutError(f"no message {kind}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.opened.close()


def times(message):
    return struct.unpack_from("<d", message, 8)[0]


def test_the_page_and_its_script_need_no_other_network(studio):
    with urllib.request.urlopen(studio.address) as answer:
        text, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
    assert not re.search(r"\{\{[a-z-]+\}\}", text)
    assert re.search(r"script-src 'sha256-[^ ;]+' blob: 'self';", policy)  # the script of the page, and its audio
    assert "default-src 'none'" in policy
    asked = urllib.request.Request(studio.place, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(asked) as answer:
        assert gzip.decompress(answer.read()).decode() == text
    place = studio.place + re.search(r'<script src="([^"]+)"', text)[1]
    with urllib.request.urlopen(place) as answer:
        script = answer.read().decode()
        assert "immutable" in answer.headers["Cache-Control"]
    assert "makeSounds" in script
    assert not re.search(
        r"https?://(?!www\.w3\.org|localhost)[a-z]+\.[a-z]+/[^\"' ]*\.js", script
    )  # it loads nothing more
    for encoding, most in (("gzip", 290_000), ("br", 230_000)):
        with urllib.request.urlopen(urllib.request.Request(place, headers={"Accept-Encoding": encoding})) as answer:
            assert answer.headers["Content-Encoding"] == encoding
            assert len(answer.read()) < most
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(studio.place + "../secret")


def test_hello_tells_what_there_is(studio):
    with Browser(studio) as browser:
        assert browser.hello["touch"] is True
        assert browser.hello["pulled"] == [1]
        assert [dial["name"] for dial in browser.hello["dials"]][:2] == ["torque", "friction"]
        assert browser.hello["units"]["arm.q"] == "rad"
        assert browser.scene["bodies"] == 2


def test_two_browsers_watch_one_run(studio):
    with Browser(studio) as one, Browser(studio) as two:
        eventually(lambda: two.hear("status")["watchers"] == 2)
        for browser in (one, two):
            first = browser.hear(POSES)
            assert times(browser.hear(POSES)) > times(first)
        one.say(do="set", name="friction", value=0.45)
        eventually(lambda: two.hear("status")["dials"]["friction"] == 0.45)
    assert studio.source.loop.parameters["friction"] == 0.45


def test_pause_step_and_reset(studio):
    loop = studio.source.loop
    with Browser(studio) as browser:
        browser.say(do="pause")
        eventually(lambda: loop.state == "paused")
        before = loop.latest().step
        browser.say(do="step", n=7)
        eventually(lambda: loop.latest().step >= before + 7)
        assert loop.latest().step == before + 7
        browser.say(do="reset")
        place = loop.outputs.index("arm.q")
        eventually(lambda: abs(loop.latest().outputs[place] - 0.4) < 1e-3 and loop.state == "paused")
        browser.say(do="play")
        eventually(lambda: loop.state == "running")


def test_reset_while_steps_are_under_way_stands_at_the_start(studio):
    loop = studio.source.loop
    with Browser(studio) as browser:
        browser.say(do="pause")
        eventually(lambda: loop.state == "paused")
        loop.slow(100.0)
        browser.say(do="step", n=50)
        eventually(lambda: loop.state == "running")
        assert loop.stands
        browser.say(do="reset")
        eventually(lambda: studio.source.status()["begun"] and loop.state == "paused")
        loop.slow(1.0)
        place = loop.outputs.index("arm.q")
        eventually(lambda: abs(loop.latest().outputs[place] - 0.4) < 1e-3)
        assert loop.stands
        browser.say(do="play")
        eventually(lambda: loop.state == "running" and not loop.stands)


def test_plots_are_those_of_the_loop(studio):
    with Browser(studio) as browser:
        browser.say(do="watch", channels=["arm.q", "arm.qd"])
        message = browser.hear(PLOT)
    _, choice, n, width = struct.unpack_from("<IIII", message)
    rows = np.frombuffer(message, "<f8", offset=16).reshape(n, width)
    assert (choice, width) == (1, 5)
    run = studio.source.loop.history("arm.q")
    k = np.searchsorted(run.t, rows[-1, 0])
    assert rows[-1, 1] <= run["arm.q"][k] <= rows[-1, 2]


def test_without_the_token_others_only_watch_even_on_this_machine(studio):
    refused = studio.gate.refused["not allowed"]
    in_the_address = f"/socket?token={studio.token}"
    with (
        Browser(studio, token="0123456789abcdef") as stranger,
        Browser(studio, in_the_address, subprotocols=None) as careless,
        Browser(studio) as friend,
    ):
        assert [one.hello["touch"] for one in (stranger, careless, friend)] == [False, False, True]
        stranger.say(do="pause")
        assert stranger.hear("refused") == {"reason": "not allowed", "detail": "to touch, give the token"}
        stranger.say(do="watch", channels=["arm.q"])
        stranger.hear(PLOT)
        assert studio.gate.refused["not allowed"] == refused + 1
        assert studio.source.loop.state != "paused"
        friend.say(do="pause")
        eventually(lambda: studio.source.loop.state == "paused")


def test_the_token_is_in_no_address_that_is_asked_for(studio):
    place, _, secret = studio.address.partition("#")
    assert secret == f"token={studio.token}"
    assert place == studio.place
    assert studio.token not in studio.place


def raw_answer(studio, *lines):
    """What the server answers to a request as it is written."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return line.recv(1000).decode()


UPGRADE = [
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: " + "A" * 22 + "==",
]


@pytest.mark.parametrize("hosts", [["[::1"], ["]"], ["127.0.0.1", "127.0.0.1"], []])
def test_hosts_that_are_none_are_refused_and_no_failure(studio, hosts):
    before = studio.gate.refused["another site"]
    said = raw_answer(studio, "GET /socket HTTP/1.1", *(f"Host: {host}" for host in hosts), *UPGRADE)
    assert said.startswith("HTTP/1.1 403"), said
    assert studio.gate.refused["another site"] == before + 1


def test_channels_that_are_unknown_or_too_many_are_told(studio):
    with Browser(studio) as browser:
        browser.say(do="watch", channels=["arm.q", "no.such"])
        assert browser.hear("refused") == {"reason": "no such channel", "detail": "no.such"}
        browser.say(do="watch", channels=["arm.q"] * (browser.hello["most_channels"] + 1))
        assert browser.hear("refused") == {
            "reason": "out of range",
            "detail": f"{MOST_CHANNELS + 1} given, 0 to {MOST_CHANNELS} allowed",
        }
        browser.say(do="set", name="no dial", value=1.0)
        assert browser.hear("refused")["reason"] == "no such dial"


def test_each_start_has_an_identity_of_its_own(studio):
    """A page that stays open over a restart can tell that it is out of date."""
    run = sb.simulate(sb.system(swing()), 0.1, 1e-2)
    with Browser(studio) as one, Browser(studio) as two, Studio(Player(run)) as other, Browser(other) as third:
        assert one.hello["run"] == two.hello["run"]
        assert third.hello["run"] != one.hello["run"]


def test_pages_of_other_sites_get_no_socket(studio):
    before = studio.gate.refused["another site"]
    with pytest.raises(exceptions.InvalidStatus):
        Browser(studio, origin="http://evil.example")
    assert studio.gate.refused["another site"] == before + 1


def test_visitors_are_limited(studio, monkeypatch):
    eventually(lambda: not studio.visitors)
    monkeypatch.setattr(connection_limit, "MOST_VISITORS", 4)  # two of them for those with the token
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(Browser(studio, token="0123456789abcdef"))
        with pytest.raises(exceptions.InvalidStatus):
            Browser(studio, token="0123456789abcdef")
        for _ in range(2):
            assert stack.enter_context(Browser(studio)).hello["touch"]
        with pytest.raises(exceptions.InvalidStatus):
            Browser(studio)


GARBAGE = [
    "",
    "{",
    b"\x00\xff",
    "[[[[",
    '{"do":"set","name":"friction","value":1e9}',
    '{"do":"set","name":"?","value":0}',
]
GARBAGE += [
    '{"do":"pull","frame":9,"at":[0,0,0],"to":[0,0,0]}',
    '{"do":"seek","t":0}',
    '{"do":"watch","channels":["no"]}',
]


def test_garbage_is_counted_and_harms_nothing(studio):
    loop = studio.source.loop
    before, faults = studio.gate.refused.total(), dict(loop.statistics().faults)
    with Browser(studio) as rude, Browser(studio) as calm:
        for raw in GARBAGE:
            rude.socket.send(raw)
        eventually(lambda: studio.gate.refused.total() == before + len(GARBAGE))
        calm.say(do="pause")
        eventually(lambda: loop.state == "paused")
    assert loop.parameters["friction"] < 1.0
    assert {k: n for k, n in loop.statistics().faults.items() if k != "overrun"} == {
        k: n for k, n in faults.items() if k != "overrun"
    }  # a loaded machine may be late whatever browsers do


def test_floods_are_refused_and_others_are_served(studio, monkeypatch):
    monkeypatch.setattr(gate, "RATE", 1.0)  # so that a slow machine is flooded, too
    loop, before = studio.source.loop, studio.gate.refused["too many"]
    with Browser(studio) as rude, Browser(studio) as calm:
        for _ in range(int(gate.BURST) + 100):
            rude.say(do="play")
        eventually(lambda: studio.gate.refused["too many"] > before + 30)
        # admitted messages of the flood may still be carried out after a pause
        eventually(lambda: calm.say(do="pause") or loop.state == "paused")


def test_what_is_far_too_long_ends_the_connection(studio):
    before = studio.gate.refused["too long"]
    with Browser(studio) as rude:
        rude.socket.send("x" * 5000)
        rude.socket.send("x" * 100_000)
        eventually(lambda: studio.gate.refused["too long"] == before + 2)
    eventually(lambda: studio.source.loop.state == "running")


def test_who_leaves_lets_go(studio):
    loop = studio.source.loop
    held = loop.names.index("pull_frame")

    def hand():
        _, rows = loop.records()
        return rows[-1, held]

    with Browser(studio) as browser:
        browser.say(do="pull", frame=1, at=[0, 0, -1], to=[0.5, 0, -1])
        eventually(lambda: hand() == 1.0)
    eventually(lambda: hand() == 0.0)


def test_a_port_that_is_taken(studio):
    other = Studio(studio.source, port=studio.port)
    with pytest.raises(ModelError, match="--port"):
        other.start()


# -- machines ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crank():
    with Studio(Live(crank_machine())) as opened:
        yield opened


def turned(crank):
    loop = crank.source.loop
    return loop.latest().outputs[loop.outputs.index("wheel.q")]


def test_a_machine_tells_what_can_be_moved_and_heard(crank):
    with Browser(crank) as visitor:
        (control,) = visitor.hello["controls"]
        assert (control["name"], control["low"], control["high"], control["shape"]) == ("wheel.q", -1.0, 1.0, "wheel")
        assert control["keys"]["a"] == {"value": 0.8, "seconds": None, "whole": False}
        assert control["keys"]["w"] == {"value": 0.7, "seconds": 0.5, "whole": True}
        assert control["grips"] == [{"frame": 1, "slope": [0.0, 0.0, -5.0]}]
        assert visitor.hello["pilots"] == ["swaying"]
        assert [sound["kind"] for sound in visitor.hello["sounds"]] == ["struck", "tone"]
        assert "pull_stiffness" not in {dial["name"] for dial in visitor.hello["dials"]}


def test_who_leaves_in_mid_turn_has_let_go(crank):
    with Browser(crank) as visitor:
        visitor.hold("wheel.q", 0.9, 0.2, lambda: turned(crank) > 0.4)
    eventually(lambda: abs(turned(crank)) < 1e-3)
    assert not crank.source.hands.pilot


def test_a_strike_is_told_to_all_who_listen_once(crank):
    with Browser(crank) as player, Browser(crank) as listener:
        listener.hear("controls")
        player.hold("wheel.q", 0.9, 0.2, lambda: turned(crank) > 0.899)
        player.say(do="letgo", name="wheel.q")
        strikes = []
        while not strikes:
            strikes = [note for note in listener.hear("sounds") if note[0] == 0.0]
        assert [note[1] for note in strikes] == pytest.approx([(0.4 / 0.5) ** 0.5], abs=0.02)


def test_shapes_are_told_again_when_a_length_has_settled(crank):
    with Browser(crank) as visitor:
        parts = visitor.scene["parts"]
        for length in (0.21, 0.25, 0.3):
            visitor.say(do="set", name="arm", value=length)
        changed = visitor.hear("changed")
        assert changed["geometry"]  # the wheel has another shape
        assert 0 < len(changed["meshes"]) < len(visitor.scene["meshes"])
        assert all(parts[k] != row for k, row in changed["parts"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"plots": ["wheel.efort"]}, "did you mean wheel.effort"),
        ({"plots": [("wheel.q", "no.such")]}, "no such channel"),
        ({"sounds": [Struck("bel", 0.5)]}, "did you mean bell"),
        ({"floors": {"bel": 1e-3}}, "did you mean bell"),
    ],
)
def test_a_machine_that_plots_what_there_is_not_is_refused(more, told):
    with pytest.raises(ModelError, match=told):
        Live(crank_machine(**more)).start()


def test_a_machine_that_plots_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(machine_loop, "MOST_CHANNELS", 8)
    with pytest.raises(ModelError, match="a page plots 8"):
        Live(crank_machine(plots=[", ".join(HEAD), "wheel.q", "wheel.qd", "bell"])).start()


def test_far_wheels_and_no_numbers_are_refused(crank):
    before = crank.gate.refused.total()
    with Browser(crank) as rude:
        for value in (1.5, -1e9, float("nan"), float("inf")):
            rude.say(do="move", name="wheel.q", value=value, seconds=0.2)
        rude.say(do="pull", frame=1, at=[0, 0, 0], to=[0, 0, 0])
        eventually(lambda: crank.gate.refused.total() == before + 5)
    assert abs(turned(crank)) < 1e-3


def test_forces_and_numbers_of_a_body_are_told_to_who_asks_and_once_while_nothing_moves():
    """The hinge of the arm carries m (a − g): checked by the centre's acceleration, from q and q̇ of the motion."""
    with Studio(Live(swing())) as studio, Browser(studio) as visitor:
        eventually(lambda: studio.source.loop.newest()[1] > 0.2)
        studio.source.loop.pause()
        eventually(lambda: studio.source.loop.state == "paused")
        assert [row[:3] for row in visitor.hello["arrows"]] == [
            ["pull.arm", "pull", "held"],
            ["arm", "reaction", "own"],
        ]
        (card,) = visitor.hello["parts"]
        assert (card["name"], card["frame"], card["on"], card["dials"]) == ("arm", 1, 0, ["torque", "friction"])
        visitor.say(do="arrows", on=True)
        told = np.frombuffer(visitor.hear(VALUES), "<f4", offset=8)
        assert len(told) == 6 + 3
        names = studio.source.loop.names
        now = dict(zip(names, studio.source.loop.newest(), strict=True))
        q, qd = now["arm.q"], now["arm.qd"]
        qdd = (-0.5 * 9.81 * np.sin(q) - studio.source.loop.parameters["friction"] * qd) / (0.1 + 0.25)
        own = [-0.5 * qdd - 9.81 * np.sin(q), 0.0, 0.5 * qd**2 + 9.81 * np.cos(q)]  # m = 1 kg, 0.5 m below the hinge
        np.testing.assert_allclose(told[6:], own, rtol=1e-4, atol=1e-4)
        visitor.say(do="inspect", frame=1)
        message = visitor.hear(VALUES, lambda data: struct.unpack_from("<II", data)[1] == 1)
        numbers = np.frombuffer(message, "<f4", offset=8)
        np.testing.assert_allclose(numbers[:10], [1, 0, 0, -0.5, 0.1, 0.1, 0.01, 0, 0, 0], atol=1e-7)
        np.testing.assert_allclose(numbers[10:], [now[name] for name in card["joints"][0]["channels"]], rtol=1e-6)
        visitor.say(do="inspect", frame=7)
        assert visitor.hear("refused")["reason"] == "no such body"
        before = studio.source.loop.newest()[0]
        visitor.say(do="step", n=1)
        eventually(lambda: studio.source.loop.newest()[0] == before + 1)
        assert len(np.frombuffer(visitor.hear(VALUES), "<f4", offset=8)) in (9, 12)


def test_who_looks_back_sees_the_numbers_of_that_instant():
    with Studio(Live(swing())) as studio, Browser(studio) as visitor:
        live = studio.source
        eventually(lambda: live.status()["state"] == "running" and live.loop.newest()[1] > 1.0)
        live.obey(Pause())
        t, q = live.values(["loop.time", "arm.q"], 0.5)
        assert abs(t - 0.5) < 1.0 / 30.0
        known = live.loop.history("arm.q")
        assert q == pytest.approx(np.interp(t, known.t, known["arm.q"]), abs=1e-9)
        visitor.say(do="lookback", t=0.5)
        visitor.say(do="inspect", frame=1)
        message = visitor.hear(VALUES, lambda data: struct.unpack_from("<II", data)[1] == 1)
        assert np.frombuffer(message, "<f4", offset=8)[10] == pytest.approx(q, rel=1e-6)


def test_soil_is_told_by_the_patches_that_changed_and_grains_where_they_are():
    heights, grains = np.zeros((20, 30)), np.arange(12.0).reshape(4, 3)
    soil = ChangingSurface(HeightField(0, (20, 30), (0.1, 0.1), (0.0, 0.0, 0.0), "#8a6f4d"), lambda: heights)
    sand = Particles(Cloud(0, 100, 0.01, "#c9a227"), lambda: grains)
    with Studio(Live(crank_machine(terrains=[soil], particles=[sand]))) as studio, Browser(studio) as visitor:
        assert visitor.scene["fields"] == [[0, 20, 30, [0.1, 0.1], [0.0, 0.0, 0.0], "#8a6f4d"]]
        assert visitor.scene["clouds"] == [[0, 100, 0.01, "#c9a227"]]
        np.testing.assert_array_equal(np.frombuffer(visitor.hear(CLOUD), "<f4", offset=16), grains.ravel())
        assert struct.unpack_from("<6I", visitor.hear(PATCH))[2:] == (0, 0, 20, 30)
        heights[5:7, 10] = -0.2  # a wheel went there
        patch = visitor.hear(PATCH)
        assert struct.unpack_from("<6I", patch)[2:] in ((5, 10, 2, 1), (5, 10, 1, 1))  # both, or the first of them
        visitor.say(do="set", name="arm", value=0.25)
        assert visitor.hear("changed")["geometry"]
    with Studio(Live(crank_machine())) as plain, Browser(plain) as visitor:
        assert (visitor.scene["fields"], visitor.scene["clouds"]) == ([], [])


def test_a_server_without_news_beats_more_often_than_a_page_waits():
    """The page gives it up after 2 s without a message (frontend/test/socket.test.ts)."""
    with Studio(Live(crank_machine())) as studio, Browser(studio) as visitor:
        visitor.say(do="pause")
        visitor.hear("status")
        beats = 0
        while beats < 3:
            beats += visitor.socket.recv(timeout=PATIENCE) == "{}"
    assert BEAT <= 0.5


@pytest.mark.parametrize("fails", [False, True])
def test_a_tile_that_never_comes_delays_nothing_else(fails, caplog):
    ended = threading.Event()

    def height(x, y):
        if np.ptp(x) < 100.0:  # a fine tile
            if fails:
                raise ZeroDivisionError
            ended.wait(PATIENCE)
        return 0.0 * (x + y)

    ground = Landscape(height, (-500.0, -500.0, 500.0, 500.0))
    with Studio(Live(crank_machine(landscape=ground))) as studio, Browser(studio) as browser:
        browser.say(do="tiles", keys=[[0, 3, 3]])
        browser.say(do="move", name="wheel.q", value=0.5, seconds=0.2)
        moving = [browser.hear(POSES) for _ in range(5)]
        assert times(moving[-1]) > times(moving[0])
        if fails:
            eventually(lambda: "a tile of the landscape could not be made" in caplog.text)
            browser.say(do="tiles", keys=[[ground.levels - 1, 0, 0]])
            assert browser.hear(TILE)  # others come
        assert browser.hear("status")["state"] == "running"
        ended.set()
