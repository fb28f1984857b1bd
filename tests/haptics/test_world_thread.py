"""A world in threads (world_thread.py, extra_inputs.py, local_beads.py): live numbers, restart, end."""

import threading
import time

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.force_beads import FRONT
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import Controller, Rendering
from symbody.haptics.shapes import rectangle
from symbody.haptics.steps import SceneSource
from symbody.haptics.structures import CONTACT_MODELS, CONTROLLERS
from symbody.haptics.thesis_scenes.puck import AT, HAND, PUCK, PUCK_INERTIA, PUCK_MASS, START, WALL, room, tool
from symbody.haptics.two_rates.extra_inputs import STANDINGS
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_beads import ACROSS, ALONG, ClusterMarks, SurfaceBeads
from symbody.haptics.two_rates.local_model import LocalModel, tool_dynamics
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.packet import LocalConstraint, world_packet
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.scene_world import SceneWorld
from symbody.haptics.two_rates.world_thread import NUMBERS, WorldThread
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling

RATE = 500.0
RENDERING = Rendering(WALL, controller=Controller("virtual-coupler"))
LOCAL, INTERMEDIATE, WHOLE = (float(k) for k in range(len(STANDINGS)))


def puck():
    return HapticBody("puck", rectangle(PUCK, PUCK), PUCK_MASS, PUCK_INERTIA, (AT, 0.0, 0.0))


def made():
    """The peg in the hand, the puck and the room, twice: as a world and as its local model."""
    local = LocalModel(
        tool(), rate=RATE, rendering=RENDERING, hand=HAND, port=Port(passive=True), others=[puck()], walls=room()
    )
    world = SceneWorld(HapticScene([tool(), puck()], room(), rate=960.0, rendering=Rendering(WALL)), "peg")
    return WorldThread(world, local, 60.0, Impairment())


@pytest.fixture
def running():
    threads = made()
    source = SceneSource(threads.local.scene, threads.extras)
    with (
        threads,
        Loop(source, RATE, safety=Safety(stale=None, overrun=None), scheduling=Scheduling(priority=0)) as loop,
    ):
        loop.give({"hand_x": START[0], "hand_y": START[1]})
        yield threads, loop


