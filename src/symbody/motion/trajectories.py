"""Trajectories of the axes over time: sinusoids, and logs of recorded axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.limits import require_within
from symbody.results.files import read_table
from symbody.results.table import Table

Trajectory = Callable[[float], Array]  # time (s) to positions (8,) of the axes


def swinging(parts: Mapping[str, tuple[float, float, float]], data: PlatformData) -> Trajectory:
    """Sinusoidal motion of some axes about the neutral pose: amplitude (m, rad), frequency (Hz), phase (turns)."""
    middle = data.neutral_axes
    places = [AXES.index(axis) for axis in parts]
    a, f, phase = np.array(list(parts.values())).T

    def at(t: float) -> Array:
        axes = middle.copy()
        axes[places] += a * np.sin(2.0 * np.pi * (f * t + phase))
        return axes

    return at


def recorded(path: FilePath, data: PlatformData) -> tuple[Array, Array]:
    """Times (n,) and axes (n, 8) of a log with columns AXIS or AXIS.q; LimitError for a position outside the limits."""
    table = read_table(path)
    found = [_column(table, axis, path) for axis in AXES]
    t, axes = np.asarray(table.t), np.stack(found, axis=-1)
    if len(t) < 2 or not np.all(np.diff(t) > 0.0):
        raise ModelError(
            "times do not increase", element="t", cure="sort the rows, and remove duplicates", file=str(path)
        )
    for k, axis in enumerate(AXES):
        limit = data.limits[axis]
        require_within(t, axis, axes[:, k], limit.low, limit.high, data.unit(axis))
    return t, axes


def _column(table: Table, axis: str, path: FilePath) -> Array:
    for name in (axis, f"{axis}.q"):
        if name in table.names:
            column: Array = table.values[:, list(table.names).index(name)]
            return column
    cure = f"give the columns t, {', '.join(AXES)}"
    raise ModelError("the log has no column for this axis", element=axis, cure=cure, file=str(path))


def replayed(t: Array, axes: Array) -> Trajectory:
    """A log, repeated, with linear interpolation between its samples."""
    return lambda now: np.array([np.interp(now % (t[-1] - t[0]), t - t[0], column) for column in axes.T])
