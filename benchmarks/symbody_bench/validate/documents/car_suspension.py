"""The car with an interconnected hydraulic suspension (Docquier 2013, section 5.1)."""

from __future__ import annotations

from functools import cache

from symbody.analysis.coupling import block_systems
from symbody.analysis.simulate import simulate
from symbody.errors import DivergenceError
from symbody.machines.car_suspension.model import model
from symbody.machines.car_suspension.report import DT, KEPT, RECORDED, SUSPENSIONS, weakly
from symbody.results.run import Run
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System, system
from symbody.system.varied_parameters import varied
from symbody.vehicles.measures import peak_roll
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, ordered, shares

SOURCE = "Docquier 2013"
UNTIL = 4.0  # s: the largest roll is before
STARTS = range(10)
SAME_ROLL = 0.01  # ° of roll between strong and weak coupling
EXCHANGE = 1  # steps


@cache
def compiled(suspension: str) -> System:
    return system(model(suspension), outputs=RECORDED)


@cache
def driven(suspension: str, start: int) -> Run:
    """The lane change; a start varies speed and steering by up to a tenth."""
    s = compiled(suspension)
    steer, speed = shares(start, 2)
    with varied(s, steer=steer * s.parameters["steer"], speed=speed * s.parameters["speed"]):
        return simulate(s, UNTIL, DT, method=FixedStep("trapezoidal", newton=KEPT), every=10 * DT)


def size() -> Outcome:
    m = model("interconnected")
    return holds([m.nq > 80], f"{m.nq} coordinates")


def pressures() -> Outcome:
    count = len(compiled("interconnected").model.states)
    return holds([count == 22], f"{count} hydraulic states")


def roll() -> Outcome:
    return ordered({name: [peak_roll(driven(name, k)) for k in STARTS] for name in reversed(SUSPENSIONS)}, "°")


def strong_and_weak() -> Outcome:
    s = compiled("interconnected")
    strong = simulate(s, UNTIL, DT, method=FixedStep("trapezoidal", newton=KEPT))
    found = weakly(block_systems(model("interconnected")), strong, EXCHANGE, "constant")
    apart = found.apart_deg
    return at_most(float("inf") if apart is None else apart, SAME_ROLL, "° of roll")


def stiff_strong() -> Outcome:
    """A stiff method on the whole system."""
    try:
        run = simulate(compiled("interconnected"), 6.0, method="bdf", rtol=1e-3)
    except DivergenceError as error:
        return holds([False], f"fails at {error.time:.2g} s")
    return holds([True], f"{run.meta.get('steps', len(run))} steps")


ROWS = [
    Row(SOURCE, "car", "coordinates of the car", "more than 80", size),
    Row(SOURCE, "car", "states of the suspension", "22", pressures),
    Row(SOURCE, "car", "roll in a lane change at 10 m/s", "smaller with interconnected dampers", roll),
    Row(SOURCE, "car", "strong and weak coupling", "the same result", strong_and_weak),
    Row(SOURCE, "car", "strong coupling with a stiff method", "works (ode15s, 5767 steps)", stiff_strong),
]
