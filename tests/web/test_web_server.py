"""The server with an application of its own, and with several: pages, sockets, rights, refusals.

Tests of server.py, connection.py, page.py, application.py, sockets.py.
"""

import asyncio
import json
import logging
import re
import sys
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest
from web_notes import Notes

from symbody.errors import ModelError
from symbody.web import rights
from waiting import PATIENCE, eventually

client = pytest.importorskip("websockets.sync.client")
exceptions = pytest.importorskip("websockets.exceptions")
from symbody.web.encodings import WebContent  # noqa: E402
from symbody.web.server import WebServer  # noqa: E402
from symbody.web.verbs import LONGEST  # noqa: E402

pytestmark = pytest.mark.clock
WAITS = {"open_timeout": PATIENCE, "close_timeout": 1, "ping_interval": None}


@pytest.fixture(scope="module")
def server():
    with WebServer({"/": Notes("main"), "/other/": Notes("other")}) as started:
        yield started


def page(server, path="/"):
    with urllib.request.urlopen(server.place.rstrip("/") + path) as answer:
        return answer.read().decode(), answer.headers


def socket(server, path="/socket", token=None, **more):
    offers = rights.offered(server.token if token is None else token)
    return client.connect(f"ws://127.0.0.1:{server.port}{path}", subprotocols=offers, **WAITS, **more)


def first(browser):
    return json.loads(browser.recv(timeout=PATIENCE))


def asked(browser, **message):
    browser.send(json.dumps(message))
    return browser.recv(timeout=PATIENCE)


def missing(server, path):
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        page(server, path)
    return refused.value.headers["Content-Security-Policy"]


def test_each_application_has_its_page_and_its_socket(server):
    assert page(server)[0].startswith("<h1>main")
    assert page(server, "/other/")[0].startswith("<h1>other")
    with socket(server) as one, socket(server, "/other/socket") as two:
        assert [first(browser)["title"] for browser in (one, two)] == ["main", "other"]


def test_addresses_and_applications_of_a_server(server):
    assert server.url == server.address == f"{server.place}#token={server.token}"
    assert server.application_at("/other/").title == "other"
    assert server.application_at("/third/") is None
    assert page(server, "/other/?day=1")[0].startswith("<h1>other")


def test_a_server_that_runs_is_ready_and_ends_with_its_program(server):
    assert server._ready.is_set()
    assert server._thread.daemon
    assert sys.getswitchinterval() <= 0.001  # s, as messages wait for threads of Python


def test_only_our_subprotocol_is_selected(server):
    with socket(server) as browser, client.connect(f"ws://127.0.0.1:{server.port}/socket", **WAITS) as stranger:
        assert (browser.subprotocol, stranger.subprotocol) == ("symbody", None)


def test_the_page_is_made_for_the_depth_of_its_folder(server, monkeypatch):
    asked = []
    for path in ("/", "/other/"):
        monkeypatch.setattr(
            server.application_at(path).page, "shell", lambda prefix: asked.append(prefix) or WebContent(b"")
        )
        page(server, path)
    assert asked == ["", "../"]


def test_an_asset_is_that_of_any_page(server, monkeypatch):
    monkeypatch.setattr(server.application_at("/other/").page, "assets", {"a.js": WebContent(b"1 + 1")})
    assert page(server, "/assets/a.js")[0] == "1 + 1"
    missing(server, "/assets/b.js")


def test_an_error_in_the_loop_is_a_line_of_the_limited_log(server, caplog):
    def failing():
        raise ValueError("a callback")

    with caplog.at_level(logging.ERROR), WebServer({"/": Notes()}) as other:
        other._serving[0].call_soon_threadsafe(failing)
        eventually(lambda: caplog.records)
    assert {record.name for record in caplog.records} == {"symbody.web.server"}
    assert "a callback" in caplog.records[0].getMessage()


def test_a_socket_whose_application_was_unmounted_meanwhile_is_not_served(server):
    asyncio.run(server._visited(SimpleNamespace(request=SimpleNamespace(path="/third/socket"))))


@pytest.mark.parametrize("path", ["/other", "/third/", "/third/socket", "/other/socket/", "//", "/socket.js", "/../"])
def test_other_paths_are_not_found_and_run_no_script(server, path):
    assert "script-src 'none'" in missing(server, path)


def test_only_the_scripts_of_a_page_are_run_and_no_other_page_frames_it(server):
    policy = page(server)[1]["Content-Security-Policy"]
    assert re.search(r"script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s=';", policy)  # of "1"
    assert policy.endswith("frame-ancestors 'none'")
    assert "default-src 'none'" in policy
    with WebServer({"/": Notes()}, frames=["http://localhost:*"]) as framed:
        assert page(framed)[1]["Content-Security-Policy"].endswith("frame-ancestors http://localhost:*")


def test_verbs_are_those_of_the_application_and_rights_those_of_the_token(server):
    with socket(server) as friend, socket(server, token="0123456789abcdef") as stranger:
        assert [first(browser)["touch"] for browser in (friend, stranger)] == [True, False]
        assert asked(friend, do="write", line="a", pen="b") == "Write(line='a', pen='b')"
        assert asked(stranger, do="write", line="a", pen="b") == "not allowed"
        assert asked(stranger, do="scroll", to=3) == "Scroll(to=3)"
        assert asked(friend, do="play") == "no such command"
        assert asked(friend, do="scroll", to=101) == "out of range"


def test_a_message_longer_than_any_verb_closes_its_socket(server):
    with socket(server) as browser:
        first(browser)
        browser.send("x" * (2 * LONGEST + 1))
        with pytest.raises(exceptions.ConnectionClosedError) as closed:
            list(browser)
        assert closed.value.rcvd.code == 1009  # message too big (RFC 6455, 7.4.1)


