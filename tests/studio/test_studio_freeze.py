"""No message of a browser, and no silence, freezes the studio or keeps it from ending.

Tests of server.py, web/server.py, web/worker.py, cli/shutdown.py: each state has a process of its own, which is
then ended. A hang would last minutes; PATIENCE only has to be shorter.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from studio_models import swing

import symbody
from symbody.studio import Live, Studio
from symbody.web import rights
from waiting import PATIENCE, eventually

pytestmark = pytest.mark.posix

client = pytest.importorskip("websockets.sync.client")

HERE = Path(__file__).parent
PATHS = [str(Path(symbody.__file__).parents[1]), str(HERE)]
SERVE = """
import argparse, sys
from symbody.cli import studio as command
from symbody.studio import Live
from studio_models import swing
{before}
arguments = argparse.Namespace(
    host="127.0.0.1", port=0, token=None, token_file=None, new_token=False, names=[], no_open=True,
    headless_screenshot=None)
command.serve(arguments, lambda: {source})
"""


@contextmanager
def serving(before="", source="Live(swing())"):
    """A studio in a process of its own; yields the process, its port and its token."""
    code = SERVE.format(before=before, source=source)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(PATHS)}
    command = [sys.executable, "-c", code]
    ordinary = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # who runs the tests may ignore it
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, **ordinary) as process:
        try:
            said = process.stderr.readline()
            assert said.startswith("studio: http://127.0.0.1:"), said + process.stderr.read()
            place, _, token = said.split()[1].partition("#token=")
            yield process, int(place.rstrip("/").rpartition(":")[2]), token
        finally:
            process.kill()


def ended(process, number=signal.SIGTERM):
    """Tell it to end; what it said last."""
    process.send_signal(number)
    return process.communicate(timeout=PATIENCE)[1]


def connected(port, token, **more):
    offered = rights.offered(token)
    waits = {"open_timeout": PATIENCE, "close_timeout": 1, "ping_interval": None}
    return client.connect(f"ws://127.0.0.1:{port}/socket", subprotocols=offered, **waits, **more)


def say(browser, **message):
    browser.send(json.dumps(message))


def slow_steps(browser):
    """Two legal messages: a thousand steps that take a second each."""
    say(browser, do="speed", factor=0.001)
    say(browser, do="step", n=1000)


def test_slow_steps_do_not_freeze_others_or_the_clock():
    """A browser that asked for a thousand slow steps and left is no reason why another waits."""
    with Studio(Live(swing())) as studio:
        loop = studio.source.loop
        with connected(studio.port, studio.token) as one, connected(studio.port, studio.token) as two:
            for browser in (one, two):
                browser.recv(timeout=PATIENCE)
                say(browser, do="pull", frame=1, at=[0, 0, -1], to=[0.5, 0, -1])
            slow_steps(one)
            slow_steps(two)
        with connected(studio.port, studio.token) as third:
            third.recv(timeout=PATIENCE)
            say(third, do="speed", factor=1.0)
            say(third, do="play")
            eventually(lambda: loop.state == "running")
            before = loop.latest().step
            eventually(lambda: loop.latest().step > before + 200)
            assert studio.gate.refused["busy"] == 0


def test_a_source_that_hangs_is_told_to_be_busy_and_the_page_goes_on():
    live, hangs = Live(swing()), threading.Event()
    live.obey = lambda message: hangs.wait(60.0)
    with Studio(live) as studio, connected(studio.port, studio.token) as browser:
        browser.recv(timeout=PATIENCE)
        say(browser, do="pause")
        while not (isinstance(heard := browser.recv(timeout=PATIENCE), str) and "refused" in json.loads(heard)):
            pass
        assert json.loads(heard)["refused"]["reason"] == "busy"
        assert isinstance(browser.recv(timeout=PATIENCE), bytes | str)  # the motion goes on
        hangs.set()


def play_on(browser):
    say(browser, do="play")


def pause(browser):
    say(browser, do="pause")


SLOW = pytest.mark.slow  # a process each


@pytest.mark.parametrize(
    ("brought_about", "number"),
    [
        (slow_steps, signal.SIGTERM),
        pytest.param(slow_steps, signal.SIGINT, marks=SLOW),
        pytest.param(play_on, signal.SIGTERM, marks=SLOW),
        pytest.param(pause, signal.SIGTERM, marks=SLOW),
    ],
)
def test_it_ends_in_every_state(brought_about, number):
    with serving() as (process, port, token):
        with connected(port, token) as browser, connected(port, token) as other:
            for one in (browser, other):
                one.recv(timeout=PATIENCE)
                brought_about(one)
            time.sleep(0.3)  # the messages arrive
        said = ended(process, number)
        assert "Traceback" not in said
        assert "by force" not in said
        assert process.returncode == (0 if number == signal.SIGINT else 128 + number)


@pytest.mark.slow
def test_it_ends_while_browsers_are_silent():
    """One never asks for anything, one asks half, one reads nothing; none of them answers a farewell."""
    with serving() as (process, port, _), ExitStack() as opened:
        _, half, deaf = (
            opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)) for _ in range(3)
        )
        half.sendall(b"GET /socket HTTP/1.1\r\nHost: 127")
        deaf.sendall(
            f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode()
        )
        assert deaf.recv(12) == b"HTTP/1.1 101"
        time.sleep(0.5)
        said = ended(process)
        assert "Traceback" not in said
        assert process.returncode == 143


DEAD = "source = Live(swing()).start(); source.loop.stop()"
STUCK = """
import threading, time
source = Live(swing())
source.start()  # so that it is shown as soon as the page is served
source.start = lambda: source
source.obey = lambda message: time.sleep(600.0)
source.close = lambda: time.sleep(600.0)
"""


@pytest.mark.slow
def test_it_ends_when_the_loop_is_dead():
    with serving(DEAD, "source") as (process, port, token), connected(port, token) as browser:
        browser.recv(timeout=PATIENCE)
        for message in ({"do": "step", "n": 3}, {"do": "reset"}, {"do": "pause"}):
            say(browser, **message)
        assert "Traceback" not in ended(process)
        assert process.returncode == 143


@pytest.mark.slow
def test_it_ends_by_force_when_nothing_else_helps():
    with serving(STUCK, "source") as (process, port, token), connected(port, token) as browser:
        while not isinstance(browser.recv(timeout=PATIENCE), bytes):  # a pose: the machine is shown
            pass
        say(browser, do="play")
        assert "ended by force" in ended(process)
        assert process.returncode == 143
