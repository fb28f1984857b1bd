"""A driver who aims at the way some time ahead, and steers along the arc that leads there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sin

from symbody.analysis import minimum_jerk
from symbody.elements.numbers import require_positive
from symbody.realtime.tracking import LowPass, delay
from symbody.vehicles.pedals import HOLDING, SPEED
from symbody.vehicles.road import Road

TICK = 1e-3  # s, between two looks of the driver
ARMS = LowPass(5.0)  # the arms: position, velocity and acceleration of the wheel follow the wanted angle
LATE = delay(ARMS, TICK)  # s


@dataclass(frozen=True)
class Driver:
    """A preview driver: aims at the way some time ahead, and steers along the arc that leads there.

    κ = 2 e/L², where e (m) is the distance of the way from the car's heading at L = v · preview. The wheel angle is
    θ = (i ℓ + K v²) κ with steering ratio i, wheelbase ℓ, and K for understeer and the twist of the torsion bar.

    Parameters
    ----------
    road : Road, optional
        With the obstacle and the way around it.
    preview : float
        Time ahead of the point that is aimed at (s). Default 0.6.
    grasp : float
        Time in which the driver notices the way (s). Default 0.3.
    ratio : float
        i ℓ (rad m). Default 40.
    understeer : float
        K (rad s²/m). Default 0.055.
    angle : float
        Largest angle with both hands on the wheel (rad). Default 3.5.
    rate : float
        Largest rate (rad/s), as drivers reach in emergencies. Default 14.
    hurry : float
        Throttle by missing speed (s/m). Default 0.1.
    speed : float
        Wanted speed (m/s). Default 20.83.
    """

    road: Road = field(default_factory=Road)
    preview: float = 0.6
    grasp: float = 0.3
    ratio: float = 40.0
    understeer: float = 0.055
    angle: float = 3.5
    rate: float = 14.0
    hurry: float = 0.1
    speed: float = SPEED

    def __post_init__(self) -> None:
        require_positive("driver", self, "preview", "grasp", "angle", "rate", "speed")

    def __call__(self, t: float, channels: Mapping[str, float]) -> Mapping[str, float]:
        """The wanted wheel angle (rad), and the throttle that holds the speed."""
        x, y, yaw, v, wheel = (channels[name] for name in ("x.q", "y.q", "yaw.q", "car.speed", "wheel.q"))
        ahead = max(v, 1.0) * self.preview
        noticed = minimum_jerk.position((x - self.road.leaves) / (self.grasp * SPEED))
        error = float(noticed * self.road.way(x + ahead)) - (y + ahead * sin(yaw))
        wanted = (self.ratio + self.understeer * v * v) * 2.0 * error / ahead**2
        reach = self.rate * LATE  # a larger step would exceed the rate
        within = _clipped(_clipped(wanted, wheel - reach, wheel + reach), -self.angle, self.angle)
        throttle = _clipped(HOLDING + self.hurry * (self.speed - v), 0.0, 1.0)
        return {"wheel.q": within, "throttle": throttle, "brake": 0.0}


def _clipped(x: float, low: float, high: float) -> float:
    """x within two limits; `np.clip` is slow for one number."""
    return min(max(x, low), high)
