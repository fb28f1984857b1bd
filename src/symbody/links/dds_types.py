"""ROS 2 messages as types of Cyclone DDS: names and fields for discovery, bytes from our own encoder."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from symbody.errors import ModelError
from symbody.links.cdr import element, encode, layout, number
from symbody.links.ros_types import Message, dds_name

BUILDING = "https://symbody.github.io/symbody/stable/middleware.html"
CURE = f"""pip install "symbody[ros]"; if no wheel fits, {BUILDING} says how to build one; or use UDP"""

_types: dict[type[Message], Any] = {}


def cyclone(module: str) -> Any:
    """A module of the package cyclonedds; raises a `ModelError` with the cure if it is missing."""
    try:
        return import_module(f"cyclonedds.{module}")
    except Exception as error:  # a library of another version may raise anything
        raise ModelError(f"Cyclone DDS cannot be used: {error}", element="dds", cure=CURE) from error


def dds_type(kind: type[Message]) -> Any:
    """The DDS type of a message: final and XCDR1, as in ROS 2; its objects hold the bytes only."""
    if kind not in _types:
        _types[kind] = _made(kind)
    return _types[kind]


def sample(message: Message) -> Any:
    """The object that a `DataWriter` of the message's type writes."""
    return sample_of(type(message), encode(message))


def sample_of(kind: type[Message], data: bytes) -> Any:
    """The same for a message that is already encoded."""
    return _holding(dds_type(kind), data)


def _made(kind: type[Message]) -> Any:
    fields = {name: _member(hint) for name, hint in layout(kind)}
    made = cyclone("idl").make_idl_struct(kind.__name__ + "_", dds_name(kind).replace("::", "."), fields)
    made.serialize = lambda self, **_: self.cdr
    made.deserialize = made.deserialize_key = classmethod(lambda cls, data, **_: _holding(cls, bytes(data)))
    return made


def _holding(made: Any, data: bytes) -> Any:
    holder = made.__new__(made)
    holder.cdr = data
    return holder


def _member(hint: Any) -> Any:
    types = cyclone("idl.types")
    if (inner := element(hint)) is not None:
        return types.sequence[_member(inner)]
    if hint is str:
        return str
    if name := number(hint):
        return bool if name == "bool" else getattr(types, name)
    return dds_type(hint)
