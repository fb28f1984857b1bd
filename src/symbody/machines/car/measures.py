"""Figures of a car that was driven around an obstacle, and the time of a step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.machines.car.driver import METHOD
from symbody.realtime.tick_times import input_tick_times
from symbody.results.run import Run
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System
from symbody.vehicles.measures import lateral_acceleration, path_error, peak_roll, peak_torque
from symbody.vehicles.road import Road, clearance, room
from symbody.visual.report import Record


def measured(run: Run, road: Road) -> Record:
    """Clearance to the obstacle and to the edges of the road, path error, torque, roll, acceleration and grip."""
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


def step_times(s: System, run: Run) -> Mapping[str, float]:
    """Median and 99th percentile of the time (µs) of a step of a run, with recording."""
    u = np.ascontiguousarray(np.stack([run[name] for name in s.inputs], axis=1))
    return input_tick_times(s, FixedStep(METHOD), float(run.meta["dt"]), u)
