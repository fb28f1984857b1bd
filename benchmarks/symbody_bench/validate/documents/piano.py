"""The piano action (Docquier 2013, section 5.3; Docquier 2021, section 5.1)."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.elements.planar_drawing import GRAM
from symbody.machines.piano import report as piano
from symbody.machines.piano.model import drawing
from symbody.machines.piano.play import bump, front_force, mean_force, plateau, slow_dip, step_times, varied, within
from symbody.machines.piano.repetition import LAST, PRINTED, limits, staccato_run
from symbody.machines.piano.strokes import FAST, Staccato, through
from symbody.results.run import Run
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number, ordered, same_order_as, shares

FIRST, SECOND = "Docquier 2013", "Docquier 2021"
SEEDS = 10
BUSY = "depends on the computer and its load"
ESCAPEMENT = (7e-3, 9.2e-3)  # m, dips among which the bump is looked for


@cache
def dip(seed: int, let_off: float = 0.0, added: float = 0.0, damper: bool = True) -> Run:
    """The dip at 10 mm/s with springs and a hammer of a seed, the button moved (m), and grams added to the head."""
    s, (head, lever, jack) = piano.compiled(damper=damper), shares(seed, 3)
    mass = (head * drawing()["head"]["mass"] + added) * GRAM
    springs = {
        f"{name}_spring_rest": x * s.parameters[f"{name}_spring_rest"] for name, x in (("lever", lever), ("jack", jack))
    }
    return varied(s, slow_dip(), hammer_mass=mass, let_off_height=let_off, **springs)


def held() -> Outcome:
    return number(plateau(piano.slow(), piano.HELD), 3.0, "N")


def rebound() -> Outcome:
    run, (_, end) = piano.slow(), piano.HELD
    peak = float(run["capstan.load"][(run.t > end) & (run.t < end + 0.3)].max())
    return holds([peak > 1.2 * plateau(run, piano.HELD)], f"peak of {peak:.2g} N on release")


def bump_place() -> Outcome:
    tops = []
    for seed in range(SEEDS):
        run = dip(seed)
        inside = within(run, ESCAPEMENT)
        tops.append(1e3 * float(run["key.dip"][inside][np.argmax(front_force(run)[inside])]))
    return holds([8.0 <= top <= 9.0 for top in tops], f"at {min(tops):.2g} to {max(tops):.2g} mm")


def bottom() -> Outcome:
    rises = [float(front_force(run)[-1]) - bump(run) for run in map(dip, range(SEEDS))]
    return holds([rise > 0.0 for rise in rises], f"{np.mean(rises):.2g} N above the bump")


def let_off() -> Outcome:
    heights = {"−0.5 mm": -0.5e-3, "normal": 0.0, "+0.5 mm": 0.5e-3}
    return ordered({name: [bump(dip(k, x)) for k in range(SEEDS)] for name, x in heights.items()}, "N")


def hammer_mass() -> Outcome:
    return ordered({f"{x:+g} g": [mean_force(dip(k, added=x)) for k in range(SEEDS)] for x in piano.ADDED}, "N")


def damper() -> Outcome:
    phase = (5.5e-3, 7.5e-3)

    def forces(has: bool) -> list[float]:
        runs = [dip(k, damper=has) for k in range(SEEDS)]
        return [float(front_force(run)[within(run, phase)].mean()) for run in runs]

    return ordered({"without": forces(False), "with": forces(True)}, "N")


def step_time() -> Outcome:
    return at_most(1e-3 * step_times(piano.compiled(), through(FAST, 1.1))["p50"], 1.0, "ms")


def repetition() -> Outcome:
    sweep = Staccato(fastest=60.0, until=12.6)
    found = {name: limits(staccato_run(piano.compiled(name), sweep), sweep)[LAST] for name in PRINTED}
    return same_order_as({name: (found[name], PRINTED[name]) for name in PRINTED}, "Hz")


ROWS = [
    Row(SECOND, "piano", "force of the pilot while the key is held", "near 3 N", held),
    Row(SECOND, "piano", "force of the pilot on release", "peaks, by the hammer's rebound", rebound),
    Row(SECOND, "piano", "escapement bump at 10 mm/s", "at 8 to 9 mm", bump_place),
    Row(SECOND, "piano", "end of the dip", "force rises above the bump", bottom),
    Row(SECOND, "piano", "bump by height of the let-off button", "higher button, higher bump", let_off),
    Row(SECOND, "piano", "force over the stroke by mass of the hammer", "heavier hammer, larger force", hammer_mass),
    Row(SECOND, "piano", "force in the damper's phase", "lower without the damper", damper),
    Row(SECOND, "piano", "1 ms of the model on a computer", "less than 1 ms", step_time, BUSY),
    Row(
        FIRST, "piano", "last blow of a sine of rising frequency over the whole dip",
        "single 34 Hz, double 46 Hz", repetition,
        "amplitude and criterion are not printed; see the map in machines/piano.md",
    ),
]  # fmt: skip
