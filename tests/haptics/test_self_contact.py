"""Links of one linkage that touch each other, in the local model (local_model.py, contacts.h) as in the whole scene."""

import numpy as np
import pytest

from symbody.haptics import (
    ContactFriction,
    ContactModel,
    HapticHand,
    HapticScene,
    Linkage,
    LocalModel,
    Port,
    Rendering,
    SceneWorld,
    TwoRates,
    rectangle,
)
from symbody.haptics.thesis_scenes.three_link import LENGTHS, WIDTH, link_shape, three_link
from symbody.haptics.two_rates.local_model import tool_dynamics
from symbody.haptics.two_rates.packet import LocalConstraint, world_packet
from symbody.haptics.two_rates.packet_use import PacketUse

FOLDED = (0.0, 2.2, -2.2)  # rad: link 3 lies over link 1, 26 mm above it
PUSH = (0.0, -1.0, 0.0)  # N
WITHIN = (0.02, -0.02, 0.0)  # m, m, rad: where the hand wants link 3, below link 1
HAND = HapticHand((200.0, 200.0, 1.0), (20.0, 20.0, 0.05))
FLOOR = {"floor": rectangle(1.0, 0.1, (0.0, -WIDTH / 2 - 0.05 - 5e-4))}  # link 1 comes to lie on it


def folded(q=FOLDED):
    """All links strike; 1 and 2, and 2 and 3, overlap at their hinges."""
    shapes = {f"link{k}": link_shape(k) for k in (1, 2, 3)}
    return Linkage("arm", three_link(), shapes, q=q)


def corners(q, link):
    """Of a link in the world (4, 2), from its angles alone."""
    angles = np.cumsum(q)
    hinge = sum((LENGTHS[k] * np.array([np.cos(angles[k]), np.sin(angles[k])]) for k in range(link - 1)), np.zeros(2))
    c, s = np.cos(angles[link - 1]), np.sin(angles[link - 1])
    local = [(x, y) for x in (0.0, LENGTHS[link - 1]) for y in (-WIDTH / 2, WIDTH / 2)]
    return hinge + np.array([(c * x - s * y, s * x + c * y) for x, y in local])


def apart(q):
    """Links 1 and 3 along the axes of both: the largest separation of projections (m); below zero they overlap."""
    a, b, angles = corners(q, 1), corners(q, 3), np.cumsum(q)
    found = []
    for angle in (angles[0], angles[2]):
        for n in ((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))):
            found.append(max((a @ n).min() - (b @ n).max(), (b @ n).min() - (a @ n).max()))
    return max(found)


@pytest.mark.parametrize("model", ["impulse", "penalty", "constraint"])
def test_a_linkage_that_folds_upon_itself_is_the_same_as_in_the_scene(model):
    """Without a world both move tick by tick alike, through impact and rest."""
    rendering = Rendering(ContactModel(model, restitution=0.3), ContactFriction("reset-integrator"))
    scene = HapticScene([folded()], tool="arm.link3", rendering=rendering)
    local = LocalModel(folded(), "arm.link3", rendering=rendering)
    mine, theirs = local.run(1.0, PUSH), scene.run(1.0, PUSH)
    assert theirs["contacts"].max() >= 1
    for name in ("tool", "felt", "contacts", "kinetic"):
        assert mine[name] == pytest.approx(theirs[name], abs=1e-9), name
    assert not local.c.port.entered  # nothing of it goes to the world
    struck = mine[mine["impacts"] > 0]
    assert np.all(struck["after"] <= struck["before"])
    assert len(struck) > 0 or model != "impulse"


@pytest.mark.parametrize("exact", [False, True])
def test_it_stops_upon_itself_where_the_scene_of_one_rate_stops(exact):
    """Packets contain the floor under link 1, but not the contact of link 3 with link 1."""
    scene = HapticScene([folded()], FLOOR, tool="arm.link3", hand=HAND)
    world = SceneWorld(HapticScene([folded()], FLOOR), "arm")
    both = TwoRates(world, LocalModel(folded(), "arm.link3", packets=PacketUse(exact=exact), hand=HAND), 30.0)
    mine, theirs = both.run(4.0, pose=WITHIN), scene.run(4.0, pose=WITHIN)
    assert {(c.a, c.b) for c in scene.contacts()} >= {("arm.link1", "arm.link3")}
    assert mine["tool"][-1, :2] == pytest.approx(theirs["tool"][-1, :2], abs=3e-4)  # of 26 mm; packets move the floor
    assert apart(both.local.tool_q) == pytest.approx(apart(scene.q), abs=2e-4)
    assert apart(FOLDED) > 0.02
    assert -2e-3 < apart(both.local.tool_q) < 0.0  # springs of 4000 N/m bear 6 N
    assert mine["felt"][-1, 1] == pytest.approx(theirs["felt"][-1, 1], rel=0.05)
    assert mine["felt"][-1, 1] > 3.0
    told = world.look().constraints
    assert told
    assert all(one.normal == pytest.approx((0.0, 1.0, 0.0)) and one.point[1] < -WIDTH / 2 for one in told)  # the floor


def test_a_silent_world_takes_its_walls_away_but_not_the_linkage_itself():
    """A far wall is left before link 3 meets link 1, whose springs are as firm as in the scene."""
    rendering = Rendering(ContactModel("penalty"))
    scene = HapticScene([folded()], tool="arm.link3", rendering=rendering)
    port = Port(passive=True, still=0.0, patience=0.01, fading=0.02)
    local = LocalModel(folded(), "arm.link3", rendering=rendering, packets=PacketUse(exact=True), port=port)
    wall = LocalConstraint((0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), 1.0)
    assert local.update(world_packet(1, 0.0, [wall], tool_dynamics(local.scene), 4000.0, 30.0)) == "taken"
    early = local.run(0.1, PUSH)
    assert (local.c.port.let_go, early["contacts"].max()) == (1, 0.0)
    mine, theirs = local.run(0.9, PUSH), scene.run(1.0, PUSH)[len(early) :]
    assert theirs["contacts"].max() > 0
    assert mine["tool"] == pytest.approx(theirs["tool"], abs=1e-9)


def test_other_bodies_and_walls_of_a_local_model_are_felt_through_packets_alone():
    local = LocalModel(folded(), "arm.link3", walls=FLOOR)
    alone = LocalModel(folded(), "arm.link3")
    push = (0.0, -5.0, 0.0)
    assert local.run(0.5, push)["tool"] == pytest.approx(alone.run(0.5, push)["tool"], abs=1e-12)
