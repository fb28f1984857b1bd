"""The tilting vehicle on a road: its controller uses the lean of the cabin from a filter, or from simpler estimates.

Ways: the integrated gyroscope, the pendulum's angle of accelerometers, both in a complementary filter, a potentiometer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import atan, atan2, radians
from types import SimpleNamespace

import numpy as np

from symbody.estimation.consistency import twin_figures
from symbody.estimation.estimate import estimate, with_own_parameters
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.state_filter import StateFilter
from symbody.estimation.twin import TwinRun, measured, twin_runs
from symbody.machines.tilting_vehicle.laws import balanced_lean, tilt_torque
from symbody.machines.tilting_vehicle.model import model
from symbody.results.run import Run
from symbody.stepping.stepper import stepper
from symbody.system.system import Array, System, system
from symbody.visual.report import Record

DT, UNTIL = 5e-3, 40.0  # s
BLEND = 2.0  # s, over which the complementary filter believes the accelerometers
# Steering over time (rad): a slalom, a long curve to the left, one to the right; then straight ahead, the road banked.
STEER = (
    (0.0, 3.0, 4.0, 6.0, 8.0, 9.0, 11.0, 13.0, 20.0, 22.0, 23.0, 25.0, 31.0, 33.0),
    (0.0, 0.0, 0.06, -0.06, 0.06, 0.0, 0.0, 0.085, 0.085, 0.0, 0.0, -0.07, -0.07, 0.0),
)
BANK = (0.0, 33.0, 34.5, 38.0, 39.5), (0.0, 0.0, radians(4.0), radians(4.0), 0.0)
TRUE = {  # what a calibration does not find: a unit mounted askew, cheap gyroscopes, a potentiometer that slipped
    "mount": radians(1.0),
    "roll_bias": radians(0.6),
    "yaw_bias": radians(-0.4),
    "offset": radians(0.7),
    "transmitted": 0.95,
    "cabin_mass": 310.0,
    "cornering_front": 24e3,
    "cornering_rear": 33e3,
}
SENSORS = (
    NoisySensor("unit.roll_rate", 0.01),  # rad/s
    NoisySensor("unit.yaw_rate", 0.01),
    NoisySensor("unit.accelerometer.y", 0.3),  # m/s²: a road shakes
    NoisySensor("unit.accelerometer.z", 0.3),
    NoisySensor("potentiometer", radians(0.5), step=radians(0.1)),
    NoisySensor("shaft.torque", 5.0),  # N m: a binocular beam with strain gauges
    NoisySensor("wheel.speed", 0.1),  # m/s
)
UNKNOWN = {"mount": radians(1.5), "roll_bias": radians(1.0), "yaw_bias": radians(1.0), "offset": radians(1.0),
           "transmitted": 0.1}  # fmt: skip
MODEL_ERROR = {
    "x.qd": 0.1, "y.qd": 0.08, "yaw.qd": 0.01, "roll.qd": 0.05, "tilt.qd": 0.02,
    "cabin_mass": 30.0, "cabin_height": 0.02, "cornering_front": 3e3, "cornering_rear": 3e3,
}  # fmt: skip
WANDERS = {"bank": radians(1.0)}  # rad/√s
START = {"x.q": 1e-3, "y.q": 1e-3, "yaw.q": 1e-3, "roll.q": 0.02, "tilt.q": 0.02, "x.qd": 0.2, "y.qd": 0.1,
         "yaw.qd": 0.02, "roll.qd": 0.02, "tilt.qd": 0.02}  # fmt: skip
NAMES = ("lean", "tilt.q", "roll.q", "bank", "roll_bias", "mount")
Way = Callable[[Mapping[str, float]], float]  # the lean (rad) from what sensors tell now
Listener = Callable[[Mapping[str, float], Mapping[str, float], Array | None], tuple[float, ...]]


def integrated_gyroscope(dt: float) -> Way:
    """φ ← φ + ω dt."""
    angle = 0.0

    def tell(z: Mapping[str, float]) -> float:
        nonlocal angle
        angle += dt * z["unit.roll_rate"]
        return angle

    return tell


def pendulum_angle(dt: float) -> Way:
    """atan(f_y/f_z): where a plumb line hangs in the cabin."""
    return lambda z: atan2(z["unit.accelerometer.y"], z["unit.accelerometer.z"])


def complementary(dt: float) -> Way:
    """φ ← (1 − dt/τ)(φ + ω dt) + dt/τ of the pendulum's angle."""
    angle, plumb = 0.0, pendulum_angle(dt)

    def tell(z: Mapping[str, float]) -> float:
        nonlocal angle
        angle = (1.0 - dt / BLEND) * (angle + dt * z["unit.roll_rate"]) + dt / BLEND * plumb(z)
        return angle

    return tell


