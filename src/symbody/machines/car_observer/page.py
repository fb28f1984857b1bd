"""The observed car in the studio: the filter estimates the forces of four tyres while a person steers."""

from __future__ import annotations

from symbody.machines.car_observer.experiment import (
    DT,
    MODEL_ERROR,
    PARAMETERS,
    SENSORS,
    START,
    STEERED,
    UNTIL,
    WHEEL_SIDES,
    WRONG,
    machine,
)
from symbody.machines.car_observer.looks import looks
from symbody.machines.car_observer.model import WHEELS, model
from symbody.machines.tyre_page import (
    HELP,
    PROGRAM,
    TyreForces,
    live_twin,
    repeated,
    steering,
    tyre_dials,
    tyre_labels,
    tyre_plots,
    with_walking,
)
from symbody.studio.cameras import Ride
from symbody.studio.machine import Instruction, Machine, Preset

WALKS = {"cornering": 0.2, "friction": 0.02}  # 1/(rad √s), 1/√s: the road may become slippery
SPUN = 0.6  # rad: a car that spins has left the range of its tyre law
LENGTH = 0.001  # m/N, of forces in the view
DIALS = {"friction": "Friction of the road", "drive": "Torque on each rear wheel"}
SENSOR_LABELS = {
    "unit.accelerometer.x": "acceleration along",
    "unit.accelerometer.y": "acceleration across",
    "unit.gyro.x": "roll rate",
    "unit.gyro.z": "yaw rate",
    **{f"{name}_spin": f"speed, {name.replace('_', ' ')}" for name in WHEELS},
}
PRESETS = (
    Preset("Wet road", line="as in the report", pilot=PROGRAM),
    Preset("Dry road", {"friction": 0.95}, "tyres do not slide: friction stays uncertain", PROGRAM),
    Preset("Without gyroscopes", {"sensors.unit.gyro.x": 0.0, "sensors.unit.gyro.z": 0.0}, "bands grow", PROGRAM),
)
RIDES = (Ride("Behind", "wheels", (-7.0, 0.0, 3.5), (1.0, 0.0, -0.35), 45.0),)


def page() -> Machine:
    """The true car at 200 Hz on a wet road, and its filter in the same loop."""
    truth, wheels = machine(work=True), list(WHEELS)
    filtered = with_walking(model(), {name: WRONG[name] for name in WALKS})
    twin = live_twin(
        truth, filtered, SENSORS, [*WHEEL_SIDES, "slip"], dt=DT,
        wrong={name: value for name, value in WRONG.items() if name not in WALKS}, model_error=MODEL_ERROR,
        walks=WALKS, start=START | PARAMETERS,
    )  # fmt: skip
    forces = TyreForces({name: (x, y, 0.0) for name, (x, y) in WHEELS.items()}, LENGTH, 0.15)
    return Machine(
        "Car with an observer",
        truth,
        rate=1.0 / DT,
        source=twin,
        limits={"slip": (-SPUN, SPUN)},
        controls=[steering(0.1, 0.04)],
        pilots=repeated(STEERED, UNTIL),
        dials=tyre_dials(truth, DIALS, SENSOR_LABELS),
        labels=tyre_labels(wheels) | {"slip": "side-slip"},
        presets=PRESETS,
        start=Instruction(
            "Steer with ← and →, or start the pilot. The filter estimates the forces of the four tyres.",
            "Turn the wheel, or start the pilot. The filter estimates the forces of the four tyres.",
        ),
        plots=tyre_plots(wheels),
        particles=forces.particles(truth.model, "wheels", 0.05),
        looks=looks(),
        cameras=RIDES,
        sky=True,
        ground="asphalt",
        help=HELP,
        shows=forces,
    )
