"""A game controller on Linux, read from /dev/input/js*: axes from −1 to 1, buttons 0 or 1.

The kernel's record (joystick API): u32 time in ms, s16 value, u8 kind (1 button, 2 axis, 0x80: state at opening), u8
number.
"""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import numpy as np

from symbody.links.devices.device import Device

Array = np.ndarray

EVENT = struct.Struct("<IhBB")
BUTTON, AXIS, AT_OPENING = 1, 2, 0x80
FULL = 32767.0
REOPEN = 0.5  # s between attempts to open a controller that was unplugged
BATCH = 4096  # bytes read at once


class Joystick(Device):
    """Measures `axis0` … and `button0` …; NaN while it is unplugged. It takes no commands.

    Parameters
    ----------
    path : str or path
        The Linux device file. Default "/dev/input/js0".
    axes, buttons : int
        How many of each are measured. Default 4.
    """

    takes: tuple[str, ...] = ()

    def __init__(self, path: str | Path = "/dev/input/js0", axes: int = 4, buttons: int = 4):
        self.path, self.axes, self.buttons = Path(path), axes, buttons
        self.measures = tuple([f"axis{k}" for k in range(axes)] + [f"button{k}" for k in range(buttons)])
        self._values, self._file, self._next = np.zeros(axes + buttons), -1, 0.0

    def read(self) -> Array:
        if self._file < 0:
            self._open()
        try:
            while self._file >= 0 and (data := os.read(self._file, BATCH)):
                for _, value, kind, number in EVENT.iter_unpack(data[: len(data) // EVENT.size * EVENT.size]):
                    self._take(kind & ~AT_OPENING, number, value)
        except BlockingIOError:
            pass  # no more records for now
        except OSError:
            self.close()
        return self._values.copy() if self._file >= 0 else np.full(len(self.measures), np.nan)

    def command(self, values: Array) -> None:
        """Does nothing: it has no motors."""

    def safe(self) -> None:
        """Does nothing: it has no motors."""

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _open(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + REOPEN
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
            self._values[:] = 0.0
        except OSError:
            self._file = -1

    def _take(self, kind: int, number: int, value: int) -> None:
        if kind == AXIS and number < self.axes:
            self._values[number] = max(value / FULL, -1.0)
        elif kind == BUTTON and number < self.buttons:
            self._values[self.axes + number] = float(value)
