"""The filter on a hydraulic four-bar (Jaiswal 2021, chapter 3 and section 4.3): T4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from symbody.estimation.twin import TwinRun
from symbody.machines.estimator.experiment import NAMES, observed_over, sensors_alone, unmeasured_pressures
from symbody.machines.estimator.model import RATES, SETS
from symbody_bench.validate.documents.row import Outcome, Row, holds, ordered

SOURCE = "Jaiswal 2021"
SEEDS = range(10)
PRESSURES = NAMES[2:]
COVERED = 0.9  # share of time within the bands of 95 %


@cache
def runs(sensors: tuple[str, ...], rate: float = 1000.0) -> list[TwinRun]:
    return observed_over(sensors, rate, SEEDS)


def error(found: Sequence[TwinRun], name: str) -> list[float]:
    """RMS errors in % of the largest true value, by seed."""
    return [run.rmse_percent(name) for run in found]


def mean_error(found: Sequence[TwinRun]) -> list[float]:
    """Mean over the crank and the pressures."""
    return [float(np.mean([run.rmse_percent(name) for name in NAMES])) for run in found]


def better_than_sensor(name: str) -> Outcome:
    alone = sensors_alone()[name]
    return ordered({"filter": error(runs(tuple(SETS[2])), name), "sensor": [alone] * len(SEEDS)}, "%")


def second_set_is_best() -> Outcome:
    found = {k: mean_error(runs(tuple(SETS[k]))) for k in SETS}
    kept = [all(found[2][i] <= found[k][i] for k in SETS) for i in SEEDS]
    return holds(kept, ", ".join(f"set {k} {np.mean(row):.2g} %" for k, row in found.items()))


def rates() -> Outcome:
    return ordered({f"{rate:g} Hz": mean_error(runs(tuple(SETS[2]), rate)) for rate in RATES}, "%")


def gyroscope_replaces_pressure(filtered: str) -> Outcome:
    """Error of p3 without its sensor, with and without the gyroscope, by a filter of `estimator.experiment.FILTERS`."""
    found = unmeasured_pressures(SEEDS, filtered, sets=[3])["rod_p"]
    return ordered({"with gyroscope": found["gyroscope"], "without": found["none"]}, "%")


def bands(k: int) -> Outcome:
    shares = [float(np.mean([run.coverage(name) for name in NAMES])) for run in runs(tuple(SETS[k]))]
    return holds([share >= COVERED for share in shares], f"{np.mean(shares):.0%} of the time, least {min(shares):.0%}")


def sawtooth() -> Outcome:
    """σ of the rate grows between measurements at 200 Hz and shrinks with each."""
    kept = []
    for run in runs(tuple(SETS[2]), 200.0):
        sigma = run.sigma[(run.t > 2.0) & (run.t < 2.06), run.place("crank.qd")]
        kept.append(bool(np.any(np.diff(sigma) > 0.0) and np.any(np.diff(sigma) < 0.0)))
    return holds(kept, "grows and shrinks")


ROWS = [
    Row(SOURCE, "T4", "crank angle, filter and encoder", "filter better", lambda: better_than_sensor("crank.q")),
    *(
        Row(
            SOURCE,
            "T4",
            f"{name}, filter and sensor",
            "filter slightly better",
            partial(better_than_sensor, name),
        )
        for name in PRESSURES
    ),
    Row(SOURCE, "T4", "sets of sensors", "set 2 is the best overall", second_set_is_best),
    Row(SOURCE, "T4", "error over the rate of the sensors", "falls with the rate", rates),
    Row(
        SOURCE,
        "T4",
        "p3 without its sensor, pressure errors held as in the source",
        "the gyroscope replaces it",
        lambda: gyroscope_replaces_pressure("printed"),
    ),
    Row(
        SOURCE,
        "T4",
        "p3 without its sensor, exact derivatives",
        "the gyroscope replaces it",
        lambda: gyroscope_replaces_pressure("own"),
        "neither is needed: the oil ties the chambers together (docs/estimation.md)",
    ),
    *(
        Row(
            SOURCE,
            "T4",
            f"bands of 95 %, set {k}",
            "consistent",
            partial(bands, k),
            "errors of the model act like a constant bias in some seeds",
        )
        for k in SETS
    ),
    Row(SOURCE, "T4", "bands at 200 Hz", "saw-tooth", sawtooth),
]
