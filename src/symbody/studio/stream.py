"""Binary messages to browsers: frames that moved, bands of channels, clouds, patches of height fields."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from symbody.studio.balls import Balls

Array = np.ndarray

POSES, PLOT, CLOUD, PATCH, VALUES, RECORDS, TILE, GAUGES, BALLS = 1, 2, 3, 4, 5, 6, 7, 8, 9  # kinds of binary messages
STILL = 1e-6  # m, components of quaternions: frames that moved less since they were sent are not sent again
MOST_BANDS = 1000  # of a curve that is sent as a whole


def moved_poses(t: float, rows: Array, sent: Array | None) -> tuple[bytes | None, Array]:
    """A message with the frames that moved, and the poses that the browser then has.

    uint32 kind, uint32 count, float64 t (s), count uint32 frames, count × 7 float32.
    """
    if not np.all(np.isfinite(rows)):
        return None, rows if sent is None else sent
    if sent is None or sent.shape != rows.shape:
        which = np.arange(len(rows))
    else:
        which = np.flatnonzero(np.max(np.abs(rows - sent), axis=1) > STILL)
        if not len(which):
            return None, sent
    known = rows.copy() if sent is None or sent.shape != rows.shape else sent.copy()
    known[which] = rows[which]
    head = struct.pack("<IId", POSES, len(which), t)
    return head + which.astype("<u4").tobytes() + rows[which].astype("<f4").tobytes(), known


def time_message(t: float) -> bytes:
    """The same message with a new time (s) and no frames."""
    return struct.pack("<IId", POSES, 0, t)


def bands(t: Array, values: Array, most: int) -> Array:
    """A row for each interval: its last time, then least and largest value of each channel, so that peaks survive."""
    if not len(t):
        return np.zeros((0, 1 + 2 * values.shape[1]))
    starts = np.unique(np.linspace(0, len(t), min(most, len(t)), endpoint=False).astype(int))
    ends = np.append(starts[1:], len(t)) - 1
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.column_stack([t[ends], np.stack([low, high], axis=2).reshape(len(starts), -1)])


def plot_message(number: int, rows: Array, kind: int = PLOT) -> bytes:
    """Bands for a browser's `number`-th choice of channels: uint32 kind, number, rows, columns, then float64."""
    return struct.pack("<IIII", kind, number, *rows.shape) + np.ascontiguousarray(rows, dtype="<f8").tobytes()


def values_message(number: int, values: Array) -> bytes:
    """Values of the arrows (0), or of a body by its frame: uint32 kind, number, then float32."""
    return struct.pack("<II", VALUES, number) + np.ascontiguousarray(values, dtype="<f4").tobytes()


def gauge_message(values: Array) -> bytes:
    """Values of the channels of all gauges: uint32 kind, 0, then float32."""
    return struct.pack("<II", GAUGES, 0) + np.ascontiguousarray(values, dtype="<f4").tobytes()


def cloud_message(number: int, points: Array) -> bytes:
    """Positions of the balls of a cloud: uint32 kind, number, count, 0, then float32 x y z of each."""
    return struct.pack("<IIII", CLOUD, number, len(points), 0) + np.ascontiguousarray(points, dtype="<f4").tobytes()


def ball_message(number: int, balls: Balls) -> bytes | None:
    """Numbers and looks of the balls of a cloud; None: all look like their cloud and keep their rows.

    uint32 kind, number, count, flags (1: sizes, 2: colours), count uint32 numbers, then red green blue size of each.
    """
    looks, count = balls.looks(), len(balls.points)
    if looks is None and balls.numbers is None:
        return None
    numbers = np.arange(count) if balls.numbers is None else np.asarray(balls.numbers)
    flags = (balls.sizes is not None) + 2 * (balls.colours is not None)
    shown = np.zeros((count, 4), dtype=np.uint8) if looks is None else looks
    return struct.pack("<IIII", BALLS, number, count, flags) + numbers.astype("<u4").tobytes() + shown.tobytes()


def height_patch(number: int, heights: Array, sent: Array | None) -> tuple[bytes | None, Array]:
    """A message with the smallest rectangle that contains all changed heights, and the heights that it then has.

    uint32 kind, number, row, column, rows, columns, then zlib of float32 heights, row by row: all first bytes, then all
    second bytes and so on.
    """
    heights = np.asarray(heights, dtype="<f4")
    changed = np.ones(heights.shape, dtype=bool) if sent is None else heights != sent
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not len(rows) or not np.isfinite(heights).all():
        return None, heights if sent is None else sent
    low, high, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    head = struct.pack("<IIIIII", PATCH, number, low, left, high - low, right - left)
    planes = heights[low:high, left:right].ravel().view(np.uint8).reshape(-1, 4).T
    return head + zlib.compress(np.ascontiguousarray(planes).tobytes(), 1), heights.copy()