def potentiometer(dt: float) -> Way:
    """The tilt of the cabin on its frame, as if that stood upright."""
    return lambda z: z["potentiometer"]


WAYS: Mapping[str, Callable[[float], Way]] = {
    "integrated gyroscope": integrated_gyroscope,
    "pendulum angle": pendulum_angle,
    "complementary filter": complementary,
    "potentiometer": potentiometer,
}
PERFECT, FILTER = "perfect", "filter"  # the controller knows the truth; or what the Kalman filter estimates


@cache
def machine() -> System:
    """The true vehicle; its controller is outside, and has the input `motor`."""
    outputs = ["*.q", "*.qd", "unit.*", "potentiometer", "shaft.torque", "wheel.speed", "lean", "load_transfer"]
    s = system(model(), outputs=outputs)
    s.parameters.update(TRUE | {"stiffness": 0.0, "damping": 0.0})
    return s


@cache
def filtered() -> System:
    """As the filter has it: every number as the drawing says."""
    s, drawn = with_own_parameters(machine()), model().values
    s.parameters.update({name: drawn[name] for name in TRUE})
    return s


def new_filter(dt: float = DT) -> StateFilter:
    """On the vehicle as drawn: it estimates biases, mounting and offset with the state, and the bank of the road."""
    noise = {one.channel: one.spread for one in SENSORS}
    return estimate(filtered(), list(noise), noise, MODEL_ERROR, forces=WANDERS, parameters=UNKNOWN, dt=dt, start=START)


def driven(way: str, seed: int = 0, until: float = UNTIL, dt: float = DT) -> tuple[Run, Array]:
    """The vehicle on its road, with a controller that uses the lean of a method; and the inputs of the steps."""
    s, rng, count = machine(), np.random.default_rng(seed), round(until / dt)
    gains = SimpleNamespace(**{name: model().values[name] for name in ("stiffness", "damping")})
    walker, tell = stepper(s, None, dt), _listener(way, dt)
    steer, bank, motor = (s.inputs.index(name) for name in ("steer", "bank", "motor"))
    x, u, rows = np.array(s.x0), np.zeros((count, len(s.inputs))), []
    for k in range(count + 1):
        rows.append(s.observe(k * dt, x, u[max(k - 1, 0)]))
        seen = dict(zip(s.outputs, rows[-1].tolist(), strict=True))
        if k == count or fallen(seen):
            break
        z = {one.channel: seen[one.channel] + one.spread * rng.normal() for one in SENSORS}
        lean, rate, speed, turning = tell(seen, z, u[k - 1] if k else None)
        u[k, steer], u[k, bank] = np.interp(k * dt, *STEER), np.interp(k * dt, *BANK)
        u[k, motor] = tilt_torque(gains, lean, rate, balanced_lean(speed, turning, atan))
        x = walker.step(x, u[k])
    run = Run(s, np.arange(len(rows)) * dt, np.array(rows), meta={"dt": dt, "method": "rk4"})
    return run, u[: len(rows) - 1]


