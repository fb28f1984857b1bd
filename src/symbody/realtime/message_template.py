"""Messages of one shape as a template to be filled in: the same bytes each time but for the time and the values.

The channels of a topic do not change, so neither do the names, the counts and the places of the numbers in its
messages. A template finds those places once, by encoding numbers that it knows again; from then on it copies
eight bytes a value. A message that differs anywhere else is not read by it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from symbody.realtime.cdr import ALIGNMENT, HEADER, encode, layout
from symbody.realtime.link import SECOND
from symbody.realtime.ros_types import Time, UInt64MultiArray, nanoseconds
from symbody.realtime.topics import Topic, message

Array = np.ndarray
STAMP = struct.Struct("<iI")  # s and ns, where a message begins with a header
OPTIONS = slice(2, len(HEADER))  # of the encoding: they tell of padding only


def topic_template(topic: Topic) -> MessageTemplate:
    """The template of the messages of a topic, for its channels in their order."""
    known = _known(len(topic.channels)).view(float)
    return MessageTemplate(
        encode(message(topic, known, 0)), known, "header" in {name for name, _ in layout(topic.kind)}
    )


def integers_template(count: int) -> MessageTemplate:
    """The template of so many numbers, UInt64MultiArray."""
    known = _known(count)
    return MessageTemplate(encode(UInt64MultiArray(data=tuple(known.tolist()))), known)


def _known(count: int) -> Array:
    """Numbers that are found again: no two alike, and nothing else is like them."""
    return np.random.default_rng(1).integers(2**61, 2**62, count, dtype=np.uint64)


class MessageTemplate:
    """The bytes of a message in which some numbers of eight bytes stand for others."""

    def __init__(self, data: bytes, numbers: Array, stamped: bool = False):
        self._data = np.frombuffer(data, np.uint8)
        starts = [data.index(number.tobytes()) for number in numbers]
        self._places = np.add.outer(np.array(starts, dtype=int), np.arange(8))
        self._kind, self._stamped = numbers.dtype, stamped
        fixed = np.ones(len(data), bool)
        fixed[OPTIONS] = fixed[self._places] = False
        if stamped:
            fixed[len(HEADER) : len(HEADER) + STAMP.size] = False
        self._fixed = np.flatnonzero(fixed)

    def filled(self, values: Sequence[float] | Array, stamp: int = 0) -> bytes:
        """The message with these values, of a time (ns since 1970)."""
        out = self._data.copy()
        out[self._places] = np.asarray(values, self._kind).view(np.uint8).reshape(-1, 8)
        if self._stamped:
            STAMP.pack_into(out.data, len(HEADER), *divmod(stamp, SECOND))
        return out.tobytes()

    def read(self, data: bytes) -> Array | None:
        """The values in a message of this template; None where it is another."""
        if not 0 <= len(data) - len(self._data) < ALIGNMENT:
            return None
        told = np.frombuffer(data, np.uint8)
        if not (told[self._fixed] == self._data[self._fixed]).all():
            return None
        return np.asarray(told[self._places].view(self._kind)[:, 0])

    def stamp(self, data: bytes) -> int:
        """The time of such a message (ns since 1970); 0 where it has none."""
        if not self._stamped:
            return 0
        return nanoseconds(Time(*STAMP.unpack_from(data, len(HEADER))))
