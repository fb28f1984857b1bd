"""Forms write the bytes of the encoder and read what it wrote, and nothing else."""

import random

import numpy as np
import pytest

from symbody.links.cdr import HEADER, decode, encode
from symbody.links.message_template import integers_template, topic_template
from symbody.links.ros_types import UInt64MultiArray, nanoseconds
from symbody.links.topics import message, topics

CHANNELS = [
    *(f"joint{k}.{ending}" for k in range(3) for ending in ("q", "qd", "Q")),
    "alone.q",
    *(f"tip.{vector}.{axis}" for vector in ("force", "torque") for axis in "xyz"),
    "pressure",
    "slip",
]
TOPICS = topics(CHANNELS, "arm")


def drawn(rng, count):
    return np.array([rng.choice([rng.gauss(0, 1e3), 0.0, -0.0, np.inf, np.nan, 5e-324]) for _ in range(count)])


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: f"{topic.name}-{len(topic.channels)}")
def test_a_form_is_the_encoder(topic):
    form, rng = topic_template(topic), random.Random(5)
    for _ in range(50):
        values, stamp = drawn(rng, len(topic.channels)), rng.randrange(2**31 * 10**9)
        data = encode(message(topic, values, stamp))
        assert form.filled(values, stamp) == data
        for padded in (data, data + b"\0", data + b"\0\0\0"):
            np.testing.assert_array_equal(form.read(padded), values)
        said = decode(topic.kind, data)
        assert form.stamp(data) == (nanoseconds(said.header.stamp) if hasattr(said, "header") else 0)


def test_all_kinds_of_topics_were_among_them():
    assert {topic.kind.__name__ for topic in TOPICS} == {"JointState", "WrenchStamped", "Float64MultiArray"}
    assert len({topic.name for topic in TOPICS}) < len(TOPICS)  # joints in two messages on one topic


def test_what_has_another_form_is_not_read():
    for topic in TOPICS:
        form = topic_template(topic)
        for other in (*TOPICS, *topics(CHANNELS[::-1], "arm"), *topics([f"x{c}" for c in CHANNELS], "arm")):
            data = encode(message(other, np.ones(len(other.channels)), 0))
            assert (form.read(data) is None) == (data != form.filled(np.ones(len(topic.channels))))


def test_one_wrong_bit_is_a_wrong_value_or_not_read():
    """Bits of the options, of the time and of the values are free; every other one makes it another message."""
    topic, rng = TOPICS[0], random.Random(6)
    form, values = topic_template(topic), np.arange(1.0, len(TOPICS[0].channels) + 1.0)
    data, free = form.filled(values), 0
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 1 << rng.randrange(8)
        read = form.read(bytes(broken))
        if read is None:
            continue
        free += 1
        told = decode(topic.kind, bytes(broken))
        np.testing.assert_array_equal(read, np.concatenate([told.position, told.velocity, told.effort]))
    assert free == 2 + 8 + 8 * len(values)
    for cut in range(len(data)):
        assert form.read(data[:cut]) is None
    assert form.read(data + bytes(4)) is None


def test_whole_numbers_up_to_the_largest():
    form = integers_template(3)
    for numbers in ((0, 1, 2), (2**64 - 1, 2**63, 7)):
        data = encode(UInt64MultiArray(data=numbers))
        assert form.filled(numbers) == data
        assert form.read(data).tolist() == list(numbers)
    assert form.read(encode(UInt64MultiArray(data=(1, 2)))) is None
    assert form.read(data[: len(HEADER)]) is None
