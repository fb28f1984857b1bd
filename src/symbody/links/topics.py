"""Channels of a machine as ROS 2 messages: motion and efforts of joints, wrenches of sites, and the rest by name.

| channels | message | topic |
|---|---|---|
| `arm.q`, `arm.qd`, `arm.Q` or `arm.effort` | sensor_msgs/JointState | joint_states |
| `tip.force.x` … `tip.torque.z` | geometry_msgs/WrenchStamped | tip/wrench |
| all others | std_msgs/Float64MultiArray, the names in the label of its dimension | signals |

A joint state has one value per joint in each field, or none. Joints with different known fields therefore use separate
messages on the same topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.links.rejected import Rejected
from symbody.links.ros_types import (
    Float64MultiArray,
    JointState,
    Message,
    MultiArrayDimension,
    MultiArrayLayout,
    Vector3,
    Wrench,
    WrenchStamped,
    header,
)

Array = np.ndarray

JOINT_FIELDS = {"position": ("q",), "velocity": ("qd",), "effort": ("Q", "effort")}  # endings of the channels
AXES = ("x", "y", "z")
VECTORS = ("force", "torque")
SEPARATOR = ","


@dataclass(frozen=True)
class Topic:
    """Channels that travel in one message: their names in its order, and for joints the fields that they fill."""

    name: str
    kind: type[Message]
    channels: tuple[str, ...]
    owners: tuple[str, ...] = ()  # joints, or the one site
    fields: tuple[str, ...] = ()


def topics(channels: Sequence[str], prefix: str = "") -> list[Topic]:
    """The topics that carry these channels, each channel once."""
    left = dict.fromkeys(channels)
    found = [*_joint_topics(left), *_wrench_topics(left)]
    if left:
        found.append(Topic("signals", Float64MultiArray, tuple(left)))
    return [Topic(ros_path(prefix, t.name), t.kind, t.channels, t.owners, t.fields) for t in found]


def ros_path(*parts: str) -> str:
    """A ROS name: letters, digits and underscores between slashes; dots become slashes."""
    words = (re.sub(r"[^A-Za-z0-9_/]", "_", part.replace(".", "/")) for part in parts if part)
    return "/".join(f"_{word}" if word[0].isdigit() else word for word in words)


def message(topic: Topic, values: Iterable[float], stamp_ns: int) -> Message:
    """The message of a topic's channels at a time (ns since 1970)."""
    numbers = tuple(map(float, values))
    if topic.kind is JointState:
        n = len(topic.owners)
        parts = {name: numbers[k * n : (k + 1) * n] for k, name in enumerate(topic.fields)}
        return JointState(header(stamp_ns), topic.owners, **parts)
    if topic.kind is WrenchStamped:
        part = dict(zip(topic.channels, numbers, strict=True))
        site = topic.owners[0]
        force, torque = (Vector3(*(part.get(f"{site}.{v}.{a}", 0.0) for a in AXES)) for v in VECTORS)
        return WrenchStamped(header(stamp_ns, site), Wrench(force, torque))
    n = len(numbers)
    dimension = MultiArrayDimension(SEPARATOR.join(topic.channels), n, n)
    return Float64MultiArray(MultiArrayLayout((dimension,)), numbers)


def readings(said: Message, site: str = "") -> Iterator[tuple[tuple[str, ...], float]]:
    """Contents of a message: possible channel names and the value; `site` is the site of a wrench."""
    if isinstance(said, JointState):
        for field, endings in JOINT_FIELDS.items():
            values = getattr(said, field)
            if len(values) not in (0, len(said.name)):
                raise Rejected("message")
            for joint, value in zip(said.name, values, strict=False):  # no values, or one per joint
                yield tuple(f"{joint}.{ending}" for ending in endings), value
    elif isinstance(said, WrenchStamped):
        for vector in VECTORS:
            for axis in AXES:
                yield (f"{site}.{vector}.{axis}",), getattr(getattr(said.wrench, vector), axis)
    elif isinstance(said, Float64MultiArray):
        names = said.layout.dim[0].label.split(SEPARATOR) if said.layout.dim else []
        if len(names) != len(said.data):
            raise Rejected("message")
        yield from (((name,), value) for name, value in zip(names, said.data, strict=True))
    else:
        raise Rejected("kind")


def said_by(said: Message) -> tuple[object, tuple[float, ...]]:
    """The names in a message, which identify its stream, and its numbers in the order of `readings`."""
    if isinstance(said, JointState):
        parts = said.position, said.velocity, said.effort
        return (said.name, *map(len, parts)), sum(parts, ())
    if isinstance(said, Float64MultiArray):
        return (said.layout.dim[0].label if said.layout.dim else "", len(said.data)), said.data
    return (), tuple(value for _, value in readings(said))


def take_over(said: Message, topic: Topic, place: dict[str, int], values: Array) -> None:
    """Store the contents of a message at the indices of `place`; a message without our channels is rejected."""
    found = {place[n]: value for names, value in readings(said, "".join(topic.owners[:1])) for n in names if n in place}
    if not found:
        raise Rejected("channels")
    values[list(found)] = list(found.values())


def _joint_topics(left: dict[str, None]) -> Iterator[Topic]:
    """Joints grouped by their known fields; removes their channels from `left`."""
    known: dict[str, dict[str, str]] = {}
    for channel in list(left):
        joint, _, ending = channel.rpartition(".")
        for field, endings in JOINT_FIELDS.items():
            if joint and ending in endings and field not in known.setdefault(joint, {}):
                known[joint][field] = channel
                del left[channel]
                break
    groups: dict[tuple[str, ...], list[str]] = {}
    for joint, of in known.items():
        if of:
            groups.setdefault(tuple(f for f in JOINT_FIELDS if f in of), []).append(joint)
    for fields, joints in groups.items():
        channels = tuple(known[joint][field] for field in fields for joint in joints)
        yield Topic("joint_states", JointState, channels, tuple(joints), fields)


def _wrench_topics(left: dict[str, None]) -> Iterator[Topic]:
    """Sites with a complete force; removes their channels from `left`."""
    for site in _sites(left):
        channels = tuple(c for v in VECTORS for a in AXES if (c := f"{site}.{v}.{a}") in left)
        for channel in channels:
            del left[channel]
        yield Topic(f"{site}/wrench", WrenchStamped, channels, (site,))


def _sites(channels: Iterable[str]) -> list[str]:
    ending = f".{VECTORS[0]}.{AXES[0]}"
    sites = [channel.removesuffix(ending) for channel in channels if channel.endswith(ending)]
    return [site for site in sites if all(f"{site}.{VECTORS[0]}.{a}" in channels for a in AXES)]
