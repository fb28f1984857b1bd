"""DDS as ROS 2 speaks it: names, bytes on the wire, partners that die, plain ROS partners, hostile samples."""

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import symbody
from node_machines import (
    INPUTS,
    LIMITS,
    MARGIN,
    OUTPUTS,
    PERIOD,
    SAFE,
    PlainDevice,
    PlainMachine,
    first,
    running,
)
from symbody.errors import ModelError
from symbody.links.cdr import encode
from symbody.links.ros_types import MESSAGES, Float64MultiArray, Header, JointState, Time, UInt64MultiArray, header
from symbody.realtime.nodes import io_node, model_node
from waiting import wait_for

try:
    from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.pub import DataWriter
    from cyclonedds.topic import Topic

    DomainParticipant(0)
except Exception:
    pytest.skip("Cyclone DDS is not here, or has no network", allow_module_level=True)

from symbody.links.dds import DdsTransport
from symbody.links.dds_domain import _sockets, quality
from symbody.links.dds_types import _holding, dds_type, sample

HERE = Path(__file__).parent
PATHS = [Path(symbody.__file__).parents[1], HERE, HERE.parent]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PATHS))}
DOMAIN = 96
NAME = f"robot{os.getpid()}"  # others may test on the same machine, and networks have names in common
ARM, WIRE, PLAIN, HOSTILE = (f"{NAME}_{word}" for word in ("arm", "wire", "plain", "hostile"))
SOON = MARGIN * LIMITS.silence


def model_end(name=NAME):
    return DdsTransport(OUTPUTS, INPUTS, name, f"{name}/command", domain=DOMAIN, silence=LIMITS.silence)


def io_end(name=NAME):
    return DdsTransport(INPUTS, OUTPUTS, f"{name}/command", name, domain=DOMAIN, silence=LIMITS.silence)


def model(machine, name=NAME):
    return model_node(machine, model_end(name), limits=LIMITS, period=PERIOD, safe=SAFE)


def io(device, name=NAME):
    return io_node(device, io_end(name), to_device=first, limits=LIMITS, period=PERIOD)


@contextmanager
def process(role, name):
    code = (
        f"import test_dds as t; t.{role}(t.Plain{'Device' if role == 'io' else 'Machine'}(), '{name}').run(until=60.0)"
    )
    started = subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot tie a socket to an interface")
def test_a_local_domain_receives_from_this_computer_only():
    """Cyclone DDS binds its receiving sockets to all interfaces, also if it is told to use the loopback interface."""
    before = _sockets()
    with closing(DdsTransport(OUTPUTS, INPUTS, NAME, f"{NAME}/command", domain=DOMAIN + 1)):  # new to this process
        opened_now = _sockets() - before
        assert len(opened_now) >= 2
        for descriptor in opened_now:
            with socket.socket(fileno=os.dup(descriptor)) as opened:
                assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16) == b"lo\0"


def test_bytes_are_those_of_cyclone_itself():
    """Its own encoder, of types declared by hand, gives what ours gives."""
    from dataclasses import dataclass

    from cyclonedds.idl import IdlStruct, types

    @dataclass
    class Time(IdlStruct):
        sec: types.int32
        nanosec: types.uint32

    @dataclass
    class Header(IdlStruct):
        stamp: Time
        frame_id: str

    @dataclass
    class State(IdlStruct):
        header: Header
        name: types.sequence[str]
        position: types.sequence[types.float64]
        velocity: types.sequence[types.float64]
        effort: types.sequence[types.float64]

    rng = random.Random(1)
    for _ in range(100):
        names = ["j" * rng.randrange(9) for _ in range(rng.randrange(5))]
        numbers = [[rng.random() for _ in names] if rng.random() < 0.7 else [] for _ in range(3)]
        ours = encode(JointState(header(5 * 10**9 + 7, "base"), tuple(names), *map(tuple, numbers)))
        theirs = State(Header(Time(5, 7), "base"), names, *numbers).serialize(use_version_2=False)
        assert bytes(theirs)[: len(ours)] == ours
        assert len(theirs) - len(ours) < 4


