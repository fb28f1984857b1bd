"""Measures of a driven vehicle: path error, steering torque, roll, lateral acceleration."""

from __future__ import annotations

import numpy as np

from symbody.results.run import Run
from symbody.vehicles.road import Road

Array = np.ndarray


def path_error(run: Run, road: Road) -> float:
    """Root mean square of the distance (m) from the way, from the reaction to the end of the return."""
    x = run["x.q"]
    swerves = (x > road.leaves) & (x < road.returns + road.back)
    return float(np.sqrt(np.mean((run["y.q"] - road.way(x))[swerves] ** 2)))


def peak_torque(run: Run) -> float:
    """Largest torque of the steering wheel (N m)."""
    return float(np.abs(run["wheel.effort"]).max())


def peak_roll(run: Run) -> float:
    """Largest roll angle (°)."""
    return float(np.degrees(np.abs(run["roll.q"]).max()))


def lateral_acceleration(run: Run) -> Array:
    """Acceleration at the seat to the left of the vehicle (m/s²)."""
    yaw = run["yaw.q"]
    return np.asarray(np.cos(yaw) * run["seat.acceleration.y"] - np.sin(yaw) * run["seat.acceleration.x"])
