"""The car on a wet road, and a filter that expects a dry road, with inertial unit, wheel speeds and steering."""

from __future__ import annotations

from functools import cache

from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.twin_case import TwinCase
from symbody.machines.car_observer.model import WHEELS, model
from symbody.system.system import System, system

DT, UNTIL = 5e-3, 10.0  # s
TRUE = {"friction": 0.5, "mount": 0.004}  # a wet road; a slightly tilted inertial unit
SENSORS = (
    NoisySensor("unit.accelerometer.x", 0.2),  # m/s²
    NoisySensor("unit.accelerometer.y", 0.2),
    NoisySensor("unit.gyro.x", 0.005),  # rad/s
    NoisySensor("unit.gyro.z", 0.005),
    *(NoisySensor(f"{name}_spin", 0.3, rate=100.0) for name in WHEELS),  # rad/s, as anti-lock brakes count teeth
)
STEERED = (  # the front wheels (s, rad): straight ahead, a gentle curve, a swerve and back
    (0.0, 1.0, 2.0, 3.0, 4.0, 4.5, 5.1, 5.8, 6.4, 7.2, 7.8, 10.0),
    (0.0, 0.0, 0.005, 0.005, 0.0, 0.0, 0.05, 0.05, -0.05, -0.05, 0.0, 0.0),
)
WRONG = {"friction": 0.75, "cornering": 16.5, "body_mass": 1310.0, "roll_stiffness": 60e3, "body_height": 0.56,
         "mount": 0.0}  # fmt: skip
PARAMETERS = {"friction": 0.2, "cornering": 1.5}
MODEL_ERROR = {
    "x.qd": 0.02, "y.qd": 0.01, "yaw.qd": 0.002, "roll.qd": 0.005, **{f"{name}_spin": 0.1 for name in WHEELS},
    "body_mass": 60.0, "roll_stiffness": 5e3, "roll_damping": 500.0, "roll_front": 0.03, "body_height": 0.02,
    "traction": 2.0, "mount": 0.005,
}  # fmt: skip
START = {"x.q": 1e-2, "y.q": 1e-2, "yaw.q": 1e-3, "roll.q": 5e-3, "x.qd": 0.3, "y.qd": 0.02, "yaw.qd": 0.005,
         "roll.qd": 0.01} | {f"{name}_spin": 1.0 for name in WHEELS}  # fmt: skip
WHEEL_SIDES = tuple(f"{name}.side" for name in WHEELS)
WATCHED = ("slip", "front.side", "rear.side", *WHEEL_SIDES)


@cache
def machine(work: bool = False) -> System:
    """The true car, on a wet road; work: whether ∫P dt is a state."""
    s = system(
        model(),
        outputs=["*.q", "*.qd", "*_spin", "unit.*", "slip", "*.side", "tyres.use", *(["energy.*"] if work else [])],
        work=work,
    )
    s.parameters.update(TRUE)
    return s


@cache
def case(until: float = UNTIL) -> TwinCase:
    """A car on a wet road. The filter assumes a dry road, softer tyres and a heavier car.

    Parameters
    ----------
    until : float
        End (s). Default 10.

    Returns
    -------
    TwinCase
        For `symbody.estimation`.

    Examples
    --------
    >>> from symbody.machines.car_observer import case
    >>> case(until=0.5).until
    0.5
    """
    return TwinCase(
        machine(), until, DT, SENSORS, {"steer": STEERED}, WRONG, model_error=MODEL_ERROR, parameters=PARAMETERS,
        start=START, watched=WATCHED,
    )  # fmt: skip
