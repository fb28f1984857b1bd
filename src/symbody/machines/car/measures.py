"""What is measured of a car that was driven around an obstacle, and what a step of it takes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.machines.car.driver import METHOD
from symbody.machines.car.road import Road, clearance, room
from symbody.realtime.tick_times import tick_times
from symbody.results.run import Run
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.system import System
from symbody.visual.report import Record

Array = np.ndarray


def measured(run: Run, road: Road) -> Record:
    """Whether obstacle and edges of the road were kept clear of, by how much, and what it took."""
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


def path_error(run: Run, road: Road) -> float:
    """Root of the mean square of the distance (m) from the way, from the reaction to the end of the return."""
    x = run["x.q"]
    swerves = (x > road.leaves) & (x < road.returns + road.back)
    return float(np.sqrt(np.mean((run["y.q"] - road.way(x))[swerves] ** 2)))


def peak_torque(run: Run) -> float:
    """Of the steering wheel (N m)."""
    return float(np.abs(run["wheel.effort"]).max())


def peak_roll(run: Run) -> float:
    """Degrees."""
    return float(np.degrees(np.abs(run["roll.q"]).max()))


def lateral_acceleration(run: Run) -> Array:
    """At the seat, to the left of the car (m/s²)."""
    yaw = run["yaw.q"]
    return np.asarray(np.cos(yaw) * run["seat.acceleration.y"] - np.sin(yaw) * run["seat.acceleration.x"])


def step_times(s: System, run: Run) -> Mapping[str, float]:
    """Median and 99th percentile of the time (µs) that a step of a run takes, with what is recorded."""
    u = np.ascontiguousarray(np.stack([run[name] for name in s.inputs], axis=1))
    steps = suited_fixed(s, METHOD).steps(start_state(s), StepSettings(float(run.meta["dt"]), u))
    return tick_times(steps, len(run) - 1)
