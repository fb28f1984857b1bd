"""Roll-pitch-yaw and rotation matrices, exact at multiples of 45° so that structural zeros stay zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from symbody.errors import ModelError

Matrix = npt.NDArray[np.float64]

SNAP = 1e-10  # rad; files write π/2 with about ten digits
EIGHTH = math.pi / 4  # of a turn
SHORTEST = 1e-9  # of an axis that has a direction
_R = math.sqrt(0.5)
_COSINES = (1.0, _R, 0.0, -_R, -1.0, -_R, 0.0, _R)  # at multiples of 45°


def turn(angle: float) -> tuple[float, float]:
    """(cos, sin) of an angle (rad)."""
    eighth = round(angle / EIGHTH)
    if abs(angle - eighth * EIGHTH) < SNAP:
        return _COSINES[eighth % 8], _COSINES[(eighth - 2) % 8]
    return math.cos(angle), math.sin(angle)


def matrix(rpy: Sequence[float]) -> Matrix:
    """R = Rz(yaw) Ry(pitch) Rx(roll); its columns are the rotated axes."""
    (cr, sr), (cp, sp), (cy, sy) = map(turn, rpy)
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return np.array(rows) + 0.0  # + 0.0 turns -0.0 into 0.0


def roll_pitch_yaw(r: Matrix) -> tuple[float, float, float]:
    """Inverse of `matrix`."""
    r = clean(r)
    yaw = math.atan2(r[1, 0], r[0, 0])
    cy, sy = turn(yaw)
    pitch = math.atan2(-r[2, 0], cy * r[0, 0] + sy * r[1, 0])
    # roll from what remains after the yaw: accurate also at a pitch of ±90°
    roll = math.atan2(sy * r[0, 2] - cy * r[1, 2], cy * r[1, 1] - sy * r[0, 1])
    return roll + 0.0, pitch + 0.0, yaw + 0.0


def clean(values: Matrix) -> Matrix:
    """Set rounding noise around 0 to 0."""
    return np.where(np.abs(values) < 1e-15, 0.0, values)


def align(axis: Matrix, joint: str) -> tuple[int, Matrix]:
    """(k, S): axis k (1 2 3) of the frame rotated by S is along `axis`; S is a signed permutation if possible."""
    if not SHORTEST < np.linalg.norm(axis) < 1.0 / SHORTEST:
        raise ModelError("the axis has no direction", element=joint, cure="write an axis such as 0 0 1")
    unit = axis / np.linalg.norm(axis)
    unit = np.where(np.abs(unit) < 1e-12, 0.0, unit)
    unit = unit / np.linalg.norm(unit)
    k = int(np.argmax(np.abs(unit)))
    backwards = bool(unit[k] < 0)
    start = np.eye(3)[k]
    goal = -unit if backwards else unit
    (a, b, c), (u, v, w) = start.tolist(), goal.tolist()
    x, y, z = b * w - c * v, c * u - a * w, a * v - b * u
    skew = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    shortest = np.eye(3) + skew + skew @ skew / (1.0 + start @ goal)
    if backwards:  # half a turn about a neighbouring axis reverses axis k
        shortest = shortest @ np.diag([1.0 if i == (k + 1) % 3 else -1.0 for i in range(3)])
    return k + 1, shortest + 0.0
