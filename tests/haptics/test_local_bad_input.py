"""Packets that cannot be meant (packet.py, surfaces.h): bounded, counted, recovered from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_models import HALF, over, packet, plane, under_corners

from symbody.errors import ModelError
from symbody.haptics import ContactModel, Rendering, WrenchLimit
from symbody.haptics.thesis_scenes.corner import peg
from symbody.haptics.thesis_scenes.two_rate_testbed import linkage
from symbody.haptics.two_rates.local_model import LocalModel, tool_dynamics
from symbody.haptics.two_rates.packet import (
    CONSTRAINTS,
    REASONS,
    LocalConstraint,
    WorldPacket,
    world_packet,
)
from symbody.haptics.two_rates.packet_use import Belief, PacketUse

PUSH = (0.0, -0.5, 0.0)


def test_packets_go_over_a_line_as_bytes():
    local = over(under_corners(-0.02))
    sent = packet(local, under_corners(-0.02, mu_s=0.3, mu_k=0.2, velocity=0.1), 7, 1.5)
    found = WorldPacket.from_buffer_copy(bytes(sent))
    assert (found.sequence, found.count, found.t) == (7, 2, 1.5)
    assert found.constraints[1].point[:] == [HALF[0], -0.02, 0.0]
    ack = local.acknowledgement()
    assert ack.acknowledged == 1
    assert ack.q[:3] == list(local.scene.q)


def test_of_too_many_constraints_the_nearest_are_told():
    local = over()
    made = [plane(s=0.001 * k, body=k) for k in range(100)]
    told = packet(local, made[::-1], 2, 0.1)
    assert told.count == CONSTRAINTS
    assert sorted(c.b for c in told.constraints) == list(range(CONSTRAINTS))


def test_dynamics_of_the_wrong_shape_are_refused():
    local = over()
    tool = tool_dynamics(local.scene)
    with pytest.raises(ModelError, match="D of shape"):
        world_packet(1, 0.0, [], type(tool)(np.eye(2), tool.G, 3), 1.0, 1.0)


def broken(local, how):
    """A packet with one fault."""
    made = packet(local, under_corners(-0.02), 5, 0.1)
    for name, value in how.items():
        if name in ("D", "G", "held"):
            getattr(made, name)[0] = value
        else:
            setattr(made, name, value)
    return made


@pytest.mark.parametrize(("how", "reason"), [
    ({"magic": 1}, "version"), ({"version": 2}, "version"), ({"nv": 4}, "size"), ({"nq": 0}, "size"),
    ({"count": CONSTRAINTS + 1}, "count"), ({"count": -1}, "count"), ({"count": 2**62}, "count"),
    ({"t": np.nan}, "numbers"), ({"stiffness": np.inf}, "numbers"), ({"damping": -1.0}, "numbers"),
    ({"restitution": 1.5}, "numbers"), ({"G": np.nan}, "numbers"), ({"D": -2.0}, "mass"), ({"D": 0.0}, "mass"),
    ({"D": 1e9}, "mass"), ({"held": np.inf}, "numbers"), ({"held": 1.0}, "mass"), ({"sequence": 1}, "stale"),
    ({"sequence": -5}, "stale"),
])  # fmt: skip
def test_packets_are_refused_by_reason_and_nothing_is_changed(how, reason):
    local = over(under_corners(-0.015))
    before = bytes(local.c.surfaces), bytes(local.scene.c.settings)
    assert local.update(broken(local, how)) == reason
    assert local.counts[reason] == 1
    assert (bytes(local.c.surfaces), bytes(local.scene.c.settings)) == before
    assert local.update(packet(local, [], 6, 0.2)) == "taken"


@pytest.mark.parametrize("how", [
    {"normal": (0.0, 0.0, 0.0)}, {"normal": (0.0, 0.0, 1.0)}, {"normal": (np.nan, 1.0, 0.0)}, {"link": 1}, {"link": -1},
    {"point": (np.inf, 0.0, 0.0)}, {"point": (0.0, 1e9, 0.0)}, {"kind": "sphere", "radius": 0.0}, {"mu_s": np.nan},
    {"kind": "cylinder", "radius": 0.1, "axis": (0, 0, 0)},
])  # fmt: skip
def test_a_constraint_that_cannot_be_meant_is_left_out_and_counted(how):
    local = over()
    local.update(packet(local, [plane(), plane(**how)], 2, 0.03))
    assert local.counts["skipped"] == 1
    assert len(local.constraints) == 1
    assert np.isfinite(local.run(0.1, PUSH)["tool"]).all()


def test_normals_of_any_length_are_made_unit():
    local = over()
    local.update(packet(local, [plane(normal=(0.0, 7.0, 0.0))], 2, 0.03))
    assert local.constraints[0].normal == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("intermediate", [False, True])
def test_a_penetration_of_a_metre_is_bounded(intermediate):
    limit = WrenchLimit("spread")
    local = LocalModel(peg(), rendering=Rendering(limit=limit), packets=PacketUse(intermediate=intermediate))
    deep = plane((0.0, 1.0, 0.0), s=-1.0)
    local.update(packet(local, [deep]))
    log = local.run(0.2, PUSH)
    assert local.counts["bounded"] == 1
    assert log["depth"].max() <= Belief().penetration
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))
    local.update(packet(local, [], 2, 0.1))
    assert not local.run(0.1)["contacts"].any()


def test_walls_stiffer_and_faster_than_is_believed_are_cut():
    local = over()
    local.update(packet(local, [plane(velocity=1e3)], 2, 0.03, stiffness=1e12, damping=1e9))
    assert local.scene.c.settings.stiffness == Belief().stiffness
    assert local.scene.c.settings.damping == Belief().damping
    assert local.c.surfaces[0].now.v == Belief().velocity
    assert local.counts["bounded"] == 1


def test_a_world_that_begins_anew_is_heard_after_some_silence():
    local = over(under_corners(-0.02))
    local.update(packet(local, [], 10**15, 5.0))
    assert local.update(packet(local, [plane()], 1, 0.0)) == "stale"
    local.run(Belief().silence)
    assert local.update(packet(local, [plane()], 1, 0.0)) == "taken"
    assert len(local.constraints) == 1


def test_a_hand_that_pulls_a_singular_linkage_along_itself():
    """A stretched linkage cannot move away from its base: it withstands a pull, and comes back when the pull ends."""
    local = LocalModel(linkage((0.3, 0.0, 0.0)), "arm.link3", rendering=Rendering(limit=WrenchLimit("spread")))
    tip = LocalConstraint((0.2, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.03, 0.0, 0.0), 0.1, link=2)
    local.update(packet(local, [tip]))
    along = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    log = local.run(1.0, 50.0 * along)
    assert np.isfinite(log["tool"]).all()
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))
    assert local.counts["ticks_faults"] == 0
    assert np.isfinite(local.run(0.5)["tool"]).all()


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9))
def test_whatever_a_world_says_the_hand_is_safe(seed):
    """Random bytes within packets that are otherwise good: numbers stay numbers, forces within the device's."""
    random = np.random.default_rng(seed)
    local = LocalModel(peg(), rendering=Rendering(ContactModel("impulse"), limit=WrenchLimit("spread")))
    for sequence in range(1, 6):
        data = bytearray(bytes(packet(local, under_corners(-0.012), sequence, 0.03 * sequence)))
        for _ in range(int(random.integers(0, 4))):
            at = 8 * int(random.integers(0, len(data) // 8))
            wild = [random.bytes(8), np.float64(random.choice([np.nan, np.inf, -1e300, 1e-300, -1.0])).tobytes()]
            data[at : at + 8] = wild[int(random.integers(0, 2))]
        assert local.update(WorldPacket.from_buffer_copy(data)) in REASONS
        log = local.run(0.03, (*random.normal(size=2) * 3.0, 0.0), strict=False)
        assert np.isfinite(log["tool"]).all()
        assert np.isfinite(local.scene.v).all()
        assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))
