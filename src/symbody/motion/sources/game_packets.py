"""Packets of racing games that contain the motion of the car: bytes to the six signals `SCENE` of the seat.

A further form is a function that returns a `GameSample` or raises `Rejected`, and an entry of `FORMS`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbody.links.rejected import Rejected
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.data import Array


class GameSample(NamedTuple):
    """Whether a race is on, the time of the game (ms, 32 bits), and the six signals (m/s², rad/s): ahead, left, up."""

    on: bool
    ms: int
    values: Array


@dataclass(frozen=True)
class PacketForm:
    """A form of packets: the sizes (bytes) that it has, their reader, and the usual port."""

    sizes: dict[int, str]
    read: Callable[[bytes], GameSample]
    port: int

    def sample(self, data: bytes) -> GameSample:
        """The sample of a packet; raises `Rejected` for another size."""
        if len(data) not in self.sizes:
            raise Rejected("length", f"{len(data)} bytes")
        return self.read(data)


# -- Forza "Data Out" --------------------------------------------------------------------------------------------------

FORZA = struct.Struct("<iI3f9f")


def forza_sample(data: bytes) -> GameSample:
    """Forza (published by the maker, little endian): x to the right, y up, z ahead, in the frame of the car.

    int32 race on, uint32 time (ms), three float32 of engine speed, then float32 acceleration (m/s²), velocity (m/s) and
    turn rate (rad/s). The axes are left-handed: turn rates change their sign.
    """
    on, ms, *numbers = FORZA.unpack_from(data)
    if on not in (0, 1):
        raise Rejected("race flag", f"{on}")
    (right, up, ahead), (wx, wy, wz) = numbers[3:6], numbers[9:12]
    return GameSample(bool(on), ms, np.array([ahead, -right, up, -wz, wx, -wy]))


# -- OutSim ------------------------------------------------------------------------------------------------------------

OUTSIM = struct.Struct("<I3f3f3f3f3i")


def outsim_sample(data: bytes) -> GameSample:
    """OutSim of Live for Speed and others (little endian): x to the right, y ahead, z up, of the world.

    uint32 time (ms), float32 turn rate (rad/s), heading, pitch and roll (rad), acceleration (m/s²), velocity, int32
    position; an identifier may follow. The car's axes are R = R_z(heading) R_x(pitch) R_y(roll); what the seat feels is
    Rᵀ(a + g) − g. There is no flag: a race is always on.
    """
    ms, *numbers = OUTSIM.unpack_from(data)
    rate, (heading, pitch, roll), a = np.array(numbers[:3]), numbers[3:6], np.array(numbers[6:9])
    R = _turn(2, heading) @ _turn(0, pitch) @ _turn(1, roll)
    up = np.array([0.0, 0.0, GRAVITY])
    (right, ahead, high), (wx, wy, wz) = R.T @ (a + up) - up, R.T @ rate
    return GameSample(True, ms, np.array([ahead, -right, high, wy, -wx, wz]))


def _turn(axis: int, angle: float) -> Array:
    """The rotation (3, 3) about an axis, by an angle (rad)."""
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
    return R


FORMS = {
    "forza": PacketForm(
        {232: "Motorsport 7, sled", 311: "Motorsport 7, dash", 324: "Horizon", 331: "Motorsport"}, forza_sample, 5607
    ),
    "outsim": PacketForm({64: "without identifier", 68: "with identifier"}, outsim_sample, 4123),
}
