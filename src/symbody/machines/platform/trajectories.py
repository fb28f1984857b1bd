"""Motions of the platform over time: trajectories by name, and logs that were recorded; each keeps to the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

import numpy as np

from symbody.errors import ModelError
from symbody.machines.platform.data import AXES, Array, PlatformData
from symbody.machines.platform.limits import require_within
from symbody.model.safe_file import FilePath
from symbody.results.files import read_table
from symbody.results.table import Table

Trajectory = Callable[[float], Array]  # s to places (8,) of the axes
LOG = "slalom.csv"  # what a run of `slalom` recorded at 25 Hz


def swinging(parts: Mapping[str, tuple[float, float, float]], data: PlatformData) -> Trajectory:
    """Axes that swing about the neutral pose: amplitude (m, rad), frequency (Hz), phase (turns)."""
    middle = data.neutral_axes
    places = [AXES.index(axis) for axis in parts]
    a, f, phase = np.array(list(parts.values())).T

    def at(t: float) -> Array:
        axes = middle.copy()
        axes[places] += a * np.sin(2.0 * np.pi * (f * t + phase))
        return axes

    return at


def trajectories(data: PlatformData) -> dict[str, Trajectory]:
    """By name: heave, a figure of eight of the table, turns of a slalom that the table carries, all axes at once."""
    found = {
        "heave": {"z": (0.1, 0.4, 0.0)},
        "figure of eight": {"table.x": (0.4, 0.15, 0.0), "table.y": (0.25, 0.3, 0.0)},
        "slalom": {
            "table.y": (0.35, 0.25, 0.0), "roll": (0.2, 0.25, 0.5), "yaw": (0.15, 0.25, 0.25), "z": (0.03, 0.5, 0.0),
        },
        "all axes": {
            "table.x": (0.3, 0.11, 0.0), "table.y": (0.3, 0.13, 0.25),
            "x": (0.06, 0.23, 0.0), "y": (0.06, 0.29, 0.25), "z": (0.07, 0.31, 0.0),
            "roll": (0.15, 0.37, 0.0), "pitch": (0.15, 0.41, 0.25), "yaw": (0.2, 0.19, 0.0),
        },
    }  # fmt: skip
    return {name: swinging(parts, data) for name, parts in found.items()}


def recorded(path: FilePath, data: PlatformData) -> tuple[Array, Array]:
    """Times (n,) and axes (n, 8) of a log with columns of their names (or NAME.q); one past a limit is refused."""
    table = read_table(path)
    found = [_column(table, axis, path) for axis in AXES]
    t, axes = np.asarray(table.t), np.stack(found, axis=-1)
    if len(t) < 2 or not np.all(np.diff(t) > 0.0):
        raise ModelError("its times do not rise", element="t", cure="record it again", file=str(path))
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
    raise ModelError("a log without this axis", element=axis, cure=cure, file=str(path))


def replayed(t: Array, axes: Array) -> Trajectory:
    """A log over and over, straight between its samples."""
    return lambda now: np.array([np.interp(now % (t[-1] - t[0]), t - t[0], column) for column in axes.T])


@cache
def shipped_log(data: PlatformData) -> Trajectory:
    """The log that comes along, replayed."""
    return replayed(*recorded(str(files(__package__) / LOG), data))
