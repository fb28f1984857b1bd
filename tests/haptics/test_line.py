"""Lines between a world and a local model: both kinds carry packets both ways."""

import socket

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.two_rates.impaired import ImpairedTransport
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.line import HapticLine, line_pair
from symbody.links.packet import Packet

pytestmark = [pytest.mark.posix]


def free_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()


def exchanged(sender, receiver, values, address=None):
    """The packet that arrives."""
    sender.send(Packet(1, 0, 0, 0, 0, 0, np.array(values), address))
    packet = receiver.receive(1.0)
    assert packet.values.tolist() == values
    return packet


@pytest.mark.parametrize("kind", ["udp", "memory"])
def test_packets_go_both_ways(kind):
    line = HapticLine(kind, free_address(), "test-line")
    hand = line.for_hand()
    world = line.for_world()
    try:
        there = exchanged(world, hand, [1.0, 2.5])
        exchanged(hand, world, [-3.0], there.address)
    finally:
        world.close()
        hand.close()


def test_a_seed_alone_is_no_impairment():
    perfect = HapticLine("udp", free_address(), impairment=Impairment(seed=7)).for_hand()
    impaired = HapticLine("udp", free_address(), impairment=Impairment(loss=0.5)).for_hand()
    assert not isinstance(perfect, ImpairedTransport)
    assert isinstance(impaired, ImpairedTransport)
    perfect.close()
    impaired.close()


def test_the_ends_of_a_pair_reach_each_other():
    world, hand = line_pair(Impairment())
    exchanged(world, hand, [4.0])
    world.close()
    hand.close()


def test_an_unknown_kind_is_refused():
    with pytest.raises(ModelError, match="line"):
        HapticLine("carrier pigeon")
