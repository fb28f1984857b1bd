"""A tractor with a front loader on deforming ground (Jaiswal 2021, Publications IV and V): T5 and T6."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from symbody.machines.tractor.measures import LOAD, PRINTED, carried_load, dig_force, static_lift_force, timeline
from symbody.machines.tractor.model import WHEELS, model
from symbody.machines.tractor.report import worked
from symbody.machines.tractor.work_cycle import COMMANDS, TESTS, TRIMMED, cycle, hud_commands
from symbody.results.run import Run
from symbody.scenario import AttemptState, attempted, scenario_of
from symbody_bench.validate.documents.row import NOT, ORDER, SAME, Outcome, Row, at_most, holds, number

SOURCE = "Jaiswal 2021"
CLOSE, NEAR = 1.0, 3.0  # s: a time that is the same, or of the same order
HELD = (18.0, 34.0)  # s
CARRIES = 20.0  # s: the tractor reverses
SPREAD = 0.15  # of a load that is printed as "approximately"
EVENTS = {
    "first": "first soil in the bucket",
    "full": "bucket full",
    "dumps": "dump begins",
    "dumped": "load dumped",
    "empty": "bucket empty",
}
OWN = "masses, lengths, soil and commands are not printed"
RIGID = (
    "a cell of the heap is elastic up to a pressure of 1 MPa; the stiffness of the publication's contact is not printed"
)


@cache
def run() -> Run:
    return worked().run


def held() -> np.ndarray:
    return np.asarray((run().t > HELD[0]) & (run().t < HELD[1]))


def event(name: str) -> Outcome:
    found = timeline(run())[name]
    apart = abs(found - PRINTED[name])
    return Outcome(f"{found:.2f} s", SAME if apart <= CLOSE else ORDER if apart <= NEAR else NOT)


def coordinates() -> Outcome:
    m = model()
    counts = len(m.bodies) - len(WHEELS), m.nq, len(m.cuts)
    return holds([counts == (13, 28, 3)], "{} bodies, {} coordinates, {} cut joints".format(*counts))


def static_force() -> Outcome:
    return number(
        float(run()["lift_left.force"][held()].mean()) / 1e3,
        float(static_lift_force(run())[held()].mean()) / 1e3,
        "kN",
        0.1,
    )


def impact() -> Outcome:
    """The largest force of a lift cylinder in the printed time of the dig: figure 14b shows cylinders."""
    return number(dig_force(run()) / 1e3, 100.0, "kN")


def load_of(name: str) -> Outcome:
    """The load of a test of Publication IV between dig and dump, of a run that ends before."""
    made = run() if hud_commands(name) == COMMANDS else cycle(CARRIES, moves=hud_commands(name)).run
    return number(carried_load(made, TRIMMED), TESTS[name], "kg", SPREAD)


def pistons() -> Outcome:
    return holds([bool((run()["lift_piston_p"][held()] > run()["lift_rod_p"][held()]).all())], "in all records")


def alike() -> Outcome:
    left, right = run()["lift_left.force"], run()["lift_right.force"]
    return at_most(float(np.abs(left - right).max() / np.abs(left).max()), 0.02, "of the largest force")


def tasks() -> Outcome:
    ended = attempted(scenario_of("symbody.machines.tractor"), run())
    return holds([ended.state is AttemptState.DONE], f"{len(ended.finished)} tasks done")


def slower_with_particles() -> Outcome:
    times = worked().step_times
    t = np.arange(len(times)) * 1.2e-3
    few, many = (float(np.median(times[(t > a) & (t < b)])) for a, b in ((6.0, 9.5), (13.0, 34.0)))
    return holds([many > few], f"{1e6 * few:.0f} µs without particles, {1e6 * many:.0f} µs with them")


ROWS = [
    Row(SOURCE, "T5", "bodies, joint coordinates, cut joints", "13, 28, 3", coordinates),
    Row(SOURCE, "T5", "the display leads a driver through the cycle", "4 reported runs", tasks),
    Row(SOURCE, "T5", "a step takes longer when particles exist", "longer", slower_with_particles),
    *(Row(SOURCE, "T5", f"load of {name}", f"about {kg:g} kg", partial(load_of, name), OWN)
      for name, kg in TESTS.items()),
    *(Row(SOURCE, "T6", what, f"{PRINTED[name]} s", partial(event, name), OWN) for name, what in EVENTS.items()),
    Row(SOURCE, "T6", "load", "about 600 kg", lambda: number(carried_load(run()), 600.0, "kg", 0.1), OWN),
    Row(SOURCE, "T6", "load at the end", "0", lambda: at_most(float(run()[LOAD][-1]), 0.0, "kg")),
    Row(SOURCE, "T6", "mean force of a lift cylinder near the static one", "near", static_force),
    Row(SOURCE, "T6", "largest force of a lift cylinder from 10.12 to 10.85 s", "of the order of 100 kN",
        impact, RIGID),
    Row(SOURCE, "T6", "piston side above rod side while loaded", "above", pistons),
    Row(SOURCE, "T6", "both lift cylinders", "identical", alike),
    Row(SOURCE, "T6", "volume of soil", "conserved", lambda: at_most(worked().volume_error, 1e-9)),
]  # fmt: skip
