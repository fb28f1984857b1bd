"""Workspace scan of the motion platform in poses per second: compiled on one core and on all, and in plain NumPy."""

from __future__ import annotations

import os
from time import perf_counter
from typing import Any

import numpy as np

from symbody.machines.platform.data import platform_data
from symbody.motion.data import PlatformData
from symbody.motion.workspace import Grid, margins, scan, work_range_grid

POSES = 10_000_000
GOAL_S = 10.0  # for that many poses on two cores
PLACES = (40, 40, 32)
NUMPY_ORIENTATIONS = 2  # of the same grid: enough to measure its speed


def grid_of(poses: int, data: PlatformData) -> Grid:
    """A grid of about this many poses: more orientations at the same positions."""
    turns = max(2, round((poses / np.prod(PLACES)) ** (1.0 / 3.0)))
    return work_range_grid(data, PLACES, (turns, turns, turns))


def scan_records(poses: int = POSES) -> list[dict[str, Any]]:
    """Poses per second; each pose has lengths and tilts of six legs, gaps of fifteen pairs, and a determinant."""
    data, cores = platform_data(), os.cpu_count() or 1
    grid = grid_of(poses, data)
    scan(data, Grid(grid.x, grid.y, grid.z, grid.angles[:1]))  # compiles and loads the code
    records = []
    for threads in dict.fromkeys((1, cores)):
        found = scan(data, grid, threads=threads)
        records.append(_record(f"symbody, {threads} thread{'s' if threads > 1 else ''}", grid.poses, found.seconds))
    seconds = _numpy_seconds(data, grid)
    records.append(_record("NumPy, 1 thread", NUMPY_ORIENTATIONS * len(grid.places()), seconds))
    return records


def _numpy_seconds(data: PlatformData, grid: Grid) -> float:
    places, began = grid.places(), perf_counter()
    for angles in grid.angles[:NUMPY_ORIENTATIONS]:
        pose = np.hstack([places, np.broadcast_to(angles, places.shape)])
        np.all(np.stack(margins(pose, data)) > 0.0, axis=0)
    return perf_counter() - began


def _record(engine: str, poses: int, seconds: float) -> dict[str, Any]:
    rate = poses / seconds
    return {
        "model": "platform", "engine": engine, "poses": poses, "poses_per_s": round(rate),
        "s_for_1e7": round(POSES / rate, 2), "goal_s": GOAL_S,
    }  # fmt: skip
