"""Measures of a vehicle driven around an obstacle: path error, steering torque, roll, lateral acceleration."""

from __future__ import annotations

import numpy as np

from symbody.results.run import Run
from symbody.vehicles.road import Road, clearance, room
from symbody.visual.report import Record

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


def measured(run: Run, road: Road) -> Record:
    """Figures of a drive around the obstacle.

    Parameters
    ----------
    run : Run
        Of `drive`.
    road : Road
        With the obstacle.

    Returns
    -------
    Record
        Clearance to the obstacle and to the edges of the road, path error, torque, roll, acceleration and grip.
    """
    place = run["x.q"], run["y.q"], run["yaw.q"]
    apart, inside = float(clearance(road, *place).min()), float(room(road, *place).min())
    return {
        "cleared": apart > 0.0 and inside > 0.0,
        "clearance_m": apart,
        "room_m": inside,
        "path_error_m": path_error(run, road),
        "peak_torque_Nm": peak_torque(run),
        "peak_roll_deg": peak_roll(run),
        "lateral_acceleration": float(np.abs(lateral_acceleration(run)).max()),
        "friction_used": float(run["tyres.use"][run["x.q"] > road.leaves].max()),
    }
