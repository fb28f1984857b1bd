"""A world's end of the line (world_end.py): what it believes of a proxy, and that it spends only what was paid."""

from dataclasses import replace

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.thesis_scenes.corner import PEG
from symbody.haptics.thesis_scenes.puck import AT, PUCK, START, puck_energy, puck_world
from symbody.haptics.two_rates.packet import FIXED, proxy_packet
from symbody.haptics.two_rates.wire import proxy_values, world_of
from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode
from symbody.links.packet import Packet, Transport


def proxy(sequence, q, paid=0.0):
    made = proxy_packet(sequence, 0, 0.0, np.array(q, dtype=float), np.zeros(3))
    made.paid = paid
    return made


def pushed(passive, paid, steps=20):
    """The peg is led into a puck at rest at 0.3 m/s."""
    end = WorldEnd(puck_world(speed=0.0), passive=passive)
    for k in range(steps):
        end.hear(proxy(k, [START[0] + 0.01 * k, 0.0, 0.0], paid))
        end.step()
    return end


def test_without_pay_a_passive_tool_does_not_push():
    free, bound = pushed(False, 0.0), pushed(True, 0.0)
    assert puck_energy(free.world) > 0.01
    assert -free.account.least > 0.01
    assert puck_energy(bound.world) < 1e-9
    assert bound.account.least > -1e-12
    assert bound.counts["held"] > 0


def test_with_pay_it_pushes_as_much_as_was_paid():
    for paid in (0.002, 0.01):
        end = pushed(True, paid)
        assert end.account.least > -1e-12
        assert -end.account.entered <= paid + 1e-12
        assert 0.0 < puck_energy(end.world) <= paid
        assert puck_energy(end.world) == pytest.approx(-end.account.entered, rel=1e-6)  # it has what left the account
    assert pushed(True, 0.099, 10).counts["held"] == 0  # ½ m (2 u)²: one throw, from a heavy tool


def test_what_a_puck_gives_to_a_receding_tool_is_paid_to_the_proxy():
    end = WorldEnd(puck_world(speed=-0.5))
    for k in range(25):
        end.hear(proxy(k, [START[0] - 0.002 * k, 0.0, 0.0]))
        packet = end.step()
    assert packet.paid > 0.0
    assert packet.paid == end.account.paid
    assert end.account.balance >= 0.0


@pytest.mark.parametrize(
    ("q", "sequence", "reason"),
    [
        ([np.nan, 0.0, 0.0], 5, "nowhere"), ([1e9, 0.0, 0.0], 5, "nowhere"), ([0.0, 0.0, 0.0], 2, "late"),
        ([0.0, 0.0, 0.0], 3, "repeated"), ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 5, "another tool"),
    ],
)  # fmt: skip
def test_proxies_that_cannot_be_are_refused(q, sequence, reason):
    end = WorldEnd(puck_world(speed=0.0))
    end.hear(proxy(3, START))
    end.hear(proxy(sequence, q, paid=1.0))
    assert end.counts[reason] == 1
    assert end.account.received == 0.0
    end.step()
    np.testing.assert_allclose(end.world.tool_pose(), START, atol=1e-12)


def test_a_partner_that_begins_again_is_believed_from_its_first_number():
    end = WorldEnd(puck_world(speed=0.0))
    end.hear(proxy(1000, START, paid=0.5), session=1)
    end.hear(proxy(1, START, paid=0.02), session=2)
    assert end.counts["late"] == 0
    assert end.account.received == pytest.approx(0.52)


def swept(to, seconds, **options):
    """The peg is told to be behind a puck at rest, by a proxy that has paid nothing."""
    end = WorldEnd(puck_world(speed=0.0), rate=30.0, **options)
    for k in range(round(30.0 * seconds)):
        end.hear(proxy(k, [to, 0.0, 0.0]))
        end.step()
    return end


def test_a_tool_that_its_proxy_has_left_behind_a_body_is_put_past_it():
    """Nothing is touched and nothing given; without patience's end it would wait there for ever."""
    waiting, past = swept(0.12, 2.0, patience=np.inf), swept(0.12, 0.8)
    assert waiting.world.tool_pose()[0] < AT - PUCK / 2
    assert not waiting.counts["put past"]
    np.testing.assert_allclose(past.world.tool_pose(), [0.12, 0.0, 0.0], atol=1e-12)
    assert past.counts["put past"] == 1
    assert past.behind == 0.0
    for end in (waiting, past):
        assert end.world.scene.q[3] == pytest.approx(AT, abs=1e-9)
        assert puck_energy(end.world) < 1e-9
        assert end.account.least > -1e-12
        assert end.account.paid < 1e-9


