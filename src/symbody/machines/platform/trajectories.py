"""Trajectories of the platform's demos: sinusoids by name, and the recorded log `slalom.csv`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from symbody.motion.data import PlatformData
from symbody.motion.trajectories import Trajectory, recorded, replayed, swinging

LOG = "slalom.csv"  # a run of `slalom`, recorded at 25 Hz


def trajectories(data: PlatformData) -> dict[str, Trajectory]:
    """By name: heave, a figure of eight of the table, a slalom with the table, all axes at once."""
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


@cache
def shipped_log(data: PlatformData) -> Trajectory:
    """The log `slalom.csv`, repeated."""
    return replayed(*recorded(str(files(__package__) / LOG), data))
