"""The kart on its belt in the studio: the filter estimates the forces of four tyres while a person steers."""

from __future__ import annotations

from symbody.machines.kart_bench.experiment import (
    DT,
    GUESSED,
    MODEL_ERROR,
    OFFSET_ERROR,
    SENSORS,
    START,
    STEERED,
    TOE,
    TYRE_ERRORS,
    UNTIL,
    WHEEL_SIDES,
    WRONG,
    machine,
)
from symbody.machines.kart_bench.model import WHEELS, model
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
from symbody.studio.machine import Instruction, Machine, Preset

WALKS = {"cornering": 0.2, "friction": 0.02}  # 1/(rad √s), 1/√s: the belt may become slippery
LENGTH = 0.005  # m/N, of forces in the view
DIALS = {"friction": "Grip of the belt", "belt_command": "Speed of the belt"}
SENSOR_LABELS = {
    "cell.along": "load cell, along",
    "cell.aside": "load cell, across",
    "yaw.q": "potentiometer",
    "belt_speed": "belt",
}
PRESETS = (
    Preset("Steering program", line="as in the report", pilot=PROGRAM),
    Preset("Slippery belt", {"friction": 0.4}, "the filter finds the new friction when tyres slide", PROGRAM),
    Preset("Without potentiometer", {"sensors.yaw.q": 0.0}, "axles cannot be separated: bands grow", PROGRAM),
)


def page() -> Machine:
    """The true kart at 500 Hz, and its filter with a tyre law in the same loop."""
    truth, wheels = machine(work=True), list(WHEELS)
    filtered = with_walking(model(), {name: GUESSED[name] for name in WALKS})
    twin = live_twin(
        truth, filtered, SENSORS, [*WHEEL_SIDES, "yaw.q"], dt=DT, wrong=WRONG | {"toe_front": TOE},
        model_error=MODEL_ERROR | OFFSET_ERROR, walks=WALKS, start=START | TYRE_ERRORS,
    )  # fmt: skip
    forces = TyreForces({name: (x, y, 0.0) for name, (x, y, *_) in WHEELS.items()}, LENGTH, 0.03, digits=1)
    return Machine(
        "Kart on a belt",
        truth,
        rate=1.0 / DT,
        source=twin,
        controls=[steering(0.25, 0.12)],
        pilots=repeated(STEERED, UNTIL),
        dials=tyre_dials(truth, DIALS, SENSOR_LABELS),
        labels=tyre_labels(wheels),
        presets=PRESETS,
        start=Instruction(
            "Steer with ← and →, or start the pilot. The filter estimates the forces of the four tyres.",
            "Turn the wheel, or start the pilot. The filter estimates the forces of the four tyres.",
        ),
        plots=tyre_plots(wheels),
        particles=forces.particles(truth.model, "kart", 0.008),
        help=HELP,
        shows=forces,
    )
