"""The car whose rack moves by a law of time: to the other lane."""

from __future__ import annotations

from typing import Any

from symbody.machines.car.bodies import car_bodies, car_parameters
from symbody.machines.car.tyre import tyre_parameters
from symbody.model.body import Joint
from symbody.model.model import Model


def lane_change_car() -> Model:
    """A car on a flat road whose rack makes a lane change; the input `drive` (N m) turns each rear wheel."""
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
    """Largest travel of the rack, when it begins, how long it takes; 3.5 m aside."""
    m.parameter("steer", 0.0131, "m")
    m.parameter("steer_start", 1.0, "s")
    m.parameter("steer_time", 3.0, "s")


def lane_change(t: Any, p: Any) -> Any:
    """Travel of the rack (m): to the right, which steers to the left, then back and to the other side.

    s (1 − s²)³ by its largest value, for s from −1 to 1; value, velocity and acceleration vanish at the ends.
    """
    s = 2.0 * (t - p.steer_start) / p.steer_time - 1.0
    largest = (6.0 / 7.0) ** 3 / 7.0**0.5
    return p.steer * s * (1.0 - s * s) ** 3 / largest * (s > -1.0) * (s < 1.0)
