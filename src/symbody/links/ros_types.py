"""The ROS 2 messages that machines use: one definition each, for CDR, MCAP schemas and DDS type names.

Field names, types and order are those of the ROS 2 packages builtin_interfaces, std_msgs, geometry_msgs, sensor_msgs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from symbody.links.cdr import Bool, Float64, Int32, UInt32, UInt64, element, layout, number

MESSAGES: dict[str, type[Message]] = {}  # by ROS name


@dataclass(frozen=True)
class Message:
    """A ROS 2 message; `ros` is its name, package/msg/Type."""

    ros: ClassVar[str]

    def __init_subclass__(cls, ros: str) -> None:
        cls.ros = ros
        MESSAGES[ros] = cls


@dataclass(frozen=True)
class Time(Message, ros="builtin_interfaces/msg/Time"):
    sec: Int32 = 0
    nanosec: UInt32 = 0


@dataclass(frozen=True)
class Header(Message, ros="std_msgs/msg/Header"):
    stamp: Time = Time()
    frame_id: str = ""


@dataclass(frozen=True)
class BoolValue(Message, ros="std_msgs/msg/Bool"):
    data: Bool = False


@dataclass(frozen=True)
class Float64Value(Message, ros="std_msgs/msg/Float64"):
    data: Float64 = 0.0


@dataclass(frozen=True)
class Text(Message, ros="std_msgs/msg/String"):
    data: str = ""


@dataclass(frozen=True)
class MultiArrayDimension(Message, ros="std_msgs/msg/MultiArrayDimension"):
    label: str = ""
    size: UInt32 = 0
    stride: UInt32 = 0


@dataclass(frozen=True)
class MultiArrayLayout(Message, ros="std_msgs/msg/MultiArrayLayout"):
    dim: tuple[MultiArrayDimension, ...] = ()
    data_offset: UInt32 = 0


@dataclass(frozen=True)
class Float64MultiArray(Message, ros="std_msgs/msg/Float64MultiArray"):
    layout: MultiArrayLayout = MultiArrayLayout()
    data: tuple[Float64, ...] = ()


@dataclass(frozen=True)
class UInt64MultiArray(Message, ros="std_msgs/msg/UInt64MultiArray"):
    layout: MultiArrayLayout = MultiArrayLayout()
    data: tuple[UInt64, ...] = ()


@dataclass(frozen=True)
class Vector3(Message, ros="geometry_msgs/msg/Vector3"):
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


@dataclass(frozen=True)
class Wrench(Message, ros="geometry_msgs/msg/Wrench"):
    force: Vector3 = Vector3()
    torque: Vector3 = Vector3()


@dataclass(frozen=True)
class WrenchStamped(Message, ros="geometry_msgs/msg/WrenchStamped"):
    header: Header = Header()
    wrench: Wrench = Wrench()


@dataclass(frozen=True)
class JointState(Message, ros="sensor_msgs/msg/JointState"):
    header: Header = Header()
    name: tuple[str, ...] = ()
    position: tuple[Float64, ...] = ()  # rad or m
    velocity: tuple[Float64, ...] = ()  # rad/s or m/s
    effort: tuple[Float64, ...] = ()  # N m or N


def header(stamp_ns: int, frame_id: str = "") -> Header:
    """A header with a time in ns since 1970."""
    sec, nanosec = divmod(stamp_ns, 1_000_000_000)
    return Header(Time(sec, nanosec), frame_id)


def nanoseconds(time: Time) -> int:
    """A ROS time in ns since 1970."""
    return time.sec * 1_000_000_000 + time.nanosec


def dds_name(kind: type[Message]) -> str:
    """Type name on the wire: sensor_msgs::msg::dds_::JointState_."""
    package, folder, name = kind.ros.split("/")
    return f"{package}::{folder}::dds_::{name}_"


def definition(kind: type[Message]) -> str:
    """The text of the message definition and of all types in it, for MCAP (schema encoding `ros2msg`)."""
    inner = dict.fromkeys(_contained(kind))
    parts = [_lines(kind), *(f"MSG: {_short(one)}\n{_lines(one)}" for one in inner)]
    return f"{'=' * 80}\n".join(parts)


def _lines(kind: type[Message]) -> str:
    return "".join(f"{_type_text(hint)} {name}\n" for name, hint in layout(kind))


def _type_text(hint: Any) -> str:
    if (inner := element(hint)) is not None:
        return f"{_type_text(inner)}[]"
    return "string" if hint is str else number(hint) or _short(hint)


def _short(kind: type[Message]) -> str:
    return kind.ros.replace("/msg/", "/")


def _contained(kind: type[Message]) -> Iterator[type[Message]]:
    for _, hint in layout(kind):
        inner = element(hint) or hint
        if isinstance(inner, type) and issubclass(inner, Message):
            yield inner
            yield from _contained(inner)
