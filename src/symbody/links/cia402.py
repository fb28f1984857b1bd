"""Modes of operation of the drive profile CiA 402 (IEC 61800-7-201): which quantity a drive follows, and its range."""

from __future__ import annotations

from dataclasses import dataclass

INT16, INT32 = 2**15 - 1, 2**31 - 1


@dataclass(frozen=True)
class OperationMode:
    """A mode: its number in object 6060h, the quantity of its set point, and the largest set point."""

    number: int
    quantity: str  # "position" (increments), "speed" (rpm) or "torque" (per mille of the rated torque)
    largest: int


MODES = {
    "profile position": OperationMode(1, "position", INT32),
    "profile velocity": OperationMode(3, "speed", INT32),
    "profile torque": OperationMode(4, "torque", INT16),
    "cyclic position": OperationMode(8, "position", INT32),
    "cyclic velocity": OperationMode(9, "speed", INT32),
    "cyclic torque": OperationMode(10, "torque", INT16),
}
