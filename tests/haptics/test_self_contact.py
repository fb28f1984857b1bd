"""Links of one linkage that touch each other, in the local model (local_model.py, contacts.h) as in the whole scene."""

import numpy as np
import pytest

from symbody.haptics import (
    ContactFriction,
    ContactModel,
    HapticScene,
    Linkage,
    LocalModel,
    Port,
    Rendering,
    SceneWorld,
    TwoRates,
    rectangle,
)
from symbody.haptics.experiments.three_link import LENGTHS, WIDTH, link_shape, three_link
from symbody.haptics.two_rates.local_model import tool_dynamics
from symbody.haptics.two_rates.packet import world_packet

FOLDED = (0.0, 2.2, 0.9)  # rad: link 3 lies over link 1, 22 mm above it
PUSH = (0.0, -1.0, 0.0)  # N
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
    return np.array([hinge + (c * x - s * y, s * x + c * y) for x, y in local])


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
    assert np.all(mine["after"] <= mine["before"] * (1.0 + 1e-12) + 1e-15) or model != "impulse"


@pytest.mark.parametrize("exact", [False, True])
def test_it_stops_upon_itself_where_the_scene_of_one_rate_stops(exact):
    """Link 1 lies on a floor that packets tell of, link 3 comes to lie on link 1, which no packet tells."""
    scene = HapticScene([folded()], FLOOR, tool="arm.link3")
    world = SceneWorld(HapticScene([folded()], FLOOR), "arm")
    both = TwoRates(world, LocalModel(folded(), "arm.link3", exact=exact), 30.0)
    mine, theirs = both.run(4.0, PUSH), scene.run(4.0, PUSH)
    assert {(c.a, c.b) for c in scene.contacts()} >= {("arm.link1", "arm.link3")}
    assert mine["tool"][-1] == pytest.approx(theirs["tool"][-1], abs=2e-4)
    assert both.local.tool_q == pytest.approx(scene.q, abs=5e-3)
    assert -1e-3 < apart(both.local.tool_q) < 1e-4  # springs give way by F/K and the lever
    assert apart(FOLDED) > 0.015
    assert mine["felt"][-1, :2] == pytest.approx([0.0, 1.0], abs=0.02)
    assert world.look().constraints  # of the floor,
    assert not [c for c in world.look().constraints if abs(c.point[1]) < WIDTH / 2 - 1e-3]  # and nothing between links


def test_a_silent_world_takes_its_walls_away_but_not_the_linkage_itself():
    port = Port(passive=True, still=0.1, patience=0.2, fading=0.1)
    local = LocalModel(folded(), "arm.link3", port=port)
    scene = HapticScene([folded()], tool="arm.link3")
    assert local.update(world_packet(1, 0.0, [], tool_dynamics(local.scene), 4000.0, 30.0)) == "taken"
    local.c.exact = 1
    mine, theirs = local.run(1.5, PUSH), scene.run(1.5, PUSH)
    assert theirs["contacts"][-1] > 0
    assert mine["tool"] == pytest.approx(theirs["tool"], abs=1e-9)


def test_other_bodies_and_walls_of_a_local_model_are_felt_through_packets_alone():
    local = LocalModel(folded(), "arm.link3", walls=FLOOR)
    alone = LocalModel(folded(), "arm.link3")
    push = (0.0, -5.0, 0.0)
    assert local.run(0.5, push)["tool"] == pytest.approx(alone.run(0.5, push)["tool"], abs=1e-12)
