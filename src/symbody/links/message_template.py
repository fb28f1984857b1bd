"""Message templates: the encoded bytes of a message, in which only the time and the values change.

The channels of a topic do not change, so the names, counts and offsets of numbers in its messages do not, either. A
template finds the offsets once by encoding known numbers; then it copies eight bytes per value. It rejects a message
that differs anywhere else.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from symbody.links.cdr import ALIGNMENT, HEADER, encode, layout
from symbody.links.link import SECOND
from symbody.links.ros_types import Time, UInt64MultiArray, nanoseconds
from symbody.links.topics import Topic, message

Array = np.ndarray
STAMP = struct.Struct("<iI")  # s and ns, if a message begins with a header
STAMPS = np.dtype([("s", "<i4"), ("ns", "<u4")])  # the same as an array
OPTIONS = slice(2, len(HEADER))  # of the encoding: they only describe padding


def topic_template(topic: Topic) -> MessageTemplate:
    """The template of the messages of a topic, for its channels in their order."""
    known = _known(len(topic.channels)).view(float)
    return MessageTemplate(
        encode(message(topic, known, 0)), known, "header" in {name for name, _ in layout(topic.kind)}
    )


def integers_template(count: int) -> MessageTemplate:
    """The template of a UInt64MultiArray with `count` numbers."""
    known = _known(count)
    return MessageTemplate(encode(UInt64MultiArray(data=tuple(known.tolist()))), known)


def _known(count: int) -> Array:
    """Numbers that can be found again in the bytes: all different and unlike anything else."""
    return np.random.default_rng(1).integers(2**61, 2**62, count, dtype=np.uint64)


class MessageTemplate:
    """The bytes of a message with placeholders of eight bytes for its numbers."""

    def __init__(self, data: bytes, numbers: Array, stamped: bool = False):
        self.size = len(data)  # bytes
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
        """The message with these values and a time (ns since 1970)."""
        out = self._data.copy()
        out[self._places] = np.asarray(values, self._kind).view(np.uint8).reshape(-1, 8)
        if self._stamped:
            STAMP.pack_into(out.data, len(HEADER), *divmod(stamp, SECOND))
        return out.tobytes()

    def filled_rows(self, values: Array, stamps: Array) -> Array:
        """The messages (n, size) with values (n, numbers) and times (n,), ns since 1970."""
        out = np.tile(self._data, (len(stamps), 1))
        numbers = np.ascontiguousarray(values, self._kind)
        out[:, self._places.ravel()] = numbers.view(np.uint8).reshape(len(stamps), -1)
        if self._stamped:
            times = np.empty(len(stamps), STAMPS)
            times["s"], times["ns"] = np.divmod(stamps, SECOND)
            out[:, len(HEADER) : len(HEADER) + STAMP.size] = times.view(np.uint8).reshape(len(stamps), -1)
        return out

    def read(self, data: bytes) -> Array | None:
        """The values in a message of this template; None if it does not match."""
        if not 0 <= len(data) - len(self._data) < ALIGNMENT:
            return None
        told = np.frombuffer(data, np.uint8)
        if not (told[self._fixed] == self._data[self._fixed]).all():
            return None
        return np.asarray(told[self._places].view(self._kind)[:, 0])

    def stamp(self, data: bytes) -> int:
        """The time of such a message (ns since 1970); 0 if it has none."""
        if not self._stamped:
            return 0
        return nanoseconds(Time(*STAMP.unpack_from(data, len(HEADER))))