def test_discovery_tells_the_names_of_ros():
    """What `ros2 topic list -t` would see of the nodes."""
    model_side, io_side = model_end(ARM), io_end(ARM)
    participant = DomainParticipant(DOMAIN)
    reader = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
    told = {}

    def complete():
        told.update({p.topic_name: p.type_name for p in reader.take(100)})
        return {
            f"rt/{ARM}/joint_states": "sensor_msgs::msg::dds_::JointState_",
            f"rt/{ARM}/signals": "std_msgs::msg::dds_::Float64MultiArray_",
            f"rt/{ARM}/link": "std_msgs::msg::dds_::UInt64MultiArray_",
            f"rt/{ARM}/command/joint_states": "sensor_msgs::msg::dds_::JointState_",
        }.items() <= told.items()

    assert wait_for(complete), told
    model_side.close()
    io_side.close()


def test_a_decoder_of_others_reads_the_wire():
    """RTPS datagrams as they pass the loopback interface, their payload decoded by rosbags."""
    typesys = pytest.importorskip("rosbags.typesys")
    types = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    try:
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        wire.bind(("lo", 0))
    except (AttributeError, OSError):
        pytest.skip("the wire may not be read here")
    machine = PlainMachine()
    machine.inputs = np.array([21.0])
    with wire, process("io", WIRE), running(model(machine, WIRE)):
        wire.settimeout(0.0)
        states = set()

        def caught():
            with suppress(BlockingIOError):
                while True:
                    for payload in payloads(wire.recv(65536)):
                        with suppress(Exception):  # other topics share the wire
                            said = types.deserialize_cdr(payload, JointState.ros)
                            states.add((tuple(said.name), *map(tuple, (said.position, said.velocity, said.effort))))
            return (("hand",), (3.0,), (), ()) in states and (("hand",), (), (), (-6.0,)) in states

        assert wait_for(caught), states


def payloads(datagram):
    """Serialised data of the DATA submessages in an Ethernet frame (DDSI-RTPS 2.5, 9.4.5.4), little endian."""
    at = datagram.find(b"RTPS")
    at += 20
    while 20 <= at < len(datagram) - 4:
        kind, flags, length = struct.unpack_from("<BBH", datagram, at)
        if kind == 0x15 and flags & 0x05 == 0x05:
            _, to_qos = struct.unpack_from("<HH", datagram, at + 4)
            start = at + 8 + to_qos
            if flags & 0x02:  # inline QoS: a list of parameters up to the sentinel
                while struct.unpack_from("<H", datagram, start)[0] != 1:
                    start += 4 + struct.unpack_from("<H", datagram, start + 2)[0]
                start += 4
            yield datagram[start : at + 4 + length]
        if length == 0:
            return
        at += 4 + length


@pytest.mark.posix
def test_partners_are_killed_and_come_back():
    machine, device = PlainMachine(), PlainDevice()
    with running(model(machine)) as node:
        for _ in range(2):
            with process("io", NAME) as partner:
                assert wait_for(lambda: machine.inputs[0] == 3.0)
                partner.send_signal(signal.SIGKILL)
                assert wait_for(lambda: machine.inputs[0] == 0.0) < SOON
        assert node.link.counts["received"] > 0
    with running(io(device)) as node:
        with process("model", NAME) as partner:
            assert wait_for(lambda: device.force == -6.0)
            partner.send_signal(signal.SIGKILL)
            assert wait_for(lambda: device.force == 0.0) < SOON
        assert min(node.link.round_trips) > 0.0


class RosPartner:
    """What any ROS node may publish: one topic, no `link`."""

    def __init__(self, name, kind, suffix="command/joint_states"):
        self.participant = DomainParticipant(DOMAIN)
        topic = Topic(self.participant, f"rt/{name}/{suffix}", dds_type(kind), qos=quality())
        self.writer, self.kind = DataWriter(self.participant, topic, qos=quality()), kind

    def say(self, message):
        self.writer.write(sample(message))

    def say_bytes(self, data):
        self.writer.write(_holding(dds_type(self.kind), data))


def commanded(position, **more):
    return JointState(header(time.time_ns()), name=("hand",), position=(position,), **more)


