"""Frames over DDS as ROS 2 sees them: standard messages on topics rt/NAME/…, no ROS installation needed.

A frame is the messages of its channels, and beside them the topic `link` with its session, sequence and times
(std_msgs/UInt64MultiArray). A partner that does not send `link`, such as any ROS node, is believed by its data alone:
then nothing is known of losses and round trips, and a topic that falls silent silences all.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.realtime.dds_types import content, cyclone, dds_type, sample
from symbody.realtime.link import SECOND, Limits
from symbody.realtime.packet import Frame
from symbody.realtime.refused import Refused
from symbody.realtime.ros_types import Message, UInt64MultiArray, nanoseconds
from symbody.realtime.topics import Topic, message, ros_path, take_over, topics

DEPTH = 16  # samples that wait in a reader or writer; older ones are dropped
BLOCKING = 1_000_000  # ns that a write may wait for a reader that wants every sample
PATIENCE = SECOND // 2  # ns without `link` until a partner counts as one that has none
PLAIN = 1  # session of such partners
LOCAL = """
<CycloneDDS><Domain>
  <General>
    <Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false</AllowMulticast>
  </General>
  <Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>99</MaxAutoParticipantIndex>
    <Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>
"""


class DdsTransport:
    """Writers for the channels `sends` under one ROS name, readers for `hears` under another.

    local: this machine only, over its loopback interface; else as CYCLONEDDS_URI says, on the network.
    start: values of the channels that the partner never mentions; default 0.
    """

    def __init__(
        self,
        sends: Sequence[str],
        hears: Sequence[str],
        send_to: str,
        hear_from: str,
        *,
        domain: int = 0,
        local: bool = True,
        start: Sequence[float] | None = None,
        silence: float = Limits.silence,
    ):
        self.refused: Counter[str] = Counter()
        self._participant = _participant(domain, local)
        self._out = [(topic, [sends.index(c) for c in topic.channels]) for topic in topics(sends, send_to)]
        self._in = {topic.name: topic for topic in topics(hears, hear_from)}
        self._link_out, self._link_in = _link_topic(send_to), _link_topic(hear_from)
        self._writers = {t.name: self._writer(t) for t in [*(topic for topic, _ in self._out), self._link_out]}
        self._readers = {t.name: self._reader(t) for t in [*self._in.values(), self._link_in]}
        self._place = {channel: k for k, channel in enumerate(hears)}
        self._values = np.zeros(len(hears)) if start is None else np.array(start, dtype=float)
        self._silence = silence * SECOND
        self._heard: dict[str, int] = {}  # when each topic last came
        self._frames: deque[Frame] = deque(maxlen=DEPTH)
        self._plain_since: int | None = None
        self._plain = 0  # frames without a link so far
        self._waiting = _wait_set(self._participant, self._readers.values())

    def send(self, frame: Frame) -> None:
        """All messages of a frame, the link last."""
        wall = time.time_ns()
        for topic, slots in self._out:
            self._write(topic, message(topic, frame.values[slots], wall))
        numbers = (frame.session, frame.heard or 0, frame.sequence, frame.stamp, frame.echo, frame.held)
        self._write(self._link_out, UInt64MultiArray(data=numbers))

    def receive(self, timeout: float) -> Frame | None:
        """The next frame, or None after `timeout` s."""
        end = time.monotonic_ns() + int(timeout * SECOND)
        self._take()
        while not self._frames and (left := end - time.monotonic_ns()) > 0:
            self._waiting.wait(left)  # data wake it, and a frame may need more than one message
            self._take()
        return self._frames.popleft() if self._frames else None

    def close(self) -> None:
        """Leave the domain; what others hear of it is that the writers have gone."""
        self._waiting = self._participant = None  # an entity of DDS lives as long as its object
        self._writers.clear()
        self._readers.clear()

    def _write(self, topic: Topic, said: Message) -> None:
        try:
            self._writers[topic.name].write(sample(said))
        except cyclone("core").DDSException:  # a reader that wants every sample and takes none
            self.refused["not sent"] += 1

    def _take(self) -> None:
        """What has come, as frames: one for each link message, or one of data alone."""
        now = time.monotonic_ns()
        stamps = []
        for topic in self._in.values():
            for said in self._taken(topic):
                try:
                    take_over(said, topic, self._place, self._values)
                    self._heard[topic.name] = now
                    stamps.append(_stamp(said))
                except Refused as refusal:
                    self.refused[refusal.reason] += 1
        for said in self._taken(self._link_in):
            self._take_link(said)
        if stamps:
            self._plain_since = self._plain_since or now
            if now - self._plain_since > PATIENCE and all(now - at < self._silence for at in self._heard.values()):
                self._plain += 1
                self._frames.append(Frame(PLAIN, None, self._plain, max(stamps), 0, 0, self._values.copy()))

    def _take_link(self, said: Any) -> None:
        if len(said.data) == 6:
            session, heard, sequence, stamp, echo, held = said.data
            self._frames.append(Frame(session, heard, sequence, stamp, echo, held, self._values.copy()))
            self._plain_since = None
        else:
            self.refused["message"] += 1

    def _taken(self, topic: Topic) -> Iterator[Message]:
        for taken in self._readers[topic.name].take(DEPTH):
            if isinstance(taken, dds_type(topic.kind)):  # others tell only that a writer has gone
                try:
                    yield content(topic.kind, taken)
                except Refused as refusal:
                    self.refused[refusal.reason] += 1

    def _writer(self, topic: Topic) -> Any:
        return cyclone("pub").DataWriter(self._participant, self._topic(topic), qos=_quality())

    def _reader(self, topic: Topic) -> Any:
        return cyclone("sub").DataReader(self._participant, self._topic(topic), qos=_quality(reliable=False))

    def _topic(self, topic: Topic) -> Any:
        return cyclone("topic").Topic(self._participant, f"rt/{topic.name}", dds_type(topic.kind), qos=_quality())


def _participant(domain: int, local: bool) -> Any:
    try:
        if local:
            _local_domain(domain)
        return cyclone("domain").DomainParticipant(domain)
    except cyclone("core").DDSException as error:
        cure = "choose a domain from 0 to 230 that this process does not use otherwise, and look at CYCLONEDDS_URI"
        raise ModelError(f"domain {domain} cannot be entered: {error}", element="dds", cure=cure) from error


@cache
def _local_domain(domain: int) -> Any:
    """A domain that does not leave this machine; it lives as long as the process."""
    return cyclone("domain").Domain(domain, LOCAL)


def _link_topic(name: str) -> Topic:
    return Topic(ros_path(name, "link"), UInt64MultiArray, ())


def _quality(reliable: bool = True) -> Any:
    """Writers offer all samples to those who want them; our readers want the newest only."""
    core = cyclone("core")
    reliability = core.Policy.Reliability.Reliable(BLOCKING) if reliable else core.Policy.Reliability.BestEffort
    encoding = core.Policy.DataRepresentation(use_cdrv0_representation=True)
    return core.Qos(reliability, core.Policy.History.KeepLast(DEPTH), core.Policy.Durability.Volatile, encoding)


def _wait_set(participant: Any, readers: Any) -> Any:
    core = cyclone("core")
    made = core.WaitSet(participant)
    fresh = core.ViewState.Any | core.InstanceState.Any | core.SampleState.NotRead
    for reader in readers:
        made.attach(core.ReadCondition(reader, fresh))
    return made


def _stamp(said: Message) -> int:
    """Time of a message by the wall clock (ns); now, where it has none."""
    head = getattr(said, "header", None)
    return (nanoseconds(head.stamp) if head else 0) or time.time_ns()