def wait_for(condition, timeout=20.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


@pytest.mark.posix
def test_live_numbers_reach_line_world_and_ticks(running):
    threads, loop = running
    local = threads.local
    assert wait_for(lambda: threads.packets["taken"] > 3)
    given = dict(zip(NUMBERS, (20.0, 0.03, 0.01, 0.5, 0.002, 0.004, 2000.0, 20.0, 0.5), strict=True))
    loop.give(given | {"passive": 0.0, "kinematic": 1.0, "exact": 1.0})
    assert wait_for(lambda: threads.end.period == 1.0 / 20.0 and local.scene.c.settings.stiffness == 2000.0)
    assert (threads.world.epsilon, threads.world.cluster) == (0.002, 0.004)
    assert [(x.delay, x.jitter, x.loss) for x in {end.line.impairment for end in threads._lines}] == [(0.03, 0.01, 0.5)]
    assert local.scene.c.settings.restitution == 0.5
    assert (local.c.port.on, local.c.kinematic, local.c.exact, threads.end.passive) == (0, 1, 1, False)
    before = threads.packets["lost"]
    assert wait_for(lambda: threads.packets["lost"] > before)


@pytest.mark.posix
def test_the_world_follows_the_hand_and_the_puck_is_shown_where_the_world_has_it(running):
    threads, loop = running
    loop.give({"hand_x": AT, "hand_y": 0.0})
    place = {name: k for k, name in enumerate(loop.outputs)}

    def shown(name):
        return loop.latest().outputs[place[name]]

    assert wait_for(lambda: threads.world.scene.q[3] > AT + 0.01)  # the world's tool has struck it
    assert wait_for(lambda: shown("world_x.q") > START[0] + 0.02)
    assert wait_for(lambda: abs(shown("puck_x.q") - threads.seen[3]) < 1e-3 < shown("puck_x.q") - AT)
    assert threads.local.c.port.entered > 0.0  # the hand has paid for it


@pytest.mark.posix
def test_ticks_that_begin_again_are_followed(running):
    threads, loop = running
    loop.give({"hand_x": START[0] + 0.03})
    assert wait_for(lambda: threads.seen[0] > START[0] + 0.02)
    loop.give({"hand_x": START[0]})
    loop.restart()
    assert wait_for(lambda: abs(threads.seen[0] - START[0]) < 1e-3)
    loop.give({"hand_x": START[0] + 0.03})
    assert wait_for(lambda: threads.seen[0] > START[0] + 0.02)
    assert threads.end.counts["late"] <= 2


@pytest.mark.posix
def test_how_the_world_is_stood_for_changes_between_two_ticks(running):
    threads, loop = running
    settings = threads.local.scene.c.settings
    for how, contact, controller in (
        (INTERMEDIATE, "penalty", "direct"), (WHOLE, WALL.model, "virtual-coupler"),
        (LOCAL, WALL.model, "virtual-coupler"),
    ):  # fmt: skip
        loop.give({"local": how})
        assert wait_for(lambda how=how: threads.standing == STANDINGS[int(how)])
        assert CONTACT_MODELS[settings.contact] == contact
        assert CONTROLLERS[settings.controller] == controller


@pytest.mark.posix
def test_closing_ends_the_threads():
    threads = made()
    with threads:
        assert wait_for(lambda: threads.end.steps > 2)
        assert threads.alive
    assert not threads.alive
    assert not {thread.name for thread in threading.enumerate()} & {"slow world", "world"}
    made().close()  # one that never began


@pytest.mark.posix
def test_a_world_that_dies_is_told_and_ticks_go_on(running):
    threads, loop = running
    assert wait_for(lambda: threads.packets["taken"] > 3)
    assert not threads.failure

    def broken(q, dt):
        raise ModelError("the engine is gone", cure="start it again")

    threads.world.advance = broken
    assert wait_for(lambda: threads.failure)
    assert "ModelError: the engine is gone" in threads.failure
    assert not threads.alive
    ticks = loop.latest().t
    assert wait_for(lambda: loop.latest().t > ticks + 0.1)
    assert threads.age > 0.05


def test_the_whole_scene_instead_of_surfaces_is_the_scene():
    local = made().local
    local.c.whole, local.c.seen = 1, None
    scene = HapticScene([tool(), puck()], room(), tool="peg", rate=RATE, rendering=RENDERING, hand=HAND)
    logs = [one.run(1.0, pose=(AT, 0.01, 0.2)) for one in (local, scene)]
    assert logs[1]["contacts"].max() > 0
    for name in ("tool", "x", "wrench"):
        assert np.array_equal(logs[0][name], logs[1][name])


def test_a_proxy_beside_other_bodies_tells_of_itself_alone():
    threads = made()
    both = TwoRates(threads.world, threads.local, 60.0)
    both.run(1.0, pose=(START[0] + 0.03, 0.0, 0.0))
    assert threads.world.tool_pose() == pytest.approx(threads.local.tool_q, abs=0.01)  # where it was 17 ms ago
    assert threads.world.tool_pose()[0] > START[0] + 0.02
    assert not both.end.counts["another tool"]


def test_a_world_of_another_size_is_refused():
    with pytest.raises(ModelError, match="12 doubles"):
        made().local.follow(np.zeros(3))


def test_surfaces_are_strings_of_beads_with_their_normals():
    local = made().local
    n, point = np.array([0.6, 0.8, 0.0]), np.array([0.01, 0.02, 0.0])
    peg = LocalConstraint(tuple(point), tuple(n), (0.0, 0.0, 0.0), 0.004)
    assert local.update(world_packet(1, 0.0, [peg], tool_dynamics(local.scene), 4000.0, 30.0)) == "taken"
    beads = SurfaceBeads(local)() - (0.0, 0.0, FRONT)
    assert len(beads) == ACROSS + ALONG
    assert (beads[:ACROSS] - point) @ n == pytest.approx(np.zeros(ACROSS), abs=1e-12)
    assert np.all(np.diff((beads[ACROSS:] - point) @ n) > 0.0)
    local.update(world_packet(2, 0.03, [], tool_dynamics(local.scene), 4000.0, 30.0))
    assert SurfaceBeads(local)().shape == (0, 3)


def test_what_is_told_as_one_is_marked():
    scene = HapticScene([tool(), puck()], room(), rate=960.0)
    world = SceneWorld(scene, "peg", epsilon=0.05, cluster=0.05)
    told = world.look().constraints
    marks = ClusterMarks(world)()
    # one run: several places in one cluster
    assert len(marks) > len(told)
    world.cluster = 0.0
    world.look()
    assert ClusterMarks(world)().shape == (0, 3)
