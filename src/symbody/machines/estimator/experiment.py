"""Sensor sets at rates, over seeds: how near a filter comes, and whether its bands hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.estimation.consistency import twin_figures
from symbody.estimation.estimate import estimate
from symbody.estimation.inflation import doubted, doubting
from symbody.estimation.observability import observability
from symbody.estimation.twin import TwinRun, twin_runs
from symbody.estimation.twin_case import held_inputs
from symbody.machines.estimator.model import (
    COMMAND,
    FILTERS,
    SENSORS,
    SETS,
    START,
    WITHOUT_GYROSCOPE,
    model,
    wrong_system,
)
from symbody.results.run import Run
from symbody.system.system import Array, system
from symbody.visual.report import Record

DT, UNTIL = 1e-3, 10.0  # s
NAMES = ("crank.q", "crank.qd", "hose_p", "piston_p", "rod_p")


@cache
def truth(until: float = UNTIL) -> Run:
    """The true motion: it tilts out from 1 s to 2.5 s, and in from 5 s to 8 s."""
    return simulate(system(model()), until, DT, method="trapezoidal", inputs={"U_ref": COMMAND})


def observed(sensors: Sequence[str], rate: float, seed: int, until: float = UNTIL) -> TwinRun:
    """The filter with some sensors at a rate (Hz), with noise of a seed."""
    return observed_over(sensors, rate, [seed], until)[0]


def observed_over(
    sensors: Sequence[str], rate: float, seeds: Sequence[int], until: float = UNTIL, filtered: str = "own"
) -> list[TwinRun]:
    """The same for each of some seeds, on all cores, with one of `FILTERS`."""
    chosen = [replace(SENSORS[name], rate=rate) for name in sensors]
    run = truth(until)
    options = {"method": "trapezoidal", "start": START, **FILTERS[filtered]}
    return twin_runs(run, wrong_system(), chosen, commands(run), seeds, **options)


def commands(run: Run) -> Array:
    """Rows of inputs of the steps of a run."""
    return held_inputs(wrong_system(), {"U_ref": COMMAND}, run.t)


def observability_of(sensors: Sequence[str], until: float = 0.5) -> Record:
    """Observability of the states at the start, at rest, with some sensors."""
    noise = {name: SENSORS[name].spread for name in sensors}
    twin = estimate(wrong_system(), list(noise), noise, method="trapezoidal", start=START)
    found = observability(twin, commands(truth(until)))
    learnt = {name: float(found.learnt[found.names.index(name)]) for name in NAMES}
    figures = {"rank": found.rank, "of": len(found.names), "condition": found.condition}
    return {**figures, "unobservable": found.unobservable, "sigma_by_start": learnt}


def figures(runs: Sequence[TwinRun]) -> Record:
    """Means over seeds, of the crank and the pressures."""
    return twin_figures(runs, NAMES)


def unmeasured_pressures(
    seeds: Sequence[int], filtered: str, until: float = UNTIL, sets: Sequence[int] = (3, 4)
) -> Record:
    """Errors (% of the largest value, one for each seed) of the pressure without a sensor, with and without gyroscope.

    Sets 3 and 4 have no sensor of the rod side (p3) and of the piston side (p2).
    """
    found: dict[str, dict[str, list[float]]] = {}
    for k in sets:
        name = {3: "rod_p", 4: "piston_p"}[k]
        asked = {"gyroscope": SETS[k], "none": WITHOUT_GYROSCOPE[k]}
        found[name] = {
            way: [one.rmse_percent(name) for one in observed_over(sensors, 1000, seeds, until, filtered)]
            for way, sensors in asked.items()
        }
    return found


def coverage_over(runs: Sequence[TwinRun]) -> Record:
    """Coverage of the 95 % bands over seeds: mean, its standard error, least of a seed; with widened bands."""
    rows = np.array([[one.coverage(name) for name in NAMES] for one in runs])
    wider = np.array([[doubting(one).coverage(name) for name in NAMES] for one in runs])
    spread = rows.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return {
        "seeds": len(runs),
        "coverage": dict(zip(NAMES, rows.mean(axis=0).tolist(), strict=True)),
        "standard_error": dict(zip(NAMES, spread.tolist(), strict=True)),
        "least_of_a_seed": dict(zip(NAMES, rows.min(axis=0).tolist(), strict=True)),
        "coverage_with_doubt": dict(zip(NAMES, wider.mean(axis=0).tolist(), strict=True)),
        "doubted": float(np.mean([doubted(one) for one in runs])),
    }


def sensors_alone() -> dict[str, float]:
    """Errors of the sensors without a filter, in % of the largest true value."""
    run = truth()
    return {name: 100.0 * SENSORS[name].sigma / float(np.abs(run[name]).max()) for name in SETS[2]}
