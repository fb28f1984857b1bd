"""A local model in a loop and its world in another process (world_link.py): packets, kills, silence, bad frames."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import symbody
from symbody.haptics.steps import SceneSource
from symbody.haptics.thesis_scenes.puck import START, puck_local, puck_world
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.wire import PROXY, WORLD, world_values
from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode
from symbody.haptics.two_rates.world_link import WorldLink
from symbody.links.link import Limits, LinkEnd
from symbody.links.shared_memory import MemoryTransport
from symbody.links.udp import UdpTransport, address_text
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling

pytestmark = pytest.mark.posix
RATE = 500.0
LIMITS = Limits(silence=0.2)
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(symbody.__file__).parents[1])}


@pytest.fixture
def listening():
    """A local model in its loop, and its end of a line over UDP."""
    local = puck_local(Port(passive=True, still=0.1, patience=0.4, fading=0.1), RATE)
    socket = UdpTransport([PROXY], [WORLD], bind=("127.0.0.1", 0), varying=True)
    loop = Loop(
        SceneSource(local.scene),
        RATE,
        safety=Safety(stale=None, overrun=None),
        scheduling=Scheduling(priority=0),
    )
    with loop, WorldLink(local, socket, limits=LIMITS) as link:
        loop.give({"hand_x": START[0], "hand_y": START[1]})
        yield local, link, socket.address


def wait_for(condition, timeout=20.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


def world_process(address):
    command = [sys.executable, "-m", "symbody", "node", "world", "puck", "--at", address_text(address), "--rate", "60"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)


@pytest.mark.slow
def test_a_world_that_is_killed_and_started_again_is_picked_up(listening):
    local, link, address = listening
    for k in (1, 2):
        taken = local.counts["taken"]
        world = world_process(address)
        try:
            assert wait_for(lambda taken=taken: local.counts["taken"] > taken + 5)
            assert not link.is_silent
        finally:
            world.send_signal(signal.SIGKILL)
            world.wait()
        assert wait_for(lambda: link.is_silent)
        assert wait_for(lambda: local.c.count == 0)  # its surfaces grew old, and were let go
        assert link.silences == k
        assert link.link.counts["sessions"] == k
    assert local.counts["stale"] == 0


def test_bad_frames_are_counted_and_do_no_harm(listening):
    local, link, address = listening
    line = UdpTransport([WORLD], [PROXY], partner=address, varying=True)
    me, end = LinkEnd(LIMITS), WorldEnd(puck_world(speed=0.0))

    def say(values):
        line.send(me.outgoing(values, time.monotonic_ns()))
        if (frame := line.receive(0.02)) is not None:
            me.believe(frame, time.monotonic_ns())

    try:
        assert wait_for(lambda: say(world_values(end.step())) or local.counts["taken"] > 2)
        good = world_values(end.step())
        for wrong, counted in (
            (good[:-1], lambda: link.link.counts["size"]),
            (np.full(len(good), np.nan), lambda: link.link.counts["not finite"]),
            (np.where(np.arange(len(good)) == 4, 1e6, good), lambda: link.link.counts["count"]),
            (np.where(np.arange(len(good)) == 0, 0.5, good), lambda: link.link.counts["whole numbers"]),
        ):
            before = counted()
            assert wait_for(lambda wrong=wrong, counted=counted, before=before: say(wrong) or counted() > before)
        heavy = good.copy()
        heavy[10:19] = 1e12  # a mass matrix that nobody believes
        heavy[0] = 10**6
        assert wait_for(lambda: say(heavy) or local.counts["mass"] > 0)
        for k in range(50):
            line._socket.sendto(np.random.default_rng(k).bytes(30 * k), address)
        assert wait_for(lambda: sum(link.summary()["refused"].values()) >= 50)
        taken = local.counts["taken"]
        again = heavy
        again[:] = good

        def better():
            again[0] += 1
            say(again)
            return local.counts["taken"] > taken

        again[0] = 2 * 10**6
        assert wait_for(better)
    finally:
        line.close()
    assert local.scene.counts["faults"] == 0


def test_two_threads_over_shared_memory():
    """The same, without a socket: the world in a thread."""
    import threading

    name = f"link-{os.getpid()}"
    local = puck_local(Port(passive=True), RATE)
    owner = MemoryTransport(name, PROXY, WORLD, owner=True)
    node = WorldNode(WorldEnd(puck_world(), rate=60.0), MemoryTransport(name, WORLD, PROXY, owner=False), limits=LIMITS)
    stop = threading.Event()
    thread = threading.Thread(target=lambda: node.run(stop=stop))
    loop = Loop(
        SceneSource(local.scene),
        RATE,
        safety=Safety(stale=None, overrun=None),
        scheduling=Scheduling(priority=0),
    )
    with loop, WorldLink(local, owner, limits=LIMITS) as link:
        loop.give({"hand_x": START[0], "hand_y": START[1]})
        thread.start()
        assert wait_for(lambda: local.counts["taken"] > 20)
        stop.set()
        thread.join()
        assert node.end.counts["late"] == 0
        assert link.summary()["refused"] == {}
        assert local.c.port.posted >= local.c.port.taken > 20
    node.transport.close()