def _listener(
    way: str, dt: float
) -> Callable[[Mapping[str, float], Mapping[str, float], Array | None], tuple[float, ...]]:
    """Lean, tilt rate, speed and yaw rate for the controller, from truth, sensors and the last step."""
    known = ("lean", "tilt.qd", "wheel.speed", "yaw.qd")
    if way == PERFECT:
        return lambda seen, z, u: tuple(seen[name] for name in known)
    if way in WAYS:
        tell = WAYS[way](dt)
        return lambda seen, z, u: (tell(z), z["unit.roll_rate"], z["wheel.speed"], z["unit.yaw_rate"])
    twin, bank = new_filter(dt), machine().inputs.index("bank")

    def estimated(seen: Mapping[str, float], z: Mapping[str, float], u: Array | None) -> tuple[float, ...]:
        if u is not None:
            known_inputs = u.copy()
            known_inputs[bank] = 0.0  # unknown to the filter
            twin.predict(known_inputs)
        twin.correct(z)
        mean = twin.mean
        return tuple(mean[name] for name in known)

    return estimated


def fallen(seen: Mapping[str, float]) -> bool:
    """Whether wheels have lifted off: from there on the model does not hold."""
    return abs(seen["load_transfer"]) > 1.0


def truth(until: float = UNTIL, dt: float = DT) -> tuple[Run, Array]:
    """The road with a perfect controller: what all ways are measured by."""
    return _truth(until, dt)


@cache
def _truth(until: float, dt: float) -> tuple[Run, Array]:
    return driven(PERFECT, until=until, dt=dt)


def observed(seeds: Sequence[int], until: float = UNTIL, dt: float = DT) -> list[TwinRun]:
    """The filter beside the perfectly controlled vehicle, with the noise of each seed."""
    run, u = truth(until, dt)
    known_inputs, bank = u.copy(), machine().inputs.index("bank")
    known_inputs[:, bank] = 0.0
    return twin_runs(
        run, filtered(), SENSORS, known_inputs, seeds, model_error=MODEL_ERROR, forces=WANDERS, parameters=UNKNOWN,
        start=START, watched=["lean"], unknown={**{n: TRUE[n] for n in UNKNOWN}, "bank": u[:, bank]},
    )  # fmt: skip


def lean_by(way: str, seed: int, until: float = UNTIL, dt: float = DT) -> Array:
    """The lean (rad) as a way tells it after each step of the same run."""
    run, _ = truth(until, dt)
    rows, tell = measured(run, SENSORS, seed), WAYS[way](dt)
    names = [one.channel for one in SENSORS]
    return np.array([tell(dict(zip(names, row.tolist(), strict=True))) for row in rows])


def figures(runs: Sequence[TwinRun], until: float = UNTIL) -> Record:
    """Errors of the lean (°) by way, means over seeds; what the filter tells besides, and its bands."""
    true = truth(until)[0]["lean"][1:]
    errors = {
        way: float(np.mean([np.sqrt(np.mean((lean_by(way, k, until) - true) ** 2)) for k in range(len(runs))]))
        for way in WAYS
    }
    errors[FILTER] = float(np.mean([one.rmse("lean") for one in runs]))
    return {"lean_rmse_deg": {k: float(np.degrees(v)) for k, v in errors.items()}, **twin_figures(runs, NAMES)}


def controlled(way: str, seed: int = 0, until: float = UNTIL, dt: float = DT) -> Record:
    """The vehicle with its controller fed in a way: how far the load moves, and how far a passenger is pushed aside."""
    run, _ = driven(way, seed, until, dt)
    whole = len(run) == round(until / dt) + 1
    return {
        "wheels_lift_at_s": None if whole else float(run.t[-1]),
        "load_transfer_max": float(np.abs(run["load_transfer"]).max()),
        "side_acceleration_rms": float(np.sqrt(np.mean(run["unit.accelerometer.y"] ** 2))),
    }