def test_it_is_not_put_past_before_patience_ends():
    assert not swept(0.12, 0.4).counts["put past"]
    assert swept(0.12, 0.4, patience=0.1).counts["put past"] == 1
    with pytest.raises(ModelError, match="patience"):
        WorldEnd(puck_world(), patience=-1.0)


@pytest.mark.parametrize("to", [0.06, 0.09, 0.02])
def test_a_proxy_within_a_body_leaves_its_tool_before_it(to):
    """There is no place behind the puck that is nearer: what is pushed is pushed by what was paid, here nothing."""
    end = swept(to, 2.0)
    assert end.counts["held"] > 0
    assert not end.counts["put past"]
    assert end.world.tool_pose()[0] < AT - PUCK / 2
    assert puck_energy(end.world) < 1e-9


@pytest.mark.parametrize("engine", ["symbody", "mujoco"])
def test_a_tool_that_is_placed_moves_nothing_and_tells_what_is_there(engine):
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    world = puck_world(engine, speed=0.0)
    before, puck = world.kept(), AT - PUCK / 2
    within = world.place(np.array([puck - PEG[0] / 2 + 0.01, 0.0, 0.0]))
    depths = [one.s for one in within.constraints if one.body > FIXED]
    assert len(depths) >= 2
    assert depths == pytest.approx([-0.01] * len(depths), abs=1e-6)
    assert puck_energy(world) == 0.0
    beside = world.place(np.array([0.14, 0.0, 0.0]))  # in a wall
    assert {one.body > FIXED for one in beside.constraints} == {False}
    world.restore(before)
    np.testing.assert_array_equal(world.tool_pose(), START)
    np.testing.assert_allclose(np.frombuffer(world.kept(), float), np.frombuffer(before, float), atol=1e-15)


def test_a_tool_that_is_held_back_tells_what_is_near_the_proxy():
    """The right wall, which is far from the tool, and the side of the puck that the proxy has come to."""
    end = swept(0.125, 0.2)
    end.hear(proxy(100, [0.125, 0.0, 0.0]))
    packet = end.step()
    assert end.world.tool_pose()[0] < 0.02
    told = {tuple(np.round(one.normal, 6) + 0.0) for one in packet.constraints[: packet.count]}
    assert told == {(-1.0, 0.0, 0.0)}
    end.hear(proxy(101, [0.08, 0.0, 0.0]))
    packet = end.step()
    assert {tuple(np.round(one.normal, 6) + 0.0) for one in packet.constraints[: packet.count]} == {(1.0, 0.0, 0.0)}


class Script(Transport):
    """Frames as they are told; what is sent is kept."""

    def __init__(self):
        from collections import Counter

        self.refused, self.sent, self.frames = Counter(), [], []

    def send(self, frame):
        self.sent.append(frame)

    def receive(self, timeout):
        return self.frames.pop(0) if self.frames else None

    def close(self):
        pass


def test_the_node_tells_a_packet_a_step_and_counts_what_it_refuses():
    line = Script()
    node = WorldNode(WorldEnd(puck_world(speed=0.0), rate=100.0), line)
    me = node.link.session
    good = proxy_values(proxy(1, START))
    for k, values in enumerate((good, good, good[:-1], np.full(3, 0.5), np.append(good, 1.0))):
        line.frames.append(Packet(5, me, k, 10 + k, 0, 0, values))
    said = node.run(until=0.08)
    packets = [world_of(frame.values) for frame in line.sent]
    assert [p.sequence for p in packets] == list(range(1, len(packets) + 1))
    assert said["world"]["steps"] == len(packets) >= 3
    assert said["counts"]["size"] == 1  # of those that come together, the newest counts


def test_what_an_engine_makes_by_itself_is_counted_apart():
    """A world that says that bodies have more than its tool gave: its own energy, not the line's."""

    class Generous:
        def __init__(self):
            self.inner = puck_world(speed=0.0)

        def tool_pose(self):
            return self.inner.tool_pose()

        def advance(self, q, dt):
            return replace(self.inner.advance(q, dt), gained=0.25)

        def place(self, q):
            return self.inner.place(q)

        def kept(self):
            return self.inner.kept()

        def restore(self, kept):
            self.inner.restore(kept)

    end = WorldEnd(Generous())
    end.step()
    assert end.made == 0.25
    assert end.account.least == end.account.entered == 0.0