def test_a_plain_ros_node_is_a_partner():
    machine = PlainMachine()
    with running(model(machine, PLAIN)) as node:
        partner = RosPartner(PLAIN, JointState)

        def heard(value):
            partner.say(commanded(value))
            time.sleep(PERIOD)
            return machine.inputs[0] == value

        assert wait_for(lambda: heard(5.0))
        assert wait_for(lambda: machine.inputs[0] == 0.0) < SOON  # it fell silent
        assert wait_for(lambda: heard(6.0))
        assert node.link.counts["sessions"] == 1


def test_wrong_and_hostile_messages_do_no_harm():
    machine, rng = PlainMachine(), random.Random(8)
    with running(model(machine, HOSTILE)) as node:
        partner, link = RosPartner(HOSTILE, JointState), RosPartner(HOSTILE, UInt64MultiArray, "command/link")
        stranger = RosPartner(HOSTILE, Float64MultiArray)  # another type on the same topic
        good = encode(commanded(5.0))
        for k in range(600):
            wrong = [
                rng.randbytes(4 * rng.randrange(1, 60)),
                good[: 4 * rng.randrange(1, len(good) // 4)],
                encode(commanded(float("nan"))),
                encode(JointState(name=("hand",), position=(1.0, 2.0))),
                encode(JointState(name=("foot",), position=(1.0,))),
            ][k % 5]
            for victim in (partner, link, stranger):
                with suppress(Exception):  # newer versions of Cyclone refuse to send it at all
                    victim.say_bytes(wrong)
            time.sleep(0.0005)
        assert {value for _, value in machine.given} == {0.0}  # nothing out of noise became an input
        assert wait_for(lambda: partner.say(commanded(5.0)) or time.sleep(PERIOD) or machine.inputs[0] == 5.0)
        refused = node.transport.refused + node.link.counts
        assert refused["message"] + refused["length"] + refused["encoding"] + refused["not finite"] > 0, refused


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclonedds.domain", None)
    with pytest.raises(ModelError, match=r"symbody\[ros\]"):
        DdsTransport([], [], "a", "b", local=False)


def test_a_domain_that_cannot_be_is_told():
    for local in (True, False):
        with pytest.raises(ModelError, match="from 0 to 230"):
            DdsTransport([], [], "a", "b", domain=99_999, local=local)


def test_types_are_declared_for_all_messages():
    for name, kind in MESSAGES.items():
        package, _, short = name.split("/")
        assert dds_type(kind).__idl_typename__ == f"{package}.msg.dds_.{short}_"


@pytest.mark.parametrize("domain", [-1, 231, 2**32, 2**40, "7", 1.5])
def test_a_number_that_cyclone_would_cut_to_another_domain(domain):
    with pytest.raises(ModelError, match="there is no domain"):
        DdsTransport([], [], "a", "b", domain=domain)


def stamped(seconds, **more):
    return JointState(Header(Time(seconds, 0)), name=("hand",), **more)


@pytest.mark.parametrize("message", [stamped(-1, position=(5.0,)), stamped(-1, position=(5.0,), velocity=(1.0,))])
def test_a_message_before_1970_is_refused_and_its_echo_ends_no_node(message):
    """The `link` of our answers would hold the time, and has no sign."""
    end = model_end(HOSTILE)
    (topic,) = (topic for topic in end._in.values() if topic.kind is JointState)
    before = end._values.copy()
    assert end._put(topic, encode(message)) == []
    assert end.refused == {"clock": 1}
    assert (end._values == before).all()
    end.close()


def test_names_that_would_take_seconds_are_not_decoded(monkeypatch):
    """A message of four megabytes of names takes a second; the node would miss its safe state."""
    end = model_end(HOSTILE)
    (topic,) = (topic for topic in end._in.values() if topic.kind is JointState)
    monkeypatch.setattr("symbody.links.dds.decode", lambda *_: pytest.fail("it must not be decoded"))
    assert end._put(topic, encode(JointState(name=("",) * 500_000))) == []
    end._take_link(encode(UInt64MultiArray(data=(1,) * 500_000)))
    assert end.refused == {"length": 2}
    end.close()


def test_a_partner_with_some_more_joints_is_still_heard():
    end = model_end(PLAIN)
    (topic,) = (topic for topic in end._in.values() if topic.kind is JointState)
    names = ("hand", *(f"joint{k}" for k in range(1000)))
    assert end._put(topic, encode(JointState(header(7), names, (3.0,) * len(names)))) == [7]
    assert 3.0 in end._values
    end.close()
