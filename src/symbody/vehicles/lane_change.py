"""The multi-link car in a lane change: its rack follows a function of time."""

from __future__ import annotations

from typing import Any

from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.vehicles.multi_link_car import car_bodies, car_parameters
from symbody.vehicles.tyre import tyre_parameters


def lane_change_car() -> Model:
    """A car on a flat road with a lane change of its rack; the input `drive` (N m) acts on each rear wheel."""
    m = Model("car")
    car_parameters(m)
    lane_change_parameters(m)
    tyre_parameters(m)
    m.input("drive", 22.0, "N m")  # holds 10 m/s
    car_bodies(m, Joint("rack", "T2", "driven"))
    for side_name in ("left", "right"):
        m.joint_force(f"rear_{side_name}.spin")(lambda q, qd, p: p.drive)
    m.trajectory("rack")(lane_change)
    return m


def lane_change_parameters(m: Model) -> None:
    """Largest travel of the rack, start and duration of a lane change of 3.5 m."""
    m.parameter("steer", 0.0131, "m")
    m.parameter("steer_start", 1.0, "s")
    m.parameter("steer_time", 3.0, "s")


def lane_change(t: Any, p: Any) -> Any:
    """Travel of the rack (m): first to the right, which steers to the left, then to the left.

    s (1 − s²)³ divided by its largest value, for s from −1 to 1; value, velocity and acceleration are zero at the ends.
    """
    s = 2.0 * (t - p.steer_start) / p.steer_time - 1.0
    largest = (6.0 / 7.0) ** 3 / 7.0**0.5
    return p.steer * s * (1.0 - s * s) ** 3 / largest * (s > -1.0) * (s < 1.0)
