"""What goes to browsers, in few bytes: frames that moved as float32, plotted channels as bands of least and largest."""

from __future__ import annotations

import struct

import numpy as np

Array = np.ndarray

POSES, PLOT = 1, 2  # kinds of binary messages
STILL = 1e-6  # m and parts of quaternions: what moved less since it was last told is not told again
MOST_BANDS = 1000  # of a curve that is sent whole


def moved_poses(t: float, rows: Array, sent: Array | None) -> tuple[bytes | None, Array]:
    """A message with the frames that moved, and what the browser then knows: kind, count, time, numbers, rows.

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


def bands(t: Array, values: Array, most: int) -> Array:
    """A row for each stretch of time: its last time, then least and largest value of each channel; peaks survive."""
    if not len(t):
        return np.zeros((0, 1 + 2 * values.shape[1]))
    starts = np.unique(np.linspace(0, len(t), min(most, len(t)), endpoint=False).astype(int))
    ends = np.append(starts[1:], len(t)) - 1
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.column_stack([t[ends], np.stack([low, high], axis=2).reshape(len(starts), -1)])


def plot_message(number: int, rows: Array) -> bytes:
    """Bands for a browser's `number`-th choice of channels: uint32 kind, number, rows, columns, then float64."""
    return struct.pack("<IIII", PLOT, number, *rows.shape) + np.ascontiguousarray(rows, dtype="<f8").tobytes()
