"""Nonsense that a piano key is told: efforts stay within their limit, are zero while safe, and it sounds again."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from piano_stage import assert_harmless, blows, loop_of, machine

import symbody
from symbody.links.rejected import Rejected
from symbody.machines.piano.page import DEEPEST, LOWEST
from symbody.realtime.loop_memory import Shared
from symbody.studio import Live, Studio
from symbody.web.rights import offered
from waiting import PATIENCE, eventually

pytestmark = [pytest.mark.posix, pytest.mark.clock]  # the real-time loop

client = pytest.importorskip("websockets.sync.client")
HERE = Path(__file__).parent
PATHS = [Path(symbody.__file__).parents[1], HERE, HERE.parent]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PATHS))}


def sounds(loop, press):
    """Press the key, let it go, and again until a note was heard: a loaded machine may make a stroke too slow."""
    begun = loop.latest().t
    for dip in itertools.cycle((DEEPEST, 0.0)):
        until = loop.latest().t + 0.4
        eventually(lambda dip=dip, until=until: press(dip) and loop.latest().t > until)
        if len(blows(loop.history("string_heard", since=begun))[0]):
            break
        assert loop.latest().t < begun + PATIENCE, "it never sounded"


def sounds_again(live):
    """A note, after whatever it was, and rest."""
    live.loop.resume()
    sounds(live.loop, lambda q: live.hands.move("key.q", q) is None)
    live.hands.let_go()
    eventually(lambda: abs(newest(live.loop, "key.dip")) < 1e-5)
    eventually(lambda: abs(newest(live.loop, "key.effort")) < 0.01 * live.machine.effort_limits["key.effort"])
    assert_harmless(live.loop, live.machine)


def newest(loop, name):
    return loop.latest().outputs[loop.outputs.index(name)]


def given(loop, value, **options):
    """Give a sample; always true."""
    loop.give([value], **options)
    return True


@pytest.fixture(scope="module")
def studio():
    with Studio(Live(machine())) as served:
        yield served


@pytest.fixture
def live(studio):
    return studio.source


@pytest.mark.parametrize("command", [np.nan, np.inf, -np.inf, 1e300, 10.0 * DEEPEST, 10.0 * LOWEST])
def test_commands_that_no_key_can_follow_are_refused_by_the_hands(live, command):
    live.hands.move("key.q", DEEPEST)
    with pytest.raises(Rejected, match="out of range"):
        live.hands.move("key.q", command)
    sounds_again(live)


def test_commands_that_pass_the_hands_are_refused_by_the_loop():
    """As from a device that is broken: numbers far away, no numbers, jumps from end to end at every sample."""
    m, rng = machine(), np.random.default_rng(5)
    wild = [np.nan, np.inf, -np.inf, 1e300, -1.0, 3.0, LOWEST, DEEPEST, DEEPEST]
    with loop_of(m, stale=0.05, overrun=None, calm=0.02) as loop:

        def enough():
            seen = loop.statistics()
            return seen.clamped > 0 and min(seen.refused["not a number"], seen.refused["out of limits"]) > 100

        def safe_for_its_reason():  # given nothing for so long, or another of them, it was safe for that: once more
            eventually(lambda: given(loop, 0.0) and loop.state == "running")
            eventually(lambda: given(loop, np.nan) and loop.state == "safe")
            return loop.reason.startswith("input not a number")

        eventually(lambda: given(loop, rng.choice(wild)) and enough())
        eventually(safe_for_its_reason)
        assert newest(loop, "key.effort") == 0.0
        eventually(lambda: given(loop, 0.0) and loop.state == "running")
        own = ("diverged", "output out of limits", "beyond a limit of the model")
        assert not any(loop.statistics().faults[name] for name in own)  # the action itself comes to no harm
        sounds(loop, lambda q: given(loop, q))
        assert_harmless(loop, m)


@pytest.mark.parametrize("jump", [1.0, -1.0])
def test_samples_of_a_clock_that_jumps_by_a_second_are_refused(jump):
    m = machine()
    with loop_of(m, stale=0.05, overrun=None, calm=0.02) as loop:
        eventually(lambda: given(loop, DEEPEST) and newest(loop, "key.q") > 0.9 * DEEPEST)
        refused = loop.statistics().refused["wrong clock"]
        eventually(lambda: given(loop, 0.0, stamp=time.monotonic() + jump) and loop.state == "safe")
        assert loop.statistics().refused["wrong clock"] > refused or loop.reason == "stale input"
        assert newest(loop, "key.effort") == 0.0
        eventually(lambda: given(loop, 0.0) and loop.state == "running")
        sounds(loop, lambda q: given(loop, q))
        assert_harmless(loop, m)


def test_a_browser_that_is_closed_in_mid_stroke_lets_the_key_go(studio, live):
    address, offers = f"ws://127.0.0.1:{studio.port}/socket", offered(studio.token)
    waits = {"open_timeout": PATIENCE, "close_timeout": 1, "ping_interval": None}
    with client.connect(address, subprotocols=offers, max_size=None, **waits) as browser:
        browser.recv(timeout=PATIENCE)

        def half_way():
            browser.send(json.dumps({"do": "move", "name": "key.q", "value": DEEPEST / 2.0, "seconds": 0.1}))
            return newest(live.loop, "key.dip") > 4e-3

        eventually(half_way)
    eventually(lambda: abs(newest(live.loop, "key.dip")) < 1e-5)
    sounds_again(live)


LIVING = """
import sys
from piano_stage import machine
from symbody.studio import Live
live = Live(machine()).start()
live.hands.appoint("crescendo", live.machine.pilots["crescendo"])
print(live.loop.name, flush=True)
sys.stdin.read()
live.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_a_process_that_stands_still_for_a_second_loses_that_second_and_nothing_else():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", LIVING], env=ENVIRONMENT, stdin=pipe, stdout=pipe, text=True) as other:
        try:
            loop = Shared.attach(other.stdout.readline().strip())
            eventually(lambda: newest(loop, "key.effort") > 0.1)  # in mid-stroke
            other.send_signal(signal.SIGSTOP)
            eventually(lambda: not loop.alive)
            assert newest(loop, "key.effort") == 0.0
            time.sleep(1.0)
            late, t = loop.statistics().faults["overrun"], loop.latest().t
            other.send_signal(signal.SIGCONT)
            eventually(lambda: loop.statistics().faults["overrun"] > late and loop.state == "running")
            eventually(lambda: len(blows(loop.history("string_heard", since=t))[0]) > 0)
            assert_harmless(loop, machine())
        finally:
            other.send_signal(signal.SIGCONT)
            other.stdin.close()
            other.wait(timeout=PATIENCE)
