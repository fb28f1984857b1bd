"""Frames through memory shared by two processes of one computer, without a socket.

Each direction has a ring of slots, {bytes, frame}, and a counter of frames. A frame carries its own seal (packet.py): a
frame that is overwritten while it is read fails the seal, is rejected and counted. Neither side ever waits. The file in
memory is read and written by system calls. It is not mapped, because a truncated file would end the process (SIGBUS).
"""

from __future__ import annotations

import os
import struct
import time
from collections import Counter
from pathlib import Path

from symbody.codegen.ownership import Distrusted, open_owned
from symbody.errors import ModelError
from symbody.links.memory_path import memory_path
from symbody.links.packet import LARGEST, Packet, Transport, channel_code, pack, unpack
from symbody.links.rejected import Rejected

WORD = struct.Struct("<Q")
SLOTS = 4
SLOT = -(-(WORD.size + LARGEST) // WORD.size) * WORD.size  # bytes
WAY = WORD.size + SLOTS * SLOT  # one direction: a counter, and the ring
SIZE = 2 * WAY
LOOK = 2e-4  # s between checks for new frames


class MemoryTransport(Transport):
    """One end of a named link through memory: the owner creates it, its partner opens it when it exists.

    Both ends may be restarted at any time.

    Parameters
    ----------
    name : str
        Of the link.
    sends, hears : str
        Names of the values in each direction.
    owner : bool
        Whether this end creates the memory.
    """

    def __init__(self, name: str, sends: str, hears: str, *, owner: bool):
        if not hasattr(os, "pread"):
            raise ModelError("links through memory need POSIX", element=name, cure="use UDP on Windows")
        self.refused: Counter[str] = Counter()
        self._path, self._owner = line_path(name), owner
        self._codes = channel_code([sends]), channel_code([hears])
        self._out, self._in = (0, WAY) if owner else (WAY, 0)
        self._file = -1
        self._seen = 0
        if owner:
            self._make()

    def send(self, frame: Packet) -> None:
        """Write into the next slot; without the partner's memory it is counted as not sent."""
        data = pack(frame, self._codes[0])
        if len(data) > LARGEST or not self._found():
            self.refused["not sent"] += 1
            return
        count = self._word(self._out)
        slot = self._out + WORD.size + count % SLOTS * SLOT
        try:
            os.pwrite(self._file, WORD.pack(len(data)) + data, slot)
            os.pwrite(self._file, WORD.pack((count + 1) % 2**64), self._out)
        except OSError:  # no memory is left
            self.refused["not sent"] += 1

    def receive(self, timeout: float) -> Packet | None:
        """The next frame, or None after `timeout` s."""
        end = time.monotonic() + timeout
        while True:
            frame = self._next() if self._found() else None
            left = end - time.monotonic()
            if frame is not None or left <= 0.0:
                return frame
            time.sleep(min(left, LOOK))

    def close(self) -> None:
        if self._owner:
            self._path.unlink(missing_ok=True)
        self._release()

    def _next(self) -> Packet | None:
        """The oldest new frame; malformed ones are counted."""
        count = self._word(self._in)
        if not 0 <= count - self._seen <= SLOTS:  # overrun, or the counter was overwritten
            self._seen = max(count - SLOTS, 0)
        while self._seen < count:
            slot = self._in + WORD.size + self._seen % SLOTS * SLOT
            self._seen += 1
            data = os.pread(self._file, min(self._word(slot), LARGEST + 1), slot + WORD.size)
            try:
                return unpack(data, self._codes[1], None)
            except Rejected as refusal:
                self.refused[refusal.reason] += 1
        return None

    def _word(self, at: int) -> int:
        """A number in the file; 0 if the file ends before it."""
        data = os.pread(self._file, WORD.size, at)
        return int.from_bytes(data, "little") if len(data) == WORD.size else 0

    # -- the file ----------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        """Create a file; the file of a killed owner is replaced, that of a living owner raises an error."""
        import fcntl

        try:
            if self._path.exists():
                self._file = open_owned(self._path, os.O_RDWR)
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._path.unlink()  # not truncated: its partner may still read it
                self._release()
            self._file = open_owned(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._release()
            problem = f"the file is not ours: {error}" if isinstance(error, Distrusted) else "it already has an owner"
            raise ModelError(problem, element=str(self._path), cure="choose another name") from error
        os.ftruncate(self._file, SIZE)

    def _found(self) -> bool:
        """Whether the memory exists; the partner checks whether the owner created it again."""
        if self._owner:
            return True
        try:
            there = os.stat(self._path).st_ino
            if self._file >= 0 and os.fstat(self._file).st_ino == there:
                return True
            self._release()
            self._file = open_owned(self._path, os.O_RDWR)
            if os.fstat(self._file).st_size == SIZE:
                self._seen = self._word(self._in)  # skip older frames
                return True
        except OSError:
            pass
        self._release()
        return False

    def _release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def line_path(name: str) -> Path:
    """The file of a link by its name, next to those of loops."""
    return memory_path(f"{name}.line")
