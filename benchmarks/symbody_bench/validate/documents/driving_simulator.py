"""The driving simulator (Docquier 2021, section 5.2): a swerve at 75 km/h with three casters."""

from __future__ import annotations

from functools import cache

from symbody.machines.car.driver import drive, replay, step_times
from symbody.machines.car.report import CASTERS, ROAD, UNTIL, compiled
from symbody.results.run import Run
from symbody.vehicles.measures import measured, peak_torque
from symbody.vehicles.preview_driver import Driver
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, ordered, shares

SOURCE = "Docquier 2021"
STARTS = range(10)
SHORT = 5.0  # s: past the obstacle, with the largest torque
LIVE = ("caster_shift", "toe_front", "friction", "roll_centre", "bar_front")


@cache
def driven(start: int) -> Run:
    """The swerve of a driver whose preview and speed a start varies by up to a tenth."""
    preview, grasp = shares(start, 2)
    driver = Driver(ROAD, preview=preview * Driver.preview, grasp=grasp * Driver.grasp)
    return drive(compiled(), driver, SHORT if start else UNTIL)


def swerve() -> Outcome:
    found = measured(driven(0), ROAD)
    back = abs(float(driven(0)["y.q"][-1]))
    text = f"clears the obstacle by {found['clearance_m']:.2g} m, ends {back:.1g} m off its lane"
    return holds([found["cleared"] and back < 0.1], text)


def caster() -> Outcome:
    runs = {
        name: [peak_torque(replay(compiled(), driven(k), caster_shift=x)) for k in STARTS]
        for name, x in CASTERS.items()
    }
    return ordered(runs, "N m")


def live() -> Outcome:
    missing = [name for name in LIVE if name not in compiled().parameters]
    return holds([not missing], "caster, toe, tyre friction, roll centre, anti-roll bar")


def step() -> Outcome:
    return at_most(1e-3 * step_times(compiled(), driven(0))["p50"], 1.0, "ms")


ROWS = [
    Row(SOURCE, "driving simulator", "obstacle at 75 km/h", "swerves to the left and returns", swerve),
    Row(
        SOURCE, "driving simulator", "peak steering torque for the same wheel angle", "larger with more caster", caster
    ),
    Row(
        SOURCE,
        "driving simulator",
        "parameters that are tuned while it runs",
        "caster, toe, tyre friction, roll-centre height, anti-roll bar",
        live,
    ),
    Row(
        SOURCE,
        "driving simulator",
        "step of 1 ms",
        "in real time (1 kHz)",
        step,
        "depends on the computer and its load",
    ),
]
