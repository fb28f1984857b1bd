"""Our messages and their bytes, held against an independent implementation of ROS 2's (rosbags)."""

import random
from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest

from symbody.links.cdr import decode, encode
from symbody.links.rejected import Rejected
from symbody.links.ros_types import (
    MESSAGES,
    Float64MultiArray,
    JointState,
    Message,
    MultiArrayDimension,
    MultiArrayLayout,
    UInt64MultiArray,
    WrenchStamped,
    dds_name,
    definition,
    header,
    nanoseconds,
)
from symbody.links.topics import message, readings, topics


def store():
    typesys = pytest.importorskip("rosbags.typesys")
    return typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)


def random_message(kind: type[Message], rng: random.Random):
    """A message with every kind of content, from empty to long, by the fields of its definition."""
    made = {}
    for field in fields(kind):
        hint = str(field.type)
        if hint in ("str", "tuple[str, ...]"):
            words = ["".join(rng.choices("abcdé/_ ", k=rng.randrange(12))) for _ in range(rng.randrange(6))]
            made[field.name] = "".join(words) if hint == "str" else tuple(words)
        elif hint == "tuple[Float64, ...]":
            made[field.name] = tuple(rng.uniform(-1e9, 1e9) for _ in range(rng.randrange(9)))
        elif hint == "tuple[UInt64, ...]":
            made[field.name] = tuple(rng.getrandbits(64) for _ in range(rng.randrange(9)))
        elif hint.startswith("tuple["):
            inner = next(m for m in MESSAGES.values() if m.__name__ == hint[6:].split(",")[0])
            made[field.name] = tuple(random_message(inner, rng) for _ in range(rng.randrange(4)))
        elif hint == "Float64":
            made[field.name] = rng.uniform(-1.0, 1.0)
        elif hint == "Int32":
            made[field.name] = rng.randrange(-(2**31), 2**31)
        elif hint in ("UInt32", "UInt64"):
            made[field.name] = rng.getrandbits(int(hint[4:]))
        elif hint == "Bool":
            made[field.name] = rng.random() < 0.5
        else:
            made[field.name] = random_message(next(m for m in MESSAGES.values() if m.__name__ == hint), rng)
    return kind(**made)


def same(ours, theirs):
    """Whether a message of ours says what one of rosbags says."""
    if isinstance(ours, Message):
        return all(same(getattr(ours, f.name), getattr(theirs, f.name)) for f in fields(ours))
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


@pytest.mark.parametrize("name", MESSAGES)
def test_bytes_are_those_of_ros(name):
    types, rng = store(), random.Random(name)
    for _ in range(50):
        ours = random_message(MESSAGES[name], rng)
        data = encode(ours)
        theirs = types.deserialize_cdr(data, name)
        assert same(ours, theirs)
        assert bytes(types.serialize_cdr(theirs, name)) == data
        assert decode(MESSAGES[name], data) == ours
        assert decode(MESSAGES[name], data + bytes(-len(data) % 4)) == ours  # as DDS pads it


@pytest.mark.parametrize("name", MESSAGES)
def test_definitions_are_those_of_ros(name):
    typesys = pytest.importorskip("rosbags.typesys")
    parsed = typesys.get_types_from_msg(definition(MESSAGES[name]), name)
    for kind, (_, content) in parsed.items():
        assert content == store().fielddefs[kind][1], kind


def test_type_names_are_those_of_ros():
    assert dds_name(JointState) == "sensor_msgs::msg::dds_::JointState_"
    assert dds_name(WrenchStamped) == "geometry_msgs::msg::dds_::WrenchStamped_"


@pytest.mark.parametrize("name", MESSAGES)
def test_hostile_bytes_are_refused_and_nothing_else(name):
    """Every cut, and bytes changed anywhere: a message or `Rejected`, no other end, no huge allocation."""
    kind, rng = MESSAGES[name], random.Random(name)
    for _ in range(40):
        data = encode(random_message(kind, rng))
        for cut in range(len(data) - 4):
            with pytest.raises(Rejected):
                decode(kind, data[:cut])
        for _ in range(60):
            broken = bytearray(data)
            for _ in range(rng.randrange(1, 4)):
                broken[rng.randrange(len(broken))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            with suppress(Rejected):
                decode(kind, bytes(broken))
        with pytest.raises(Rejected):
            decode(kind, data + bytes(8))
    with pytest.raises(Rejected):
        decode(UInt64MultiArray, b"\0\1\0\0" + b"\xff" * 64)  # 4 294 967 295 dimensions


CHANNELS = [
    "arm.q", "arm.qd", "arm.Q", "wheel.q", "wheel.qd", "belt.effort", "tip.force.x", "tip.force.y", "tip.force.z",
    "tip.torque.z", "half.force.x", "pressure", "energy.kinetic", "arm.qdd",
]  # fmt: skip


def test_channels_travel_once_and_come_back():
    values = np.arange(1.0, len(CHANNELS) + 1)
    found = topics(CHANNELS, "my-robot")
    assert sorted(c for topic in found for c in topic.channels) == sorted(CHANNELS)
    assert {topic.name for topic in found} == {"my_robot/joint_states", "my_robot/tip/wrench", "my_robot/signals"}
    back = {}
    for topic in found:
        said = decode(topic.kind, encode(message(topic, values[[CHANNELS.index(c) for c in topic.channels]], 5)))
        for names, value in readings(said, "tip"):
            back |= {name: value for name in names if name in CHANNELS}
    assert [back[c] for c in CHANNELS] == list(values)


def test_joint_states_have_a_place_for_each_joint_or_none():
    said = [message(t, range(len(t.channels)), 0) for t in topics(CHANNELS) if t.kind is JointState]
    assert {s.name for s in said} == {("arm",), ("wheel",), ("belt",)}
    for s in said:
        assert {len(s.position), len(s.velocity), len(s.effort)} <= {0, len(s.name)}
    with pytest.raises(Rejected, match="message"):
        list(readings(JointState(name=("a", "b"), position=(1.0,))))
    two = MultiArrayLayout((MultiArrayDimension("a,b", 2, 2),))
    with pytest.raises(Rejected, match="message"):
        list(readings(Float64MultiArray(two, (1.0,))))


def test_stamps_keep_their_nanoseconds():
    assert nanoseconds(header(1_700_000_000_123_456_789).stamp) == 1_700_000_000_123_456_789
