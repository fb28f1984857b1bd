"""A flood of connections: the page is served, a browser with the token gets in, and the log stays short.

Tests of connection_limit.py, rate_limited_log.py, connection.py, shared_cache.py.
"""

import logging
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbody
from symbody.web.connection_limit import MOST_FROM_ONE, RESERVED, ConnectionLimit, connections_allowed
from symbody.web.rate_limited_log import EVERY, rate_limited_logger
from symbody.web.shared_cache import SharedCache
from waiting import PATIENCE


def test_the_one_that_waits_longest_goes():
    limit, dropped = ConnectionLimit(most=3), []
    for k in range(5):
        limit.opened(k, lambda k=k: dropped.append(k))
    assert dropped == [0, 1]
    assert limit.dropped == 2
    limit.admit(2, "here", trusted=False)  # it asked, and watches
    limit.opened(5, lambda: dropped.append(5))
    assert dropped == [0, 1, 3]
    limit.closed(4)
    limit.opened(6, lambda: dropped.append(6))
    assert dropped == [0, 1, 3]


def test_strangers_leave_room_for_those_who_bear_the_token():
    limit = ConnectionLimit(most=256)
    for k in range(limit.most_visitors - RESERVED):
        assert limit.refusal(f"10.0.0.{k}", trusted=False) == ""
        limit.admit(k, f"10.0.0.{k}", trusted=False)
    assert limit.refusal("10.0.1.1", trusted=False) == "too many visitors"
    for k in range(RESERVED):
        assert limit.refusal("10.0.1.1", trusted=True) == ""
        limit.admit(1000 + k, "10.0.1.1", trusted=True)
    assert limit.refusal("10.0.1.1", trusted=True) == "too many visitors"


def test_strangers_from_one_address_do_not_take_all_places():
    limit = ConnectionLimit(most=256)
    for k in range(MOST_FROM_ONE):
        limit.admit(k, "10.0.0.1", trusted=False)
    assert "one address" in limit.refusal("10.0.0.1", trusted=False)
    assert limit.refusal("10.0.0.1", trusted=True) == ""
    assert limit.refusal("10.0.0.2", trusted=False) == ""
    limit.closed(0)
    assert limit.refusal("10.0.0.1", trusted=False) == ""


@given(st.integers(4, 300), st.lists(st.tuples(st.sampled_from("kel"), st.integers(0, 40)), max_size=300))
def test_there_are_never_more_connections_than_allowed(most, acts):
    """Whatever the order: knocking, entering as the server lets in, leaving; dropped ones leave."""
    limit, there = ConnectionLimit(most=most), set()
    for act, who in acts:
        if act == "k" and who not in there:
            there.add(who)
            limit.opened(who, lambda who=who: there.discard(who))
        elif act == "e" and who in there and not limit.refusal("here", trusted=True):
            limit.admit(who, "here", trusted=True)
        elif act == "l":
            there.discard(who)
            limit.closed(who)
        assert len(there) <= most


def test_few_files_are_few_connections(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(os, "listdir", lambda _: ["0"] * 10)  # open files
    for files, allowed in {0: 4, 17: 4, 20: 5, 110: 50, 521: 255, 522: 256, 100_000: 256}.items():
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert connections_allowed() == allowed

    def unknown(kind):
        raise OSError

    monkeypatch.setattr(resource, "getrlimit", unknown)
    assert connections_allowed() == 256


@pytest.mark.parametrize(
    ("most", "visitors", "strangers"), [(1, 1, 1), (2, 1, 1), (8, 4, 2), (100, 50, 34), (1000, 128, 112)]
)
def test_half_of_the_connections_are_for_visitors_and_some_for_the_token(most, visitors, strangers):
    limit = ConnectionLimit(most=most)
    assert limit.most_visitors == visitors
    admitted = 0
    while not limit.refusal(f"10.0.0.{admitted}", trusted=False):
        limit.admit(admitted, f"10.0.0.{admitted}", trusted=False)
        admitted += 1
    assert admitted == strangers


def test_one_address_has_32_places():
    limit = ConnectionLimit(most=256)
    for k in range(32):
        assert not limit.refusal("10.0.0.1", trusted=False)
        limit.admit(k, "10.0.0.1", trusted=False)
    assert limit.refusal("10.0.0.1", trusted=False) == "too many visitors from one address"


def test_the_log_has_a_line_now_and_then(caplog):
    now = [0.0]
    logger = rate_limited_logger("studio", lambda: now[0])
    with caplog.at_level(logging.DEBUG):
        logger.info("nothing")
        for k in range(1000):
            logger.error("failed %d", k, exc_info=ValueError("x" * 5000))
        now[0] += EVERY
        logger.error("failed again")
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("studio: failed 0: ValueError")
    assert len(first) < 300
    assert second == "studio: failed again (and 999 more before)"
    assert all(record.exc_info is None for record in caplog.records)


def test_what_many_ask_for_is_computed_once():
    now, made = [0.0], []
    cached = SharedCache(lambda: made.append(now[0]) or now[0], 1.0, lambda: now[0])
    assert [cached(), cached()] == [0.0, 0.0]
    now[0] = 1.0
    assert cached() == 1.0
    assert made == [0.0, 1.0]


FLOODED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))
from symbody.web.server import WebServer
from web_notes import Notes
with WebServer({"/": Notes()}) as server:
    print(server.port, server.token, flush=True)
    input()
    print(server.connections.dropped, flush=True)
"""


@pytest.mark.clock
@pytest.mark.slow
@pytest.mark.posix
def test_a_flood_with_few_files_keeps_no_page_out():
    """Idle connections, five times as many as it has files: page and socket are served, the log is short."""
    client = pytest.importorskip("websockets.sync.client")
    from symbody.web import rights

    paths = [str(Path(symbody.__file__).parents[1]), str(Path(__file__).parent)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", FLOODED], text=True, env=environment, **pipes) as process:
        try:
            port, token = process.stdout.readline().split()
            with ExitStack() as opened:
                for _ in range(400):
                    opened.enter_context(socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE))
                for _ in range(3):
                    with socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE) as page:
                        page.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                        assert page.recv(12) == b"HTTP/1.1 200"
                    address, offers = f"ws://127.0.0.1:{port}/socket", rights.offered(token)
                    waits = {"open_timeout": PATIENCE, "close_timeout": 1}
                    with client.connect(address, subprotocols=offers, **waits) as browser:
                        assert '"touch": true' in browser.recv(timeout=PATIENCE)
            out, err = process.communicate("\n", timeout=PATIENCE)
            assert int(out) > 300
            assert len(err.splitlines()) <= 3, err
        finally:
            process.kill()