def test_refused_sockets_are_counted_at_the_application_that_was_asked_for(server):
    main, other = (server._applications[path].gate.refused for path in ("/", "/other/"))
    before = main["another site"], other["another site"]
    with pytest.raises(exceptions.InvalidStatus, match="403"):
        socket(server, "/other/socket", origin="http://evil.example")
    assert (main["another site"], other["another site"]) == (before[0], before[1] + 1)


def test_applications_are_mounted_and_unmounted_while_others_go_on(server):
    made = Notes("third")
    server.mount("/third/", made)
    assert made.started == 1
    with socket(server) as stays, socket(server, "/third/socket") as leaves:
        assert first(leaves)["title"] == "third"
        server.unmount("/third/")
        assert made.closed == 1
        with pytest.raises(exceptions.ConnectionClosed):
            leaves.recv(timeout=PATIENCE)
        assert first(stays)["title"] == "main"
        assert asked(stays, do="erase") == "Erase()"
    missing(server, "/third/")


@pytest.mark.parametrize("path", ["", "piano", "/piano", "piano/", "//", "/a?b/", "/a\n/"])
def test_paths_that_no_page_can_have_are_refused(server, path):
    with pytest.raises(ModelError, match="/piano/"):
        server.mount(path, Notes())


def test_the_folder_of_scripts_is_reserved(server):
    with pytest.raises(ModelError, match="reserved for scripts"):
        server.mount("/assets/", Notes())
    with pytest.raises(ModelError, match="served: nothing"):
        WebServer({}).unmount("/")


def test_a_path_is_taken_once(server):
    with pytest.raises(ModelError, match="already"):
        server.mount("/other/", Notes())
    with pytest.raises(ModelError, match="served: /, /other/"):
        server.unmount("/nothing/")


def test_applications_start_and_close_with_the_server():
    notes = Notes()
    with WebServer({"/": notes}) as started:
        assert (notes.started, notes.closed) == (1, 0)
        assert started.start() is started
        assert notes.started == 1
        ended = []
        started.closing.callback(ended.append, "with the server")
        started.close()
        assert (notes.closed, ended) == (1, ["with the server"])
        notes.closed = 0
    assert notes.closed == 1
    started.wait(PATIENCE)  # it has ended: returns at once


def test_an_application_that_fails_to_start_closes_the_others():
    class Broken(Notes):
        def start(self):
            raise ModelError("broken")

    notes = Notes()
    with pytest.raises(ModelError, match="broken"):
        WebServer({"/": notes, "/broken/": Broken()}).start()
    assert notes.closed == 1


def test_a_server_that_stops_says_goodbye_and_frees_its_port():
    with WebServer({"/": Notes()}) as server:
        browser = socket(server)
        first(browser)
    assert not server._thread.is_alive()
    assert server._ended.is_set()  # `wait` returns
    with pytest.raises(exceptions.ConnectionClosed) as closed:
        browser.recv(timeout=PATIENCE)
    assert closed.value.rcvd.code == 1001  # going away
    with WebServer({"/": Notes()}, port=server.port) as again:
        assert again.port == server.port


def test_a_notebook_shows_the_page_in_a_frame(server):
    frame = server._repr_html_()
    assert frame.startswith(f'<iframe src="{server.address}"')
    kept = WebServer({"/": Notes()}, token="0123456789abcdef0123456789abcdef")
    assert f'src="{kept.place}"' in kept._repr_html_()  # a given token is never shown
    assert 'title="symbody"' in frame
    kept.name = "studio"
    assert 'title="symbody studio"' in kept._repr_html_()


@pytest.mark.parametrize(
    ("seconds", "ended", "waited"), [(0.0, [False], [0.0]), (9.0, [True], [0.2]), (None, [False, True], [0.2, 0.2])]
)
def test_waiting_ends_with_the_time_or_the_server(monkeypatch, seconds, ended, waited):
    server, waits = WebServer({"/": Notes()}), []

    def wait(limit):
        waits.append(limit)
        return ended.pop(0)

    monkeypatch.setattr(server, "_ended", SimpleNamespace(wait=wait))
    server.wait(seconds)
    assert waits == waited


def test_ctrl_c_ends_waiting(monkeypatch):
    def interrupted(limit):
        raise KeyboardInterrupt

    server = WebServer({"/": Notes()})
    monkeypatch.setattr(server, "_ended", SimpleNamespace(wait=interrupted))
    server.wait()


def test_assets_are_found_in_their_folder_only(server, monkeypatch):
    monkeypatch.setattr(server, "_asset", {"a.js": WebContent(b"1 + 1")}.get)
    assert page(server, "/assets/a.js")[0] == "1 + 1"
    missing(server, "/other/a.js")


def test_a_port_in_use_is_an_error_that_names_the_option(server):
    notes = Notes()
    failing = WebServer({"/": notes}, port=server.port)
    with pytest.raises(ModelError, match="--port"):
        failing.start()
    assert notes.closed == 1
    assert failing._ready.is_set()  # nobody waits for it


def test_visitors_are_limited_over_all_applications(server, monkeypatch):
    from symbody.web import connection_limit

    eventually(lambda: not server.connections._visitors)
    monkeypatch.setattr(connection_limit, "MOST_VISITORS", 2)  # one of them reserved for the token
    refused = server.application_at("/other/").gate.refused
    before = refused["too many visitors"]
    with socket(server, token="0123456789abcdef"):
        with pytest.raises(exceptions.InvalidStatus, match="503"):
            socket(server, "/other/socket", token="0123456789abcdef")
        assert refused["too many visitors"] == before + 1
        assert [address for address, _ in server.connections._visitors.values()] == ["127.0.0.1"]
        with socket(server, "/other/socket") as friend:
            assert first(friend)["touch"]
