"""Frames over DDS, visible in ROS 2: standard messages on topics rt/NAME/…; no ROS installation is needed.

A frame is the messages of its channels plus the topic `link` with session, sequence and times
(std_msgs/UInt64MultiArray). A partner without `link`, such as any ROS node, is accepted by its data alone. Then losses
and round trips are unknown, and one silent topic makes the whole link silent.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from symbody.links.cdr import decode
from symbody.links.dds_domain import DEPTH, participant, quality, wait_set
from symbody.links.dds_types import cyclone, dds_type, sample_of
from symbody.links.link import SECOND, Limits
from symbody.links.message_template import MessageTemplate, integers_template, topic_template
from symbody.links.packet import LARGEST, Packet, Transport
from symbody.links.rejected import Rejected
from symbody.links.ros_types import Message, UInt64MultiArray, nanoseconds
from symbody.links.topics import Topic, ros_path, take_over, topics

PATIENCE = SECOND // 2  # ns without `link` until a partner counts as one without it
PLAIN = 1  # session of such partners
LONGER = 4  # times the size of our message: the longest message of a partner with other channels
LINK = integers_template(6)  # session, heard, sequence, stamp, echo, held


class DdsTransport(Transport):
    """Writers for some channels under one ROS name, readers for others under another.

    Parameters
    ----------
    sends, hears : sequence of str
        Channels in each direction.
    send_to, hear_from : str
        ROS names of both streams.
    domain : int
        DDS domain. Default 0.
    local : bool
        Whether only this computer is reached, over its loopback interface; otherwise the network, as configured by
        CYCLONEDDS_URI. Default True.
    start : sequence of float, optional
        Values of the channels that the partner never sends. Default 0.
    silence : float
        Time (s) after which the partner counts as silent. Default 0.1.

    Examples
    --------
    >>> import symbody as sb
    >>> from symbody.links import DdsTransport
    >>> try:
    ...     line = DdsTransport(["x.q"], ["x.Q"], "machine", "device", domain=77)
    ...     line.close()
    ... except sb.ModelError:
    ...     pass  # without cyclonedds
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
        self._participant = participant(domain, local)
        self._out = [(topic, *_slots(topic, sends)) for topic in topics(sends, send_to)]
        heard = topics(hears, hear_from)
        self._in = {topic.name: topic for topic in heard}
        self._templates = {name: [_slots(topic, hears) for topic in heard if topic.name == name] for name in self._in}
        self._link_out, self._link_in = _link_topic(send_to), _link_topic(hear_from)
        self._writers = {t.name: self._writer(t) for t in [*(topic for topic, *_ in self._out), self._link_out]}
        self._readers = {t.name: self._reader(t) for t in [*self._in.values(), self._link_in]}
        self._place = {channel: k for k, channel in enumerate(hears)}
        self._values = np.zeros(len(hears)) if start is None else np.array(start, dtype=float)
        self._silence = silence * SECOND
        self._heard: dict[str, int] = {}  # time of the last message by topic
        self._frames: deque[Packet] = deque(maxlen=DEPTH)
        self._plain_since: int | None = None
        self._plain = 0  # frames without a link so far
        self._linked_at: int | None = None  # time of the last `link` message
        self._any = wait_set(self._participant, self._readers.values())
        self._link = wait_set(self._participant, [self._readers[self._link_in.name]])

    def send(self, frame: Packet) -> None:
        """Write all messages of a frame, the link last."""
        wall = time.time_ns()
        for topic, template, slots in self._out:
            self._write(topic, template.filled(frame.values[slots], wall))
        numbers = (frame.session, frame.heard or 0, frame.sequence, frame.stamp, frame.echo, frame.held)
        self._write(self._link_out, LINK.filled(numbers))

    def receive(self, timeout: float) -> Packet | None:
        """The next frame, or None after `timeout` s."""
        end = time.monotonic_ns() + int(timeout * SECOND)
        self._take()
        while not self._frames and (left := end - time.monotonic_ns()) > 0:
            self._wait(left)
            self._take()
        return self._frames.popleft() if self._frames else None

    def close(self) -> None:
        """Leave the domain; its writers disappear for other participants."""
        self._any = self._link = self._participant = None  # a DDS entity lives as long as its Python object
        self._writers.clear()
        self._readers.clear()

    def _wait(self, left: int) -> None:
        """Wait for new data, at most `left` ns. `link` ends each frame: if the partner sends it, only that wakes us."""
        linked = self._linked_at is not None and time.monotonic_ns() - self._linked_at < PATIENCE
        (self._link if linked else self._any).wait(min(left, PATIENCE) if linked else left)

    def _write(self, topic: Topic, said: bytes) -> None:
        try:
            self._writers[topic.name].write(sample_of(topic.kind, said))
        except cyclone("core").DDSException:  # a reliable reader that does not take its samples
            self.refused["not sent"] += 1

    def _take(self) -> None:
        """Turn received messages into frames: one per link message, or one from data alone."""
        now, stamps = time.monotonic_ns(), list[int]()
        for topic in self._in.values():
            for data in self._taken(topic):
                stamps += self._put(topic, data)
        for data in self._taken(self._link_in):
            self._take_link(data)
        if stamps:
            self._plain_since = self._plain_since or now
            if now - self._plain_since > PATIENCE and all(now - at < self._silence for at in self._heard.values()):
                self._plain += 1
                self._frames.append(Packet(PLAIN, None, self._plain, max(stamps), 0, 0, self._values.copy()))

    def _put(self, topic: Topic, data: bytes) -> list[int]:
        """Store the values of a message; return its times by the wall clock (ns; now if it has none)."""
        try:
            for template, slots in self._templates[topic.name]:
                if (values := template.read(data)) is not None:
                    stamp = _since_1970(template.stamp(data))
                    self._values[slots] = values
                    break
            else:  # a partner with more or fewer channels, or another order
                if len(data) > max(LARGEST, *(LONGER * template.size for template, _ in self._templates[topic.name])):
                    raise Rejected("length")  # its names would take seconds
                said = decode(topic.kind, data)
                stamp = _since_1970(_stamp(said))
                take_over(said, topic, self._place, self._values)
        except Rejected as refusal:
            self.refused[refusal.reason] += 1
            return []
        self._heard[topic.name] = time.monotonic_ns()
        return [stamp or time.time_ns()]

    def _take_link(self, data: bytes) -> None:
        try:
            numbers = LINK.read(data)
            if len(data) > LARGEST:
                raise Rejected("length")
            said = decode(UInt64MultiArray, data).data if numbers is None else numbers.tolist()
            session, heard, sequence, stamp, echo, held = said
        except Rejected as refusal:
            self.refused[refusal.reason] += 1
        except ValueError:  # a wrong number of values
            self.refused["message"] += 1
        else:
            self._frames.append(Packet(session, heard, sequence, stamp, echo, held, self._values.copy()))
            self._plain_since, self._linked_at = None, time.monotonic_ns()

    def _taken(self, topic: Topic) -> Iterator[bytes]:
        for taken in self._readers[topic.name].take(DEPTH):
            if isinstance(taken, dds_type(topic.kind)):  # other samples only announce that a writer has left
                yield taken.cdr

    def _writer(self, topic: Topic) -> Any:
        return cyclone("pub").DataWriter(self._participant, self._topic(topic), qos=quality())

    def _reader(self, topic: Topic) -> Any:
        return cyclone("sub").DataReader(self._participant, self._topic(topic), qos=quality(reliable=False))

    def _topic(self, topic: Topic) -> Any:
        return cyclone("topic").Topic(self._participant, f"rt/{topic.name}", dds_type(topic.kind), qos=quality())


def _link_topic(name: str) -> Topic:
    return Topic(ros_path(name, "link"), UInt64MultiArray, ())


def _slots(topic: Topic, channels: Sequence[str]) -> tuple[MessageTemplate, list[int]]:
    """The template of a topic, and the indices of its channels among all."""
    return topic_template(topic), [channels.index(channel) for channel in topic.channels]


def _since_1970(stamp: int) -> int:
    """A time that the partner's `link` can return to it, which has no sign."""
    if stamp < 0:
        raise Rejected("clock")
    return stamp


def _stamp(said: Message) -> int:
    """Time of a message by the wall clock (ns); 0 if it has none."""
    head = getattr(said, "header", None)
    return nanoseconds(head.stamp) if head else 0
